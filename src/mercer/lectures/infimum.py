"""The lowest value of a smooth function without constraints, or −∞."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from mercer.lectures.smooth import Smooth
from mercer.typing import Floats

__all__ = ["infimum"]

# A gradient that is zero but for rounding and for that of the multipliers.
_FLAT = 1e-7
# A descent that leads this many times the start's size away leads to −∞; its steps double on the way.
_FAR = 1e8
_MOST_STEPS = 200
# How far from the start other descents begin, in units of its size.
_AROUND = (1.0, 10.0)


def infimum(function: Smooth, start: Floats) -> float:
    """The lowest of the ends of descents from the start and from both sides of it along the axes of its curvature."""
    _, axes = np.linalg.eigh(function.hessian(start))
    others = [start + side * far * _size(start) * axis for axis in axes.T for far in _AROUND for side in (1.0, -1.0)]
    return min(_descend(function, point) for point in [start, *others])


def _descend(function: Smooth, start: Floats) -> float:
    """Where a trust-region method ends: at a minimum, or at −∞ where there is a way down without end."""
    far = _FAR * _size(start)

    def stop_far_away(intermediate_result: Any) -> None:
        if _size(intermediate_result.x) > far:
            raise StopIteration

    with np.errstate(all="ignore"):
        before = function(start)
        if not np.isfinite(before):
            return np.inf
        end = minimize(
            function,
            start,
            jac=function.gradient,
            hess=function.hessian,
            method="trust-exact",
            options={"gtol": _FLAT * _size(start), "max_trust_radius": far, "maxiter": _MOST_STEPS},
            callback=stop_far_away,
        )
    if _size(end.x) > far and end.fun < before:
        return -np.inf
    return float(end.fun)


def _size(x: Floats) -> float:
    return max(1.0, float(np.abs(x).max()))
