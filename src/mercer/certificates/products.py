"""Σ_j coef_j k(x_j, x_i) at every training row, evaluated anew for a certificate: in float64 wherever it decides.

A float32 sum is several times cheaper and off by little. Only the rows at the two ends of the intercept's interval
decide the violation, so these are evaluated again in float64; how far the others can be off is measured on some of
them, and told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.gram import TrainingData, expand_training_rows
from mercer.problems import SupportVectorClassification
from mercer.typing import Floats, Integers

__all__ = ["Products", "evaluate_products"]

# Below this many multiplications everything is in float64: some milliseconds.
_WORTH_FLOAT32 = 50_000_000
# Rows of each group on which the error of float32 is measured, and what is taken for its bound elsewhere.
_PROBES = 32
_SAFETY = 4.0
# Where float32 may be off by more than this share of the tolerance, it is not used.
_TOLERABLE = 0.1


@dataclass(frozen=True)
class Products:
    """The sums, and how far float32 can have moved those that decide nothing, one value a group."""

    values: Floats
    error: Floats


def evaluate_products(
    problem: SupportVectorClassification,
    data: TrainingData,
    rows: Sequence[Integers],
    coef: Floats,
    threads: int,
    tol: float | None = None,
) -> Products:
    """The sums over the coefficients of its own group at every row; all in float64 unless a `tol` allows for less."""
    groups = problem.groups
    coefs = groups.split(coef)
    exact = np.zeros(len(groups))
    work = sum(len(own) * np.count_nonzero(c) for own, c in zip(rows, coefs, strict=True)) * data.X.shape[1]
    if tol is None or work < _WORTH_FLOAT32 or data.kernel.lower() is None:
        return Products(np.concatenate(expand_training_rows(data, rows, rows, coefs, threads)), exact)
    try:
        values = np.concatenate(expand_training_rows(data, rows, rows, coefs, threads, np.float32))
    except OverflowError:
        return evaluate_products(problem, data, rows, coef, threads)

    def correct(positions: list[Integers]) -> Floats:
        """Takes float64 values at these positions of each group; returns the largest correction in each."""
        targets = [own[at] for own, at in zip(rows, positions, strict=True)]
        refined = expand_training_rows(data, targets, rows, coefs, threads)
        largest = np.zeros(len(groups))
        for k, (start, at, new) in enumerate(zip(groups.starts, positions, refined, strict=True)):
            if len(at):
                largest[k] = np.max(np.abs(values[start + at] - new))
                values[start + at] = new
        return largest

    error = _SAFETY * correct([np.unique(np.linspace(0, n - 1, _PROBES, dtype=np.int64)) for n in groups.sizes])
    if not np.all(error <= _TOLERABLE * tol):
        return evaluate_products(problem, data, rows, coef, threads)
    up, low = problem.sides(problem.alpha(coef))
    offsets = problem.signs - values
    deciding = up & (offsets >= groups.spread(groups.max(offsets, up) - 2 * error))
    deciding |= low & (offsets <= groups.spread(groups.min(offsets, low) + 2 * error))
    correct([np.flatnonzero(deciding[run]) for run in groups.runs])
    return Products(values, error)
