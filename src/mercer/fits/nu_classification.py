"""ν-classification: the tolerance means something only beside ρ, by which the machine is divided."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.errors import NumericsWarning
from mercer.fits.fitted import Fitted
from mercer.fits.plan import Plan
from mercer.fits.solving import solve_and_certify
from mercer.fits.task import Task
from mercer.fits.tolerance import relative_tolerance
from mercer.problems import NuClassification
from mercer.solvers import DualSolver, Terms
from mercer.typing import Floats

__all__ = ["fit_nu_classification"]


def fit_nu_classification(
    task: Task, plan: Plan, solver: DualSolver, limits: Terms, start: Floats | None = None
) -> Fitted:
    """Solves as LIBSVM does, to `tol` before the division by ρ; where all values are small, to `tol` after it."""
    problem = task.problem
    assert isinstance(problem, NuClassification)
    if start is not None:
        start = problem.scaled_to_its_sums(start)
    tol = relative_tolerance(task)
    all_are_small = tol < task.tol
    steps: Sequence[int] = [0] * len(task.members)
    while True:
        fitted = solve_and_certify(task._replace(tol=tol), plan, solver, limits.after(max(steps)), start)
        steps = [before + more for before, more in zip(steps, fitted.steps, strict=True)]
        width = float(problem.width(fitted.offsets).min())
        # A ρ that is not above the tolerance is not known, and following it down would have no end.
        if fitted.unsolved or not all_are_small or tol <= task.tol * width or width <= tol:
            return _divided(fitted._replace(steps=steps), problem)
        tol, start = 0.5 * task.tol * width, fitted.coef


def _divided(fitted: Fitted, problem: NuClassification) -> Fitted:
    """With the machines divided by ρ, or by the tolerance where ρ is below it."""
    width, tol = problem.width(fitted.offsets), fitted.task.tol
    warnings = fitted.warnings
    if (width < tol).any():
        warnings += (
            NumericsWarning(
                f"NuSVC: expected a margin ρ above {tol:.1g}, the tolerance to which the problem is solved, got "
                f"{float(width.min()):.1g}. The machine is divided by the larger of the two, so that the scale of its "
                f"values is uncertain. Raise nu, for the classes overlap more than nu={problem.nu:g} ignores, or lower "
                "tol."
            ),
        )
    return fitted._replace(divisors=np.maximum(width, tol), warnings=warnings)
