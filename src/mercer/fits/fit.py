"""From a task to certified machines: no estimator is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mercer.fits.fitted import Fitted
from mercer.fits.nu_classification import fit_nu_classification
from mercer.fits.nu_regression import fit_nu_regression
from mercer.fits.plan import Plan
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.fits.tolerance import relative_tolerance
from mercer.problems import NuClassification, NuRegression, NuRegressionWithoutTube, OneClass
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["fit", "fit_path"]

_NO_LIMITS = Terms()


def fit(
    task: Task,
    plan: Plan,
    solver: DualSolver | None = None,
    limits: Terms = _NO_LIMITS,
    start: Floats | None = None,
) -> Fitted:
    """Solves the task and certifies what came out.

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
    solver = plan.solver() if solver is None else solver
    problem = task.problem
    if isinstance(problem, NuClassification):
        return fit_nu_classification(task, plan, solver, limits, start)
    if isinstance(problem, (NuRegression, NuRegressionWithoutTube)):
        return fit_nu_regression(task, plan, solver, limits, start)
    if isinstance(problem, OneClass):
        # nu may make all values small.
        task = replace(task, tol=relative_tolerance(task))
    return solve_and_certify(task, plan, solver, limits, start)


def fit_path(
    tasks: Sequence[Task], plan: Plan, solver: DualSolver | None = None, limits: Terms = _NO_LIMITS
) -> Iterator[Fitted]:
    """Fits tasks on the same rows one after the other, as along growing values of C, each from where the last ended."""
    start: Floats | None = None
    for task in tasks:
        fitted = fit(task, plan, solver, limits, start)
        yield fitted
        start = fitted.coef
