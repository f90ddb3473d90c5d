"""Values in float32, and in float64 wherever only these decide.

A float32 sum is several times cheaper than one in float64 and off by little; how little is measured on some rows, and
taken to grow with what a row brings into it. Rows that this leaves in doubt are evaluated again in float64, and tell
more of the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mercer.typing import Booleans, Floats

__all__ = ["Caution", "settle"]


class Caution(NamedTuple):
    """How far a measured error is trusted.

    Attributes
    ----------
    safety : float
        How many times the largest error seen it may be elsewhere.
    allowance : float
        What an error that was not expected is raised by: more rows have larger errors among them.
    most : float
        An error beyond this is not worth its while: then all rows are evaluated in float64.
    """

    safety: float
    allowance: float = 1.0
    most: float = np.inf


def settle(
    values: Floats,
    size: Any,
    probes: Booleans,
    exact: Callable[[Booleans], Floats],
    doubtful: Callable[[Floats, Any], Booleans],
    caution: Caution,
    expected: float = 0.0,
    few: float = 0.0,
) -> Any:
    """Replaces values, one row each, by exact ones until no row is in doubt; returns the error of the others.

    Parameters
    ----------
    values : ndarray of shape (rows,) or (rows, functions)
        From float32; changed in place.
    size : ndarray or float
        What rows bring into the error: their errors are taken to be in proportion to it.
    probes : ndarray of bool
        The rows to measure it on.
    exact : callable
        Takes a mask of rows to their values in float64.
    doubtful : callable
        Takes values, and how far off they may be, to the rows that these leave in doubt.
    caution : Caution
        How far the measured error is trusted.
    expected : float
        The error to begin with; where it leaves more than a share `few` of the rows in doubt, it is measured first.

    Returns
    -------
    error : float or ndarray
        How far off values may be that are not in float64, relative to their sizes: one, or one a function.
    """
    is_exact, wanted, error = np.zeros(len(values), dtype=bool), probes.copy(), expected
    if expected > 0:
        in_doubt = doubtful(values, expected * size)
        is_few = np.count_nonzero(in_doubt) <= few * len(values)
        wanted, error = (wanted | in_doubt, expected) if is_few else (wanted, 0.0)
    while (fresh := wanted & ~is_exact).any():
        full = exact(fresh)
        with np.errstate(over="ignore", invalid="ignore"):  # an error that is no number leaves its row in doubt
            off = np.abs(values[fresh] - full)
            own = size[fresh] if isinstance(size, np.ndarray) else size
            measured = caution.safety * np.max(np.divide(off, own, out=np.zeros_like(off), where=own > 0), axis=0)
        values[fresh] = full
        is_exact |= fresh
        if np.all(measured <= error):
            break
        error = caution.allowance * measured
        with np.errstate(over="ignore", invalid="ignore"):
            wanted |= doubtful(values, error * size) if np.all(error <= caution.most) else True
    return np.zeros_like(error) if is_exact.all() else error
