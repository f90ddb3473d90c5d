"""Bandwidths by rule: what is right for a normal density, and what a pilot of any density says in one dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["RULES", "improved_sheather_jones", "normal_reference", "robust_spreads", "scott", "silverman"]

#: Names that `bandwidth` takes beside a number; the last looks at all pairs.
RULES = ("scott", "silverman", "normal-reference", "sheather-jones", "leave-one-out")

# The interquartile range of the normal distribution.
_NORMAL_QUARTILES = 1.3489795003921634
# As Botev, Grotowski and Kroese have it: bins of the line, stages of the functional, and how far the line goes beyond.
_BINS = 1 << 14
_STAGES = 7
_MARGIN = 0.1
# The largest t that is looked at, in squares of the line's length: a bandwidth of about a third of it.
_LARGEST = 0.1


def scott(n: int, d: int) -> float:
    """n^(−1/(d+4)), as scikit-learn has it: for features of spread one."""
    return float(n ** (-1 / (d + 4)))


def silverman(n: int, d: int) -> float:
    """(n (d + 2) / 4)^(−1/(d+4)), as scikit-learn has it: for features of spread one."""
    return float((n * (d + 2) / 4) ** (-1 / (d + 4)))


def robust_spreads(X: Any, weights: Floats) -> Floats:
    """Of each feature the standard deviation, or the interquartile range as that of a normal density, if smaller."""
    mean = np.average(X, axis=0, weights=weights)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    quartiles = np.stack([_quartiles(column, weights) for column in X.T], axis=1)
    range_ = (quartiles[1] - quartiles[0]) / _NORMAL_QUARTILES
    return np.where(range_ > 0, np.minimum(deviation, range_), deviation)


def normal_reference(X: Any, weights: Floats) -> Floats:
    """Of each feature the gaussian's bandwidth that is best where the density is normal, with a robust spread."""
    return robust_spreads(X, weights) * silverman(_effective_size(weights), X.shape[1])


def improved_sheather_jones(x: Floats, weights: Floats) -> float:
    """The gaussian's bandwidth in one dimension that is best for the density itself, as far as the rows tell that.

    Solves      t = ξ γ(t), the fixed point of the plug-in rule, with its functionals by a cosine transform
    Given       rows and weights
    Returns     √t
    See         Botev, Grotowski and Kroese, Kernel density estimation via diffusion, 2010
    """
    from scipy.fft import dct  # they take long to import
    from scipy.optimize import brentq

    low, high = float(x.min()), float(x.max())
    length = (high - low) * (1 + 2 * _MARGIN)
    if not length > 0:
        raise InputError("bandwidth='sheather-jones': expected rows that differ, got all the same. Give a number.")
    counts, _ = np.histogram(x, _BINS, (low - _MARGIN * (high - low), high + _MARGIN * (high - low)), weights=weights)
    squares = (dct(counts / weights.sum())[1:] / 2) ** 2
    n = len(np.unique(x)) if np.all(weights == weights[0]) else _effective_size(weights)
    frequencies = np.arange(1, _BINS, dtype=np.float64) ** 2

    def off(t: float) -> float:
        return t - _plug_in(t, n, frequencies, squares)

    # The smallest root: scanned for a change of sign, as the functional need not be monotone.
    tried = np.geomspace(1e-12, _LARGEST, 200)
    signs = np.sign([off(t) for t in tried])
    places = np.flatnonzero((signs[:-1] < 0) & (signs[1:] >= 0))
    if len(places) == 0:
        raise InputError(
            f"bandwidth='sheather-jones': expected rows whose bandwidth has a fixed point, got {len(x)} rows where it "
            "has none. Use 'normal-reference' or 'leave-one-out'."
        )
    root = brentq(off, tried[places[0]], tried[places[0] + 1], xtol=1e-18, rtol=1e-12)
    return math.sqrt(root) * length


def _plug_in(t: float, n: float, frequencies: Floats, squares: Floats) -> float:
    """ξ γ(t): the best t, were the density the one that t makes of the rows."""

    def functional(s: int, time: float) -> float:
        decay = frequencies**s * squares * np.exp(-frequencies * math.pi**2 * time)
        return float(2 * math.pi ** (2 * s) * decay.sum())

    found = functional(_STAGES, t)
    for s in range(_STAGES - 1, 1, -1):
        odd = math.prod(range(1, 2 * s, 2)) / math.sqrt(2 * math.pi)
        constant = (1 + 0.5 ** (s + 0.5)) / 3
        time = (2 * constant * odd / (n * found)) ** (2 / (3 + 2 * s)) if found > 0 else math.inf
        found = functional(s, time)
    return float((2 * n * math.sqrt(math.pi) * found) ** (-2 / 5)) if found > 0 else math.inf


def _effective_size(weights: Floats) -> Any:
    return weights.sum() ** 2 / np.square(weights).sum()


def _quartiles(values: Any, weights: Floats) -> Floats:
    if np.all(weights == weights[0]):
        return np.asarray(np.quantile(values, [0.25, 0.75]))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    return np.asarray(values[order][np.searchsorted(below, [0.25, 0.75])], dtype=np.float64)
