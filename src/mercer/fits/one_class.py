"""The support of a distribution: nu may make all values small, and the tolerance with them."""

from __future__ import annotations

from mercer.fits.fitted import Fitted
from mercer.fits.plan import Plan
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.fits.tolerance import relative_tolerance
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["fit_one_class"]


def fit_one_class(task: Task, plan: Plan, solver: DualSolver, limits: Terms, start: Floats | None = None) -> Fitted:
    """Solves to a tolerance that means something where all values are small."""
    return solve_and_certify(task._replace(tol=relative_tolerance(task)), plan, solver, limits, start)
