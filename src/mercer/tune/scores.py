"""Scores of what is known of a machine, and between which numbers the score of the exact machine lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer

from mercer.tune.responses import Known
from mercer.typing import Floats

__all__ = ["reason_not_known", "score_interval"]

Interval = tuple[float, float]
UNKNOWN: Interval = (np.nan, np.nan)

_RESPONSES = {"predict", "decision_function"}


def reason_not_known(scorer: Any) -> str | None:
    """Why a scorer needs the machine itself, and not only what it says of the held-out rows; None where it does not."""
    if isinstance(scorer, _MultimetricScorer):
        reasons = [reason_not_known(one) for one in scorer._scorers.values()]
        return next((reason for reason in reasons if reason is not None), None)
    if isinstance(scorer, _PassthroughScorer):
        return None
    if not isinstance(scorer, _BaseScorer):
        return "the scorer is a function of the estimator"
    methods = scorer._response_method
    if not _RESPONSES.issuperset([methods] if isinstance(methods, str) else list(methods)[:1]):
        return "the scorer asks for probabilities"
    return None


def score_interval(scorer: Any, known: Known, y: Any) -> Interval:
    """Between which numbers the score of the exact machine lies; NaN where that cannot be told for this score."""
    if known.low is None or known.high is None:
        return UNKNOWN
    if isinstance(scorer, _PassthroughScorer):
        return _accuracy(known, y) if known.classes is not None else _of_errors(known, y, _r2, 1.0)
    function = getattr(scorer, "_score_func", None)
    if not isinstance(scorer, _BaseScorer) or scorer._kwargs:
        return UNKNOWN
    if known.classes is not None:
        return _of_labels(function, known, y)
    bounded = _OF_ERRORS.get(function) if function is not None else None
    return UNKNOWN if bounded is None else _of_errors(known, y, bounded, scorer._sign)


# ---------------------------------------------------------------- labels


def _accuracy(known: Known, y: Any) -> Interval:
    right = np.asarray(known.predicted) == np.asarray(y)
    return float(np.mean(right & known.is_proven)), float(np.mean(right | ~known.is_proven))


#: Scores of two classes that never fall when a wrong label is put right.
_RISE_WITH_RIGHT_LABELS = {
    metrics.balanced_accuracy_score,
    metrics.f1_score,
    metrics.precision_score,
    metrics.recall_score,
    metrics.jaccard_score,
}


def _of_labels(function: Any, known: Known, y: Any) -> Interval:
    if function is metrics.accuracy_score:
        return _accuracy(known, y)
    classes = known.classes
    assert classes is not None
    if len(classes) != 2:
        return UNKNOWN
    if function is metrics.roc_auc_score:
        return _auc(known, y)
    if function not in _RISE_WITH_RIGHT_LABELS:
        return UNKNOWN
    truth, free = np.asarray(y), ~known.is_proven
    other = np.where(truth == classes[0], classes[1], classes[0])
    worst, best = np.where(free, other, known.predicted), np.where(free, truth, known.predicted)
    return float(function(truth, worst)), float(function(truth, best))


def _auc(known: Known, y: Any) -> Interval:
    """Positives at their lowest and negatives at their highest, and the other way round."""
    assert known.low is not None and known.high is not None and known.classes is not None
    positive = np.asarray(y) == known.classes[1]
    if positive.all() or not positive.any():
        return UNKNOWN
    # An offset moves all values alike: it takes no part in their order.
    worst = np.where(positive, known.low[:, 0], known.high[:, 0])
    best = np.where(positive, known.high[:, 0], known.low[:, 0])
    return float(metrics.roc_auc_score(positive, worst)), float(metrics.roc_auc_score(positive, best))


# ---------------------------------------------------------------- errors


def _r2(errors: Floats, y: Floats) -> float:
    spread = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - float(np.sum(errors**2)) / spread if spread > 0 else np.nan


#: Losses and gains that depend on the sizes of errors only, and are the worse the larger these are.
_OF_ERRORS: dict[Any, Callable[[Floats, Floats], float]] = {
    metrics.r2_score: _r2,
    metrics.mean_squared_error: lambda errors, y: float(np.mean(errors**2)),
    metrics.root_mean_squared_error: lambda errors, y: float(np.sqrt(np.mean(errors**2))),
    metrics.mean_absolute_error: lambda errors, y: float(np.mean(errors)),
    metrics.median_absolute_error: lambda errors, y: float(np.median(errors)),
    metrics.max_error: lambda errors, y: float(np.max(errors)),
}


def _of_errors(known: Known, y: Any, function: Callable[[Floats, Floats], float], sign: float) -> Interval:
    assert known.low is not None and known.high is not None
    targets = np.asarray(y, dtype=np.float64)
    low, high = known.low[:, 0], known.high[:, 0]
    largest = np.maximum(np.abs(targets - low), np.abs(targets - high))
    least = np.maximum(0.0, np.maximum(low - targets, targets - high))
    return sign * function(largest, targets), sign * function(least, targets)
