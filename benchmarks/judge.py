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
        Dual objective, LIBSVM's sign (lower is better), summed over the pairs of classes.
    violation : float
        LIBSVM's m(a) - M(a), the worst over the pairs: what ``tol`` promises to bound.
    infeasibility : float
        Worst breach of the bounds, as a fraction of them, and of the sum.
    vectors : int
        Number of support vectors.
    """

    objective: float
    violation: float
    infeasibility: float
    vectors: int


def judge_pairs(X: Matrix, y: NDArray[Any], parameters: Parameters, machine: Coefficients) -> Verdict:
    """Judge C-SVC, or ν-SVC where the parameters have a ``nu``: pair by pair.

    Parameters
    ----------
    X, y
        The training data as the library was given it, in float64.
    """
    dual = np.asarray(machine.dual, dtype=np.float64)
    rounding = 2 * float(np.finfo(machine.dual.dtype).eps)
    decisions = _decisions(X, y, parameters, machine, dual)
    objective, violation, infeasibility = 0.0, -np.inf, 0.0
    for i, j in combinations(range(len(machine.classes)), 2):
        coefs, signs, values = [], [], []
        for own, other, sign in ((i, j, 1.0), (j, i, -1.0)):
            members = np.flatnonzero(y == machine.classes[own])
            coef = np.zeros(len(y))
            coef[machine.support] = dual[_row(own, other)]
            coefs.append(coef[members])
            signs.append(np.full(len(members), sign))
            values.append(decisions[members, other])
        c, s, f = np.concatenate(coefs), np.concatenate(signs), np.concatenate(values)
        if "nu" in parameters:
            # The machine was divided by rho, which the sum of its coefficients tells.
            total = float(parameters["nu"]) * len(c)
            rho = total / float(np.abs(c).sum())
            c, f, bound, slope, breach = rho * c, rho * f, 1.0, 0.0 * s, abs(float(c.sum())) / total
        else:
            bound, slope = float(parameters["C"]), s
            breach = abs(float(c.sum())) / bound
        lower, upper = np.where(s > 0, 0.0, -bound), np.where(s > 0, bound, 0.0)
        objective += 0.5 * float(c @ f) - float(slope @ c)
        sums = (s > 0, s < 0) if "nu" in parameters else (s != 0,)
        for part in sums:
            found = _violation(c[part], (slope - f)[part], lower[part], upper[part], rounding)
            violation = max(violation, found)
        outside = max(float(np.max(lower - c)), float(np.max(c - upper))) / bound
        infeasibility = max(infeasibility, breach, outside)
    return Verdict(objective, violation, infeasibility, len(machine.support))


def judge_function(X: Matrix, y: NDArray[Any], parameters: Parameters, machine: Coefficients) -> Verdict:
    """Judge a machine of one function: regression where the parameters have a ``C``, else one class."""
    rounding = 2 * float(np.finfo(machine.dual.dtype).eps)
    c = np.zeros(X.shape[0])
    c[machine.support] = np.asarray(machine.dual[0], dtype=np.float64)
    vectors = X[machine.support]
    norms, vector_norms = squared_norms(X), squared_norms(vectors)
    f = np.empty(len(c))
    for block in blocks(len(c), len(machine.support)):
        f[block] = kernel(X[block], norms[block], vectors, vector_norms, parameters) @ c[machine.support]
    if "C" not in parameters:
        total = float(parameters["nu"]) * len(c)
        outside = max(float(-c.min()), float(c.max()) - 1.0, abs(float(c.sum()) - total) / total)
        found = _violation(c, -f, np.zeros(len(c)), np.ones(len(c)), rounding)
        return Verdict(0.5 * float(c @ f), found, outside, len(machine.support))
    C, epsilon = float(parameters["C"]), float(parameters.get("epsilon", 0.0))
    objective = 0.5 * float(c @ f) - float(y @ c) + epsilon * float(np.abs(c).sum())
    outside = max(float(np.abs(c).max()) - C, abs(float(c.sum()))) / C
    up, low = c < C * (1 - rounding), c > -C * (1 - rounding)
    gain_up, gain_low = y - f + np.where(c < 0, epsilon, -epsilon), y - f + np.where(c > 0, -epsilon, epsilon)
    if "nu" not in parameters:
        return Verdict(objective, float(gain_up[up].max() - gain_low[low].min()), outside, len(machine.support))
    # With a tube of some width the positive and the negative coefficients have a sum each; without, all have one.
    half = 0.5 * float(parameters["nu"]) * C * len(c)
    if abs(float(np.maximum(c, 0).sum()) - half) > 1e-6 * half:
        return Verdict(objective, float(gain_up[up].max() - gain_low[low].min()), outside, len(machine.support))
    found = max(
        float((y - f)[up & (c >= 0)].max() - (y - f)[c > 0].min()),
        float((y - f)[c < 0].max() - (y - f)[low & (c <= 0)].min()),
    )
    return Verdict(objective, found, outside, len(machine.support))


def _row(own: int, other: int) -> int:
    return other - 1 if other > own else other


def _violation(
    c: NDArray[Any], descent: NDArray[Any], lower: NDArray[Any], upper: NDArray[Any], rounding: float
) -> float:
    # In float32 a coefficient at the bound can be one rounding away from it.
    up, low = c < upper * (1 - rounding), c > lower * (1 - rounding)
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
JUDGES: dict[str, Callable[[Matrix, NDArray[Any], Parameters, Coefficients], Verdict]] = {
    "svc": judge_pairs,
    "nu_svc": judge_pairs,
    "svr": judge_function,
    "nu_svr": judge_function,
    "one_class": judge_function,
}
