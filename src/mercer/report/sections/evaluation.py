"""How the machine does on rows that it has not seen: metrics, confusion, curves, calibration, residuals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mercer.report.blocks import Beside, Block, Figure, Head, Paragraph, Section, Strong, Subtitle, Table, Words
from mercer.report.digits import count, measured
from mercer.report.limits import Limits
from mercer.report.sections.confusion import confusion
from mercer.report.sections.curves import calibration, curves
from mercer.report.sections.residuals import residuals
from mercer.report.sections.scores import defined

if TYPE_CHECKING:
    from mercer.training.findings import Evaluation, Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The evaluation."""
    found = findings.evaluation
    words = (
        f"All figures are of {count(found.rows)} test rows that had no part in the search, the fit, or the calibration."
    )
    blocks: list[Block] = [Paragraph(words), _metrics(found)]
    if found.confusion is not None and found.confusion.labels:
        blocks += [Subtitle("Confusion"), *confusion(found.confusion, limits)]
    blocks += _curves(found, limits)
    if found.residuals is not None:
        blocks += [Subtitle("Residuals"), *residuals(findings.target, found.residuals, limits)]
    return Section("evaluation", "Evaluation", tuple(blocks))


def _metrics(found: Evaluation) -> Table:
    rows: list[tuple[Words, ...]] = []
    for place, metric in enumerate(found.metrics):
        name: Words = Strong(metric.name) if place == 0 else metric.name
        rows.append((name, measured(metric.value, metric.error)))
    heads = (Head("Metric"), Head("Value ± standard error", "number"))
    details = tuple(defined(metric) for metric in found.metrics)
    return Table("Metrics; the first is the one that counts", heads, tuple(rows), details)


def _curves(found: Evaluation, limits: Limits) -> Iterator[Block]:
    figures: list[Figure] = []
    if found.roc:
        figures.append(
            curves("ROC curve", "false positive rate", "true positive rate", found.roc, limits, diagonal=True)
        )
    if found.precision_recall:
        figures.append(
            curves("Precision and recall", "recall", "precision", found.precision_recall, limits, diagonal=False)
        )
    if found.calibration:
        figures.append(calibration(found.calibration, limits))
    if figures:
        yield Subtitle("Curves")
        yield Beside(tuple(figures))
