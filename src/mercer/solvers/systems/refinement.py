"""Refinement: an approximate inverse, and residuals that are exact.

Solves       A d + √v b = √v y and, with an intercept, (√v)ᵀd = 0; A = √v K √v + α
Given        the system, targets less their means, and something that solves A e = r about
Returns      d, b, and the residuals that it believes in
Stops when   the residuals are within the tolerance, or will be after the step just made, or no longer shrink
See          Higham, Accuracy and Stability of Numerical Algorithms, chapter 12
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["Refined", "refine"]

# A step that leaves more of the residual than this is not worth another one.
_WORTH = 0.5
# The next residual is about the last one times what the last step left of the one before; it may be this much larger.
_SAFETY = 10.0
Inverse = Callable[[Floats], Floats]


class Refined(NamedTuple):
    """d and b of every column, steps made, how it ended, and the last residual known, relative to the targets."""

    d: Floats
    intercept: Floats
    steps: int
    status: Status
    residual: float


def refine(
    system: System, targets: Floats, border: Floats | None, inverse: Inverse, terms: Terms, start: Refined | None = None
) -> Refined:
    """Refines from nothing, or from a start, until the residuals of all columns are within `terms.tol` of the targets.

    `targets` are √v (y − mean), and `border` is about A⁻¹ √v where there is an intercept.
    """
    roots = system.roots
    sizes = np.linalg.norm(targets, axis=0)
    sizes[sizes == 0] = 1.0
    found = start or Refined(np.zeros_like(targets), np.zeros(targets.shape[1]), 0, Status.SOLVED, 1.0)
    left = targets if start is None else _residuals(system, targets, found)
    found = found._replace(residual=_worst(left, sizes))
    rate, across = np.inf, 1.0 if border is None else float(roots @ border)
    if not across > 0:
        return found._replace(status=Status.STALLED)  # what is about A⁻¹ √v has nothing of it: A is not solved at all
    while found.residual > terms.tol:
        ended = _ended(found, len(system), terms)
        if ended is not None:
            return found._replace(status=ended)
        step, move = inverse(left), np.zeros(targets.shape[1])
        if border is not None:
            move = (roots @ step) / across
            step = step - np.outer(border, move)
        d = found.d + step
        if border is not None:
            d -= np.outer(roots, roots @ d / (roots @ roots))
        moved = Refined(d, found.intercept + move, found.steps + 1, Status.SOLVED, found.residual * rate)
        if _SAFETY * moved.residual <= terms.tol:
            return moved  # whoever certifies it evaluates the residual
        left = _residuals(system, targets, moved)
        moved = moved._replace(residual=_worst(left, sizes))
        rate = moved.residual / found.residual
        if not rate < _WORTH:
            # Conjugate gradients that were stopped are nearer to the optimum than nothing, whatever the residual.
            return (moved if rate < 1 or found.steps == 0 else found)._replace(status=Status.STALLED)
        found = moved
    return found._replace(status=Status.SOLVED)


def _ended(found: Refined, rows: int, terms: Terms) -> Status | None:
    """Why there is no further step; None where there is one."""
    if found.steps >= terms.steps:
        return Status.ITERATION_LIMIT
    # A first step is made whatever the time: what solves about is there, and without it there is no machine.
    if found.steps > 0 and perf_counter() >= terms.ends:
        return Status.TIME_LIMIT
    asked = terms.report is not None and terms.report(0.0, found.steps, found.residual, rows, 0)
    return Status.INTERRUPTED if asked else None


def _residuals(system: System, targets: Floats, at: Refined) -> Floats:
    return targets - np.outer(system.roots, at.intercept) - system.products(at.d)


def _worst(residuals: Floats, sizes: Floats) -> float:
    return float(np.max(np.linalg.norm(residuals, axis=0) / sizes, initial=0.0))
