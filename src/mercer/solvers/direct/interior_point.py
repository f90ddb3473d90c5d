"""The primal–dual interior-point method.

Solves       min ½ xᵀQx + gᵀx   with  E x = e,  0 ≤ x ≤ upper, where bounds may be infinite
Given        a program: gradients, constraints, and the solution of Newton's systems
Returns      iterates, one after the other, for as long as the caller asks for them
Stops when   a step leads nowhere, or the caller has enough
See          Mehrotra (1992), On the implementation of a primal–dual interior point method; Nocedal, Wright (2006),
             Numerical optimization, chapters 14 and 16

It begins at the analytic centre of the constraints with a barrier that outweighs the gradient, which is on the central
path but for little; from there the number of steps hardly depends on how far bounds, weights and features lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from mercer.solvers.direct.extended import Extended
from mercer.typing import Booleans, Floats

__all__ = ["Iterate", "Program", "System", "follow_central_path"]

#: Good starts take some thirty steps, hopeless numbers stop moving by themselves.
_MOST_STEPS = 150
# How much of the way to the nearest bound is gone.
_SHARE = 0.995
# A barrier that is to shrink by more at once shrinks by this.
_LEAST_CENTRING = 1e-8
# A step below this is none; so many of them in a row are the end.
_SHORT = 1e-9
_MOST_SHORT = 5
_TINY = 1e-300


class Iterate(NamedTuple):
    """Variables and their distances to the upper bounds, the multipliers of both, and those of the constraints."""

    variables: Extended
    slack: Floats
    lower: Floats
    upper: Floats
    multipliers: Floats
    #: Of the optimality conditions, in units of the gradient.
    residual: float

    @property
    def x(self) -> Floats:
        return self.variables.high

    @property
    def complementarity(self) -> float:
        """What the products of variables and multipliers add up to: the duality gap, where the residual is zero."""
        bounded = np.isfinite(self.slack)
        return float(self.x @ self.lower + self.slack[bounded] @ self.upper[bounded])


class System(Protocol):
    """Newton's system of one step."""

    def solve(self, rhs: Floats, missing: Floats) -> tuple[Floats, Floats]:
        """dx and dλ with (Q + diagonal) dx + Eᵀdλ = rhs and E dx = missing."""

    def moved(self, variables: Extended, dx: Floats, length: float) -> Extended:
        """The variables so far along the solution that was found last."""
        return variables.plus(length * dx)


class Program(Protocol):
    """What is minimised."""

    @property
    def upper(self) -> Floats:
        """The bounds of the variables."""

    def start(self) -> tuple[Floats, Floats]:
        """Variables at the analytic centre, and λ with Eᵀλ = 1/x − 1/(upper − x) there."""

    def gradient(self, variables: Extended, multipliers: Floats) -> Floats:
        """Q x + g + Eᵀλ."""

    def balanced(self, gradient: Floats) -> Floats:
        """λ that makes the gradient small, given that with λ = 0."""

    def missing(self, variables: Extended) -> Floats:
        """e − E x."""

    def system(self, diagonal: Floats) -> System:
        """Newton's system with this on the diagonal beside Q."""


def follow_central_path(program: Program) -> Iterator[Iterate]:
    """Iterates whose complementarity falls, until a step leads nowhere."""
    upper = program.upper
    if len(upper) == 0:
        return  # bounds below the least number
    bounded = np.isfinite(upper)
    x, centring = program.start()
    slack = np.where(bounded, upper - x, np.inf)
    variables = Extended.of(x)
    λ = program.balanced(program.gradient(variables, np.zeros_like(centring)))
    barrier = max(float(np.max(np.minimum(x, slack) * np.abs(program.gradient(variables, λ)), initial=0.0)), _TINY)
    λ = λ + barrier * centring
    z, y = barrier / x, np.where(bounded, barrier / slack, 0.0)
    count, short = len(x) + np.count_nonzero(bounded), 0

    for _ in range(_MOST_STEPS):
        x = variables.high
        residual = program.gradient(variables, λ) - z + y
        iterate = Iterate(variables, slack, z, y, λ, float(np.max(np.abs(residual), initial=0.0)))
        yield iterate
        mean = iterate.complementarity / count
        missing = program.missing(variables)
        of_slack = np.divide(y, slack, where=bounded, out=np.zeros_like(y))
        with np.errstate(all="ignore"):
            system = program.system(z / x + of_slack)

            def step(to_z: Floats, to_y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
                """To where x z and slack y have these values, as far as the linear model tells."""
                rhs = -residual - z + to_z / x + np.where(bounded, y - to_y / slack, 0.0)  # noqa: B023
                dx, dλ = system.solve(rhs, missing)  # noqa: B023
                dz = to_z / x - z - z / x * dx  # noqa: B023
                dy = np.where(bounded, to_y / slack - y + of_slack * dx, 0.0)  # noqa: B023
                return dx, dλ, dz, dy

            none = np.zeros_like(x)
            dx, dλ, dz, dy = step(none, none)
            reach = _reach(bounded, (x, slack, z, y), (dx, -dx, dz, dy))
            tried = Iterate(Extended.of(x + reach * dx), slack - reach * dx, z + reach * dz, y + reach * dy, λ, 0.0)
            centre = min(1.0, max((tried.complementarity / count / mean) ** 3, _LEAST_CENTRING)) if mean > 0 else 0.0
            dx, dλ, dz, dy = step(centre * mean - dx * dz, centre * mean + dx * dy)
            length = min(1.0, _SHARE * _reach(bounded, (x, slack, z, y), (dx, -dx, dz, dy), most=np.inf))
        short = short + 1 if length < _SHORT else 0
        if not all(np.isfinite(part).all() for part in (dx, dλ, dz, dy)) or short == _MOST_SHORT:
            return
        variables = system.moved(variables, dx, length)
        z, y, λ = z + length * dz, y + length * dy, λ + length * dλ
        slack = np.where(bounded, slack - length * dx, np.inf)


def _reach(bounded: Booleans, points: tuple[Floats, ...], ways: tuple[Floats, ...], most: float = 1.0) -> float:
    """How much of the ways can be gone before a point is zero."""
    for point, way in zip(points, ways, strict=True):
        falling = (way < 0) & np.isfinite(point) & (point > 0)
        if falling.any():
            most = min(most, float(np.min(point[falling] / -way[falling])))
    return most
