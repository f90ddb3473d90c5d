"""The evidence of machines: evaluated on their rows, in float64 or in twice its precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.certificates import Evidence, Products, evaluate_precisely, evaluate_products, may_evaluate_precisely
from mercer.gram import TrainingData
from mercer.kernels import Kernel
from mercer.problems import DualProblem
from mercer.typing import Floats, Integers

__all__ = ["Evaluation", "evidence_of_expansions", "precise_evidence"]


def evidence_of_expansions(
    problem: DualProblem,
    data: TrainingData,
    rows: Sequence[Integers],
    coef: Floats,
    offsets: Floats | None,
    threads: int,
    tol: float | None = None,
    low: Floats | None = None,
    products: Products | None = None,
) -> Evidence:
    """The machines with these coefficients, one a group, on the rows of the data.

    Every kernel value is in float64, or with a `tol` those that decide whether it is met. Where no offsets are given,
    they follow from the coefficients; `products` are given where they are known, and `low`, what float64 leaves of the
    coefficients, where it matters.
    """
    if products is None:
        products = evaluate_products(problem, data, rows, coef, threads, tol)
    data = data.without_copies()  # evidence may be kept for long
    expand = _Expansion(problem, data.X, rows, threads)
    standing = problem.standing(coef, products.values)
    own = standing.offsets.best if offsets is None else offsets
    evidence = Evidence(problem, data, np.concatenate(rows), coef, own, expand, products, standing, tol)
    return evidence if low is None else precise_evidence(evidence, rows, offsets, threads, low)


def precise_evidence(
    evidence: Evidence,
    rows: Sequence[Integers],
    offsets: Floats | None,
    threads: int,
    low: Floats | None = None,
) -> Evidence:
    """The same machines in twice the precision of float64, where they are small enough."""
    if not may_evaluate_precisely(evidence.data, rows):
        return evidence
    values = evaluate_precisely(evidence.problem, evidence.data, rows, evidence.coef, low, threads)
    standing = evidence.problem.standing(evidence.coef, values.machine)
    own = standing.offsets.best if offsets is None else offsets
    return replace(evidence, offsets=own, standing=standing, precise=values)


@dataclass(frozen=True)
class _Expansion:
    """Takes a kernel and coefficients to sums over the rows of each group; unlike a closure, it can be pickled."""

    problem: DualProblem
    X: Any
    rows: Sequence[Integers]
    threads: int

    def __call__(self, kernel: Kernel, weights: Floats) -> Floats:
        data = TrainingData(kernel, self.X)
        return evaluate_products(self.problem, data, self.rows, weights, self.threads).values


@dataclass(frozen=True)
class Evaluation:
    """Evaluates machines on the rows of the data when somebody asks; unlike a closure, it can be pickled."""

    problem: DualProblem
    rows: Sequence[Integers]
    coef: Floats
    offsets: Floats
    threads: int

    def __call__(self, data: TrainingData) -> Evidence:
        return evidence_of_expansions(self.problem, data, self.rows, self.coef, self.offsets, self.threads)
