"""What the words of the report mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Section, Terms, Words
from mercer.report.limits import Limits
from mercer.report.sections.scores import defined

if TYPE_CHECKING:
    from mercer.training.findings import Evaluation, Findings

__all__ = ["section"]

_STANDARD_ERROR = (
    "By how much a figure would typically differ if other test rows of the same kind had been drawn. Two figures that "
    "differ by less than about two standard errors may well be equal."
)
_CROSS_VALIDATION = (
    "The training rows are cut into folds; each is predicted by a machine that was fitted to the others. The test rows "
    "have no part in it."
)
_SUPPORT_VECTOR = (
    "A training row with a coefficient that is not zero. The machine is a weighted sum of kernels around these rows."
)
_ROC = (
    "For every threshold, the share of rows of the class that are found (true positive rate) beside the share of other "
    "rows that are taken for it (false positive rate). The area below is the chance that a row of the class is ranked "
    "above one of another; 0.5 is a guess."
)
_PRECISION = (
    "Recall is the share of rows of a class that are found; precision is the share of rows said to be of the class "
    "that are. The curve has both for every threshold."
)
_CALIBRATION = (
    "Rows are put into bins by their predicted probability; in each, the mean of these is compared with the share that "
    "happened."
)
_RESIDUAL = "Truth − prediction: positive where the machine says too little."
_IMPORTANCE = (
    "How much worse the metric that counts becomes where the values of one column are shuffled among the test rows."
)


def section(findings: Findings, limits: Limits) -> Section:
    """The definitions: first of the metrics, then of what else the report speaks of."""
    found = findings.evaluation
    pairs: list[tuple[Words, Words]] = [(metric.name, defined(metric)) for metric in found.metrics]
    pairs.append(("Standard error", _STANDARD_ERROR))
    pairs += _of_charts(found)
    if findings.importance:
        pairs.append(("Importance by permutation", _IMPORTANCE))
    pairs += [("Cross-validation", _CROSS_VALIDATION), ("Support vector", _SUPPORT_VECTOR)]
    return Section("definitions", "Definitions", (Terms(tuple(pairs)),))


def _of_charts(found: Evaluation) -> list[tuple[Words, Words]]:
    pairs: list[tuple[Words, Words]] = []
    if found.roc:
        pairs.append(("ROC curve", _ROC))
    if found.precision_recall or found.confusion is not None:
        pairs.append(("Precision and recall", _PRECISION))
    if found.calibration:
        pairs.append(("Calibration", _CALIBRATION))
    if found.residuals is not None:
        pairs.append(("Residual", _RESIDUAL))
    return pairs
