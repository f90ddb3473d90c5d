"""What the machine of a cell says of rows, by which scorers judge it: values, labels, predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mercer.machines import pair_class_values
from mercer.typing import Floats, Integers, Labels

__all__ = ["Known", "KnownClassifier", "KnownRegressor", "answers"]


class KnownClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Stands for a fitted classifier whose answers for the rows at hand are known: it looks at no row again."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.classes_ = known.classes

    def predict(self, X: Any) -> Labels:
        return np.asarray(self.known.predicted)

    def decision_function(self, X: Any) -> Floats:
        return self.known.decision


class KnownRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The same of a regressor."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def predict(self, X: Any) -> Floats:
        return np.asarray(self.known.predicted)


@dataclass(frozen=True)
class Known:
    """Answers of one machine for some rows, and how far the exact machine's may be from them.

    Attributes
    ----------
    predicted : ndarray
        Labels, or numbers.
    classes : ndarray or None
        The labels that the machine knows; None of regression.
    values : ndarray of shape (rows, functions)
        Of each function of the machine.
    low, high : ndarray of shape (rows, functions) or None
        Between which the values of the exact machine lie; None where nothing is proven.
    is_proven : ndarray of bool or None
        Whether the exact machine gives the same label; None where nothing is proven, or of regression.
    offset_width : float
        How much of the distance between the bounds is that of the offset, which moves all values of a function alike.
    decide : callable or None
        From values to what `decision_function` gives, where that is another thing.
    """

    predicted: Any
    classes: Labels | None
    values: Floats
    low: Floats | None = None
    high: Floats | None = None
    is_proven: Any = None
    offset_width: float = 0.0
    decide: Callable[[Floats], Floats] | None = None

    @property
    def estimator(self) -> Any:
        """What a scorer is given."""
        return KnownRegressor(self) if self.classes is None else KnownClassifier(self)

    @property
    def decision(self) -> Floats:
        """What `decision_function` gives."""
        if self.decide is not None:
            return self.decide(self.values)
        return self.values[:, 0] if self.values.shape[1] == 1 else self.values

    def mapped(self, function: Callable[[Floats], Floats], is_rising: bool) -> Known:
        """The same with another function of the predictions; bounds stay where it never falls."""
        predicted = function(self.predicted)
        if not is_rising or self.low is None or self.high is None:
            return Known(predicted, None, predicted[:, None])
        low, high = (function(end[:, 0])[:, None] for end in (self.low, self.high))
        return Known(predicted, None, predicted[:, None], low, high)


def answers(machine: Any, classes: Labels | None, values: Floats, low: Floats | None, high: Floats | None) -> Known:
    """What a machine with these parameters says by its values, and what is proven of it.

    Parameters
    ----------
    machine : estimator
        How classes are told from values.
    classes : ndarray or None
        The labels; None of regression.
    values, low, high : ndarray of shape (rows, functions)
        Of the functions, and between which those of the exact machine lie.
    """
    if classes is None:
        return Known(values[:, 0], None, values, low, high)
    rows, proven, decide = np.arange(len(values)), None, None
    is_bounded = low is not None and high is not None
    if len(classes) == 2:
        codes = (values[:, 0] >= 0).astype(np.int64)
        if is_bounded:
            proven = (low[:, 0] >= 0) | (high[:, 0] < 0)  # type: ignore[index]
    elif machine.multi_class == "ovo":
        wins = values > 0
        codes = count_votes(wins, ~wins, len(classes)).argmax(axis=1)
        decide = _class_values if machine.decision_function_shape == "ovr" else None
        if is_bounded:
            proven = proven_votes(codes, low, high, len(classes))  # type: ignore[arg-type]
    else:
        codes = values.argmax(axis=1)
        if is_bounded:
            others = high.copy()  # type: ignore[union-attr]
            others[rows, codes] = -np.inf
            proven = low[rows, codes] > others.max(axis=1)  # type: ignore[index]
    known = Known(classes[codes], classes, values, low, high, proven, decide=decide)
    if not machine.break_ties or len(classes) == 2:
        return known
    codes = known.decision.argmax(axis=1)
    return replace(known, predicted=classes[codes], is_proven=None, low=None, high=None)


def _class_values(values: Floats) -> Floats:
    """Votes of the pairs for each class, with their values as tie breakers: scikit-learn's shape "ovr"."""
    classes = round(0.5 + np.sqrt(0.25 + 2 * values.shape[1]))
    return pair_class_values(values, classes)


_FEW_CLASSES = 127


def count_votes(first: Any, second: Any, classes: int) -> Integers:
    """Votes of each row for each class: of pairs for the first of their classes, and for the second."""
    firsts, by_second, seconds = _ballots(classes)
    kind = np.int8 if classes <= _FEW_CLASSES else np.int32  # no class has more votes than there are others
    votes = np.zeros((classes, len(first)), dtype=kind)
    votes[:-1] = np.add.reduceat(first.T.astype(kind, order="C"), firsts, dtype=kind)
    votes[1:] += np.add.reduceat(second.T[by_second].astype(kind, order="C"), seconds, dtype=kind)
    return votes.T


@cache
def _ballots(classes: int) -> tuple[Integers, Integers, Integers]:
    """Where among the pairs each first class begins; the pairs in order of their second, and where each begins."""
    first, second = np.triu_indices(classes, 1)
    by_second = second.argsort(kind="stable")
    each = np.arange(classes - 1)
    return first.searchsorted(each), by_second, second[by_second].searchsorted(each + 1)


def proven_votes(codes: Integers, low: Floats, high: Floats, classes: int) -> Any:
    """Which rows keep their label whatever the values of the pairs are within their bounds.

    The winner has at least the votes of pairs that are sure of it; others have at most those of pairs that could be
    theirs. Of equal votes the lowest class has it.
    """
    rows = np.arange(len(codes))
    least = count_votes(low > 0, high <= 0, classes)
    most = count_votes(high > 0, low <= 0, classes)
    own = least[rows, codes]
    most[rows, codes] = -1
    lower = np.where(np.arange(classes) < codes[:, None], most, -1).max(axis=1)
    return (own > lower) & (own >= most.max(axis=1))
