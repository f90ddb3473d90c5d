"""Paths: like tasks on the same rows, each from where the last ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mercer.fits.fitted import Fitted
from mercer.fits.fitting import fit
from mercer.fits.plan import Plan
from mercer.fits.task import Task
from mercer.fits.whole import NO_LIMITS
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["fit_path"]


def fit_path(
    tasks: Iterable[Task], plan: Plan, solver: DualSolver | None = None, limits: Terms = NO_LIMITS
) -> Iterator[Fitted]:
    """Fits tasks one after the other, as along growing values of C; parameters as in `fit`."""
    start: Floats | None = None
    for task in tasks:
        fitted = fit(task, plan, solver, limits, start)
        yield fitted
        start = fitted.coef
