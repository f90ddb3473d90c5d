"""Kernel machines found through the weights of an explicit feature map.

Solves       the box QP of a problem whose kernel has a map with few features
Given        training rows, tolerances and limits
Returns      coefficients, as the working-set solver does
Stops when   the violation is within tol, or as the status says
See          docs/concepts/linear.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.costs import KERNEL_PRODUCTS, LEAST_SECONDS_THROUGH_WEIGHTS, PRODUCTS_BESIDE_A_VALUE
from mercer.data import is_sparse
from mercer.errors import ParameterError
from mercer.problems import DualProblem, Start
from mercer.rows import Rows, Subset
from mercer.solvers.dual.working_set import WorkingSetSolver
from mercer.solvers.linear.methods import MOST_FACTORED, newton_seconds
from mercer.solvers.protocol import DualOutcome, Terms, refused
from mercer.solvers.status import STATUSES, Status
from mercer.typing import Floats, Integers

__all__ = ["Formulation", "ThroughWeightsSolver", "choose_formulation"]

# The rest of the tolerance is left to rounding.
_SHARE = 0.8
# Beyond this many Newton steps the data are too badly scaled for the method.
_MOST_STEPS = 500

_TINY = float(np.finfo(np.float64).tiny)


class Formulation(NamedTuple):
    """Whether a machine is found through its weights or through kernel values, and why."""

    is_primal: bool
    reason: str

    def __str__(self) -> str:
        return f"The machine is found through {'its weights' if self.is_primal else 'kernel values'}: {self.reason}."


def choose_formulation(rows: Rows, size: int, budget: int, wanted: str, exact: bool) -> Formulation:
    """The cheaper way for problems of so many rows, or the one that is asked for.

    The weights of an explicit map of F features take some Newton steps of N F² + F³ operations; kernel values about
    N² D. The mapped rows must fit into half of `budget` bytes; an `exact` hard margin takes kernel values.
    """
    kernel, X, features = rows.kernel, rows.X, None if exact else rows.map_size
    if wanted == "primal" and features is None:
        raise ParameterError(
            f"formulation='primal': expected a kernel with a finite feature map (linear, polynomial, sums and "
            f"products of these) and a finite C, "
            f"got {kernel!r}{' with a hard margin' if exact else ''}. Use formulation='auto'."
        )
    if wanted == "dual" or features is None:
        return Formulation(False, "formulation='dual' asks for it" if wanted == "dual" else rows.why_no_map)
    if wanted == "primal":
        return Formulation(True, f"formulation='primal' asks for it, {features} weights")
    too_large = features >= MOST_FACTORED - 1 or (rows.is_map_copied and 16 * X.shape[0] * features > budget)
    if too_large:
        return Formulation(False, f"the kernel's map would have {features} features")
    stored = X.nnz / X.shape[0] if is_sparse(X) else X.shape[1]
    primal = LEAST_SECONDS_THROUGH_WEIGHTS + newton_seconds(
        size, features + 1, features if rows.is_map_copied else stored
    )
    dual = size**2 * (stored + PRODUCTS_BESIDE_A_VALUE) / KERNEL_PRODUCTS
    reason = f"{size} rows and {features} weights, about {primal:.2g} s against {dual:.2g} s"
    return Formulation(primal <= dual, reason)


@dataclass(frozen=True)
class ThroughWeightsSolver(WorkingSetSolver):
    """The working-set solver with a quicker way for kernels whose map has few features.

    What that way leaves unsolved goes on with kernel values, and so does what is to be verified or recorded.
    """

    def require(self, problem: DualProblem, subsets: Sequence[Subset]) -> None:
        super().require(problem, subsets)
        rows = subsets[0].rows
        if rows.map_size is None:
            instead = "Use formulation='dual'."
            raise refused("kernel", "through weights", "one with a finite feature map", repr(rows.kernel), instead)

    def solve(self, problem: DualProblem, start: Start, subsets: Sequence[Subset], terms: Terms) -> DualOutcome:
        if terms.is_careful or problem.is_hard_margin or terms.record is not None:
            return super().solve(problem, start, subsets, terms)
        data, begin = subsets[0].rows.mapped.view, None if start.is_cold else start.coef
        solutions = core.solve_linear(
            data,
            [_task(problem, k, begin, data, part.members) for k, part in enumerate(subsets)],
            offsets=2 if problem.two_sums else 1,
            offset=1.0,
            free_offsets=True,
            method=core.LinearMethod.MULTIPLIERS,
            gap_tol=terms.gap_tol or np.inf,
            tol=_SHARE * terms.tol,
            most_factored=MOST_FACTORED,
            seed=0,
            seconds=terms.seconds,
            max_steps=min(terms.steps, _MOST_STEPS),
            threads=self.plan.all_threads,
            report=terms.report,
        )
        coef = np.concatenate([_coef_of(problem, k, solution.coef) for k, solution in enumerate(solutions)])
        statuses, steps = [STATUSES[one.status] for one in solutions], [one.steps for one in solutions]
        balanced = _balanced(problem, coef)
        if any(status is not Status.SOLVED for status in statuses):
            balanced = problem.feasible(balanced)  # what was stopped may lack more than rounding
        found = DualOutcome(balanced, statuses, steps, [None] * len(solutions))
        unsolved = [k for k, status in enumerate(statuses) if self._goes_on(status, steps[k], terms)]
        if unsolved:
            part, chosen = problem.of_groups(unsolved), [subsets[k] for k in unsolved]
            reached = part.continued(found.coef_of(problem.groups, unsolved))
            found.take_over(problem.groups, unsolved, super().solve(part, reached, chosen, terms.after(max(steps))))
        return found

    @staticmethod
    def _goes_on(status: Status, steps: int, terms: Terms) -> bool:
        return status is Status.STALLED or (status is Status.ITERATION_LIMIT and steps < terms.steps)


def _task(problem: DualProblem, group: int, start: Floats | None, data: core.Data, rows: Integers) -> core.LinearTask:
    """One group for the core. A row that may be on either side of two sums stands there twice."""
    run = problem.groups.runs[group]
    slope, lower, upper = problem.slope[run], problem.lower[run], problem.upper[run]
    kink = None if problem.kink is None else problem.kink[run]
    begin = None if start is None else start[run]
    sums = problem.fixed_sums[:, group].tolist()
    unit = problem.unit or _spread(problem, run, data, rows)
    if not problem.two_sums:
        return core.LinearTask(rows, slope, lower, upper, kink, None, begin, None, unit, sums[0], 0.0)
    sides = np.repeat(np.array([0, 1], dtype=np.uint8), len(rows))
    lower, upper = np.concatenate([np.zeros(len(rows)), lower]), np.concatenate([upper, np.zeros(len(rows))])
    used = upper > lower
    if begin is not None:
        begin = np.concatenate([np.maximum(begin, 0.0), np.minimum(begin, 0.0)])[used]
    rows, slope = np.tile(rows, 2)[used], np.tile(slope, 2)[used]
    kink = None if kink is None else np.tile(kink, 2)[used]
    return core.LinearTask(
        rows, slope, lower[used], upper[used], kink, None, begin, sides[used], unit, sums[0], sums[1]
    )


def _coef_of(problem: DualProblem, group: int, found: Floats) -> Floats:
    """The coefficients of a group from what the core found for it."""
    if not problem.two_sums:
        return found
    run = problem.groups.runs[group]
    above, below = problem.upper[run] > 0, problem.lower[run] < 0
    coef = np.zeros(len(above))
    coef[above] += found[: np.count_nonzero(above)]
    coef[below] += found[np.count_nonzero(above) :]
    return coef


def _balanced(problem: DualProblem, coef: Floats) -> Floats:
    """The coefficients with exact sums: what rounding has left of these goes to rows between their bounds.

    Scaling all coefficients instead would take others off their bounds.
    """
    coef = np.clip(coef, problem.lower, problem.upper)
    between = (coef > problem.lower) & (coef < problem.upper) & (coef != 0)
    for k, missing in enumerate(problem.fixed_sums - problem.sums(coef)):
        for run, left in zip(problem.groups.runs, missing.tolist(), strict=True):
            chosen = between[run] & ((coef[run] > 0) == (k == 0)) if problem.two_sums else between[run]
            for row in run.start + np.flatnonzero(chosen):
                lower, upper = problem.lower[row], problem.upper[row]
                if problem.two_sums:
                    lower, upper = (0.0, upper) if k == 0 else (lower, 0.0)
                moved = min(max(coef[row] + left, lower), upper)
                left, coef[row] = left - (moved - coef[row]), moved
                if left == 0:
                    break
    return coef


def _spread(problem: DualProblem, run: slice, data: core.Data, rows: Integers) -> float:
    """How far values lie apart where all coefficients are the same share of their bounds."""
    up, down = np.maximum(problem.start[run], 0.0).sum(), np.minimum(problem.start[run], 0.0).sum()
    upper, lower = problem.upper[run], problem.lower[run]
    even = upper * (up / max(upper.sum(), _TINY)) + lower * (down / min(lower.sum(), -_TINY))
    values = core.linear_values(data, rows, core.linear_sums(data, rows, even, 1), 1)
    return float(values.std()) or float(np.abs(values).max()) or 1.0
