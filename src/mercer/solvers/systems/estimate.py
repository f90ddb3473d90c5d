"""Errors at rows left out, estimated where there are too many rows for an eigendecomposition.

The diagonal of A⁻¹ is that of Nyström's inverse, which is known, and of what remains, which random signs s estimate:
the mean of s ∘ (A⁻¹ − P⁻¹) s is its diagonal. How much the estimate would be another one with other signs is told.

See          Bekas, Kokiopoulou and Saad, An estimator for the diagonal of a matrix, Appl. Numer. Math. 2007
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
from mercer.typing import Floats

__all__ = ["EstimatedErrors", "estimate_left_out"]

_PROBES = 32
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
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, _PROBES))
    near = nystroem(system, rank, seed)
    if near is None:
        raise InputError(f"alpha: expected one that float32 tells beside the kernel values, got {system.alpha:g}.")

    def products(d: Floats) -> Floats:
        return system.products(d, np.float32)

    # `max_iter` is about the machine of the choice.
    solve = ConjugateGradients(products, near, _SHARE, n, terms._replace(steps=NO_LIMIT))
    found = solve(np.column_stack([targets, roots, signs]))
    if solve.is_stopped:
        raise InputError(
            f"Stopped before the errors at rows left out were estimated for alpha={system.alpha:g}: expected time for "
            "all alphas and gammas. Raise time_limit, or try fewer."
        )
    border = found[:, columns] if has_intercept else None
    d = found[:, :columns]
    if border is not None:
        d = d - np.outer(border, (roots @ d) / float(roots @ border))
    rest = signs * (found[:, columns + 1 :] - near(signs))
    known = near.diagonal()
    # No diagonal of the inverse is below that of the matrix turned over, or above 1 / α.
    least = 1.0 / (system.rows.diagonal * roots**2 + system.alpha)

    def mean_square(chosen: Floats) -> Floats:
        diagonal = np.clip(known + chosen.mean(axis=1), least, 1.0 / system.alpha)
        return np.asarray((roots**2) @ missed_by(d, diagonal, border, roots) ** 2 / (roots @ roots))

    # The jackknife over the signs: the mean of squares of quotients is off by more than chance, which it takes away.
    whole = mean_square(rest)
    without = np.stack([mean_square(np.delete(rest, k, axis=1)) for k in range(_PROBES)])
    corrected = _PROBES * whole - (_PROBES - 1) * without.mean(axis=0)
    spread = np.sqrt((_PROBES - 1) / _PROBES * np.square(without - without.mean(axis=0)).sum(axis=0))
    return EstimatedErrors(np.maximum(corrected, 0.0), spread)
