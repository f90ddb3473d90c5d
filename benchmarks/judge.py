"""The judge: dual objective and KKT violation in float64 from a library's coefficients, in plain NumPy.

It shares no code with Mercer, and knows of a library only what its fitted machine says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.dataset import Matrix
from benchmarks.kernels import blocks, kernel, squared_norms
from benchmarks.libraries.base import Coefficients

Parameters = Mapping[str, float | int | str]


@dataclass(frozen=True)
class Verdict:
    """What the judge found.

    Attributes
    ----------
    objective : float
        Dual objective, LIBSVM's sign (lower is better), summed over the one-vs-one pairs.
    violation : float
        LIBSVM's m(a) - M(a), the worst over the pairs: what ``tol`` promises to bound.
    infeasibility : float
        Worst breach of 0 <= a <= C and y'a = 0, as a fraction of C.
    vectors : int
        Number of support vectors.
    """

    objective: float
    violation: float
    infeasibility: float
    vectors: int


def judge_svc(X: Matrix, y: NDArray[Any], parameters: Parameters, machine: Coefficients) -> Verdict:
    """Judge a C-SVC.

    Parameters
    ----------
    X, y
        The training data as the library was given it, in float64.
    """
    C = float(parameters["C"])
    # In float32 a coefficient at the bound can be one rounding away from C.
    at_bound = C * (1 - 2 * float(np.finfo(machine.dual.dtype).eps))
    dual = np.asarray(machine.dual, dtype=np.float64)
    decisions = _decisions(X, y, parameters, machine, dual)
    objective, violation, infeasibility = 0.0, -np.inf, 0.0
    for i, j in combinations(range(len(machine.classes)), 2):
        alphas, signs, values = [], [], []
        for own, other, sign in ((i, j, 1.0), (j, i, -1.0)):
            members = np.flatnonzero(y == machine.classes[own])
            alpha = np.zeros(len(y))
            alpha[machine.support] = sign * dual[_row(own, other)]
            alphas.append(alpha[members])
            signs.append(np.full(len(members), sign))
            values.append(decisions[members, other])
        a, s, f = np.concatenate(alphas), np.concatenate(signs), np.concatenate(values)
        objective += 0.5 * float((a * s) @ f) - float(a.sum())
        violation = max(violation, _violation(a, s, f, at_bound))
        breach = max(float(-a.min()), float(a.max()) - C, abs(float(a @ s))) / C
        infeasibility = max(infeasibility, breach)
    return Verdict(objective, violation, infeasibility, len(machine.support))


def _row(own: int, other: int) -> int:
    return other - 1 if other > own else other


def _violation(a: NDArray[Any], s: NDArray[Any], f: NDArray[Any], at_bound: float) -> float:
    descent = s - f
    may_grow, may_shrink = a < at_bound, a > 0
    up = np.where(s > 0, may_grow, may_shrink)
    low = np.where(s > 0, may_shrink, may_grow)
    if not up.any() or not low.any():
        return 0.0
    return float(descent[up].max() - descent[low].min())


def _decisions(
    X: Matrix, y: NDArray[Any], parameters: Parameters, machine: Coefficients, dual: NDArray[Any]
) -> NDArray[Any]:
    """Column j: decision value, without intercept, of each row in the pair of its class and class j."""
    count = len(machine.classes)
    vectors = X[machine.support]
    norms, vector_norms = squared_norms(X), squared_norms(vectors)
    columns = [np.flatnonzero(y[machine.support] == label) for label in machine.classes]
    decisions = np.zeros((len(y), count))
    for own, label in enumerate(machine.classes):
        members = np.flatnonzero(y == label)
        # Column j of weights[s] is how vector s acts in the pair (own, j).
        weights = np.zeros((len(machine.support), count))
        for other in range(count):
            if other != own:
                weights[columns[own], other] = dual[_row(own, other), columns[own]]
                weights[columns[other], other] = dual[_row(other, own), columns[other]]
        for block in blocks(len(members), len(machine.support)):
            rows = members[block]
            values = kernel(X[rows], norms[rows], vectors, vector_norms, parameters)
            decisions[rows] = values @ weights
    return decisions


#: The judge of each task.
JUDGES: dict[str, Callable[[Matrix, NDArray[Any], Parameters, Coefficients], Verdict]] = {"svc": judge_svc}
