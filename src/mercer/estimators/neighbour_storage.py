"""Which rows a classifier by votes needs: without those that their neighbours contradict, and of the others those that
decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mercer.neighbours import Memory
from mercer.typing import Booleans, Floats, Integers

__all__ = ["Condensed", "Judge", "condense", "wrong_by"]


class Condensed(NamedTuple):
    """What is left of the rows, and what that costs.

    Attributes
    ----------
    rows : ndarray of int
        Numbers of the rows that are kept, as they were given to `fit`.
    error_before : float
        The share of the rows, without those edited out, that the others get wrong, each left out in turn.
    error_after : float
        The share of the same rows that those kept get wrong; one that is kept has no vote for itself.
    """

    rows: Integers
    error_before: float
    error_after: float

    def __str__(self) -> str:
        return (
            f"{len(self.rows)} rows are kept; left out in turn, {100 * self.error_before:.2f} % of those "
            f"that were not edited out were wrong before and {100 * self.error_after:.2f} % after."
        )


class Judge(NamedTuple):
    """How neighbours vote.

    Attributes
    ----------
    codes : ndarray of int of shape (rows, outputs)
        The classes of the rows.
    voted : callable
        From the distances and numbers of neighbours to the codes that they vote for.
    k : int
        How many vote.
    threads : int
    """

    codes: Integers
    voted: Callable[[Floats, Integers], Integers]
    k: int
    threads: int


def wrong_by(memory: Memory, kept: Integers, judge: Judge) -> Booleans:
    """Of each row whether the kept ones vote for another class, each without its own vote.

    With all rows kept, these are the rows that their neighbours contradict (Wilson's editing).
    """
    small = memory if len(kept) == memory.size else memory.of(memory.rows[kept])
    count = min(judge.k, small.size - 1)
    if count < 1:
        return np.zeros(memory.size, dtype=bool)
    excluded = np.full(memory.size, -1)
    excluded[kept] = np.arange(len(kept))
    found = small.nearest(memory.rows, count, judge.threads, excluded)
    return np.asarray(np.any(judge.voted(found.distances, kept[found.rows]) != judge.codes, axis=1))


def condense(memory: Memory, judge: Judge) -> Integers:
    """Numbers of rows by which all others have their own class.

    It begins with the first k rows of each class. In each round the votes of what is kept are asked for all other rows,
    and of those wrong it takes, for each kept row, the one nearest to it among those whose nearest kept row it is
    (Angiulli's fast condensation of Hart's rule, with k votes). It ends where none is wrong.
    """
    rows, codes, k = memory.rows, judge.codes, judge.k
    _, kinds = np.unique(codes, axis=0, return_inverse=True)
    kinds = kinds.ravel()
    is_kept = np.zeros(memory.size, dtype=bool)
    for kind in range(int(kinds.max()) + 1):
        is_kept[np.flatnonzero(kinds == kind)[:k]] = True
    while not is_kept.all():
        kept, others = np.flatnonzero(is_kept), np.flatnonzero(~is_kept)
        small = memory.of(rows[kept])
        found = small.nearest(rows[others], min(k, len(kept)), judge.threads)
        wrong = np.any(judge.voted(found.distances, kept[found.rows]) != codes[others], axis=1)
        if not wrong.any():
            break
        # The nearest of those wrong around each kept row; of equal ones the lower number.
        nearest, apart, number = found.rows[wrong, 0], found.distances[wrong, 0], others[wrong]
        order = np.lexsort((number, apart, nearest))
        _, first = np.unique(nearest[order], return_index=True)
        is_kept[number[order][first]] = True
    return np.flatnonzero(is_kept)
