"""Rows in an order in which the first ones, however many, stand for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.typing import Integers

__all__ = ["nested_sample"]

# Of each class so many come first: a row without another of its class says nothing about scales.
_FIRST_OF_EACH = 2


def nested_sample(codes: Integers | None, rows: int, most: int, random: Any) -> Integers:
    """At most so many rows at random, every beginning of which has the classes in their shares, all of them at first.

    Parameters
    ----------
    codes : ndarray of shape (rows,) or None
        The number of the class of each row; None where there are no classes.
    most : int
        The size of the sample.
    random : RandomState
        Decides.
    """
    order = random.permutation(rows)
    if codes is None:
        return np.asarray(order[:most])
    own = codes[order]
    by_class = np.argsort(own, kind="stable")
    counts = np.bincount(own)
    counts = counts[counts > 0]
    places = np.concatenate([np.arange(count) for count in counts])  # of each row among those of its class
    keys = (places + random.uniform(size=rows)) / np.repeat(counts, counts)
    keys[places < _FIRST_OF_EACH] -= 1
    return np.asarray(order[by_class[np.argsort(keys, kind="stable")]][:most])
