"""From a duality gap to what the exact machine can say: the proof behind scores that are intervals.

The primal objective ½‖w‖² + … is strongly convex in w, and so is the dual in w(c): with a gap G between a machine's
own primal and dual values, ½‖w − w*‖² is at most P − P* and at most D* − D, whose sum is at most G. Hence
‖w − w*‖ ≤ √G, and no value w·φ(x) is off by more than √(G k(x, x)). The offset b* is one that is best for w*; as values
move by at most √(G max k), so do the ends of the interval of best offsets.
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Floats

__all__ = ["offset_interval", "value_interval"]


def value_interval(
    products: Floats, best: Floats, gap: Floats, norms: Floats, largest_norm: float, error: Floats
) -> tuple[Floats, Floats]:
    """Between which values f*(x) = w*·φ(x) + b* lie, one row each, of several functions.

    Parameters
    ----------
    products : ndarray of shape (rows, functions)
        w·φ(x).
    best : ndarray of shape (functions, 2)
        Between which offsets are the best for w.
    gap : ndarray of shape (functions,)
        With what rounding may have moved it by.
    norms : ndarray of shape (rows,)
        √k(x, x).
    largest_norm : float
        Of all rows that were trained on.
    error : ndarray of shape (functions,)
        How far rounding may have moved the products.
    """
    reach = np.outer(norms + largest_norm, np.sqrt(gap)) + 2 * error
    return products + best[:, 0] - reach, products + best[:, 1] + reach


def offset_interval(values: Floats, kink: Floats, lower: Floats, upper: Floats) -> tuple[float, float]:
    """Between which offsets b make Σ upper max(0, v − e − b) − lower max(0, b − v − e) least."""
    places = np.concatenate([values - kink, values + kink])
    growth = np.concatenate([upper, -lower])
    order = np.argsort(places, kind="stable")
    places, growth = places[order][growth[order] > 0], growth[order][growth[order] > 0]
    slope = np.cumsum(growth) - upper.sum()
    rounding = 1e-12 * growth.sum()
    first = int(np.argmax(slope >= -rounding))
    last = int(np.argmax(slope > rounding)) if slope[-1] > rounding else len(slope) - 1
    return float(places[first]), float(places[last])
