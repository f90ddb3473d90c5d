"""The first screen: what was learnt from what, how well it does beside the baselines, what is proven, the verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mercer.report.blocks import Beside, Block, KeyFigure, Paragraph, Quoted, Section, Strong, Terms, Verdict, Words
from mercer.report.digits import count, duration, measured, number, parameter
from mercer.report.limits import Limits
from mercer.report.sections.prose import sentence, with_short_numbers
from mercer.report.sections.scores import direction, leaderboard

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["certified", "section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The summary."""
    metric = findings.evaluation.metrics[0]
    name = metric.name if metric.larger_is_better else f"{metric.name} ({direction(False)})"
    seen = findings.evaluation.seen_rows
    which = f", {count(seen)} of which are training rows too" if seen else " that it has not seen"
    note = f"on {count(findings.evaluation.rows)} test rows{which}"
    spread = "" if metric.error is None else "; ± one standard error"
    blocks: list[Block] = [
        Paragraph(sentence(findings.verdict), "lead"),
        Beside(
            (KeyFigure(measured(metric.value, metric.error), name, note + spread), leaderboard(findings, is_short=True))
        ),
        _certificate(findings),
        *_warnings(findings),
        Terms((("Task", _task(findings)), ("Data", _data(findings)), ("Machine", _machine(findings)))),
    ]
    return Section("summary", "Summary", tuple(blocks))


def certified(certificate: dict[str, Any], tol: float) -> str:
    """The numbers of a certificate in one sentence; empty where it has no gap."""
    gap, violation = certificate.get("relative_gap"), certificate.get("violation")
    if not isinstance(gap, int | float) or not math.isfinite(gap):
        return ""
    sentence = f"The objective is proven to be within {number(100 * max(0.0, gap), 2)} % of the best that is possible"
    if not isinstance(violation, int | float) or not math.isfinite(violation):
        return sentence + "."
    relation = "within" if violation <= tol else "beyond"
    return f"{sentence}; the largest violation is {number(violation, 2)}, {relation} the tolerance of {number(tol, 2)}."


def _certificate(findings: Findings) -> Verdict:
    machine = findings.machine
    words = certified(machine.certificate, machine.tol) or sentence(machine.certificate_text)
    return Verdict("fine", "Certified", words) if machine.holds else Verdict("warning", "Not certified", words)


def _warnings(findings: Findings) -> list[Block]:
    warnings = [check for check in findings.checks if check.level == "warning"]
    if not warnings:
        return []
    badge = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    named = "; ".join(f"{check.title} ({check.code})" for check in warnings[:3])
    rest = f"; and {len(warnings) - 3} more" if len(warnings) > 3 else ""
    return [Verdict("warning", badge, f"{named}{rest}. What to do stands under Checks.")]


def _task(findings: Findings) -> Words:
    kind = findings.task.capitalize()
    reason = findings.reason.removeprefix(f"{kind}, ")
    if findings.classes:
        kind += f" into {len(findings.classes)} classes"
    between = ", " if reason.startswith("because") else ": "
    end = "" if reason.endswith(".") else "."
    return (Strong(kind), " of ", Quoted(findings.target), f"{between if reason else ''}{reason}{end}")


def _data(findings: Findings) -> Words:
    data = findings.data
    used = sum(column.role == "feature" for column in data.columns)
    apart = f"{count(data.apart_rows)} kept apart for sets and intervals, " if data.apart_rows else ""
    return (
        Quoted(data.source),
        f" ({data.format}), {count(data.rows)} rows: {count(data.train_rows)} to learn from, {apart}"
        f"{count(data.test_rows)} to test on. {count(used)} columns became {count(data.n_features)} numbers a row.",
    )


def _machine(findings: Findings) -> Words:
    machine = findings.machine
    chosen = ", ".join(f"{name} = {parameter(value)}" for name, value in findings.choice.params.items())
    parts = (with_short_numbers(machine.kernel), f"chosen: {chosen}" if chosen else "")
    words = "; ".join(part for part in (*parts, f"{count(machine.n_support)} support vectors") if part)
    return (Strong(machine.estimator), f", {words}. Training took {duration(findings.seconds)}.")
