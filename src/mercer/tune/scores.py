"""Scores of what is known of a machine, and between which numbers the score of the exact machine lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer

from mercer.tune.responses import Known
from mercer.typing import Floats

__all__ = ["is_accuracy", "largest_score", "reason_not_known", "row_losses", "score_interval"]

Interval = tuple[float, float]
UNKNOWN: Interval = (np.nan, np.nan)

# Of two classes, what scikit-learn's own scorers are called with.
_PLAIN_KEYWORDS: tuple[dict[str, str], ...] = ({}, {"average": "binary"})

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


def score_interval(scorer: Any, known: Known, y: Any, weights: Floats | None = None) -> Interval:
    """Between which numbers the score of the exact machine lies; NaN where that cannot be told for this score."""
    if known.low is None or known.high is None:
        return UNKNOWN
    if isinstance(scorer, _PassthroughScorer):
        return _accuracy(known, y, weights) if known.classes is not None else _of_errors(known, y, weights, _r2, 1.0)
    function = _plain_function(scorer)
    if function is None:
        return UNKNOWN
    if known.classes is not None:
        return _of_labels(function, known, y, weights)
    bounded = _OF_ERRORS.get(function)
    return UNKNOWN if bounded is None else _of_errors(known, y, weights, bounded, scorer._sign)


def _plain_function(scorer: Any) -> Any:
    """The function of a scorer that asks as scikit-learn's own scorer of it does, with its sign; None of others."""
    if not isinstance(scorer, _BaseScorer) or scorer._kwargs not in _PLAIN_KEYWORDS:
        return None
    function, methods = scorer._score_func, scorer._response_method
    first = methods if isinstance(methods, str) else next(iter(methods), None)
    asks_rightly = first == ("decision_function" if function in _OF_VALUES else "predict")
    has_right_sign = scorer._sign == (-1 if function in _OF_ERRORS and function is not metrics.r2_score else 1)
    return function if asks_rightly and has_right_sign else None


#: Scores of decision values.
_OF_VALUES = {metrics.roc_auc_score, metrics.average_precision_score}


# ---------------------------------------------------------------- labels


def _accuracy(known: Known, y: Any, weights: Floats | None) -> Interval:
    right = np.asarray(known.predicted) == np.asarray(y)
    worst, best = right & known.is_proven, right | ~known.is_proven
    return float(np.average(worst, weights=weights)), float(np.average(best, weights=weights))


#: Scores of two classes that never fall when a wrong label is put right.
_RISE_WITH_RIGHT_LABELS = {
    metrics.balanced_accuracy_score,
    metrics.f1_score,
    metrics.precision_score,
    metrics.recall_score,
    metrics.jaccard_score,
}


def _of_labels(function: Any, known: Known, y: Any, weights: Floats | None) -> Interval:
    if function is metrics.accuracy_score:
        return _accuracy(known, y, weights)
    classes = known.classes
    assert classes is not None
    if len(classes) != 2:
        return UNKNOWN
    if function is metrics.roc_auc_score:
        return _auc(known, y, weights)
    if function not in _RISE_WITH_RIGHT_LABELS:
        return UNKNOWN
    truth, free = np.asarray(y), ~known.is_proven
    other = np.where(truth == classes[0], classes[1], classes[0])
    worst, best = np.where(free, other, known.predicted), np.where(free, truth, known.predicted)
    return float(function(truth, worst, sample_weight=weights)), float(function(truth, best, sample_weight=weights))


def _auc(known: Known, y: Any, weights: Floats | None) -> Interval:
    """Positives at their lowest and negatives at their highest, and the other way round."""
    assert known.low is not None
    assert known.high is not None
    assert known.classes is not None
    positive = np.asarray(y) == known.classes[1]
    if positive.all() or not positive.any():
        return UNKNOWN
    # An offset moves all values alike, and takes no part in their order.
    lowest, highest = known.low[:, 0], known.high[:, 0] - known.offset_width
    worst, best = np.where(positive, lowest, highest), np.where(positive, highest, lowest)
    low, high = (metrics.roc_auc_score(positive, values, sample_weight=weights) for values in (worst, best))
    return float(low), float(high)


# ---------------------------------------------------------------- errors


def _r2(errors: Floats, y: Floats, weights: Floats | None) -> float:
    spread = float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    return 1.0 - _mean_square(errors, y, weights) / spread if spread > 0 else np.nan


def _mean_square(errors: Floats, y: Floats, weights: Floats | None) -> float:
    return float(np.average(errors**2, weights=weights))


def _root_mean_square(errors: Floats, y: Floats, weights: Floats | None) -> float:
    return float(np.sqrt(_mean_square(errors, y, weights)))


def _mean(errors: Floats, y: Floats, weights: Floats | None) -> float:
    return float(np.average(errors, weights=weights))


def _largest(errors: Floats, y: Floats, weights: Floats | None) -> float:
    return float(np.max(errors)) if weights is None else np.nan


def _median(errors: Floats, y: Floats, weights: Floats | None) -> float:
    return float(np.median(errors)) if weights is None else np.nan


#: Losses and gains that depend on the sizes of errors only, and are the worse the larger these are.
_OF_ERRORS: dict[Any, Callable[[Floats, Floats, Floats | None], float]] = {
    metrics.r2_score: _r2,
    metrics.mean_squared_error: _mean_square,
    metrics.root_mean_squared_error: _root_mean_square,
    metrics.mean_absolute_error: _mean,
    metrics.median_absolute_error: _median,
    metrics.max_error: _largest,
}


def _of_errors(
    known: Known,
    y: Any,
    weights: Floats | None,
    function: Callable[[Floats, Floats, Floats | None], float],
    sign: float,
) -> Interval:
    assert known.low is not None
    assert known.high is not None
    targets = np.asarray(y, dtype=np.float64)
    low, high = known.low[:, 0], known.high[:, 0]
    largest = np.maximum(np.abs(targets - low), np.abs(targets - high))
    least = np.maximum(0.0, np.maximum(low - targets, targets - high))
    return sign * function(largest, targets, weights), sign * function(least, targets, weights)


# ---------------------------------------------------------------- ceilings and losses of rows

#: Scores that are one at best.
_AT_MOST_ONE = {
    metrics.accuracy_score,
    metrics.balanced_accuracy_score,
    metrics.f1_score,
    metrics.precision_score,
    metrics.recall_score,
    metrics.jaccard_score,
    metrics.roc_auc_score,
    metrics.average_precision_score,
    metrics.matthews_corrcoef,
    metrics.r2_score,
    metrics.explained_variance_score,
}


def _named(scorer: Any, name: str) -> Any:
    return scorer._scorers[name] if isinstance(scorer, _MultimetricScorer) else scorer


def largest_score(scorer: Any, name: str) -> float:
    """The best score that there can be; ∞ where nobody knows."""
    scorer = _named(scorer, name)
    if isinstance(scorer, _PassthroughScorer):
        return 1.0
    function = _plain_function(scorer)
    if function in _AT_MOST_ONE:
        return 1.0
    return 0.0 if function in _OF_ERRORS else np.inf


def row_losses(scorer: Any, name: str, known: Known, y: Any) -> Floats | None:
    """A loss of each row, where the score is made of such losses."""
    scorer = _named(scorer, name)
    function = _plain_function(scorer)
    is_plain = isinstance(scorer, _PassthroughScorer)
    if known.classes is not None:
        if is_plain or function in (metrics.accuracy_score, metrics.balanced_accuracy_score):
            return np.asarray(known.predicted != np.asarray(y), dtype=np.float64)
        return None
    errors = np.abs(np.asarray(y, dtype=np.float64) - known.predicted)
    if is_plain or function in (metrics.r2_score, metrics.mean_squared_error, metrics.root_mean_squared_error):
        return np.asarray(errors**2)
    return errors if function is metrics.mean_absolute_error else None


def is_accuracy(scorer: Any) -> bool:
    """Whether it is scikit-learn's own scorer of the accuracy."""
    return _plain_function(scorer) is metrics.accuracy_score
