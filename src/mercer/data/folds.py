"""Folds: parts of the rows that are held out in turn."""

from __future__ import annotations

import numpy as np

from mercer.typing import Booleans, Integers

__all__ = ["stratified_folds"]


def stratified_folds(codes: Integers, takes_part: Booleans, folds: int, seed: int) -> Integers:
    """The number of each row's fold; every class has about as many rows in each.

    −1 of rows that take no part, and of a class's only row, without which there would be no class: those are never held
    out.
    """
    rows = np.flatnonzero(takes_part)
    order = np.random.RandomState(seed).permutation(rows)
    order = order[np.argsort(codes[order], kind="stable")]
    order = order[np.bincount(codes[rows])[codes[order]] > 1]
    numbers = np.full(len(codes), -1)
    numbers[order] = np.arange(len(order)) % folds
    return numbers
