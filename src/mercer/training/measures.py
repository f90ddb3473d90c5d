"""Scores of predictions, each with what a single row adds to it.

A score is a function of averages over the rows, so that it is, to first order, its value plus the average of an
influence of each row. Their spread gives the standard error of the score, and the spread of differences that of the
difference of two scores on the same rows.

See     Efron (1982), The jackknife, the bootstrap and other resampling plans, on the infinitesimal jackknife
        DeLong, DeLong, Clarke-Pearson (1988), on areas below ROC curves
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from mercer.typing import Booleans, Floats, Integers

__all__ = [
    "Measure",
    "accuracy",
    "balanced_accuracy",
    "brier",
    "f1_macro",
    "log_loss",
    "mean_absolute_error",
    "median_absolute_error",
    "r2",
    "roc_auc",
    "root_mean_squared_error",
    "score",
]

# No probability counts as less than this, whose logarithm is finite.
_LEAST = 1e-15


class Measure(NamedTuple):
    """A score, what each row moves it by, deviations with mean zero, and what its error is at least."""

    value: float
    influence: Floats
    least_error: float = 0.0

    @property
    def error(self) -> float | None:
        """The standard error; None where one row is all there is."""
        error = _error_of_mean(self.influence)
        return None if error is None else max(error, self.least_error)

    def beside(self, other: Measure) -> tuple[float, float | None]:
        """How much larger the other is on the same rows, and the standard error of that."""
        return other.value - self.value, _error_of_mean(other.influence - self.influence)


def _error_of_mean(values: Floats) -> float | None:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def score(name: str, truth: Any, predicted: Any) -> Measure:
    """The score that counts, of labels by their numbers or of targets."""
    return _SCORES[name](truth, predicted)


# ---------------------------------------------------------------- labels


def accuracy(truth: Integers, predicted: Integers) -> Measure:
    """The share of rows with the right label."""
    right = (truth == predicted).astype(np.float64)
    # Rows that are all right, or all wrong, do not differ; yet another one might.
    share = (right.sum() + 1) / (len(right) + 2)
    least = float(np.sqrt(share * (1 - share) / len(right))) if right.all() or not right.any() else 0.0
    return _mean(right)._replace(least_error=least)


def balanced_accuracy(truth: Integers, predicted: Integers) -> Measure:
    """The share of rows with the right label within each class, averaged over the classes."""
    right = (truth == predicted).astype(np.float64)
    counts = np.bincount(truth)
    classes = np.count_nonzero(counts)
    shares = np.bincount(truth, right) / np.maximum(counts, 1)
    influence = (right - shares[truth]) * len(truth) / (counts[truth] * classes)
    return Measure(float(shares[counts > 0].mean()), influence)


def f1_macro(truth: Integers, predicted: Integers) -> Measure:
    """2 TP / (2 TP + FP + FN) of each class, averaged over the classes."""
    classes = np.unique(np.concatenate([truth, predicted]))
    values, influence = [], np.zeros(len(truth))
    for one in classes:
        is_true, is_said = truth == one, predicted == one
        both, either = 2.0 * (is_true & is_said), is_true.astype(np.float64) + is_said
        value = float(both.mean() / either.mean())
        values.append(value)
        influence += (both - value * either) / either.mean()
    return Measure(float(np.mean(values)), influence / len(classes))


# ---------------------------------------------------------------- values and probabilities of classes


def roc_auc(truth: Integers, values: Floats) -> Measure | None:
    """How often a row of a class has a larger value of it than a row of another class, averaged over the classes.

    `values` has a column for each class; of two classes that of the second says all. None where there is one class.
    """
    asked = [1] if values.shape[1] == 2 else list(range(values.shape[1]))
    parts = [_area(values[:, k], truth == k) for k in asked if 0 < np.count_nonzero(truth == k) < len(truth)]
    if not parts:
        return None
    return Measure(float(np.mean([part.value for part in parts])), np.mean([part.influence for part in parts], axis=0))


def _area(values: Floats, is_positive: Booleans) -> Measure:
    """Of one class: the mean placement of positives among negatives, ties by half."""
    ranks = rankdata(values)
    placed = np.empty(len(values))
    positives, negatives = np.count_nonzero(is_positive), np.count_nonzero(~is_positive)
    placed[is_positive] = (ranks[is_positive] - rankdata(values[is_positive])) / negatives
    placed[~is_positive] = 1 - (ranks[~is_positive] - rankdata(values[~is_positive])) / positives
    area = float(placed[is_positive].mean())
    weight = len(values) / np.where(is_positive, positives, negatives)
    return Measure(area, (placed - area) * weight)


def log_loss(truth: Integers, probabilities: Floats) -> Measure:
    """Minus the logarithm of the probability that the true class was given, on average."""
    return _mean(-np.log(np.maximum(probabilities[np.arange(len(truth)), truth], _LEAST)))


def brier(truth: Integers, probabilities: Floats) -> Measure:
    """The squared distance of the probabilities from the truth, on average; halved, as usual with two classes."""
    exact = np.zeros_like(probabilities)
    exact[np.arange(len(truth)), truth] = 1.0
    return _mean(np.square(probabilities - exact).sum(axis=1) / 2)


# ---------------------------------------------------------------- targets


def r2(truth: Floats, predicted: Floats) -> Measure:
    """1 − Σ(truth − predicted)² / Σ(truth − mean)²; zero where the targets are all the same."""
    errors, spread = np.square(truth - predicted), np.square(truth - truth.mean())
    if not spread.mean() > 0:
        return Measure(0.0, np.zeros(len(truth)))
    lost = float(errors.mean() / spread.mean())
    return Measure(1.0 - lost, -(errors - lost * spread) / spread.mean())


def root_mean_squared_error(truth: Floats, predicted: Floats) -> Measure:
    """The root of the mean squared error."""
    errors = np.square(truth - predicted)
    value = float(np.sqrt(errors.mean()))
    return Measure(value, (errors - errors.mean()) / (2 * value) if value > 0 else np.zeros(len(truth)))


def mean_absolute_error(truth: Floats, predicted: Floats) -> Measure:
    """The mean distance of predictions from the truth."""
    return _mean(np.abs(truth - predicted))


def median_absolute_error(truth: Floats, predicted: Floats) -> tuple[float, float | None]:
    """The median of these distances, and its standard error from the ranks beside it."""
    errors = np.sort(np.abs(truth - predicted))
    if len(errors) < 2:
        return float(errors[0]), None
    half = 0.5 / np.sqrt(len(errors))  # the standard error of the rank, as a share
    low, value, high = np.quantile(errors, [0.5 - half, 0.5, 0.5 + half])
    return float(value), float(high - low) / 2


def _mean(values: Floats) -> Measure:
    value = float(values.mean())
    return Measure(value, values - value)


_SCORES: dict[str, Callable[[Any, Any], Measure]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1_macro": f1_macro,
    "r2": r2,
}
