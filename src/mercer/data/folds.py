"""Folds: parts of the rows that are held out in turn."""

from __future__ import annotations

import numpy as np

from mercer.typing import Booleans, Integers

__all__ = ["FOLDS", "stratified_folds"]

#: How many parts rows are held out in, as LIBSVM does.
FOLDS = 5


def stratified_folds(codes: Integers, takes_part: Booleans, folds: int, seed: int) -> Integers:
    """The number of each row's fold; every class has about as many rows in each, and some in the first.

    −1 of rows that take no part, and of a class's only row, without which there would be no class: those are never held
    out.
    """
    rows = np.flatnonzero(takes_part)
    order = np.random.RandomState(seed).permutation(rows)
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes[rows])
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)  # of each row within its class
    numbers = np.full(len(codes), -1)
    numbers[order] = np.where(counts[codes[order]] > 1, place % folds, -1)
    return numbers
