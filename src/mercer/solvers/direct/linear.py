"""Linear machines that other methods could not find, densely.

Solves       one linear problem on few rows
Given        the rows, a judge of machines, and the terms
Returns      weights, intercept and dual variables with the least relative gap
Stops when   that is within its tolerance, or the method gets no further, or as the status says
See          interior_point.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem, Penalty
from mercer.rows import Subset, TwofoldGram, dense_rows, is_factored
from mercer.solvers.direct.box_program import BoxProgram, Intercepts
from mercer.solvers.direct.interior_point import Iterate, Program, follow_central_path
from mercer.solvers.direct.lasso_program import LassoProgram
from mercer.solvers.direct.simplex_program import SimplexProgram
from mercer.solvers.direct.threads import few_threads
from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["DenseMachine", "may_solve_linear_densely", "solve_linear_dense"]

# Unknowns of Newton's systems: these take a tenth of a second to factor.
_MOST_UNKNOWNS = 3000
# Iterates without a smaller gap, after which there is none.
_MOST_IN_VAIN = 12
# Where a loss of one part in 1e15 is costly, weights a little longer cost less, and the longest ones do so whoever
# evaluates them.
_STRETCHES = (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 0.0)
# What bounds that no optimum meets are multiplied by.
_ROOM = 2.0
# What is left of the tolerance for the certificate.
_SHARE = 0.5


class DenseMachine(NamedTuple):
    """Weights and intercept, one or one a class, and dual variables."""

    weights: Floats
    intercept: Any
    coef: Floats
    #: What float64 leaves of the dual variables, where that is needed.
    coef_low: Floats | None = None


#: The relative duality gap of a machine.
Judge = Callable[[DenseMachine], float]


class Found(NamedTuple):
    """The best machine, its gap, and how it ended."""

    machine: DenseMachine
    gap: float
    steps: int
    status: Status


def may_solve_linear_densely(problem: LinearProblem | CrammerSingerProblem, X: Any) -> bool:
    """Whether there are few enough rows and columns."""
    rows, columns = len(problem.rows), min(X.shape[1], X.nnz if is_sparse(X) else X.shape[1])
    if isinstance(problem, CrammerSingerProblem):
        rank = min(rows, columns + 1)
        unknowns = (problem.classes + 1) * rows + problem.classes * rank
        return bool(unknowns <= _MOST_UNKNOWNS and is_factored(rows, rank))
    if problem.penalty is Penalty.ABSOLUTE:
        return bool(rows + 2 * columns <= _MOST_UNKNOWNS)
    return rows <= _MOST_UNKNOWNS


def solve_linear_dense(
    problem: LinearProblem | CrammerSingerProblem,
    subset: Subset,
    judge: Judge,
    start: DenseMachine,
    terms: Terms,
    threads: int | None = None,
) -> Found:
    """The machine with the least gap on the central path, and no worse than the one to start from.

    Parameters
    ----------
    problem : LinearProblem or CrammerSingerProblem
        The losses.
    subset : Subset
        Its rows under the linear kernel.
    judge : callable
        The relative duality gap of a machine.
    terms : Terms
        The gap that is asked for is their `tol`.
    """
    tol = terms.tol
    # What overflows is no number, and nothing that is none is taken.
    with few_threads(subset.size, threads), np.errstate(all="ignore"):
        began = perf_counter()
        rows, columns = dense_rows(subset.rows.X, subset.members)
        programs, machines = _posed(problem, subset, rows, threads)
        best, least, reached = start, judge(start), 1.0
        steps = in_vain = 0
        for iterate in chain.from_iterable(map(follow_central_path, programs)):
            steps += 1
            had = reached
            for found in machines(iterate):
                weights = np.zeros((*found.weights.shape[:-1], subset.rows.X.shape[1]))
                weights[..., columns] = found.weights
                machine = found._replace(weights=weights)
                gap = judge(machine)
                reached = min(reached, gap)
                if gap < least:
                    best, least = machine, gap
                if least <= _SHARE * tol:
                    break
            in_vain = 0 if reached < had or reached == 1 else in_vain + 1
            if least <= _SHARE * tol or in_vain == _MOST_IN_VAIN * len(programs):
                break
            if terms.seconds < 0:
                return Found(best, least, steps, Status.TIME_LIMIT)
            seconds = perf_counter() - began
            if terms.report is not None and terms.report(seconds, steps, iterate.residual, len(rows), 0):
                return Found(best, least, steps, Status.INTERRUPTED)
        return Found(best, least, steps, Status.SOLVED if least <= tol else Status.STALLED)


Machines = Callable[[Iterate], Iterator[DenseMachine]]


def _posed(
    problem: LinearProblem | CrammerSingerProblem,
    subset: Subset,
    X: Floats,
    threads: int | None,
) -> tuple[list[Program], Machines]:
    """The programs to try, one after the other, and the machines of their iterates."""
    if isinstance(problem, CrammerSingerProblem):
        return _all_classes(problem, subset, X, threads)
    if problem.penalty is Penalty.ABSOLUTE:
        return _with_l1_penalty(problem, X)
    return _with_l2_penalty(problem, subset, X, threads)


def _with_l2_penalty(
    problem: LinearProblem,
    subset: Subset,
    X: Floats,
    threads: int | None,
) -> tuple[list[Program], Machines]:
    free = problem.intercept.is_free
    count, lower, upper = len(problem.slope), problem.lower, problem.upper
    if problem.weight is not None:
        # No coefficient costs more by itself than all rows do where the weights are zero.
        most = _ROOM * np.sqrt(2 * problem.weight) * float(problem.losses(np.zeros(count)).sum()) ** 0.5
        lower, upper = np.maximum(lower, -most), np.minimum(upper, most)
    program = BoxProgram(
        gram=TwofoldGram.of(subset, threads),
        slope=problem.slope,
        lower=lower,
        upper_bounds=upper,
        kink=np.full(count, problem.kink),
        ridge=np.zeros(count) if problem.weight is None else 1 / problem.weight,
        intercepts=Intercepts.ONE_SUM if free else Intercepts.NO_SUM,
        sums=np.zeros(1 if free else 0),
        squared_scaling=problem.intercept.penalised_value**2,
    )

    def machines(iterate: Iterate) -> Iterator[DenseMachine]:
        coef = program.coef(program.netted(iterate.variables))
        w = core.twofold_sum_of_rows(X, coef.high, coef.low)
        b = float(iterate.multipliers[0]) if free else program.squared_scaling * coef.total()
        for stretch in _STRETCHES if problem.is_classification else (0.0,):
            yield DenseMachine((1 + stretch) * w, (1 + stretch) * b, coef.high, coef.low)

    return [program], machines


def _all_classes(
    problem: CrammerSingerProblem,
    subset: Subset,
    X: Floats,
    threads: int | None,
) -> tuple[list[Program], Machines]:
    squared = problem.intercept.value**2
    program = SimplexProgram(TwofoldGram.of(subset, threads), problem.labels, problem.classes, problem.bounds, squared)

    def machines(iterate: Iterate) -> Iterator[DenseMachine]:
        coefs = program.coef(iterate.variables)
        W = np.stack([core.twofold_sum_of_rows(X, coef.high, coef.low) for coef in coefs])
        b = np.array([squared * coef.total() for coef in coefs])
        high, low = (np.ascontiguousarray(np.stack(parts, axis=1)) for parts in zip(*coefs, strict=True))
        for stretch in _STRETCHES:
            yield DenseMachine((1 + stretch) * W, (1 + stretch) * b, high, low)

    return [program], machines


def _with_l1_penalty(problem: LinearProblem, X: Floats) -> tuple[list[Program], Machines]:
    assert problem.weight is not None  # of the squared loss
    free, features, scaling = problem.intercept.is_free, X.shape[1], problem.intercept.scaling
    # A free intercept takes up whatever the columns are moved by.
    centre = X.mean(axis=0) if free else np.zeros(features)
    offset = [] if problem.intercept.kind is Intercept.NONE else [np.full((len(X), 1), 1.0 if free else scaling)]
    columns = np.concatenate([X - centre, *offset], axis=1)
    programs: list[Program] = [
        LassoProgram(columns, problem.slope, 0.5 * problem.weight, free, starts_small) for starts_small in (False, True)
    ]

    def machines(iterate: Iterate) -> Iterator[DenseMachine]:
        w = np.asarray(iterate.multipliers[:features])
        coef, low = (problem.slope * part[: len(X)] for part in iterate.variables)
        b = float(iterate.multipliers[-1]) * (1.0 if free else scaling) if offset else 0.0
        # Weights that are next to nothing beside the room that is left to their columns are nothing.
        room = np.minimum(iterate.x, iterate.slack)[len(X) :][:features]
        for weights in (w, np.where(room > np.abs(w), 0.0, w)):
            yield DenseMachine(weights, b - float(centre @ weights), coef, low)

    return programs, machines
