"""Σ_j coef_j k(x_j, x_i) at every training row, evaluated anew for a certificate: in float64 wherever it decides.

The violation and the residuals of the optimality conditions are those of the worst rows of each kind, so rows
that could be among these are evaluated again in float64. The others enter only the sums behind the objectives, where
their errors cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.certificates.optimality import kinds_of_rows
from mercer.problems import DualProblem, Groups
from mercer.rows import Caution, Rows, settle
from mercer.typing import Booleans, Floats, Integers

__all__ = ["Products", "evaluate_in_time", "evaluate_products"]

# Below this many multiplications everything is in float64: some milliseconds.
_WORTH_FLOAT32 = 50_000_000
# Rows on which the error of float32 is measured, at least so many of each group, and how many times the largest seen it
# may be elsewhere.
_PROBES = 128
_PROBES_PER_GROUP = 4
_SAFETY = 2.5
# What to expect of it before it is measured, in units of float32's rounding of √(Σ coef²) max k(x, x). Where more than
# a few rows would then be evaluated again, it is measured first.
_EXPECTED = 12.0
_FEW = 0.06
# More rows have larger errors among them: what was measured is raised by this factor where it was not expected.
_ALLOWANCE = 1.25
# What is spent on evaluating some rows where no time is left: without them nobody knows the offsets.
_LEAST_SECONDS = 0.05
# Where float32 may be off by more than this many times the tolerance, too many rows would be evaluated twice.
_TOLERABLE = 2.0


class Products(NamedTuple):
    """The sums, and how far off those may be that are not in float64."""

    values: Floats
    error: float


def evaluate_products(
    problem: DualProblem,
    rows: Rows,
    members: Sequence[Integers],
    coef: Floats,
    threads: int,
    tol: float | None = None,
) -> Products:
    """The sums over the coefficients of its own group at every row; all in float64 unless a `tol` allows for less."""
    groups = problem.groups
    coefs = groups.split(coef)

    def expand(targets: Sequence[Integers], dtype: type = np.float64) -> list[Floats]:
        return rows.expand(targets, members, coefs, threads, dtype)

    def at(positions: Sequence[Integers]) -> list[Integers]:
        return [own[chosen] for own, chosen in zip(members, positions, strict=True)]

    if tol is None or not rows.is_prepared32 or _multiplications(coefs, rows.X.shape[1]) < _WORTH_FLOAT32:
        return Products(np.concatenate(expand(members)), 0.0)
    try:
        values = np.concatenate(expand(members, np.float32))
    except OverflowError:
        return Products(np.concatenate(expand(members)), 0.0)

    def exact(chosen: Booleans) -> Floats:
        return np.concatenate(expand(at([np.flatnonzero(chosen[run]) for run in groups.runs])))

    def doubtful(found: Floats, error: float) -> Booleans:
        return _may_be_worst(problem, coef, found, error)

    most = _TOLERABLE * tol
    size = float(np.sqrt(groups.sum(coef * coef).max()) * rows.diagonal.max())
    expected = min(_EXPECTED * float(np.finfo(np.float32).eps) * size, most)
    probes = _probes(groups, rows.rounding_size[np.concatenate(members)])
    caution = Caution(_SAFETY, _ALLOWANCE, most)
    return Products(values, float(settle(values, 1.0, probes, exact, doubtful, caution, expected, _FEW)))


def evaluate_in_time(problem: DualProblem, rows: Rows, members: Sequence[Integers], coef: Floats) -> Floats:
    """The sums at as many rows as there is time for, of each group some; NaN at the others.

    Rows between their bounds come first, for they tell the offsets, and then any.
    """
    values, groups, random = np.full(len(coef), np.nan), problem.groups, np.random.default_rng(0)
    free = np.logical_or.reduce(problem.sides(coef, np.zeros(len(coef))).free)
    latest = max(rows.deadline, perf_counter() + _LEAST_SECONDS)
    for k, (run, own) in enumerate(zip(groups.runs, members, strict=True)):
        order = random.permutation(len(own))
        order = order[np.argsort(~free[run][order], kind="stable")]
        now = perf_counter()
        found = rows.expand_until(own[order], own, coef[run], now + (latest - now) / (len(groups) - k))
        values[run][order[: len(found)]] = found
    return values


def _multiplications(coefs: Sequence[Floats], features: int) -> int:
    """How many it takes to evaluate the machines with these coefficients; no less where they are few anyway."""
    most = sum(len(coef) ** 2 for coef in coefs) * features
    if most < _WORTH_FLOAT32:
        return most
    return sum(len(coef) * int(np.count_nonzero(coef)) for coef in coefs) * features


def _probes(groups: Groups, rounding: Floats) -> Booleans:
    """Some rows of each group, and those that round most."""
    count = max(_PROBES_PER_GROUP, _PROBES // len(groups))
    chosen = np.zeros(len(rounding), dtype=bool)
    for run in groups.runs:
        size = run.stop - run.start
        chosen[run][:: max(1, size // count)] = True
        if size > count:
            chosen[run][np.argpartition(rounding[run], size - count)[size - count :]] = True
    return chosen


def _may_be_worst(problem: DualProblem, coef: Floats, products: Floats, error: float) -> Booleans:
    """The rows whose residual may be the largest of their kind, where products are off by no more than `error`."""
    sides, groups = problem.sides(coef, products), problem.groups
    doubtful = np.zeros(len(coef), dtype=bool)
    for kind in kinds_of_rows(coef, sides.free).values():
        for up, low in zip(sides.up, sides.low, strict=True):
            worst_up, worst_low = groups.max(sides.gain_up, up & kind), groups.min(sides.gain_low, low & kind)
            doubtful |= up & kind & (sides.gain_up >= groups.spread(worst_up - 2 * error))
            doubtful |= low & kind & (sides.gain_low <= groups.spread(worst_low + 2 * error))
    return doubtful
