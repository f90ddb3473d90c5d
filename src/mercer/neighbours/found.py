"""What a search for neighbours finds, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer.typing import Floats, Integers

__all__ = [
    "Exactness",
    "Nearest",
    "Within",
    "flags",
    "nearest_of_all",
    "nearest_of_queries",
    "together",
    "within_of_all",
    "within_of_queries",
    "without_next",
]

# Rounding of a distance, relative to it: of each feature, and of what comes before and after the sum.
_OF_A_FEATURE = 2.0**-53
_OTHERS = 8


class Exactness(NamedTuple):
    """How neighbours were told apart.

    Attributes
    ----------
    pairs : int
        Queries times rows.
    screened : int
        Pairs that the first bound, in float32, did not rule out.
    settled : int
        Pairs whose distance was computed in float64, from the rows as they are: what was found is among these.
    gap : float
        The least difference between the distance of the last neighbour that was asked for and that of the next row, as
        a share of it, over all queries; infinite where no query has a next row, and where all within a radius were
        asked for.
    undecided : int
        Queries whose gap is within the rounding of distances: there the last neighbour is as good as the next row, and
        of equal ones the lower number was taken.
    is_exact : bool
        Whether no nearer row can be missing; of an approximate search some may be.
    """

    pairs: int
    screened: int
    settled: int
    gap: float = np.inf
    undecided: int = 0
    is_exact: bool = True

    def __str__(self) -> str:
        if self.pairs == 0:
            return "Nothing was asked for."
        if not self.is_exact:
            return f"Of {self.pairs} pairs {self.settled} were settled in float64; nearer rows may be missing."
        ruled_out = 1 - self.screened / self.pairs
        told = (
            f"Of {self.pairs} pairs {100 * ruled_out:.2f} % were ruled out by a bound that holds whatever "
            f"its rounding, and {self.settled} settled in float64."
        )
        if np.isfinite(self.gap):
            told += f" The last neighbour and the next row differ by {self.gap:.2g} of their distance or more"
            told += f"; in {self.undecided} queries by no more than rounding." if self.undecided else "."
        return told


class Nearest(NamedTuple):
    """The nearest rows of each query, nearest first; of equal distances the lower number first.

    `rows` are −1 and `distances` infinite where there are fewer. `squared` is what decides the order where that is the
    square of a distance: roots of different numbers can be equal.
    """

    rows: Integers
    distances: Floats
    exactness: Exactness
    squared: Floats | None = None


class Within(NamedTuple):
    """The rows within a radius of each query, in the order of their numbers: those of query i from begins[i] on."""

    begins: Integers
    rows: Integers
    distances: Floats
    exactness: Exactness


def without_next(found: Nearest, features: int) -> Nearest:
    """What was found without the last of each query, and how far that is from the one before it."""
    kth, following = found.distances[:, -2], found.distances[:, -1]
    is_known = np.isfinite(following)
    kth, following = kth[is_known], following[is_known]
    gaps = np.divide(following - kth, following, out=np.zeros_like(kth), where=following > 0)
    rounding = 2 * _OF_A_FEATURE * (features + _OTHERS)
    exactness = found.exactness._replace(gap=float(gaps.min(initial=np.inf)), undecided=int(np.sum(gaps <= rounding)))
    return Nearest(found.rows[:, :-1], found.distances[:, :-1], exactness)


def together(counts: Sequence[Exactness]) -> Exactness:
    """What several searches took in all."""
    pairs, screened, settled = (sum(own) for own in zip(*(one[:3] for one in counts), strict=True))
    return Exactness(pairs, screened, settled, is_exact=all(one.is_exact for one in counts))


def nearest_of_all(found: Sequence[Nearest], begins: Sequence[int], k: int, before: Nearest | None = None) -> Nearest:
    """The nearest of what was found among some rows after the others, which are numbered from `begins` on.

    `before` is what was found among rows that come first, numbered as they are to be.
    """
    moved = [] if before is None else [before]
    for one, begin in zip(found, begins, strict=True):
        moved.append(one._replace(rows=np.where(one.rows < 0, -1, one.rows + begin)))
    if len(moved) == 1:
        return moved[0]
    rows = np.concatenate([one.rows for one in moved], axis=1)
    distances = np.concatenate([one.distances for one in moved], axis=1)
    squares = [one.squared for one in moved if one.squared is not None]
    squared = np.concatenate(squares, axis=1) if len(squares) == len(moved) else None
    # Rows without a distance come after those with one, and none after both.
    kind = np.where(rows < 0, 2, np.isnan(distances))
    order = np.lexsort((np.nan_to_num(distances if squared is None else squared), kind), axis=1)[:, :k]
    rows, distances = (np.take_along_axis(values, order, axis=1) for values in (rows, distances))
    kept = None if squared is None else np.take_along_axis(squared, order, axis=1)
    return Nearest(rows, distances, together([one.exactness for one in moved]), kept)


def within_of_all(found: Sequence[Within], begins: Sequence[int]) -> Within:
    """The same of rows within a radius."""
    if len(found) == 1:
        return found[0]._replace(rows=found[0].rows + begins[0])
    queries = np.concatenate([np.repeat(np.arange(len(one.begins) - 1), np.diff(one.begins)) for one in found])
    order = np.argsort(queries, kind="stable")
    rows = np.concatenate([one.rows + begin for one, begin in zip(found, begins, strict=True)])[order]
    distances = np.concatenate([one.distances for one in found])[order]
    exactness = together([one.exactness for one in found])
    return Within(np.sum([one.begins for one in found], axis=0), rows, distances, exactness)


def nearest_of_queries(found: Sequence[Nearest]) -> Nearest:
    """What was found for some queries after the others."""
    if len(found) == 1:
        return found[0]
    squares = [one.squared for one in found if one.squared is not None]
    return Nearest(
        np.concatenate([one.rows for one in found]),
        np.concatenate([one.distances for one in found]),
        together([one.exactness for one in found]),
        np.concatenate(squares) if len(squares) == len(found) else None,
    )


def within_of_queries(found: Sequence[Within]) -> Within:
    """The same of rows within a radius."""
    if len(found) == 1:
        return found[0]
    counts = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(one.begins) for one in found)])
    return Within(
        np.cumsum(counts),
        np.concatenate([one.rows for one in found]),
        np.concatenate([one.distances for one in found]),
        together([one.exactness for one in found]),
    )


def flags(excluded: Integers | None, forgotten: Any) -> tuple[Integers, Any]:
    """As the core takes them: empty where nothing is left out."""
    return (
        np.empty(0, dtype=np.int64) if excluded is None else np.ascontiguousarray(excluded, dtype=np.int64),
        np.empty(0, dtype=np.uint8) if forgotten is None else forgotten,
    )
