"""From a task to certified machines: no estimator is needed."""

from __future__ import annotations

from mercer.fits.fitted import Fitted
from mercer.fits.held_out import fit_and_hold_out
from mercer.fits.plan import Plan
from mercer.fits.task import Task
from mercer.fits.whole import NO_LIMITS, fit_whole
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["fit"]


def fit(
    task: Task,
    plan: Plan,
    solver: DualSolver | None = None,
    limits: Terms = NO_LIMITS,
    start: Floats | None = None,
) -> Fitted:
    """Solves the task and certifies what came out; where it has folds, asks machines about rows they do not know.

    Parameters
    ----------
    task : Task
        The problem, its rows, and how well it is to be solved.
    plan : Plan
        How; `plan_fit` makes one.
    solver : DualSolver, optional
        The solver of the plan where none is given.
    limits : Terms
        Time, steps, and who hears of it; tolerances are those of the task.
    start : ndarray, optional
        Coefficients of a like task to begin from, one for each row of all groups.
    """
    return (fit_whole if task.folds is None else fit_and_hold_out)(task, plan, solver, limits, start)
