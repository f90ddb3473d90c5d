"""How much each column counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Drawing, Head, Paragraph, Quoted, Section, Table
from mercer.report.charts import Axis, bar
from mercer.report.digits import alike, number
from mercer.report.limits import Limits
from mercer.report.sections.prose import in_sentence

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The importance of columns, the largest first."""
    if not findings.importance:
        return Section("importance", "Column importance")
    metric = findings.evaluation.metrics[0]
    ordered = sorted(findings.importance, key=lambda each: -each.loss if each.loss == each.loss else float("inf"))
    shown = ordered[: limits.bars]
    ends = [each.loss + side * each.error for each in shown for side in (-1, 1)]
    axis = Axis.around(metric.name, [0.0, *ends], n_ticks=9)
    figures = alike([(each.loss, each.error) for each in shown])
    rows = tuple(
        (Quoted(each.column), Drawing(bar(axis, each.loss, each.error)), figure)
        for each, figure in zip(shown, figures, strict=True)
    )
    heads = (
        Head("Column"),
        Head("Loss where it is shuffled", "drawing", (number(axis.low), number(axis.high))),
        Head(f"Loss of {in_sentence(metric.name)}", "number"),
    )
    words = (
        f"How much worse {in_sentence(metric.name)} becomes on the test rows where the values of one column are "
        "shuffled, so that they no longer belong to their rows. Columns that tell the same can stand in for each "
        "other, and then both seem to count for little. Whiskers are one standard error."
    )
    table = Table("Columns by importance", heads, rows, more=len(ordered) - len(shown))
    return Section("importance", "Column importance", (Paragraph(words), table))
