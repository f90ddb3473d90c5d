"""Traces of a fit: what the solver did, and what became of its coefficients before and after."""

from __future__ import annotations

import numpy as np

from mercer.fits.plan import Plan
from mercer.fits.task import Task
from mercer.solvers import Step, Trace, steps_of_rounds
from mercer.typing import Floats

__all__ = ["record_change", "trace_of"]


def record_change(kind: str, record: list[Step], task: Task, coef: Floats, plan: Plan) -> None:
    """Adds what became of coefficients outside the recorded steps: a replay begins and ends where the fit does."""
    for k, (run, subset) in enumerate(zip(task.problem.groups.runs, task.subsets, strict=True)):
        reached = np.zeros(subset.size)
        for step in record:
            if step.problem == k:
                reached[list(step.rows)] = step.new
        if not np.array_equal(reached, coef[run]):
            part = task.problem.of_groups([k])
            record.extend(steps_of_rounds(part, k, subset, reached, [(kind, coef[run])], plan.threads))


def trace_of(task: Task, plan: Plan, record: list[Step], solver: str | None = None) -> Trace:
    """The trace of a fit from its recorded steps; `solver` names one that is not the plan's."""
    name = solver or ("auto" if plan.method is None else plan.method.name)
    rows = tuple(tuple(members.tolist()) for members in task.members)
    return Trace(name, rows, _signs(task), tuple(record))


def _signs(task: Task) -> tuple[tuple[float, ...], ...]:
    """The signs that coefficients can have, of problems in which each has one."""
    problem = task.problem
    if ((problem.lower < 0) & (problem.upper > 0)).any():
        return ()
    return tuple(tuple(one.tolist()) for one in problem.groups.split(np.where(problem.upper > 0, 1.0, -1.0)))
