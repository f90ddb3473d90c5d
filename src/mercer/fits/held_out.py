"""Values of rows by machines that were fitted without them: what probabilities are calibrated on.

Many rows: one fold of them is enough. The solver begins with samples, so it takes all others as its last sample, asks
that machine about the fold, and goes on with all rows; it costs next to nothing. Few rows: every fold is left out in
turn, each machine beginning from the one of all rows, and all of them side by side.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import UnsolvedWarning
from mercer.fits.fitted import Fitted, ValuedRows
from mercer.fits.plan import Plan
from mercer.fits.task import Task
from mercer.fits.whole import fit_whole
from mercer.solvers import DualSolver, HeldOut, Terms
from mercer.typing import Floats, Integers

__all__ = ["fit_and_hold_out"]

# Up to so many rows every fold is held out in turn.
_FEW_ROWS = 2_000
# The violation of the machines of the folds, in units of their margin: values of rows vary by more, and a calibration
# has few numbers.
_COARSE_TOL = 0.1


def fit_and_hold_out(task: Task, plan: Plan, solver: DualSolver | None, limits: Terms, start: Floats | None) -> Fitted:
    """Fits the task, and values rows of each group by machines of the others; parameters as in `fit`."""
    folds = task.folds
    assert folds is not None
    if np.count_nonzero(folds >= 0) <= _FEW_ROWS:
        return _by_folds(fit_whole(task, plan, solver, limits, start), plan, folds, solver, limits)
    one = np.where(folds == 0, 0, -1)
    if start is None and limits.record is None:
        fitted = fit_whole(_with_fold_last(task, one), plan, solver, limits)
        if fitted.of_last_rows is not None:
            return fitted._replace(held_out=_as_values(fitted, fitted.of_last_rows))
    else:
        fitted = fit_whole(task, plan, solver, limits, start)
    return _by_folds(fitted, plan, one, solver, limits)


def _with_fold_last(task: Task, folds: Integers) -> Task:
    """The task with the rows of the fold behind the others of each group, to be held out."""
    orders = [np.argsort(folds[members] >= 0, kind="stable") for members in task.members]
    numbers = [run.start + order for run, order in zip(task.problem.groups.runs, orders, strict=True)]
    return task._replace(
        problem=task.problem.reordered(np.concatenate(numbers)),
        members=[members[order] for members, order in zip(task.members, orders, strict=True)],
        pairs=[
            pair._replace(rows=pair.rows[order], signs=pair.signs[order])
            for pair, order in zip(task.pairs, orders, strict=True)
        ],
        held_out=[int(np.count_nonzero(folds[members] >= 0)) for members in task.members],
    )


def _as_values(fitted: Fitted, held_out: HeldOut) -> list[ValuedRows]:
    problem = fitted.problem
    units = np.maximum(problem.units(held_out.offsets), fitted.task.tol)
    found = []
    for k, (members, products) in enumerate(zip(fitted.task.members, held_out.products, strict=True)):
        intercept = problem.intercept(held_out.offsets)[k]
        found.append(ValuedRows(members[len(members) - len(products) :], (products + intercept) / units[k]))
    return found


def _by_folds(fitted: Fitted, plan: Plan, folds: Integers, solver: DualSolver | None, limits: Terms) -> Fitted:
    """The same by a machine for each group and fold, which begins from that of all rows."""
    task, problem, groups = fitted.task, fitted.problem, fitted.problem.groups
    numbers = [fold for fold in range(int(folds.max(initial=-1)) + 1) if (folds == fold).any()]
    cells = [(k, fold) for k in range(len(task.members)) for fold in numbers]
    if not cells:
        return fitted._replace(held_out=[ValuedRows(members[:0], np.zeros(0)) for members in task.members])
    left_out = [folds[task.members[k]] == fold for k, fold in cells]
    members = [task.members[k][~out] for (k, _), out in zip(cells, left_out, strict=True)]
    repeated = problem.of_groups([k for k, _ in cells])
    others = repeated.without(np.concatenate(left_out))
    start = np.concatenate([fitted.coef[groups.runs[k]][~out] for (k, _), out in zip(cells, left_out, strict=True)])
    unit = float(problem.units(fitted.offsets).min())
    part = Task(others, task.rows, members, tol=max(task.tol, _COARSE_TOL * unit))
    again = fit_whole(part, plan, solver, limits._replace(record=None), start)

    _, coef, intercept = again.expansions()
    targets = [task.members[k][out] for (k, _), out in zip(cells, left_out, strict=True)]
    sums = task.rows.expand(targets, members, others.groups.split(coef), plan.threads)
    values = [total + intercept[cell] for cell, total in enumerate(sums)]
    found = []
    for k in range(len(task.members)):
        own = [cell for cell, (group, _) in enumerate(cells) if group == k]
        rows, of_rows = (np.concatenate([one[cell] for cell in own]) for one in (targets, values))
        found.append(ValuedRows(rows, of_rows))
    if again.unsolved and not fitted.unsolved:
        message = (
            f"Probabilities rest on machines that were fitted without some of the rows, and not all of these were "
            f"solved: {again.status.value} Raise the limit."
        )
        fitted = fitted._replace(warnings=(*fitted.warnings, UnsolvedWarning(message)))
    return fitted._replace(held_out=found)
