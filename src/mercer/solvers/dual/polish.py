"""From a good solution to one that is exact up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.problems import DualProblem
from mercer.rows import OutOfTime, Subset
from mercer.solvers.dual.active_set import KernelValues, solve_active_set
from mercer.solvers.status import Status
from mercer.typing import Floats, Integers

__all__ = ["MOST_FREE", "RowValues", "polish", "polish_groups"]

# Sums that are off by no more than this share of the coefficients are as asked for.
_SUM = 1e-9
# Exchanges that a solution within any sensible tolerance still needs; beyond, the sets were not stable.
_MOST_EXCHANGES = 1000
#: Free coefficients that a factorisation is still quick for: a matrix of 128 MB.
MOST_FREE = 4000


class _Enough(Exception):
    """The sets were not stable."""


class RowValues(NamedTuple):
    """Kernel values of training rows, in float64 and evaluated anew; `OutOfTime` where the deadline is over."""

    subset: Subset
    threads: int

    def block(self, rows: Integers) -> Floats:
        self._look_at_the_clock()
        return self.subset.values(rows)

    def products(self, coef: Floats) -> Floats:
        self._look_at_the_clock()
        return self.subset.products(coef, self.threads)

    def _look_at_the_clock(self) -> None:
        if perf_counter() >= self.subset.rows.deadline:
            raise OutOfTime


def polish(problem: DualProblem, values: KernelValues, coef: Floats) -> Floats:
    """The coefficients of a problem with one group, made exact where the sets of free and bounded ones are right.

    The optimality conditions of the free ones are solved as a linear system, and the sets exchanged where the solution
    asks for it. What is no better than before is not taken.
    """
    exchanges, latest = 0, coef

    def count(kind: str, before: Floats, after: Floats) -> None:
        nonlocal exchanges, latest
        exchanges, latest = exchanges + 1, after
        if exchanges > _MOST_EXCHANGES:
            raise _Enough

    try:
        found = solve_active_set(problem, values, coef, 0.0, count)
        if found.status is not Status.NO_MARGIN:
            latest = found.coef
    except _Enough:
        pass

    def violation(of: Floats) -> float:
        return float(problem.offsets(problem.sides(of, values.products(of))).violation[0])

    return latest if violation(latest) < violation(coef) else coef


def polish_groups(
    problem: DualProblem, coef: Floats, subsets: Sequence[Subset], threads: int
) -> tuple[Floats, list[int], list[int]]:
    """All groups, one after the other; those that have too many free coefficients; and those whose time was up."""
    polished, too_large, late = coef.copy(), [], []
    for k, (run, subset) in enumerate(zip(problem.groups.runs, subsets, strict=True)):
        part = problem.of_groups([k])
        free = (coef[run] > part.lower) & (coef[run] < part.upper) & (coef[run] != 0)
        if np.count_nonzero(free) > MOST_FREE:
            too_large.append(k)
        else:
            imbalance = np.abs(part.sums(coef[run]) - part.fixed_sums).max()
            is_balanced = imbalance <= _SUM * np.abs(coef[run]).sum()
            begin = coef[run] if is_balanced else part.feasible(coef[run])
            try:
                polished[run] = polish(part, RowValues(subset, threads), begin)
            except OutOfTime:
                late.append(k)
    return polished, too_large, late
