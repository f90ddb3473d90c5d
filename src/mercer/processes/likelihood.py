"""How likely observations are under a Gaussian process, and which way that grows.

*Given* a kernel, rows, targets and the noise of each, *returns* log p(y) = −½ yᵀα − Σ log L_ii − n/2 log 2π, with
K + noise = L Lᵀ and α = (K + noise)⁻¹ y, summed over the targets; and its slopes by the logarithms of the kernel's
parameters, ½ Σ_ij W_ij ∂K_ij with W = ααᵀ − (K + noise)⁻¹. K, L, the inverse and W stand in one matrix, one after the
other, beside which the slopes need one or two.
See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, algorithm 2.1 and equation 5.9.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from mercer.kernels import Kernel
from mercer.processes.noise import covariance
from mercer.processes.noise_groups import GroupNoise
from mercer.processes.slopes import Weights, slopes_of
from mercer.typing import Floats

__all__ = ["Factor", "Observations", "factored", "likelihood", "likelihood_with_slopes"]


class Observations(NamedTuple):
    """Rows, their targets (one column each), and the variance of the noise of each beside the kernel's.

    Where noise is learnt for groups, the variance of each group is part of the noise of its observations, and slopes by
    the logarithms of these variances follow those of the kernel.
    """

    X: Floats
    y: Floats
    noise: float | Floats
    groups: GroupNoise | None = None

    def taken(self, rows: Any) -> Observations:
        """Some of them, whose noise beside that of groups is known."""
        noise = self.noise if np.ndim(self.noise) == 0 else np.asarray(self.noise)[rows]
        return Observations(self.X[rows], np.asfortranarray(self.y[rows]), noise)

    def slopes_of_groups(self, by_noise: Floats) -> list[float]:
        """Of what has these slopes by the noise of each observation."""
        return [] if self.groups is None else self.groups.slopes(by_noise)


class Factor(NamedTuple):
    """L with K = L Lᵀ, held as LAPACK's upper triangle: what is above the diagonal of `lower` is anything."""

    upper: Floats

    @property
    def lower(self) -> Floats:
        return self.upper.T

    @property
    def log_determinant(self) -> float:
        """Of K."""
        return 2 * float(np.log(np.diagonal(self.upper)).sum())

    def solve(self, b: Floats) -> Floats:
        """K⁻¹ b, of columns."""
        return np.asarray(lapack.dpotrs(self.upper, b, lower=0)[0])

    def inverse(self) -> Floats:
        """K⁻¹ below and on the diagonal, in the place of L."""
        return np.asarray(lapack.dpotri(self.upper, lower=0, overwrite_c=1)[0]).T


def factored(K: Floats) -> Factor | None:
    """L in the place of K; None where K is not positive definite."""
    upper, info = lapack.dpotrf(K.T, lower=0, clean=0, overwrite_a=1)
    return Factor(upper) if info == 0 else None


def likelihood(kernel: Kernel, observed: Observations) -> float:
    """log p(y); −∞ where the covariance is not positive definite."""
    return _likelihood(kernel, observed)[0]


def likelihood_with_slopes(kernel: Kernel, observed: Observations) -> tuple[float, Floats | None]:
    """log p(y) and its slopes by the logarithms of the parameters; none where it is −∞."""
    value, factor, alpha = _likelihood(kernel, observed)
    if factor is None or alpha is None:
        return value, None
    W = blas.dsyrk(1.0, alpha, beta=-float(alpha.shape[1]), c=factor.inverse().T, lower=0, overwrite_c=1).T
    own = np.diagonal(W).copy()
    slopes = slopes_of(kernel, observed.X, Weights(W, own)) + observed.slopes_of_groups(own)
    return value, 0.5 * np.array(slopes)


def _likelihood(kernel: Kernel, observed: Observations) -> tuple[float, Factor | None, Floats | None]:
    n, targets = observed.y.shape
    factor = factored(covariance(kernel, observed.X, observed.noise))
    if factor is None:
        return -math.inf, None, None
    alpha = factor.solve(observed.y)
    fit = float(np.einsum("it,it->", observed.y, alpha))
    value = -0.5 * (fit + targets * (factor.log_determinant + n * math.log(2 * math.pi)))
    return (value, factor, alpha) if math.isfinite(value) else (-math.inf, None, None)
