"""Errors at rows left out, estimated where there are too many rows for an eigendecomposition.

The diagonal of A⁻¹ is that of Nyström's inverse, which is known, and of what remains, which random signs s estimate:
the mean of s ∘ (A⁻¹ − P⁻¹) s is its diagonal. Errors are quotients by it, so that their squares are off by more than
chance; the jackknife takes that away as long as it is little. Where α is small it is much. There, squares as the signs
tell them are multiplied by the ratio of the true ones to them in a sample of rows, whose diagonal is solved for.

See          Bekas, Kokiopoulou and Saad, An estimator for the diagonal of a matrix, Appl. Numer. Math. 2007;
             Cochran, Sampling Techniques, chapter 6, for ratios
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.errors import InputError
from mercer.solvers.protocol import NO_LIMIT, Terms
from mercer.solvers.systems.conjugate_gradients import ConjugateGradients
from mercer.solvers.systems.left_out import missed_by
from mercer.solvers.systems.nystroem import nystroem
from mercer.solvers.systems.system import System
from mercer.typing import Floats, Integers

__all__ = ["EstimatedErrors", "estimate_left_out"]

_PROBES = 32
# Rows of the sample.
_SAMPLE = 64
# The share of a mean square that the jackknife may take away.
_LITTLE = 0.1
# What is left of the residuals of the systems: far less than the signs are off by.
_SHARE = 1e-4


class EstimatedErrors(NamedTuple):
    """The weighted mean square of the errors at rows left out, and its standard error, for each column."""

    mean_square: Floats
    standard_error: Floats


def estimate_left_out(
    system: System, targets: Floats, has_intercept: bool, rank: int, terms: Terms, seed: int = 0
) -> EstimatedErrors:
    """What the errors are for targets √v (y − mean)."""
    n, roots, columns = len(system), system.roots, targets.shape[1]
    random = np.random.default_rng(seed)
    signs = random.choice([-1.0, 1.0], size=(n, _PROBES))
    sample = np.sort(random.choice(n, size=min(_SAMPLE, n), replace=False))
    units = np.zeros((n, len(sample)))
    units[sample, np.arange(len(sample))] = 1.0
    near = nystroem(system, rank, seed)
    if near is None:
        raise InputError(f"alpha: expected one that float32 tells beside the kernel values, got {system.alpha:g}.")

    def products(d: Floats) -> Floats:
        return system.products(d, np.float32)

    # `max_iter` is about the machine of the choice.
    solve = ConjugateGradients(products, near, _SHARE, n, terms._replace(steps=NO_LIMIT))
    found = solve(np.column_stack([targets, roots, signs, units]))
    if solve.is_stopped:
        raise InputError(
            f"Stopped before the errors at rows left out were estimated for alpha={system.alpha:g}: expected time for "
            "all alphas and gammas. Raise time_limit, or try fewer."
        )
    border = found[:, columns] if has_intercept else None
    d = found[:, :columns]
    if border is not None:
        d = d - np.outer(border, (roots @ d) / float(roots @ border))
    rest = signs * (found[:, columns + 1 : columns + 1 + _PROBES] - near(signs))
    known = near.diagonal()
    # No diagonal of the inverse is below that of the matrix turned over, or above 1 / α.
    least = 1.0 / (system.rows.diagonal * roots**2 + system.alpha)

    def squares(chosen: Floats) -> Floats:
        diagonal = np.clip(known + chosen.mean(axis=1), least, 1.0 / system.alpha)
        return np.asarray(roots[:, None] ** 2 * missed_by(d, diagonal, border, roots) ** 2)

    told, total = squares(rest), float(roots @ roots)
    by_signs, taken_away = _jackknife(told.sum(axis=0) / total, [squares(rest[:, k]) for k in _others()], total)
    diagonal = known.copy()
    diagonal[sample] = found[sample, columns + 1 + _PROBES + np.arange(len(sample))]
    true = roots[sample, None] ** 2 * missed_by(d, diagonal, border, roots)[sample] ** 2
    by_sample = _corrected(told, true, sample, total)
    is_little = taken_away <= _LITTLE * by_signs.mean_square
    return EstimatedErrors(*(np.where(is_little, *pair) for pair in zip(by_signs, by_sample, strict=True)))


def _others() -> list[Integers]:
    """All probes but one, for each of them."""
    return [np.delete(np.arange(_PROBES), k) for k in range(_PROBES)]


def _jackknife(whole: Floats, without: list[Floats], total: float) -> tuple[EstimatedErrors, Floats]:
    """Mean squares less what they are off by more than chance, their standard errors, and what was taken away."""
    each = np.stack([one.sum(axis=0) / total for one in without])
    corrected = _PROBES * whole - (_PROBES - 1) * each.mean(axis=0)
    spread = np.sqrt((_PROBES - 1) / _PROBES * np.square(each - each.mean(axis=0)).sum(axis=0))
    return EstimatedErrors(np.maximum(corrected, 0.0), spread), np.abs(corrected - whole)


def _corrected(told: Floats, true: Floats, sample: Integers, total: float) -> EstimatedErrors:
    """The mean of squares that were told of all rows, times the ratio of the true ones in a sample to those told."""
    n, count, of_sample = len(told), len(sample), told[sample]
    sums = of_sample.sum(axis=0)
    ratio = np.divide(true.sum(axis=0), sums, out=np.ones_like(sums), where=sums > 0)
    off = true - ratio * of_sample
    spread = np.sqrt((1 - count / n) * np.square(off).sum(axis=0) / max(count - 1, 1) / count)
    return EstimatedErrors(ratio * told.sum(axis=0) / total, n / total * spread)
