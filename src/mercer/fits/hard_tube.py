"""ε-regression with C = ∞: no target may be missed by more than ε.

Where no coefficient is at its bound, every larger C has the same machine. So C grows until none is: that machine is the
one of C = ∞, with the same proof. Where there is no function within the tube, coefficients grow with C for ever, and
the dual value, which no function within the tube can be below, tells how far any such function would have to bend.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import InputError
from mercer.fits.fitted import Fitted
from mercer.fits.plan import Plan
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.problems import SupportVectorRegression
from mercer.solvers import DualSolver, Status, Terms
from mercer.typing import Floats

__all__ = ["fit_hard_tube"]

# Values of C that are tried, in units of the coefficient that lets a row meet its target alone.
_LADDER = (1e3, 1e6, 1e9)


def fit_hard_tube(task: Task, plan: Plan, solver: DualSolver, limits: Terms, start: Floats | None = None) -> Fitted:
    """Solves with growing C until no coefficient is at its bound; raises `InputError` where that does not happen."""
    problem = task.problem
    assert isinstance(problem, SupportVectorRegression)
    largest = float(np.abs(task.rows.diagonal[np.concatenate(task.members)]).max())
    unit, steps = problem.unit / (largest or 1.0), 0
    for bound in _LADDER:
        bounded = problem.bounded(bound * unit)
        fitted = solve_and_certify(task.posing(bounded), plan, solver, limits.after(steps), start)
        steps += fitted.steps[0]
        fitted = fitted._replace(steps=[steps])
        if not bounded.is_at_bound(fitted.coef).any():
            tightest = task.posing(problem.bounded(2 * float(np.abs(fitted.coef).max(initial=unit))))
            again = solve_and_certify(tightest, plan, solver, limits.after(steps), fitted.coef)
            return again._replace(steps=[steps + again.steps[0]])
        if fitted.status not in (Status.SOLVED, Status.STATIONARY, Status.STALLED):
            return fitted
        start = fitted.coef
    certificate = fitted.certificate
    raise InputError(
        f"C=inf expects a function that meets every target to within epsilon, and there seems to be none: at "
        f"C={_LADDER[-1] * unit:.1g}, {int(bounded.is_at_bound(fitted.coef).sum())} of {len(fitted.coef)} rows "
        f"still miss it, and any such function would have ½‖w‖² above {certificate.dual:.2g}. Use a finite C, a larger "
        "epsilon, or a kernel that can tell these rows apart."
    )
