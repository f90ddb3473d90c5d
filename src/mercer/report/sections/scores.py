"""The metric that counts beside what others reach by it: what the summary and the section on baselines both draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mercer.report.blocks import Drawing, Head, Quoted, Table
from mercer.report.charts import Axis, mark
from mercer.report.digits import alike, duration, number
from mercer.report.sections.prose import sentence, with_short_numbers

if TYPE_CHECKING:
    from mercer.training.findings import Findings, Metric

__all__ = ["defined", "direction", "leaderboard"]


@dataclass(frozen=True)
class _Entry:
    name: str
    value: float
    error: float | None
    seconds: float
    words: str
    is_own: bool = False


def leaderboard(findings: Findings, *, is_short: bool) -> Table:
    """The machine and the baselines, the best first, by the metric that counts; times and words unless it is short."""
    metric = findings.evaluation.metrics[0]
    entries = _ordered(findings)
    ends = [entry.value + side * (entry.error or 0.0) for entry in entries for side in (-1, 1)]
    axis = Axis.around(metric.name, ends, n_ticks=9)
    heads = (Head("Model"), Head("", "drawing", (number(axis.low), number(axis.high))), Head(metric.name, "number"))
    figures = alike([(entry.value, entry.error) for entry in entries])
    rows = tuple(
        (Quoted(entry.name), Drawing(mark(axis, entry.value, entry.error, is_own=entry.is_own)), figure)
        for entry, figure in zip(entries, figures, strict=True)
    )
    own = next(place for place, entry in enumerate(entries) if entry.is_own)
    words = [f"{sentence(entry.words)} Fitted in {duration(entry.seconds)}." for entry in entries]
    details = () if is_short else tuple(words)
    return Table(f"{metric.name} on the same test rows", heads, rows, details, marked=own)


def _ordered(findings: Findings) -> list[_Entry]:
    metric, machine = findings.evaluation.metrics[0], findings.machine
    words = f"This model: {machine.estimator}, {with_short_numbers(machine.kernel)}"
    entries = [_Entry("Mercer", metric.value, metric.error, machine.seconds, words, is_own=True)]
    entries += [_Entry(each.name, each.value, each.error, each.seconds, each.words) for each in findings.baselines]
    sign = -1 if metric.larger_is_better else 1
    return sorted(entries, key=lambda entry: sign * entry.value if math.isfinite(entry.value) else math.inf)


def defined(metric: Metric) -> str:
    """What a metric is, and which way is better."""
    return f"{metric.definition.rstrip('.')} ({direction(metric.larger_is_better)})."


def direction(larger_is_better: bool) -> str:
    """Which way is better, in words."""
    return "larger is better" if larger_is_better else "smaller is better"
