"""Coordinate descent: one coordinate after the other goes to where the function is lowest along it.

Solves       min f(x₁, …, x_d) without constraints
Given        the function, a start, and the order of the coordinates
Returns      the path
Stops when   no coordinate lowers f by more than a tolerance, or the steps are used up
See          Wright, Coordinate descent algorithms, 2015

For a smooth convex f with a minimum its only point to stop at is that minimum. A kink, or a constraint that ties
coordinates to each other, can stop it anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from mercer.errors import InputError, ParameterError
from mercer.lectures.optimum import NoOptimumError
from mercer.lectures.smooth import read_point
from mercer.typing import Floats, Integers

__all__ = ["Path", "coordinate_descent"]

Function = Callable[[Floats], Any]

_ORDERS = ("cyclic", "greedy")
# The first step to both sides, in units of the coordinate's size; then it doubles, this often at most.
_FIRST_STEP = 0.5
_MOST_DOUBLINGS = 60
# How close to the lowest place of a line the searches come, in units of the coordinate's size. SciPy's adds a share of
# the distance from where it started; so a second one starts next to the end of the first.
_ROUGHLY = 1e-9
_EXACTLY = 1e-15
_SEARCH_SHARE = 1.5e-8


@dataclass(frozen=True, eq=False)
class Path:
    """Where coordinate descent went."""

    #: The start and the point after each step, one a row.
    points: Floats
    #: The function at these points.
    values: Floats
    #: Which coordinate each step moved; one less than points.
    coordinates: Integers
    #: Whether it ended because no coordinate lowers the function by more than the tolerance.
    converged: bool

    @property
    def x(self) -> Floats:
        """The last point."""
        return np.asarray(self.points[-1])


def coordinate_descent(
    function: Function, start: Any, *, order: str = "cyclic", tol: float = 1e-12, max_steps: int = 10_000
) -> Path:
    """Minimises a function along one coordinate at a time, exactly.

    Parameters
    ----------
    function : callable
        x → f(x); infinite where x is not allowed.
    start : array-like of shape (d,)
        Where f is finite.
    order : {"cyclic", "greedy"}, default="cyclic"
        One coordinate after the other, or each time the one that lowers f most, for which all are tried.
    tol : float, default=1e-12
        Ends where no coordinate lowers f by more than tol · max(1, |f|).
    max_steps : int, default=10_000
        The most steps that move a coordinate.

    Returns
    -------
    Path

    Examples
    --------
    >>> from mercer.lectures import coordinate_descent
    >>> path = coordinate_descent(lambda x: x[0] ** 2 + x[1] ** 2 + x[0] * x[1], [1.0, 1.0])
    >>> path.converged, bool(abs(path.x).max() < 1e-6)
    (True, True)
    """
    x = read_point("start", start)
    _check(order, tol, max_steps)
    if not callable(function):
        raise ParameterError(f"function: expected a callable of a vector, got {function!r}.")
    value = _value(function, x)
    if not np.isfinite(value):
        raise InputError(f"start: expected a point where the function is finite, got {value} there.")
    points, values = [x], [value]
    moved: list[int] = []
    idle = 0  # coordinates tried in a row without success
    turn = 0
    while idle < len(x) and len(moved) < max_steps:
        tried = range(len(x)) if order == "greedy" else [turn % len(x)]
        i, place, lowest = min((_lowest_along(function, x, value, i) for i in tried), key=lambda end: end[2])
        if value - lowest > tol * max(1.0, abs(value)):
            x, value, idle = x.copy(), lowest, 0
            x[i] = place
            points.append(x)
            values.append(value)
            moved.append(i)
        else:
            idle += len(tried)
        turn += 1
    return Path(np.array(points), np.array(values), np.array(moved, dtype=np.int64), converged=idle >= len(x))


def _lowest_along(function: Function, x: Floats, value: float, i: int) -> tuple[int, float, float]:
    """The coordinate, where along it the function is lowest, and how low: never higher than the value at x."""

    def at(offset: float) -> float:
        moved = x.copy()
        moved[i] += offset
        return _value(function, moved)

    size = max(1.0, abs(float(x[i])))
    left, right = (_upwards(at, value, side * _FIRST_STEP * size, i) for side in (-1.0, 1.0))
    roughly = _lowest_between(at, left, right, _ROUGHLY * size)
    # At a kink the rest of an error counts in full: other coordinates would follow it, and creep.
    near = 2 * (_ROUGHLY * size + _SEARCH_SHARE * abs(roughly))
    exactly = roughly + _lowest_between(lambda more: at(roughly + more), -near, near, _EXACTLY * size)
    # With several valleys the search may end in one that is higher than x itself.
    place, lowest = min(((place, at(place)) for place in (0.0, roughly, exactly)), key=lambda end: end[1])
    return i, float(x[i] + place), lowest


def _lowest_between(at: Callable[[float], float], left: float, right: float, precision: float) -> float:
    # Where the function is infinite, the parabolas of the search are not numbers, and it takes golden sections.
    with np.errstate(invalid="ignore"):
        return float(minimize_scalar(at, bounds=(left, right), method="bounded", options={"xatol": precision}).x)


def _upwards(at: Callable[[float], float], value: float, step: float, i: int) -> float:
    """How far to go until the function rises, or at least falls no further."""
    for _ in range(_MOST_DOUBLINGS):
        reached = at(step)
        if not reached < value:
            return step
        value, step = reached, 2 * step
    raise NoOptimumError(
        f"The function falls without end along coordinate {i}: expected a lower bound, got {value:g} at a distance of "
        f"{abs(step):.1g}. Check its sign."
    )


def _value(function: Function, x: Floats) -> float:
    """f(x), infinite where it is not a number."""
    value = np.asarray(function(x), dtype=np.float64)
    if value.size != 1:
        raise InputError(f"function: expected one number at a point, got shape {value.shape}.")
    return np.inf if np.isnan(value).any() else float(value.reshape(()))


def _check(order: Any, tol: Any, max_steps: Any) -> None:
    if order not in _ORDERS:
        raise ParameterError(f"order: expected one of {', '.join(map(repr, _ORDERS))}, got {order!r}.")
    if not isinstance(tol, Real) or not 0 <= float(tol) < np.inf:
        raise ParameterError(f"tol: expected a finite number ≥ 0, got {tol!r}.")
    if not isinstance(max_steps, Integral) or isinstance(max_steps, bool) or max_steps < 1:
        raise ParameterError(f"max_steps: expected an integer ≥ 1, got {max_steps!r}.")
