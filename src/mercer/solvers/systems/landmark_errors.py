"""What machines over landmarks say of rows that they were fitted without, for all α at once.

The landmarks stay. Of the features F of the system, less their means where there is an intercept, and h the diagonal of
F (FᵀVF + α)⁻¹ Fᵀ V, with v / Σ v more where there is an intercept, the machine without row i misses it by
(y_i − f(x_i)) / (1 − h_i). The eigenvectors of FᵀVF tell h for every α.

See          Rifkin and Lippert, Notes on regularized least squares, 2007
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.systems.landmarks import LandmarkSystem
from mercer.typing import Floats

__all__ = ["landmark_errors"]


def landmark_errors(system: LandmarkSystem, alphas: Floats) -> Floats:
    """y_i − f₋ᵢ(x_i) for every α, row and column of targets; goes through the rows once."""
    problem, (values, vectors) = system.problem, system.spectrum
    inverse = _inverse(values, alphas)
    turned = vectors.T @ system.right
    weights, total = problem.weights, float(problem.weights.sum())
    errors = np.empty((len(alphas), *system.targets.shape))
    for block, columns in system.columns.blocks():
        system.look()
        U = system.whitening.features(columns - system.means).T @ vectors
        own = weights[block]
        share = own[:, None] * ((U * U) @ inverse) + (own[:, None] / total if problem.has_intercept else 0.0)
        for k, scale in enumerate(inverse.T):
            missed = system.targets[block] - U @ (scale[:, None] * turned)
            errors[k, block] = missed / _least_share(1.0 - share[:, k])[:, None]
    return errors


def _inverse(values: Floats, alphas: Floats) -> Floats:
    """1 / (λ + α), one column an α; of directions that are zero up to rounding, nothing."""
    shifted = values[:, None] + alphas
    least = len(values) * np.finfo(np.float64).eps * shifted.max(axis=0, initial=0.0)
    return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > least)


def _least_share(share: Floats) -> Floats:
    """What a row leaves of itself to the others; where that is rounding, so much as rounding can be."""
    return np.maximum(share, np.finfo(np.float64).eps)
