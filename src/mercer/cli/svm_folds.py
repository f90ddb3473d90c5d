"""The folds of `svm-train -v`, which are those of LIBSVM on Linux: so cross-validation can be compared row by row.

LIBSVM shuffles with the C library's `rand`, which it never seeds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.typing import Integers

__all__ = ["CRandom", "first_occurrences", "folds_of", "others"]


class CRandom:
    """The numbers of glibc's `rand` after `srand(1)`, which is how programs begin.

    r_i = r_{i−3} + r_{i−31} modulo 2³², of which `rand` gives all bits but the last.
    """

    _STEPS_BEFORE = 310

    def __init__(self) -> None:
        state = [1]
        for _ in range(30):
            state.append(16807 * state[-1] % 2147483647)
        self._state = state + state[:3]
        for _ in range(self._STEPS_BEFORE):
            self._step()

    def _step(self) -> int:
        state = self._state
        state.append((state[-3] + state[-31]) & 0xFFFFFFFF)
        if len(state) > _MOST_KEPT:
            del state[:-34]
        return state[-1]

    def __call__(self) -> int:
        return self._step() >> 1

    def shuffle(self, items: list[int]) -> None:
        """Each place in turn changes with one that is not before it."""
        count = len(items)
        for place in range(count):
            other = place + self() % (count - place)
            items[place], items[other] = items[other], items[place]


_MOST_KEPT = 10_000


def first_occurrences(y: Integers) -> tuple[int, ...]:
    """Labels in LIBSVM's order: as they first occur, but +1 before −1 where these are all."""
    labels, first = np.unique(y, return_index=True)
    ordered = labels[np.argsort(first)].tolist()
    return (1, -1) if ordered == [-1, 1] else tuple(ordered)


def folds_of(y: Integers | None, rows: int, folds: int) -> list[Integers]:
    """The rows of each fold, in LIBSVM's order; `y` are labels to part evenly, None where there are none."""
    random = CRandom()
    if y is None or folds >= rows:
        order = list(range(rows))
        random.shuffle(order)
        return [np.array(order[k * rows // folds : (k + 1) * rows // folds], dtype=np.int64) for k in range(folds)]
    parts: list[list[int]] = [[] for _ in range(folds)]
    for label in first_occurrences(y):
        members = np.flatnonzero(y == label).tolist()
        random.shuffle(members)
        for k, part in enumerate(parts):
            part += members[k * len(members) // folds : (k + 1) * len(members) // folds]
    return [np.array(part, dtype=np.int64) for part in parts]


def others(folds: Sequence[Integers], left_out: int) -> Integers:
    """The rows of all folds but one, in order."""
    return np.concatenate([fold for k, fold in enumerate(folds) if k != left_out])
