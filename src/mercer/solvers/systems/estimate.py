"""Errors at rows left out, estimated where there are too many rows for an eigendecomposition.

The diagonal of A⁻¹ is that of Nyström's inverse, which is known, and of what remains, which random signs s estimate:
the mean of s ∘ (A⁻¹ − P⁻¹) s is its diagonal. Errors are quotients by it, so that their squares are off by more than
chance; the jackknife takes that away as long as signs are off by little. Where α is small they are not. There, rows are
drawn, by chances in proportion to the squares that Nyström's inverse tells, and the diagonal of these is solved for.

See          Bekas, Kokiopoulou and Saad, An estimator for the diagonal of a matrix, Appl. Numer. Math. 2007;
             Hansen and Hurwitz, On the theory of sampling from finite populations, Ann. Math. Stat. 1943
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.errors import InputError, TimeLimitError
from mercer.solvers.protocol import NO_LIMIT, Terms
from mercer.solvers.systems.conjugate_gradients import ConjugateGradients
from mercer.solvers.systems.left_out import missed_by
from mercer.solvers.systems.nystroem import nystroem
from mercer.solvers.systems.system import System
from mercer.typing import Floats, Integers

__all__ = ["EstimatedErrors", "estimate_left_out"]

_PROBES = 32
# Rows that are drawn, and the share of their chances that is alike for all.
_SAMPLE = 96
_ALIKE = 0.1
# How far signs may be off in the diagonal, as a share of it: where they are more, its bounds cut off much of what they
# tell, and the jackknife does not see that.
_QUIET = 0.1
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
    near = nystroem(system, rank, seed)
    if near is None:
        raise InputError(f"alpha: expected one that float32 tells beside the kernel values, got {system.alpha:g}.")

    def solved(right: Floats) -> Floats:
        # `max_iter` is about the machine of the choice.
        left = terms._replace(steps=NO_LIMIT)
        solve = ConjugateGradients(lambda d: system.products(d, np.float32), near, _SHARE, n, left)
        found = solve(right)
        if solve.is_stopped:
            raise TimeLimitError(
                f"Stopped before the errors at rows left out were estimated for alpha={system.alpha:g}: expected time "
                "for all alphas and gammas. Raise time_limit, or try fewer."
            )
        return found

    found = solved(np.column_stack([targets, roots, signs]))
    border = found[:, columns] if has_intercept else None
    d = found[:, :columns]
    if border is not None:
        d = d - np.outer(border, (roots @ d) / float(roots @ border))
    rest = signs * (found[:, columns + 1 :] - near(signs))
    known = near.diagonal()
    # No diagonal of the inverse is below that of the matrix turned over, or above 1 / α.
    least = 1.0 / (system.rows.diagonal * roots**2 + system.alpha)

    def squares(diagonal: Floats) -> Floats:
        inside = np.clip(diagonal, least, 1.0 / system.alpha)
        return np.asarray(roots[:, None] ** 2 * missed_by(d, inside, border, roots) ** 2)

    total = float(roots @ roots)
    middle = known + rest.mean(axis=1)
    noise = rest.std(axis=1, ddof=1) / np.sqrt(_PROBES) / np.maximum(middle, least)
    if float(np.mean(noise**2)) <= _QUIET**2:
        return _jackknife(squares(middle), [squares(known + rest[:, some].mean(axis=1)) for some in _others()], total)
    chances = _chances(squares(known))
    drawn = random.choice(n, size=_SAMPLE, p=chances)
    sample, places = np.unique(drawn, return_inverse=True)
    units = np.zeros((n, len(sample)))
    units[sample, np.arange(len(sample))] = 1.0
    diagonal = known.copy()
    diagonal[sample] = solved(units)[sample, np.arange(len(sample))]
    return _of_sample(squares(diagonal)[sample][places] / chances[drawn, None], total)


def _chances(told: Floats) -> Floats:
    """Of rows to be drawn: as their squares are told, summed over the columns, and a part for all alike."""
    sums = told.sum(axis=1)
    alike = np.full(len(sums), 1 / len(sums))
    return alike if sums.sum() == 0 else (1 - _ALIKE) * sums / sums.sum() + _ALIKE * alike


def _of_sample(over_chances: Floats, total: float) -> EstimatedErrors:
    """The mean of squares from those of rows that were drawn, each divided by its chance.

    Squares that chances misjudge, and no draw shows, can be most of the sum: it is told to be off by itself, or more.
    """
    means = over_chances.mean(axis=0) / total
    spreads = over_chances.std(axis=0, ddof=1) / np.sqrt(len(over_chances)) / total
    return EstimatedErrors(means, np.maximum(spreads, means))


def _others() -> list[Integers]:
    """All probes but one, for each of them."""
    return [np.delete(np.arange(_PROBES), k) for k in range(_PROBES)]


def _jackknife(whole: Floats, without: list[Floats], total: float) -> EstimatedErrors:
    """Mean squares less what they are off by more than chance, and their standard errors."""
    all_signs, each = whole.sum(axis=0) / total, np.stack([one.sum(axis=0) / total for one in without])
    corrected = _PROBES * all_signs - (_PROBES - 1) * each.mean(axis=0)
    spread = np.sqrt((_PROBES - 1) / _PROBES * np.square(each - each.mean(axis=0)).sum(axis=0))
    return EstimatedErrors(np.maximum(corrected, 0.0), spread)
