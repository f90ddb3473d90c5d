"""What certificates of small problems rest on where the rounding of float64 would hide the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mercer.certificates.rounding import accuracy_of_rounded
from mercer.problems import DualProblem
from mercer.rows import Rows, TwofoldGram, fits_twofold
from mercer.typing import Floats, Integers

__all__ = ["PreciseValues", "evaluate_precisely", "may_evaluate_precisely"]


class PreciseValues(NamedTuple):
    """Machines and coefficients on the rows of a problem, each number rounded once.

    The coefficients of a machine may have more digits than float64; its dual value is that of those that it holds.
    """

    #: The machines at every row, without their offsets, and ‖w‖² of each.
    machine: Floats
    machine_norm: Floats
    #: Σ_j coef_j k(x_j, x_i) at every row i, and coefᵀ K coef of each group.
    products: Floats
    coef_norm: Floats
    #: How far rounding can have moved the machines, one value a group.
    accuracy: Floats


def may_evaluate_precisely(rows: Rows, members: Sequence[Integers]) -> bool:
    return all(fits_twofold(rows.subset(own)) for own in members)


def evaluate_precisely(
    problem: DualProblem,
    rows: Rows,
    members: Sequence[Integers],
    coef: Floats,
    low: Floats | None,
    threads: int,
) -> PreciseValues:
    """The machines with these coefficients, and what float64 leaves of them where that matters, one a group."""
    parts = []
    for own, run in zip(members, problem.groups.runs, strict=True):
        gram, c = TwofoldGram.of(rows.subset(own), threads), coef[run]
        with np.errstate(all="ignore"):  # what overflows is no number in the certificate, and fails
            high, rest = gram.products(c)
            products, norm = high + rest, _squared_norm(c, high, rest)
            machine, machine_norm = products, norm
            if low is not None and low[run].any():
                more, least = gram.products(low[run])
                rest = rest + least
                machine = high + (more + rest)
                machine_norm = _squared_norm(c, high, more + rest) + float(low[run] @ (machine - np.median(machine)))
        parts.append((machine, machine_norm, products, norm))
    machines, machine_norms, all_products, coef_norms = zip(*parts, strict=True)
    values = np.concatenate(machines)
    accuracy = accuracy_of_rounded(problem.groups, values, problem.slope)
    return PreciseValues(values, np.array(machine_norms), np.concatenate(all_products), np.array(coef_norms), accuracy)


def _squared_norm(coef: Floats, high: Floats, low: Floats) -> float:
    """Σ coef · products, without what all products have in common where the coefficients add up to nothing."""
    common = float(np.median(high))
    total = math.fsum(coef.tolist()) if np.isfinite(coef.sum()) else np.inf
    return float((coef * ((high - common) + low)).sum()) + common * total
