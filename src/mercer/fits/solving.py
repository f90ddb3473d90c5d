"""Solve, polish, certify, go on: the way from a task to certified machines that all dual problems share."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.errors import NumericsWarning
from mercer.fits.densely import solve_stalled_densely
from mercer.fits.fitted import Fitted
from mercer.fits.hard_margin import solve_hard_margin
from mercer.fits.judged import judge
from mercer.fits.plan import Plan
from mercer.fits.record import record_change
from mercer.fits.task import Task
from mercer.problems import DualProblem, Start
from mercer.rows import Subset
from mercer.solvers import MOST_FREE, DualOutcome, DualSolver, Status, Terms, polish_groups
from mercer.typing import Floats

__all__ = ["solve_and_certify"]


def solve_and_certify(task: Task, plan: Plan, solver: DualSolver, limits: Terms, start: Floats | None = None) -> Fitted:
    """Solves each group of the task on its rows and certifies what came out.

    A solver that believes that it is done but whose machine violates the tolerance goes on with every value verified in
    float64; what stalls, and is small, is solved densely.
    """
    problem, terms, threads = task.problem, task.terms(limits), plan.threads
    begin = problem.cold_start if start is None else problem.continued(start)
    if task.held_out and begin.is_cold:
        begin = begin._replace(held_out=task.held_out)
    if terms.record is not None:
        record_change("start", terms.record, task, begin.coef, plan)
    outcome, warnings = _polished(task, _solved(problem, begin, task.subsets, solver, terms), threads)
    fitted = judge(task, outcome, threads)

    claimed = [k for k, status in enumerate(outcome.statuses) if status is Status.SOLVED]
    unproved = [k for k in claimed if fitted.statuses[k] is Status.STALLED]
    if unproved:
        part, subsets = problem.of_groups(unproved), [task.subsets[k] for k in unproved]
        reached = Start(outcome.coef_of(problem.groups, unproved), is_cold=False)
        careful = terms.after(max(outcome.steps))._replace(is_careful=True, record=None)
        outcome.take_over(problem.groups, unproved, _solved(part, reached, subsets, solver, careful))
        outcome, more = _polished(task, outcome, threads)
        fitted, warnings = judge(task, outcome, threads), warnings + more
    if solver.leaves_hard_problems and Status.STALLED in fitted.statuses:
        left = terms.after(max(outcome.steps))
        outcome = solve_stalled_densely(task, outcome, fitted.statuses, left, threads)
        fitted = judge(task, outcome, threads)
    if terms.record is not None:
        record_change("refine", terms.record, task, outcome.coef, plan)
    return fitted._replace(warnings=tuple(warnings)) if warnings else fitted


def _solved(
    problem: DualProblem, start: Start, subsets: Sequence[Subset], solver: DualSolver, terms: Terms
) -> DualOutcome:
    solver.require(problem, subsets)
    if problem.is_hard_margin:
        return solve_hard_margin(problem, start, subsets, solver, terms)
    return solver.solve(problem, start, subsets, terms)


def _polished(task: Task, outcome: DualOutcome, threads: int) -> tuple[DualOutcome, list[Warning]]:
    """The outcome made exact where the task asks for it, and what to warn of where that is not possible."""
    if not task.polish:
        return outcome, []
    coef, too_large, late = polish_groups(task.problem, outcome.coef, task.subsets, threads)
    late = [k for k in late if outcome.statuses[k] is Status.SOLVED]  # the status of others says it
    expected, groups = [], len(task.members)
    if too_large:
        expected.append(
            f"up to {MOST_FREE} coefficients between their bounds, got more in {len(too_large)} of {groups} problems, "
            "which stay as they were solved. Lower tol instead."
        )
    if late:
        expected.append(
            f"more time than time_limit leaves for {len(late)} of {groups} problems, which stay as they were solved. "
            "Raise time_limit."
        )
    warnings: list[Warning] = [NumericsWarning(f"polish=True expects {one}") for one in expected]
    return outcome._replace(coef=coef, offsets=None), warnings
