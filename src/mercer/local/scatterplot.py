"""LOWESS: robust local lines through a scatterplot of one feature.

See Cleveland (1979), Robust locally weighted regression and smoothing scatterplots, JASA 74, 829-836.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import core
from mercer.deadline import check_deadline
from mercer.local.robustness import bisquare_weights
from mercer.local.windows import inverse_of_radius
from mercer.typing import Floats

__all__ = ["smooth_scatterplot"]

# Only systems that rows do not determine at all.
_RIDGE = 1e-12
_SINGLE = 2


def smooth_scatterplot(
    x: Floats, y: Floats, k: int, iterations: int, delta: float, threads: int, at: Floats | None = None
) -> tuple[Floats, Floats]:
    """Values of the smooth at ascending x, or at others, and what each row weighed in the last fit.

    Parameters
    ----------
    x, y : ndarray of shape (rows,)
        Finite, x in ascending order.
    k : int
        Neighbours in a window.
    iterations : int
        Fits after the first, each with rows weighed down that the one before misses.
    delta : float
        Between fitted x no farther apart than this the smooth is interpolated.
    threads : int
        How many to use.
    at : ndarray of shape (queries,), optional
        Where the smooth is wanted, after the last but one of the fits at x.
    """
    anchors = core.lowess_anchors(x, delta)
    # Values far from zero lose digits: both are counted from the middle.
    level, origin = float(np.median(y)), float(x[len(x) // 2])
    x, y = x - origin, y - level
    middles = (x[: len(x) - k] + x[k:]) / 2
    noise, robustness = np.ones_like(x), np.ones_like(x)

    def fit(queries: Floats) -> tuple[Floats, NDArray[np.uint8]]:
        check_deadline()
        begins = np.searchsorted(middles, queries)
        ends = begins + k
        radius = np.maximum(queries - x[begins], x[ends - 1] - queries)
        is_point = radius == 0
        if is_point.any():
            begins = np.where(is_point, np.searchsorted(x, queries), begins)
            ends = np.where(is_point, np.searchsorted(x, queries, side="right"), ends)
        values, _, _, states = core.fit_line(
            x=x,
            y=y,
            prior=robustness,
            noise=noise,
            queries=queries,
            inverse_radius=inverse_of_radius(radius),
            begins=begins,
            ends=ends,
            window="tricube",
            order=1,
            ridge=_RIDGE,
            squares=False,
            threads=threads,
        )
        return values, states

    places = x[anchors]
    for last in range(iterations, -1, -1):
        if last == 0 and at is not None:
            values, states = fit(at - origin)
            return np.where(states >= _SINGLE, np.nan, values + level), robustness
        values, states = fit(places)
        # A window in which one row weighs all tells nothing that the row itself does not.
        values = np.where(states >= _SINGLE, y[anchors], values)
        fitted = values if len(places) == len(x) else np.interp(x, places, values)
        used = robustness
        if last or at is not None:
            robustness = bisquare_weights(y - fitted)
    return fitted + level, used
