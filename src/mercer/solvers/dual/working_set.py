"""The core's working-set solver, from float32 to float64 where that is needed.

Solves       the box QP of a problem
Given        training rows, how their kernel values are served, and the terms
Returns      coefficients; where the terms ask for care, every row was recomputed in float64 at the end
Stops when   the violation is within tol, or as the status says
See          docs/concepts/solver.md; Joachims (1998), Making large-scale SVM learning practical; Fan, Chen, Lin (2005),
             Working set selection using second order information
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer._runtime import core
from mercer.errors import kernel_overflow
from mercer.problems import DualProblem, Start
from mercer.rows import GramPlan, Precision, Subset
from mercer.solvers.direct import may_solve_densely
from mercer.solvers.dual.rounds import steps_of_rounds
from mercer.solvers.protocol import NO_LIMIT, DualOutcome, HeldOut, Terms, refused
from mercer.solvers.status import STATUSES, Status

__all__ = ["WorkingSetSolver"]

_STOPPED = {Status.INTERRUPTED, Status.TIME_LIMIT}

# Problems that are solved further than they are asked to be: a step takes a tenth of a microsecond. Not those whose
# tolerance says that they need not be.
_FEW_ROWS = 128
_FINE_TOL = 0.01
# Steps after which a dense method is quicker, of problems that are small enough for one: some, and so many for each
# pair of rows, by what a step takes beside a factorisation.
_STEPS = 200_000
_STEPS_PER_PAIR = 3


@dataclass(frozen=True)
class WorkingSetSolver:
    """The working-set solver on kernel values that a plan serves.

    Unless the terms ask it to be careful, only the rows that decide the violation are recomputed in float64, and only
    where rounding could matter; rows that are unlikely to violate are not looked at again. The caller's certificate
    then decides. With `shrinking` off, no row is left out for being unlikely to violate.
    """

    plan: GramPlan
    shrinking: bool = True

    leaves_hard_problems: ClassVar[bool] = True

    def require(self, problem: DualProblem, subsets: Sequence[Subset]) -> None:
        if not problem.two_sums and problem.sums_kept != 1:
            raise refused(
                "solver", "auto", "a problem with an intercept", problem.name, "Use solver='coordinate-ascent'."
            )

    def solve(self, problem: DualProblem, start: Start, subsets: Sequence[Subset], terms: Terms) -> DualOutcome:
        """Solves each group from feasible coefficients, in each precision of the plan in turn until one is enough."""
        found: DualOutcome | None = None
        for dtype in self.plan.block_rows:
            if found is None:
                with suppress(OverflowError):
                    found = self._solve_in(dtype, problem, start, subsets, terms)
            else:
                stalled = [k for k, status in enumerate(found.statuses) if status is Status.STALLED]
                part, chosen = problem.of_groups(stalled), [subsets[k] for k in stalled]
                left = terms.after(max(found.steps[k] for k in stalled))._replace(record=None)
                reached = Start(found.coef_of(problem.groups, stalled), is_cold=False)
                found.take_over(problem.groups, stalled, self._solve_in(dtype, part, reached, chosen, left))
            if found is not None and (_STOPPED.intersection(found.statuses) or Status.STALLED not in found.statuses):
                break
        if found is None:
            raise kernel_overflow(subsets[0].rows.kernel)
        return found

    def _solve_in(
        self, dtype: Precision, problem: DualProblem, start: Start, subsets: Sequence[Subset], terms: Terms
    ) -> DualOutcome:
        plan, rows, unit = self.plan, subsets[0].rows, problem.unit
        most_steps = _most_steps(problem, subsets)
        options = core.SolverOptions(
            tol=terms.tol,
            gap_tol=terms.gap_tol or 0.0,
            screening=self.shrinking and rows.is_definite is True,
            verify=terms.is_careful,
            **plan.block_sizes(dtype),
            unit=unit,
            least_margin=terms.least_margin,
            record=terms.record is not None,
            most_steps=most_steps,
            few_rows=_FEW_ROWS if dtype is np.float64 and terms.tol <= _FINE_TOL else 0,
        )
        grams = [rows.gram(subset.members, plan, dtype) for subset in subsets]
        solutions = core.solve(
            problem.lowered(start), grams, options, terms.seconds, terms.steps, plan.problems_at_once, terms.report
        )
        if terms.record is not None:
            for k, subset in enumerate(subsets):
                rounds = [(f"round of {active} rows", coef) for _, active, coef in solutions.rounds(k)]
                one, begin = problem.of_groups([k]), start.coef[problem.groups.runs[k]]
                number = terms.first_group + k
                terms.record.extend(steps_of_rounds(one, number, subset, begin, rounds, plan.all_threads))
        statuses = [STATUSES[status] for status in solutions.statuses]
        held_out = _held_out(problem, start, solutions) if start.held_out else None
        return DualOutcome(solutions.coef, statuses, solutions.steps, [*solutions.seconds], held_out=held_out)


def _held_out(problem: DualProblem, start: Start, solutions: core.Solutions) -> HeldOut | None:
    """What was asked of the rows that were held out; None where some machine without them was not reached."""
    products, offsets = [], []
    for k, (run, count) in enumerate(zip(problem.groups.runs, start.held_out, strict=True)):
        values, *of_sums = solutions.held_out(k)
        if len(values) != count:
            return None
        products.append(problem.slope[run][len(problem.slope[run]) - count :] - values)
        offsets.append(of_sums if problem.two_sums else of_sums[:1])
    return HeldOut(products, np.array(offsets).T)


def _most_steps(problem: DualProblem, subsets: Sequence[Subset]) -> int:
    """When to give up: early, where a dense method takes over."""
    largest = max(subsets, key=lambda subset: subset.size)
    if not may_solve_densely(problem, largest):
        return NO_LIMIT
    return _STEPS + _STEPS_PER_PAIR * largest.size**2
