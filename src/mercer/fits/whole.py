"""One fit: the routine that is particular to the problem, and a certificate that waits where it can."""

from __future__ import annotations

from collections.abc import Callable

from mercer.certificates import Unevaluated
from mercer.errors import InputError
from mercer.fits.fitted import Fitted
from mercer.fits.hard_tube import fit_hard_tube
from mercer.fits.nu_classification import fit_nu_classification
from mercer.fits.nu_regression import fit_nu_regression
from mercer.fits.one_class import fit_one_class
from mercer.fits.plan import Plan
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.problems import (
    NuClassification,
    NuRegression,
    NuRegressionWithoutTube,
    OneClass,
    SupportVectorRegression,
)
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["NO_LIMITS", "fit_whole"]

#: All the time and steps it takes.
NO_LIMITS = Terms()

# The share of a time limit that is kept to evaluate a machine whose kernel values are asked of Python, and the
# least, in seconds, unless it is more than half of the limit. The solver asks for whole rows, so that
# this does for about as large a share of the rows. Without any, the intercept would not be known.
_SHARE_TO_EVALUATE = 0.1
_LEAST_TO_EVALUATE = 0.1


def fit_whole(
    task: Task,
    plan: Plan,
    solver: DualSolver | None = None,
    limits: Terms = NO_LIMITS,
    start: Floats | None = None,
) -> Fitted:
    """Solves the task on all its rows and certifies what came out; parameters as in `fit`."""
    solver = plan.solver() if solver is None else solver
    if start is not None and start.shape != (task.problem.groups.rows,):
        raise InputError(
            f"start: expected a coefficient for each of {task.problem.groups.rows} rows of all groups, got shape "
            f"{start.shape}."
        )
    keeps_evidence = task.keeps_evidence
    if keeps_evidence:
        task = task.on_a_copy()
    elif task.rows.is_hurried:
        limits = limits._replace(ends=limits.ends - _time_to_evaluate(limits.seconds))
    fitted = _routine_of(task)(task, plan, solver, limits, start)
    proof = fitted.proof
    if isinstance(proof, Unevaluated):
        return fitted._replace(proof=proof.on_a_copy())
    return fitted if keeps_evidence else fitted._replace(proof=fitted.certificate)


def _routine_of(task: Task) -> Callable[..., Fitted]:
    """What is particular to some problems; most are solved as they are."""
    problem = task.problem
    if isinstance(problem, NuClassification):
        return fit_nu_classification
    if isinstance(problem, (NuRegression, NuRegressionWithoutTube)):
        return fit_nu_regression
    if isinstance(problem, SupportVectorRegression) and problem.is_hard_tube:
        return fit_hard_tube
    return fit_one_class if isinstance(problem, OneClass) else solve_and_certify


def _time_to_evaluate(seconds: float) -> float:
    """What is left to the evaluation of the machine of the seconds that a fit has."""
    return max(_SHARE_TO_EVALUATE * seconds, min(_LEAST_TO_EVALUATE, 0.5 * seconds), 0.0)
