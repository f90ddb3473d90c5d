"""Pictures of predictions as points: confusion, ROC, precision and recall, calibration, residuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.training.findings import CalibrationCurve, Confusion, Curve, Residuals
from mercer.typing import Booleans, Floats, Integers

__all__ = ["calibration_curves", "confusion_of", "precision_recall_curves", "residuals_of", "roc_curves"]

# What a person can look at, and a page can hold whatever the data.
_MOST_CLASSES, _MOST_CURVES, _MOST_POINTS, _MOST_RESIDUALS = 20, 10, 200, 500
_BINS, _FEWEST_IN_A_BIN = 10, 10
_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def confusion_of(truth: Integers, predicted: Integers, classes: Sequence[str]) -> Confusion:
    """Counts of true and given labels; of many classes the smaller ones are taken together."""
    labels = list(classes)
    if len(labels) > _MOST_CLASSES:
        counts = np.bincount(truth, minlength=len(labels))
        largest = np.sort(np.argsort(-counts, kind="stable")[: _MOST_CLASSES - 1])
        place = np.full(len(labels), _MOST_CLASSES - 1)
        place[largest] = np.arange(_MOST_CLASSES - 1)
        truth, predicted = place[truth], place[predicted]
        labels = [*(labels[k] for k in largest), f"{len(labels) - _MOST_CLASSES + 1} other classes"]
    counts = np.bincount(truth * len(labels) + predicted, minlength=len(labels) ** 2)
    return Confusion(labels, counts.reshape(len(labels), -1).tolist())


def roc_curves(truth: Integers, values: Floats, classes: Sequence[str]) -> list[Curve]:
    """The share of a class that is found against the share of the others that is taken for it."""
    curves = []
    for k in _asked(truth, values):
        found, wrong = _cumulated(values[:, k], truth == k)
        x, y = wrong / wrong[-1], found / found[-1]
        area = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
        curves.append(_curve(classes[k], x, y, area))
    return curves


def precision_recall_curves(truth: Integers, values: Floats, classes: Sequence[str]) -> list[Curve]:
    """Recall (x) against precision (y) of a class; the area is the average precision."""
    curves = []
    for k in _asked(truth, values):
        found, wrong = _cumulated(values[:, k], truth == k)
        recall, precision = found / found[-1], np.ones(len(found))
        precision[1:] = found[1:] / (found[1:] + wrong[1:])
        area = float(np.sum(np.diff(recall) * precision[1:]))
        curves.append(_curve(classes[k], recall, precision, area))
    return curves


def calibration_curves(truth: Integers, probabilities: Floats, classes: Sequence[str]) -> list[CalibrationCurve]:
    """Of two classes: how often the second is true where it is said to be so probable. Of more: how often the most
    probable class is."""
    if len(classes) == 2:
        label, said, is_true = classes[1], probabilities[:, 1], truth == 1
    else:
        best = probabilities.argmax(axis=1)
        label, said, is_true = "the most probable class", probabilities.max(axis=1), truth == best
    bins = min(_BINS, len(said) // _FEWEST_IN_A_BIN)
    if bins < 2:
        return []
    parts = np.array_split(np.argsort(said, kind="stable"), bins)
    return [
        CalibrationCurve(
            label,
            [float(said[part].mean()) for part in parts],
            [float(is_true[part].mean()) for part in parts],
            [len(part) for part in parts],
        )
    ]


def residuals_of(truth: Floats, predicted: Floats, seed: int) -> Residuals:
    """Truth beside prediction, of some rows, and how truth − prediction is spread over all."""
    rows = np.arange(len(truth))
    if len(rows) > _MOST_RESIDUALS:
        rows = np.sort(np.random.default_rng(seed).choice(len(truth), _MOST_RESIDUALS, replace=False))
    spread = np.quantile(truth - predicted, _QUANTILES)
    return Residuals(
        predicted[rows].tolist(),
        truth[rows].tolist(),
        {f"{100 * share:g} %": float(value) for share, value in zip(_QUANTILES, spread, strict=True)},
    )


def _asked(truth: Integers, values: Floats) -> list[int]:
    """Classes that have a curve: of two the second, of many the commonest; both sides must have rows."""
    counts = np.bincount(truth, minlength=values.shape[1])
    classes = [1] if values.shape[1] == 2 else np.sort(np.argsort(-counts, kind="stable")[:_MOST_CURVES]).tolist()
    return [k for k in classes if 0 < counts[k] < len(truth)]


def _cumulated(values: Floats, is_positive: Booleans) -> tuple[Floats, Floats]:
    """Positives and negatives down to each different value, from none on."""
    order = np.argsort(-values, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    found = np.cumsum(is_positive[order])[ends]
    return np.append(0.0, found), np.append(0.0, ends + 1 - found)


def _curve(label: str, x: Floats, y: Floats, area: float) -> Curve:
    """A curve of few points; both ends stay."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(int))
    return Curve(label, x[kept].tolist(), y[kept].tolist(), area)
