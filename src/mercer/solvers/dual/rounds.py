"""The steps of a trace from coefficients: what each round of a solver changed, and how its machine stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.problems import DualProblem
from mercer.rows import Subset
from mercer.solvers.trace import Step
from mercer.typing import Floats

__all__ = ["steps_of_rounds"]


def steps_of_rounds(
    problem: DualProblem,
    number: int,
    subset: Subset,
    start: Floats,
    rounds: Sequence[tuple[str, Floats]],
    threads: int,
) -> list[Step]:
    """One step a round of a problem with one group, from the name of the round and the coefficients after it."""
    steps, before, diagonal = [], start, subset.diagonal
    for kind, coef in rounds:
        products = subset.products(coef, threads)
        squared_norm = np.array([coef @ products])
        offsets = problem.offsets(problem.sides(coef, products))
        changed = np.flatnonzero(coef != before)
        steps.append(
            Step(
                problem=number,
                kind=kind,
                rows=tuple(changed.tolist()),
                old=tuple(before[changed].tolist()),
                new=tuple(coef[changed].tolist()),
                low=-np.inf,
                high=np.inf,
                dual=float(problem.dual(coef, squared_norm, products, diagonal)[0]),
                primal=float(problem.primal(squared_norm, products, offsets.best)[0]),
                violation=float(offsets.violation[0]),
                intercept=float(problem.intercept(offsets.best)[0]),
            )
        )
        before = coef
    return steps
