"""A function on a grid in the plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["Limits", "check_plane", "grid_of", "limits_around", "values_on"]

# Curves look smooth, and a function in Python is evaluated in half a second.
_GRID = 161

Limits = tuple[tuple[float, float], tuple[float, float]]


def check_plane(x: Floats) -> None:
    """Raises unless a point is in the plane."""
    if x.shape[-1] != 2:
        raise InputError(
            f"Expected a problem of two variables to draw in the plane, got {x.shape[-1]}. Fix the others."
        )


def limits_around(points: Floats, margin: float) -> Limits:
    """A square around some points, with a margin to all sides in units of its own side, and of one at least."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = max(1.0, float(np.ptp(points, axis=0).max()) / 2) * (1 + margin)
    (left, bottom), (right, top) = middle - half, middle + half
    return (float(left), float(right)), (float(bottom), float(top))


def grid_of(limits: Any) -> tuple[Floats, Floats]:
    """Coordinates of the points of a grid."""
    try:
        (left, right), (bottom, top) = ((float(low), float(high)) for low, high in limits)
    except (TypeError, ValueError) as error:
        raise InputError(f"limits: expected ((left, right), (bottom, top)), got {limits!r}.") from error
    if not (left < right and bottom < top):
        raise InputError(f"limits: expected left < right and bottom < top, got {limits!r}.")
    xx, yy = np.meshgrid(np.linspace(left, right, _GRID), np.linspace(bottom, top, _GRID))
    return xx, yy


def values_on(xx: Floats, yy: Floats, function: Callable[[Floats], Any]) -> Floats:
    """The function at every point of the grid; NaN where it is not finite, so that nothing is drawn there."""
    with np.errstate(all="ignore"):
        values = [float(function(point)) for point in np.column_stack([xx.ravel(), yy.ravel()])]
    grid = np.array(values).reshape(xx.shape)
    return np.where(np.isfinite(grid), grid, np.nan)
