"""From an iterate between the bounds to coefficients that are exactly at them, or solve their optimality conditions.

Which variables end at a bound shows before they are there: their multipliers stay while they themselves shrink. The
others are solved for as a linear system, with sums in twice the precision, and the sets are exchanged where the
solution asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from mercer.solvers.direct.box_program import BoxProgram
from mercer.solvers.direct.extended import Extended
from mercer.solvers.direct.interior_point import Iterate
from mercer.typing import Booleans, Floats

__all__ = ["Vertex", "vertices_near"]

# Exchanges of the sets, each with a factorisation: of few rows, and of many.
_MOST_EXCHANGES = 5
_FEW_EXCHANGES = 2
_MANY_ROWS = 200
# A variable that keeps more than this of itself in a step does not shrink.
_SHRINKS = 0.9
# The diagonal of variables that are solved for, as a share of their curvature, and that of the others.
_LOOSE = 1e-13
_HELD = 1e200
_TINY = 1e-300


class Vertex(NamedTuple):
    """Variables, which of them are between their bounds, and the coefficients with their violation."""

    variables: Extended
    free: Booleans
    coef: Extended
    violation: float


#: The violation of coefficients, and the multipliers that suit them.
Judge = Callable[[Extended], tuple[float, Floats]]


def vertices_near(program: BoxProgram, now: Iterate, before: Iterate | None, judge: Judge) -> Iterator[Vertex]:
    """What the guesses at the sets lead to, one exchange after the other."""
    for at_zero, at_bound in _guesses(program, now, before):
        yield from _exchanges(program, now.variables, at_zero, at_bound, judge)


def _guesses(program: BoxProgram, now: Iterate, before: Iterate | None) -> Iterator[tuple[Booleans, Booleans]]:
    """Which variables end at zero, and which at their bound: by how they shrink, and by their size."""
    with np.errstate(all="ignore"):
        if before is not None:
            shrinks, falls = now.x / before.x, now.slack / before.slack
            at_zero = (shrinks < now.lower / before.lower) & (shrinks < _SHRINKS)
            at_bound = (falls < now.upper / before.upper) & (falls < _SHRINKS) & np.isfinite(now.slack)
            nearer = now.x <= now.slack
            yield at_zero & (nearer | ~at_bound), at_bound & ~(at_zero & nearer)
        curvature = _curvature(program)
        yield now.x * curvature <= now.lower, now.slack * curvature <= now.upper


def _curvature(program: BoxProgram) -> Floats:
    curvature = np.maximum(np.abs(np.diagonal(program.gram.centred)) + program.ridge, _TINY)[program.row]
    return np.append(curvature, curvature.max()) if program.has_spare else curvature


def _exchanges(
    program: BoxProgram, variables: Extended, at_zero: Booleans, at_bound: Booleans, judge: Judge
) -> Iterator[Vertex]:
    """The point with these sets, and those that the solutions ask for."""
    upper, curvature = program.upper, _curvature(program)
    variables = program.netted(_held(variables, at_zero, at_bound, upper))
    if program.has_spare and at_zero[-1]:
        # What rounding leaves of the sums is not spare: the tube has a width.
        spare = np.arange(len(upper)) == len(upper) - 1
        variables = _held(variables, spare, np.zeros_like(spare), upper)
    free = (variables.high > 0) & (variables.high < upper)
    for exchange in range(_MOST_EXCHANGES if len(program.slope) <= _MANY_ROWS else _FEW_EXCHANGES):
        coef = program.coef(variables)
        violation, multipliers = judge(coef)
        yield Vertex(variables, free, coef, violation)
        gradient = program.gradient(variables, multipliers)
        x = variables.high
        if exchange > 0:
            wants = np.where(x <= 0, -gradient, np.where(x >= upper, gradient, 0.0))
            free = free | (wants > 0.5 * violation)
        try:
            with np.errstate(all="ignore"):
                system = program.system(np.where(free, _LOOSE * curvature, _HELD))
                dx, _ = system.solve(np.where(free, -gradient, 0.0), program.missing(variables))
        except LinAlgError:
            return
        dx = np.where(free, dx, 0.0)
        if not np.isfinite(dx).all() or not dx.any():
            return
        moved = variables.plus(dx)
        below, above = free & (moved.high <= 0), free & (moved.high >= upper)
        variables = _held(moved, below, above, upper)
        free = free & ~below & ~above


def _held(variables: Extended, at_zero: Booleans, at_bound: Booleans, upper: Floats) -> Extended:
    """Some of the variables put exactly on their bounds."""
    high = np.where(at_zero, 0.0, np.where(at_bound, upper, variables.high))
    return Extended(high, np.where(at_zero | at_bound, 0.0, variables.low))
