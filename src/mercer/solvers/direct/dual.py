"""Dual problems of kernel machines that the working-set solver could not solve, densely.

Solves       the box QP of a problem with one group of few rows
Given        training rows, and the terms
Returns      coefficients at which the optimality conditions hold, and what float64 cannot hold of them
Stops when   the violation is within its tolerance, or the method gets no further, or as the status says
See          interior_point.py
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.costs import DENSE_FACTORING, DENSE_FEATURE_SECONDS, DENSE_VALUE_SECONDS
from mercer.problems import DualProblem, NuRegression
from mercer.rows import Subset, TwofoldGram, fits_twofold
from mercer.solvers.direct.box_program import BoxProgram, Intercepts
from mercer.solvers.direct.extended import Extended, extended_products, rounded_sum
from mercer.solvers.direct.interior_point import Iterate, follow_central_path
from mercer.solvers.direct.threads import few_threads
from mercer.solvers.direct.vertex import Vertex, vertices_near
from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["DenseResult", "may_solve_densely", "seconds_of_dense", "solve_dense"]

# Steps without which there is nothing.
_FIRST_STEPS = 5
# The solution is looked for once the gap is this share of the objective.
_NEAR = 1e-2
# Iterates without a better vertex, after which there is none.
_MOST_IN_VAIN = 12
# A sum that takes all that there is leaves nothing to choose.
_ALL = 1 - 1e-12
# How many times as large as the targets ask for, where rows lie as far apart as they do, coefficients can be at most.
_FAR = 1e20
# The share of the tolerance that is asked for: a solution is exact, mostly, once its sets are right, and with a large C
# little violations cost much.
_SHARE = 1e-3
# Of coefficients that violate so many times as much as others, rounding makes nothing better.
_MUCH_WORSE = 4
_EPS = float(np.finfo(np.float64).eps)
# Sums that differ by no more than this share are the same.
_ROUNDING = 1e-12
# Coefficients whose sums lack more than this share of their size are none.
_FEASIBLE = 1e-10


class DenseResult(NamedTuple):
    """The best coefficients found, and how it ended.

    `coef` has the best that float64 holds, with their violation; `exact` the best whatever it takes to hold them.
    `needs_digits` tells that only the latter will do.
    """

    coef: Floats
    violation: float
    exact: Extended
    exact_violation: float
    steps: int
    status: Status
    needs_digits: bool = False


def may_solve_densely(problem: DualProblem, subset: Subset) -> bool:
    """Whether there are few enough rows, their values need not be waited for, and the problem has one optimum."""
    is_convex = subset.rows.is_definite is not False and not problem.is_hard_margin
    return is_convex and not subset.rows.is_hurried and fits_twofold(subset)


def seconds_of_dense(subset: Subset) -> float:
    """What the values in twice the precision and the first steps take, about: less time is not worth a beginning."""
    size, features = subset.size, subset.rows.X.shape[1]
    steps = _FIRST_STEPS * size**3 / DENSE_FACTORING
    return float(size**2 * (DENSE_VALUE_SECONDS + features * DENSE_FEATURE_SECONDS) + steps)


def solve_dense(
    problem: DualProblem, subset: Subset, start: Floats, terms: Terms, threads: int | None = None
) -> DenseResult:
    """Solves a problem with one group; of ν-regression the one whose sums may be less than asked for.

    What is found is no worse than the feasible coefficients to start from. Where the terms ask for a gap it goes on
    below `tol`, for as long as that makes it better.
    """
    tol, is_exact = terms.tol, terms.gap_tol is not None
    # What overflows is no number, and nothing that is none is taken.
    with few_threads(subset.size, threads), np.errstate(all="ignore"):
        began = perf_counter()
        search = _Search(problem, TwofoldGram.of(subset, threads), start, 0.0 if is_exact else _SHARE * tol)
        if search.program is None:
            return search.result(0, Status.SOLVED)
        before: Iterate | None = None
        steps, in_vain, reached = 0, 0, np.inf
        for iterate in follow_central_path(search.program):
            steps += 1
            if _is_near(search.program, iterate):
                reached, had = search.look_around(iterate, before), reached
                in_vain = 0 if reached < had else in_vain + 1
                reached = min(reached, had)
                if search.is_done or in_vain == _MOST_IN_VAIN:
                    break
            before = iterate
            if terms.seconds < 0:
                return search.result(steps, Status.TIME_LIMIT)
            violation = min(search.rounded[1], search.exact[1])
            if terms.report is not None and terms.report(perf_counter() - began, steps, violation, subset.size, 0):
                return search.result(steps, Status.INTERRUPTED)
        rounded, exact = search.rounded[1], search.exact[1]
        is_enough = rounded <= tol and (search.is_done or not is_exact)
        result = search.result(steps, Status.SOLVED if min(rounded, exact) <= tol else Status.STALLED)
        return result._replace(needs_digits=exact <= tol and exact < rounded and not is_enough)


class _Search:
    """The best coefficients so far, in float64 and in twice its precision."""

    def __init__(self, problem: DualProblem, gram: TwofoldGram, start: Floats, enough: float) -> None:
        self.problem, self.gram, self.enough = problem, gram, enough
        self.program = _program(problem, gram)
        violation = self._judge(Extended.of(start))[0]
        #: What float64 tells of values of their size.
        self.resolution = self.latest_resolution
        self.rounded: tuple[Floats, float] = start, violation
        self.exact: tuple[Extended, float] = Extended.of(start), violation

    @property
    def is_done(self) -> bool:
        return self.rounded[1] <= max(self.enough, self.resolution)

    def look_around(self, now: Iterate, before: Iterate | None) -> float:
        """Keeps the best of the vertices near an iterate; the least violation among them."""
        assert self.program is not None
        least = np.inf
        for vertex in vertices_near(self.program, now, before, self._judge):
            least = min(least, vertex.violation)
            if vertex.violation < self.exact[1]:
                self.exact = vertex.coef, vertex.violation
            if vertex.violation > max(_MUCH_WORSE * self.exact[1], self.enough):
                continue
            coef = _summed(self.program, vertex)
            violation = self._judge(Extended.of(coef))[0]
            least = min(least, violation)
            if violation < self.rounded[1]:
                self.rounded, self.resolution = (coef, violation), self.latest_resolution
            if self.is_done:
                break
        return least

    def result(self, steps: int, status: Status) -> DenseResult:
        return DenseResult(*self.rounded, *self.exact, steps, status)

    def _judge(self, coef: Extended) -> tuple[float, Floats]:
        """The violation, infinite where the sums are not met; and the offsets that suit these coefficients."""
        problem, high, low = self.problem, *extended_products(self.gram, coef)
        excess = 0.0
        if isinstance(problem, NuRegression):
            excess = float((np.abs(problem.sums(coef.high)) - np.abs(problem.fixed_sums)).max())
            problem = problem.posed_by(coef.high)
        size = max(1.0, float(np.abs(coef.high).sum()))
        if max(excess, np.abs(problem.sums(coef.high) - problem.fixed_sums).max()) > _FEASIBLE * size:
            self.latest_resolution = 0.0
            return np.inf, np.zeros(len(self.problem.fixed_sums))
        allowed = problem.offsets(problem.sides(np.clip(coef.high, problem.lower, problem.upper), high + low))
        violation, offsets = float(allowed.violation[0]), np.resize(allowed.best[:, 0], len(self.problem.fixed_sums))
        self.latest_resolution = _EPS * float(np.abs(high).max())
        return np.inf if violation != violation else violation, offsets


def _program(problem: DualProblem, gram: TwofoldGram) -> BoxProgram | None:
    """The problem as the interior-point method takes it; None where the sums leave only one point."""
    zero, sums = np.zeros(len(problem.slope)), problem.fixed_sums[:, 0]
    kind = Intercepts.ONE_SUM
    if problem.two_sums:
        kind = Intercepts.TWO_SUMS_AT_MOST if isinstance(problem, NuRegression) else Intercepts.TWO_SUMS
        full = np.abs(sums) >= _ALL * np.array([problem.upper.sum(), -problem.lower.sum()])
        is_one_point = bool(full.all()) and kind is Intercepts.TWO_SUMS
    else:
        is_one_point = bool(sums[0] >= _ALL * problem.upper.sum() or sums[0] <= _ALL * problem.lower.sum())
    if is_one_point:
        return None
    kink, lower, upper = zero if problem.kink is None else problem.kink, problem.lower, problem.upper
    if kind is Intercepts.ONE_SUM and sums[0] == 0:
        # Bounds that are farther off than any digit of a solution would take its digits away.
        natural = float(np.abs(problem.slope).max()) / (float(np.abs(np.diagonal(gram.centred)).max()) or 1.0)
        if natural > 0:
            lower, upper = np.maximum(lower, -_FAR * natural), np.minimum(upper, _FAR * natural)
    return BoxProgram(gram, problem.slope, lower, upper, kink, zero, kind, sums)


def _is_near(program: BoxProgram, iterate: Iterate) -> bool:
    """Whether little is left to gain, and the optimality conditions hold but for little."""
    x = program.of_rows(iterate.x)
    size = float(np.abs(program.slope[program.row] * x).sum() + (program.kink[program.row] * x).sum())
    lacking = iterate.complementarity + iterate.residual * float(x.sum())
    return lacking <= _NEAR * size or size == 0


def _summed(program: BoxProgram, vertex: Vertex) -> Floats:
    """The coefficients in float64, with what their sums lack given to those that may move, large ones first.

    Rows far from the origin turn what rounding leaves of a sum into values of any size.
    """
    coef = program.coef(vertex.variables).high.copy()
    lower, upper = program.lower, program.upper_bounds
    may_move = np.zeros(len(coef), dtype=bool)
    may_move[program.row[program.of_rows(vertex.free)]] = True
    parts = [(np.ones(len(coef), dtype=bool), float(program.sums.sum()))]
    if program.has_two_sums:
        lower, upper = np.where(coef > 0, 0.0, lower), np.where(coef > 0, upper, 0.0)
        spare = float(vertex.variables.high[-1]) if program.has_spare else 0.0
        if spare <= _ROUNDING * abs(program.sums[0]):
            parts = [(coef > 0, float(program.sums[0])), (coef < 0, float(program.sums[1]))]
    for in_sum, wanted in parts:
        missing = rounded_sum(wanted, -coef[in_sum])
        movable = np.flatnonzero(in_sum & may_move)
        for i in movable[np.argsort(-np.abs(coef[movable]))].tolist():
            if missing == 0 or missing != missing:
                break
            moved = float(min(max(coef[i] + missing, lower[i]), upper[i]))
            missing = rounded_sum(missing, -moved, float(coef[i]))
            coef[i] = moved
    return coef
