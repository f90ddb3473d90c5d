"""The result of a training run on one screen."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping
from pathlib import Path

from mercer.cli.terminal import paragraph
from mercer.training.findings import Check, Findings, Metric

__all__ = ["summary_of"]

# What there is to look at beside the score, on a screen that also shows the rest: so many checks, each of two lines.
_MOST_CHECKS, _LONGEST_CHECK = 3, 134


def summary_of(found: Findings, files: Mapping[str, Path]) -> str:
    """Data, choice, machine, certificates, score, what to look at, and where everything is."""
    data, choice, machine = found.data, found.choice, found.machine
    dropped = f" {data.dropped:,} rows without a target were left out." if data.dropped else ""
    apart = f"{data.apart_rows:,} kept apart for sets and intervals, " if data.apart_rows else ""
    features = len([one for one in data.columns if one.role == "feature"])
    parts = {
        "Data": f"{data.source}: {data.rows:,} rows, {_counted(features, 'column')} as "
        f"{_counted(data.n_features, 'feature')}; "
        f"{data.train_rows:,} rows to train on, {apart}{data.test_rows:,} to evaluate on.{dropped}",
        "Task": found.reason,
        "Choice": f"{_params(choice.params)}: {choice.score_name} {choice.score:.3f} ± {choice.spread:.3f} on "
        f"{choice.folds} folds. {choice.certificate}",
        "Machine": f"{machine.estimator}{_supports(found)}. {machine.status}",
        "Certificate": _proof(found),
        "Score": _scores(found),
    }
    shown = [check for check in found.checks if check.level == "warning"]
    shown += [check for check in found.checks if check.level == "note"]
    if shown:
        more = f"\n… and {len(shown) - _MOST_CHECKS} more in the report" if len(shown) > _MOST_CHECKS else ""
        parts["Look at"] = "\n".join(map(_shortened, shown[:_MOST_CHECKS])) + more
    paths = {
        "Model": str(files["model"]),
        "Report": str(files["html"]),
        "Next": f"mercer predict {shlex.quote(str(files['model']))} NEW.csv",
    }
    lines = [paragraph(title, words) for title, words in parts.items()]
    return "\n".join([*lines, *(paragraph(title, words, is_wrapped=False) for title, words in paths.items())])


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _shortened(check: Check) -> str:
    return textwrap.shorten(f"{check.code} {check.title}: {check.words}", _LONGEST_CHECK, placeholder=" …")


def _supports(found: Findings) -> str:
    return "" if found.machine.kernel == "linear" else f", {found.machine.n_support:,} support vectors"


def _params(params: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}" for name, value in params.items()
    )


def _proof(found: Findings) -> str:
    """The bound in one sentence; the report has all of it."""
    machine, numbers = found.machine, found.machine.certificate
    gap, violation = numbers.get("relative_gap"), numbers.get("violation")
    if gap is None or violation is None:
        return machine.certificate_text
    return (
        f"The objective is proven to be within {100 * gap:.2g} % of the best that is possible; the largest violation "
        f"is {violation:.2g}, where {machine.tol:.2g} was asked for."
    )


def _scores(found: Findings) -> str:
    first = found.evaluation.metrics[0]
    others = ", ".join(f"{one.name.lower()} {one.value:.3f}" for one in found.baselines)
    rows, seen = found.evaluation.rows, found.evaluation.seen_rows
    told = f"{rows:,} rows, {seen:,} of which are training rows too" if seen else f"{rows:,} rows it has not seen"
    return f"{_told(first)} on {told}; {others}. {found.verdict}"


def _told(metric: Metric) -> str:
    spread = "" if metric.error is None else f" ± {metric.error:.3f}"
    return f"{metric.name} {metric.value:.3f}{spread}"
