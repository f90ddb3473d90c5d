"""Values of rows by machines that were fitted without them: what probabilities are calibrated on.

Many rows: one fold of them is enough. The solver begins with samples, so it takes all others as its last sample, asks
that machine about the fold, and goes on with all rows; it costs next to nothing. Few rows: every fold is left out in
turn, each machine beginning from the one of all rows, and all of them side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.fits.fitted import Fitted, ValuedRows
from mercer.fits.plan import Plan
from mercer.fits.task import Task
from mercer.fits.whole import fit_whole
from mercer.solvers import DualSolver, HeldOut, Terms
from mercer.typing import Booleans, Floats, Integers

__all__ = ["fit_and_hold_out"]

# Up to so many rows every fold is held out in turn.
_FEW_ROWS = 2_000
# What machines of folds have at least to be asked about their rows, for each of them, where values come from Python.
_LEAST_SECONDS = 0.02
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
    cells = _cells(fitted.task, folds)
    if not cells:
        nothing = [ValuedRows(members[:0], np.zeros(0)) for members in fitted.task.members]
        return fitted._replace(held_out=nothing)
    again = _fit_others(fitted, cells, plan, solver, limits)
    valued = _valued(again, cells, plan, limits)
    found = []
    for k in range(len(fitted.task.members)):
        own = [one for one, cell in zip(valued, cells, strict=True) if cell.group == k]
        found.append(ValuedRows(*(np.concatenate(parts) for parts in zip(*own, strict=True))))
    message = _shortfall(again, valued, cells)
    if message and (not fitted.unsolved or not again.unsolved):
        from mercer.errors import UnsolvedWarning

        fitted = fitted._replace(warnings=(*fitted.warnings, UnsolvedWarning(message)))
    return fitted._replace(held_out=found)


class _Cell(NamedTuple):
    """A fold of a group: which of its rows are held out."""

    group: int
    is_out: Booleans
    rows: Integers


def _cells(task: Task, folds: Integers) -> list[_Cell]:
    numbers = [fold for fold in range(int(folds.max(initial=-1)) + 1) if (folds == fold).any()]
    cells = []
    for k, members in enumerate(task.members):
        for fold in numbers:
            is_out = folds[members] == fold
            cells.append(_Cell(k, is_out, members[is_out]))
    return cells


def _fit_others(fitted: Fitted, cells: Sequence[_Cell], plan: Plan, solver: DualSolver | None, limits: Terms) -> Fitted:
    """Machines of the rows outside each cell, from the machine of all, not better than a calibration needs them."""
    task, problem = fitted.task, fitted.problem
    others = problem.of_groups([cell.group for cell in cells]).without(np.concatenate([cell.is_out for cell in cells]))
    members = [task.members[cell.group][~cell.is_out] for cell in cells]
    start = np.concatenate([fitted.coef[problem.groups.runs[cell.group]][~cell.is_out] for cell in cells])
    unit = float(problem.units(fitted.offsets).min())
    part = Task(others, task.rows, members, tol=max(task.tol, _COARSE_TOL * unit))
    return fit_whole(part, plan, solver, limits._replace(record=None), start)


def _valued(again: Fitted, cells: Sequence[_Cell], plan: Plan, limits: Terms) -> list[ValuedRows]:
    """What the machines say of the rows of their cells: as many as there is time for."""
    rows, members = again.task.rows, again.task.members
    _, coef, intercept = again.expansions()
    coefs, targets = again.problem.groups.split(coef), [cell.rows for cell in cells]
    if rows.is_hurried:
        asked = zip(targets, members, coefs, strict=True)
        sums = [rows.expand_until(*one, max(limits.ends, perf_counter() + _LEAST_SECONDS)) for one in asked]
    else:
        sums = rows.expand(targets, members, coefs, plan.threads)
    parts = zip(targets, sums, intercept, strict=True)
    return [ValuedRows(target[: len(total)], total + b) for target, total, b in parts]


def _shortfall(again: Fitted, valued: Sequence[ValuedRows], cells: Sequence[_Cell]) -> str:
    """What the values lack; nothing where they lack nothing."""
    got, wanted = sum(len(one.rows) for one in valued), sum(len(cell.rows) for cell in cells)
    if got == wanted and not again.unsolved:
        return ""
    told = "" if got == wanted else f" There was time to ask them about {got} of {wanted} rows."
    about = "Probabilities rest on machines that were fitted without some of the rows"
    return f"{about}: {again.status.value}{told} Raise the limit."
