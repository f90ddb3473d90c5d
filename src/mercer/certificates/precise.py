"""What certificates of small problems rest on where the rounding of float64 would hide the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mercer.certificates.rounding import accuracy_of_rounded
from mercer.data import take_rows
from mercer.gram import TrainingData, TwofoldGram, fits_twofold
from mercer.problems import DualProblem
from mercer.typing import Floats, Integers

__all__ = ["PreciseValues", "evaluate_precisely", "may_evaluate_precisely"]

_EPS = float(np.finfo(np.float64).eps)


class PreciseValues(NamedTuple):
    """Machines and coefficients on the rows of a problem, each number rounded once.

    A linear machine may have weights of its own, where float64 cannot hold coefficients that make them up.
    """

    #: The machines at every row, without their offsets, and ‖w‖² of each.
    machine: Floats
    machine_norm: Floats
    #: Σ_j coef_j k(x_j, x_i) at every row i, and coefᵀ K coef of each group.
    products: Floats
    coef_norm: Floats
    #: How far rounding can have moved the machines, one value a group.
    accuracy: Floats


def may_evaluate_precisely(data: TrainingData, rows: Sequence[Integers]) -> bool:
    return all(fits_twofold(data.rows(own)) for own in rows)


def evaluate_precisely(
    problem: DualProblem,
    data: TrainingData,
    rows: Sequence[Integers],
    coef: Floats,
    weights: Sequence[Floats | None] | None,
    threads: int,
) -> PreciseValues:
    """The machines with these coefficients, or weights of the features where there are some, one a group."""
    parts = []
    for k, (own, c) in enumerate(zip(rows, problem.groups.split(coef), strict=True)):
        high, low = TwofoldGram.of(data.rows(own), threads).products(c)
        with np.errstate(all="ignore"):  # what overflows is no number in the certificate, and fails
            products, norm = high + low, _squared_norm(c, high, low)
        w = None if weights is None else weights[k]
        if w is None:
            parts.append((products, norm, products, norm, 0.0))
        else:
            X = take_rows(data.X, own)
            values = np.asarray(X @ w, dtype=np.float64)
            size = float(np.sqrt(np.max(data.diagonal[own]) * (w @ w)))
            parts.append((values, float(w @ w), products, norm, _EPS * (len(w) ** 0.5 + 4) * size))
    machines, machine_norms, all_products, coef_norms, of_weights = zip(*parts, strict=True)
    values = np.concatenate(machines)
    accuracy = accuracy_of_rounded(problem.groups, values, problem.slope) + np.array(of_weights)
    return PreciseValues(values, np.array(machine_norms), np.concatenate(all_products), np.array(coef_norms), accuracy)


def _squared_norm(coef: Floats, high: Floats, low: Floats) -> float:
    """Σ coef · products, without what all products have in common where the coefficients add up to nothing."""
    common = float(np.median(high))
    total = math.fsum(coef.tolist()) if np.isfinite(coef.sum()) else np.inf
    return float((coef * ((high - common) + low)).sum()) + common * total
