"""How well predictions do on rows that the machine has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.tabular import Predictions
from mercer.training import measures
from mercer.training.curves import (
    calibration_curves,
    confusion_of,
    precision_recall_curves,
    residuals_of,
    roc_curves,
)
from mercer.training.findings import Evaluation, Metric
from mercer.training.measures import Measure
from mercer.training.target import Target
from mercer.typing import Floats, Integers

__all__ = ["NAMES", "Judged", "evaluate"]

#: What the scores that count are called.
NAMES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "f1_macro": "F1, macro",
    "r2": "R²",
}

_DEFINITIONS = {
    "accuracy": "The share of rows with the right label.",
    "balanced_accuracy": "The share of rows with the right label within each class, averaged over the classes.",
    "roc_auc": "How often a row of the class has a larger value than a row of another class; 0.5 is guessing. Of more "
    "than two classes the mean over them.",
    "log_loss": "Minus the logarithm of the probability given to the true class, on average; surprise in nats.",
    "brier": "Half the squared distance between the probabilities and the truth, on average; 0 is perfect.",
    "f1_macro": "The harmonic mean of precision and recall of each class, averaged over the classes.",
    "r2": "The share of the variance of the target that is explained: 1 is perfect, 0 is what the mean reaches.",
    "rmse": "The root of the mean squared error, in units of the target.",
    "mae": "The mean distance between prediction and truth, in units of the target.",
    "median_absolute_error": "The median distance between prediction and truth: half the rows are nearer.",
}


@dataclass(frozen=True, eq=False)
class Judged:
    """Predictions of the test rows beside the truth.

    Attributes
    ----------
    predicted : ndarray
        Numbers of classes, or targets.
    counts : Measure
        The score that counts.
    probabilities : ndarray of shape (rows, classes) or None
    found : Evaluation
    """

    predicted: Any
    counts: Measure
    probabilities: Floats | None
    found: Evaluation


def evaluate(predictions: Predictions, truth: Any, target: Target, seed: int) -> Judged:
    """All figures of the task, the one that counts first."""
    if target.is_classification:
        return _of_classes(predictions, truth, target)
    values = np.asarray(predictions.values, dtype=np.float64)
    counts = measures.r2(truth, values)
    rmse, mae = measures.root_mean_squared_error(truth, values), measures.mean_absolute_error(truth, values)
    median, error = measures.median_absolute_error(truth, values)
    metrics = [
        _metric("r2", NAMES["r2"], counts.value, counts.error),
        _metric("rmse", "RMSE", rmse.value, rmse.error, larger_is_better=False),
        _metric("mae", "MAE", mae.value, mae.error, larger_is_better=False),
        _metric("median_absolute_error", "Median absolute error", median, error, larger_is_better=False),
    ]
    found = Evaluation(rows=len(truth), metrics=metrics, residuals=residuals_of(truth, values, seed))
    return Judged(values, counts, None, found)


def _of_classes(predictions: Predictions, truth: Integers, target: Target) -> Judged:
    score_name = target.score
    assert predictions.labels is not None
    places = {label: code for code, label in enumerate(target.classes)}
    predicted = np.array([places[label] for label in predictions.labels], dtype=np.int64)
    counts = measures.score(score_name, truth, predicted)
    metrics = [_metric(score_name, NAMES[score_name], counts.value, counts.error)]
    for name in ("accuracy", "balanced_accuracy"):
        if name != score_name:
            other = measures.score(name, truth, predicted)
            metrics.append(_metric(name, NAMES[name], other.value, other.error))
    probabilities = predictions.probabilities
    values = _values(predictions, len(target.classes))
    area = None if values is None else measures.roc_auc(truth, values)
    if area is not None:
        metrics.append(_metric("roc_auc", "ROC AUC", area.value, area.error))
    if probabilities is not None:
        loss, brier = measures.log_loss(truth, probabilities), measures.brier(truth, probabilities)
        metrics.append(_metric("log_loss", "Log loss", loss.value, loss.error, larger_is_better=False))
        metrics.append(_metric("brier", "Brier score", brier.value, brier.error, larger_is_better=False))
    if score_name != "f1_macro":
        f1 = measures.f1_macro(truth, predicted)
        metrics.append(_metric("f1_macro", NAMES["f1_macro"], f1.value, f1.error))
    found = Evaluation(
        rows=len(truth),
        metrics=metrics,
        confusion=confusion_of(truth, predicted, target.classes),
        roc=[] if values is None else roc_curves(truth, values, target.classes),
        precision_recall=[] if values is None else precision_recall_curves(truth, values, target.classes),
        calibration=[] if probabilities is None else calibration_curves(truth, probabilities, target.classes),
    )
    return Judged(predicted, counts, probabilities, found)


def _values(predictions: Predictions, classes: int) -> Floats | None:
    """A value for each class, larger where it is likelier: of two those of the function, which no probability ties."""
    if classes == 2 and predictions.decision is not None:
        return np.stack([-predictions.decision[:, 0], predictions.decision[:, 0]], axis=1)
    return predictions.probabilities


def _metric(key: str, name: str, value: float, error: float | None, larger_is_better: bool = True) -> Metric:
    return Metric(key, name, value, error, _DEFINITIONS[key], larger_is_better)
