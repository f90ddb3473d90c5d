"""LIBSVM's order of classes and Mercer's.

LIBSVM numbers classes as they first occur among the training rows, and the function of a pair is positive for the first
of the two. Mercer's classes are sorted; of two the function is positive for the second, of more for the first of each
pair. So blocks of support vectors change places, and functions that are about the other side change their signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any

import numpy as np

from mercer.typing import Floats, Integers, Labels

__all__ = ["ClassOrder"]


@dataclass(frozen=True, eq=False)
class ClassOrder:
    """Labels in LIBSVM's order, and what leads from it to the sorted one and back.

    Attributes
    ----------
    labels : tuple of int
        In LIBSVM's order.
    classes : ndarray
        The same, sorted.
    place : ndarray
        Where each sorted class stands among the labels.
    pair, sign : ndarray
        For each of LIBSVM's pairs of classes, the number of Mercer's and −1 where that is positive for the other side.
    """

    labels: tuple[int, ...]
    classes: Labels
    place: Integers
    pair: Integers
    sign: Floats

    @classmethod
    def of(cls, labels: Sequence[int]) -> ClassOrder:
        given = np.array(labels, dtype=np.int64)
        place = np.argsort(given, kind="stable")
        rank = np.empty_like(place)
        rank[place] = np.arange(len(given))
        first, second = np.triu_indices(len(given), 1)
        low, high = np.minimum(rank[first], rank[second]), np.maximum(rank[first], rank[second])
        # Of the pairs (0, 1), (0, 2), …, (1, 2), …: those before the ones of `low`, and those of `low` before this one.
        pair = low * len(given) - low * (low + 1) // 2 + high - low - 1
        sign = np.where((rank[first] < rank[second]) != (len(given) == 2), 1.0, -1.0)
        return cls(tuple(map(int, labels)), given[place], place, pair, sign)

    def of_functions(self, ours: Floats) -> Floats:
        """What Mercer's functions have, in the last axis, as LIBSVM's have it: signs change with the side."""
        return np.asarray(ours[..., self.pair] * self.sign)

    def to_functions(self, theirs: Floats) -> Floats:
        """The way back."""
        ours = np.empty_like(theirs)
        ours[..., self.pair] = theirs * self.sign
        return ours

    def rows_by_class(self, counts: Sequence[int]) -> Integers:
        """The support vectors, of which LIBSVM has so many of each class, in the order of the sorted classes."""
        ends = list(accumulate(counts, initial=0))
        blocks = [np.arange(ends[place], ends[place + 1]) for place in self.place]
        return np.concatenate([np.zeros(0, dtype=np.int64), *blocks])

    def to_coef(self, theirs: Floats, counts: Sequence[int]) -> Floats:
        """Coefficients in LIBSVM's layout and order, in Mercer's."""
        ours = np.zeros_like(theirs)
        rows = self.rows_by_class(counts)
        for their, our, sign, block in self._blocks([counts[place] for place in self.place]):
            ours[our, block] = sign * theirs[their, rows[block]]
        return ours

    def of_coef(self, ours: Floats, n_support: Sequence[int]) -> tuple[Floats, Integers]:
        """Coefficients in Mercer's order, in LIBSVM's; and which of the support vectors stands where there."""
        counts = np.empty(len(n_support), dtype=np.int64)
        counts[self.place] = n_support
        rows = self.rows_by_class(counts.tolist())
        theirs = np.zeros_like(ours)
        for their, our, sign, block in self._blocks(n_support):
            theirs[their, rows[block]] = sign * ours[our, block]
        order = np.empty_like(rows)
        order[rows] = np.arange(len(rows))
        return theirs, order

    def _blocks(self, n_support: Sequence[int]) -> list[tuple[int, int, float, slice]]:
        """Of every class against every other: the row of coefficients there and here, the sign, and the columns here.

        A support vector of class c has its coefficient against class o in row o − 1 where o > c, else in row o.
        """
        ends = [0, *np.cumsum(np.asarray(n_support, dtype=np.int64)).tolist()]
        signs = dict(zip(self.pair.tolist(), self.sign.tolist(), strict=True))
        blocks: list[tuple[int, int, float, slice]] = []
        for number, (one, other) in enumerate(combinations(range(len(self.labels)), 2)):
            for c, o in ((one, other), (other, one)):
                own, against = int(self.place[c]), int(self.place[o])
                blocks.append((_row(own, against), _row(c, o), signs[number], slice(ends[c], ends[c + 1])))
        return blocks


def _row(own: Any, against: Any) -> int:
    return int(against - 1 if against > own else against)
