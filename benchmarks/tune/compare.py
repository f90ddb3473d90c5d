"""What two searches say of the same cells."""

from __future__ import annotations

from enum import Enum

import numpy as np

from benchmarks.tune.record import Found
from mercer.typing import Floats

# Means of the same numbers in another order.
_SUMMATION = 1e-12


class Choice(Enum):
    """Whether two searches chose the same cell."""

    SAME = "same"
    AS_GOOD = "as good"
    OTHER = "another"


def choice(found: Found, judge: Found) -> Choice:
    """Whether a search chose the cell that the other chose, or one that has the same score there."""
    if found.best == judge.best:
        return Choice.SAME
    return Choice.AS_GOOD if abs(score_below(found, judge)) <= _SUMMATION else Choice.OTHER


def score_below(found: Found, judge: Found) -> float:
    """How far the choice of a search is below that of the other, by the scores of the other."""
    scores = _array(judge.scores)
    return float(scores[judge.best] - scores[found.best])


def errors_below(found: Found, judge: Found) -> float:
    """The same in standard errors of the other's choice."""
    below = score_below(found, judge)
    return 0.0 if abs(below) <= _SUMMATION else below / judge.error if judge.error > 0 else np.inf


def largest_difference(one: Found, other: Found) -> float:
    """Between the mean scores of a cell."""
    return float(np.nanmax(np.abs(_array(one.scores) - _array(other.scores))))


def outside(found: Found, bounds: Found) -> int:
    """Cells whose mean score is not within the other's bounds, where it has some."""
    scores = _array(found.scores)
    is_below = scores < _array(bounds.low) - _SUMMATION
    is_above = scores > _array(bounds.high) + _SUMMATION
    return int(np.count_nonzero(is_below | is_above))


def width_at_choice(found: Found) -> float | None:
    """Between the bounds of the chosen cell."""
    low, high = found.low[found.best], found.high[found.best]
    return None if low is None or high is None else high - low


def _array(values: list[float | None]) -> Floats:
    return np.array(values, dtype=np.float64)
