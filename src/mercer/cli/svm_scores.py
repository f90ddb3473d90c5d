"""The lines in which LIBSVM's programs tell how good predictions are; scripts read them."""

from __future__ import annotations

import numpy as np

from mercer.typing import Floats

__all__ = ["accuracy_line", "cross_validation_lines", "regression_lines"]


def accuracy_line(y: Floats, predicted: Floats) -> list[str]:
    """As svm-predict tells it."""
    correct, total = int(np.count_nonzero(predicted == y)), len(y)
    share = correct / total * 100 if total else float("nan")
    return [f"Accuracy = {share:g}% ({correct}/{total}) (classification)"]


def regression_lines(y: Floats, predicted: Floats) -> list[str]:
    """As svm-predict tells them."""
    error, correlation = _errors(y, predicted)
    return [
        f"Mean squared error = {error:g} (regression)",
        f"Squared correlation coefficient = {correlation:g} (regression)",
    ]


def cross_validation_lines(y: Floats, predicted: Floats, is_regression: bool) -> list[str]:
    """As svm-train -v tells them."""
    if not is_regression:
        return [f"Cross Validation Accuracy = {100.0 * np.count_nonzero(predicted == y) / len(y):g}%"]
    error, correlation = _errors(y, predicted)
    return [
        f"Cross Validation Mean squared error = {error:g}",
        f"Cross Validation Squared correlation coefficient = {correlation:g}",
    ]


def _errors(y: Floats, predicted: Floats) -> tuple[float, float]:
    """The mean squared error and the squared correlation; no number where either side is constant."""
    if not len(y):
        return float("nan"), float("nan")
    # Means are taken off first: LIBSVM's sums of squares cancel where targets are large and near to each other.
    own, theirs = predicted - predicted.mean(), y - y.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.float64(own @ theirs) ** 2 / (np.float64(own @ own) * np.float64(theirs @ theirs))
    return float(np.mean((predicted - y) ** 2)), float(correlation)
