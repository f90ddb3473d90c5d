"""Conformal prediction: sets of classes and intervals of targets that cover the truth as often as they say.

Calibration rows are rows that the machine which judges them never saw. A new row is as likely as any of them to be the
strangest, so what is stranger than nearly all of them can be left out. Nothing is assumed of the distribution nor of
the machine, only that calibration rows and new rows are exchangeable, for instance drawn independently from one source.

split   scores and values of one machine, from rows held out of its training: covers with probability ≥ level
cv+     scores and values of fold machines, each for the rows it left out: ≥ 2 level − 1 − excess
cv      scores of fold machines, values of a machine fitted to all rows: about the level in practice, nothing proven

`SplitSets` and `SplitIntervals` do the first and the last, `CrossSets` and `CrossIntervals` the second. These are
probabilities over calibration rows and new row together, not for the calibration rows at hand.

The excess of cv+, with n rows in K folds that were drawn without looking at the targets, is 2 (K − 1) / (n + K). For:
(1 + rows of a fold no less strange) / (1 + rows of the fold) is a p-value; twice a weighted mean of p-values is one as
well; and with weights 1 + rows of the fold, the mean is at most (K − 1 + (1 − level)(n + 1)) / (n + K) wherever the
truth is left out. With folds of equal size, and machines to which the order of their rows is nothing, the excess is
also at most (1 − K/n) / (K + 1): zero with one row a fold, and the smaller of the two is below √(2/n) for any K.

See     Vovk, Gammerman, Shafer (2005), Algorithmic learning in a random world
        Vovk, Wang (2020), Combining p-values via averaging
        Romano, Sesia, Candès (2020), Classification with valid and adaptive coverage
        Barber, Candès, Ramdas, Tibshirani (2021), Predictive inference with the jackknife+
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from mercer.checks import flag, inner_share
from mercer.errors import InputError
from mercer.typing import Booleans, Floats, Integers

__all__ = ["CrossIntervals", "CrossSets", "SplitIntervals", "SplitSets", "nonconformity"]

# Numbers in each of the two arrays that a block of rows needs at a time: 2 MB. Larger blocks are not faster.
_BLOCK = 2**18


def nonconformity(values: Floats) -> Floats:
    """How strange each class is: s_k = max_{j≠k} d_j − d_k, below zero for none but the predicted class.

    Parameters
    ----------
    values : ndarray of shape (rows, classes)
        Decision values d, larger for a likelier class; of two classes (−f, f). −inf stands for a class that the machine
        does not know.

    Examples
    --------
    >>> from mercer.calibration.conformal import nonconformity
    >>> nonconformity([[3.0, 1.0, 2.5]]).tolist()
    [[-0.5, 2.0, 0.5]]
    """
    values = _numbers("values", values, (None, None))
    if values.shape[1] < 2:
        raise InputError(
            f"values: expected columns of two or more classes, got {values.shape[1]}. Give two classes as −f and f."
        )
    ordered = np.partition(values, -2, axis=1)
    second, best = ordered[:, -2, None], ordered[:, -1, None]
    if not np.all(np.isfinite(best)):
        raise InputError(
            "values: expected finite numbers, or −inf for some classes of a row, got NaN, infinity or only −inf. "
            "Leave such rows out."
        )
    # Where two are best, the second is as good as they are.
    return np.asarray(np.where(values == best, second, best) - values)


@dataclass(frozen=True, eq=False)
class SplitSets:
    """Sets of classes from rows that the machine never saw.

    Class k is in the set of x if s_k(x) is no more than the ⌈level (n + 1)⌉-th smallest score of the n calibration
    rows; every class is where that is more than n. The set may be empty, where all classes are stranger than that.

    A set covers the true class with probability at least the level, and at most level + 1/(n + 1) if no scores tie.
    Per class, s_k(x) is compared with the scores of rows of class k only, and a class with too few of them is in every
    set: then the probability is at least the level within each class.

    Out-of-fold values of all training rows, with sets for the values of a machine fitted to all of them ("cv"), are as
    good where leaving a fold out hardly changes the machine, but without proof: there are machines for which no set
    covers anything.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        s of the true class of each calibration row.
    codes : ndarray of shape (n,)
        Its number.
    n_classes : int
        How many classes there are.
    per_class : bool
        Whether each class has rows of its own to be compared with.

    Examples
    --------
    >>> from mercer.calibration.conformal import SplitSets
    >>> calibration = [[2.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 3.0]]
    >>> SplitSets.learn(calibration, [0, 1, 1, 1]).sets([[1.5, 0.0], [0.0, 0.2]], confidence_level=0.8).tolist()
    [[True, False], [True, True]]
    """

    scores: Floats
    codes: Integers
    n_classes: int
    per_class: bool

    @classmethod
    def learn(cls, values: Floats, codes: Integers, per_class: bool = False) -> Self:
        """From decision values of shape (n, classes) and the number of each row's true class."""
        scores, codes, n_classes = _scores_of_truth(values, codes)
        return cls(scores, codes, n_classes, flag("per_class", per_class))

    def thresholds(self, confidence_level: float) -> Floats:
        """For each class, up to which score it is in a set; possibly infinite."""
        level = inner_share("confidence_level", confidence_level)
        if not self.per_class:
            return np.full(self.n_classes, _quantile(self.scores, level))
        return np.array([_quantile(self.scores[self.codes == k], level) for k in range(self.n_classes)])

    def sets(self, values: Floats, confidence_level: float) -> Booleans:
        """Which classes are in the set of each row, of shape (rows, classes), as the values are."""
        thresholds = self.thresholds(confidence_level)
        values = _numbers("values", values, (None, self.n_classes))
        return np.asarray(nonconformity(values) <= thresholds)


@dataclass(frozen=True, eq=False)
class CrossSets:
    """Sets of classes from cross-validation, without rows that no machine trains on: "cv+".

    Class k is in the set of x unless s_{y_i}(x_i) < s_k(x) for at least level (n + 1) of the n calibration rows i,
    where both scores are of the machine that left out the fold of i.

    A set covers the true class with probability at least 2 level − 1 − excess, where the excess is at most
    2 (K − 1) / (n + K) with K folds, as the top of this file tells, and in practice with about the level. Per class,
    only the n_k rows of class k count, and n_k stands for n: then the probability within class k is at least
    2 level − 1 − 2 (K − 1) / (n_k + K).

    Stratified folds look at the targets, which the proof does not allow; per class it does, as it takes the labels as
    given.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        s of the true class of each row, by the machine that left it out.
    codes : ndarray of shape (n,)
        The number of the true class.
    folds : ndarray of shape (n,)
        The number of the fold.
    n_classes, n_folds : int
        How many there are.
    per_class : bool
        Whether each class has rows of its own to be compared with.

    Examples
    --------
    >>> from mercer.calibration.conformal import CrossSets
    >>> values = [[2.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 3.0]]
    >>> known = CrossSets.learn(values, codes=[0, 0, 1, 1], folds=[0, 1, 0, 1])
    >>> known.sets([[[1.5, 0.0]], [[0.5, 0.0]]], confidence_level=0.75).tolist()
    [[True, False]]
    """

    scores: Floats
    codes: Integers
    folds: Integers
    n_classes: int
    n_folds: int
    per_class: bool

    @classmethod
    def learn(cls, values: Floats, codes: Integers, folds: Integers, per_class: bool = False) -> Self:
        """From out-of-fold decision values of shape (n, classes), and each row's true class and fold by number."""
        scores, codes, n_classes = _scores_of_truth(values, codes)
        folds, n_folds = _fold_numbers(folds, len(codes))
        return cls(scores, codes, folds, n_classes, n_folds, flag("per_class", per_class))

    def sets(self, values_by_fold: Floats, confidence_level: float) -> Booleans:
        """Which classes are in the set of each row, of shape (rows, classes).

        Parameters
        ----------
        values_by_fold : ndarray of shape (folds, rows, classes)
            Decision values of each fold's machine.
        confidence_level : float
            In (0, 1). Up to ½ nothing is promised.
        """
        level = inner_share("confidence_level", confidence_level)
        values = _numbers("values_by_fold", values_by_fold, (self.n_folds, None, self.n_classes))
        less_strange = np.zeros(values.shape[1:], dtype=np.int64)
        for fold, of_machine in enumerate(values):
            less_strange += self._less_strange(fold, nonconformity(of_machine))
        return np.asarray(less_strange < self._too_many(level))

    def _less_strange(self, fold: int, scores: Floats) -> Integers:
        """How many calibration rows of a fold have a smaller score than each of those of shape (rows, classes)."""
        inside = self.folds == fold
        if not self.per_class:
            return np.searchsorted(np.sort(self.scores[inside]), scores)
        counts = [
            np.searchsorted(np.sort(self.scores[inside & (self.codes == k)]), scores[:, k])
            for k in range(self.n_classes)
        ]
        return np.stack(counts, axis=1)

    def _too_many(self, level: float) -> Integers:
        """For each class, with how many less strange rows it is left out."""
        if not self.per_class:
            return np.full(self.n_classes, _rank(len(self.scores), level))
        return np.array([_rank(int(n), level) for n in np.bincount(self.codes, minlength=self.n_classes)])


@dataclass(frozen=True, eq=False)
class SplitIntervals:
    """Intervals of a regression from rows that the machine never saw.

    The interval is f(x) ∓ the ⌈level (n + 1)⌉-th smallest of the n sizes |y_i − f(x_i)|, or the whole line where that
    is more than n. It covers the target with probability at least the level, and at most level + 1/(n + 1) if no sizes
    tie.

    Out-of-fold residuals of all training rows, with intervals around a machine fitted to all of them ("cv"), are as
    good where leaving a fold out hardly changes the machine, but without proof: there are machines for which no
    interval covers anything.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        |y_i − f(x_i)|.

    Examples
    --------
    >>> from mercer.calibration.conformal import SplitIntervals
    >>> SplitIntervals.learn([0.5, -1.0, 0.25, 2.0]).interval([10.0], confidence_level=0.6).tolist()
    [[9.0, 11.0]]
    """

    sizes: Floats

    @classmethod
    def learn(cls, residuals: Floats) -> Self:
        """From y_i − f(x_i) of shape (n,)."""
        return cls(_sizes(residuals))

    def interval(self, predicted: Floats, confidence_level: float) -> Floats:
        """Lower and upper ends, of shape (rows, 2), around predictions of shape (rows,)."""
        half = _quantile(self.sizes, inner_share("confidence_level", confidence_level))
        predicted = _finite("predicted", predicted, (None,))
        return np.stack([predicted - half, predicted + half], axis=1)


@dataclass(frozen=True, eq=False)
class CrossIntervals:
    """Intervals of a regression from cross-validation, without rows that no machine trains on: "cv+".

    With f_i the machine that left out the fold of row i, and r_i = |y_i − f_i(x_i)|, the interval of x is from the
    ⌊(1 − level)(n + 1)⌋-th smallest of f_i(x) − r_i, or −∞ where that is none, to the ⌈level (n + 1)⌉-th smallest of
    f_i(x) + r_i, or ∞ where that is more than n.

    It covers the target with probability at least 2 level − 1 − excess, where the excess is at most 2 (K − 1) / (n + K)
    with K folds, as the top of this file tells, and in practice with about the level. With a level below ½, where
    nothing is promised, the lower end may be above the upper: an empty interval.

    Attributes
    ----------
    sizes : ndarray of shape (n,)
        r_i.
    folds : ndarray of shape (n,)
        The number of the fold of each row.
    n_folds : int
        How many there are.

    Examples
    --------
    >>> from mercer.calibration.conformal import CrossIntervals
    >>> known = CrossIntervals.learn([0.5, -1.0, 0.25, 2.0], folds=[0, 0, 1, 1])
    >>> known.interval([[10.0], [12.0]], confidence_level=0.6).tolist()
    [[9.5, 12.25]]
    """

    sizes: Floats
    folds: Integers
    n_folds: int

    @classmethod
    def learn(cls, residuals: Floats, folds: Integers) -> Self:
        """From out-of-fold residuals y_i − f_i(x_i) and the number of each row's fold, both of shape (n,)."""
        sizes = _sizes(residuals)
        return cls(sizes, *_fold_numbers(folds, len(sizes)))

    def interval(self, predicted_by_fold: Floats, confidence_level: float) -> Floats:
        """Lower and upper ends, of shape (rows, 2).

        Parameters
        ----------
        predicted_by_fold : ndarray of shape (folds, rows)
            Predictions of each fold's machine.
        confidence_level : float
            In (0, 1).
        """
        n = len(self.sizes)
        # Both ends are of this rank, counted from without: n + 1 − ⌈level (n + 1)⌉ = ⌊(1 − level)(n + 1)⌋.
        outer = n + 1 - _rank(n, inner_share("confidence_level", confidence_level))
        predicted = _finite("predicted_by_fold", predicted_by_fold, (self.n_folds, None)).T
        if outer == 0:
            return np.tile([-np.inf, np.inf], (len(predicted), 1))
        kept = self._largest(outer)
        sizes, folds = self.sizes[kept], self.folds[kept]
        ends = np.empty((len(predicted), 2))
        for rows in _blocks(len(predicted), len(sizes)):
            ends[rows] = _outer_ends(np.take(predicted[rows], folds, axis=1), sizes, outer)
        return ends

    def _largest(self, count: int) -> Integers:
        """The calibration rows with the `count` largest sizes of each fold: no end of that rank is of another row."""
        order = np.lexsort((-self.sizes, self.folds))
        folds = self.folds[order]
        place_in_fold = np.arange(len(order)) - np.searchsorted(folds, folds)
        return order[place_in_fold < count]


def _outer_ends(centres: Floats, sizes: Floats, rank: int) -> Floats:
    """The `rank`-th smallest centre − size and the `rank`-th largest centre + size in each row."""
    below, above = centres - sizes, centres
    above += sizes
    below.partition(rank - 1, axis=1)
    above.partition(len(sizes) - rank, axis=1)
    return np.stack([below[:, rank - 1], above[:, len(sizes) - rank]], axis=1)


def _blocks(rows: int, columns: int) -> Iterator[slice]:
    """All rows in turn, as many at a time as a block has room for."""
    step = max(1, _BLOCK // columns)
    return (slice(start, start + step) for start in range(0, rows, step))


def _rank(n: int, level: float) -> int:
    """⌈level (n + 1)⌉ of the level as it is written: 0.55 is 55 hundredths, though 0.55 * 100 is more than 55."""
    return math.ceil(Fraction(repr(level)) * (n + 1))


def _quantile(scores: Floats, level: float) -> float:
    """The ⌈level (n + 1)⌉-th smallest score; infinite where there are fewer."""
    rank = _rank(len(scores), level)
    return float(np.partition(scores, rank - 1)[rank - 1]) if rank <= len(scores) else math.inf


def _scores_of_truth(values: Floats, codes: Integers) -> tuple[Floats, Integers, int]:
    """s of each calibration row's own class, that class, and the number of classes."""
    scores = nonconformity(values)
    n, n_classes = scores.shape
    _expect_some("values", n)
    codes = _whole_numbers("codes", codes, n)
    if not 0 <= codes.min() <= codes.max() < n_classes:
        raise InputError(
            f"codes: expected numbers of classes, 0 to {n_classes - 1}, got {codes.min()} to {codes.max()}. Give for "
            "each row the column of its class in values."
        )
    return scores[np.arange(n), codes], codes, n_classes


def _fold_numbers(folds: Integers, n: int) -> tuple[Integers, int]:
    """The number of each row's fold, and how many folds there are."""
    folds = _whole_numbers("folds", folds, n)
    numbers = np.unique(folds)
    if not np.array_equal(numbers, np.arange(len(numbers))):
        raise InputError(
            f"folds: expected numbers from 0 on, each with a row, got {numbers[:10].tolist()}. Number the folds with "
            "np.unique(folds, return_inverse=True)."
        )
    return folds, len(numbers)


def _sizes(residuals: Floats) -> Floats:
    """|r| of the residuals of calibration rows."""
    sizes = np.abs(_finite("residuals", residuals, (None,)))
    _expect_some("residuals", len(sizes))
    return sizes


def _expect_some(name: str, n: int) -> None:
    if n == 0:
        raise InputError(f"{name}: expected at least one calibration row, got none. Hold some out.")


def _finite(name: str, numbers: Any, shape: tuple[int | None, ...]) -> Floats:
    found = _numbers(name, numbers, shape)
    if not np.all(np.isfinite(found)):
        raise InputError(f"{name}: expected finite numbers, got NaN or infinity. Leave such rows out.")
    return found


def _numbers(name: str, numbers: Any, shape: tuple[int | None, ...]) -> Floats:
    try:
        found = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected an array of numbers, got something else ({error}). Convert it.") from error
    _expect_shape(name, found.shape, shape)
    return found


def _whole_numbers(name: str, numbers: Any, n: int) -> Integers:
    found = np.asarray(numbers)
    if not np.issubdtype(found.dtype, np.integer):
        raise InputError(f"{name}: expected integers, got {found.dtype}. Number them from 0 on.")
    _expect_shape(name, found.shape, (n,))
    return found.astype(np.int64)


def _expect_shape(name: str, shape: tuple[int, ...], expected: tuple[int | None, ...]) -> None:
    """Raises unless the shape is as expected, where None stands for any length."""
    fits = len(shape) == len(expected)
    if not fits or any(want not in (None, have) for want, have in zip(expected, shape, strict=True)):
        wanted = ", ".join("any" if length is None else str(length) for length in expected)
        raise InputError(
            f"{name}: expected shape ({wanted}), got {shape}. Give the rows, classes and folds that belong together, "
            "each along its own axis."
        )
