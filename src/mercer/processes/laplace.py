"""Two classes under a Gaussian process, by Laplace's approximation.

*Given* a kernel, rows and signs t = 0 or 1, *returns* the latent function at its mode, log p(t) of the Gaussian around
it, and the slopes of that by the logarithms of the kernel's parameters. With π = σ(f), H = π(1 − π) and
B = I + √H K √H, Newton's steps solve with B, whose eigenvalues are all at least one.
*Stops when* log p no longer grows by `_GROWTH`, or after so many steps.
See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, algorithms 3.1, 3.2 and 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas
from scipy.special import erf, expit

from mercer.kernels import Kernel
from mercer.processes.likelihood import Factor, factored
from mercer.processes.noise import covariance, cross_covariance
from mercer.processes.slopes import Weights, slopes_of
from mercer.typing import Floats

__all__ = ["LaplaceEvidence", "LaplaceMode", "TwoClasses", "approximate_evidence", "find_mode"]

# As scikit-learn's.
_GROWTH = 1e-10

# σ(f) ≈ Σ c (1 + erf(λ f)) / 2, as scikit-learn has it. See Williams, Barber (1998), Bayesian classification with
# Gaussian processes, appendix A.
_LAMBDAS = np.array([0.41, 0.4, 0.37, 0.44, 0.39])[:, None]
_COEFS = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])[:, None]


class LaplaceMode(NamedTuple):
    """The mode of the latent function on the rows: its values, what they come from (f = K a), and the curvature."""

    latent: Floats
    coef: Floats
    share: Floats  # π, the probability of the class of ones
    root: Floats  # √H
    factor: Factor  # of B
    value: float  # log p(t), approximately


class LaplaceEvidence(NamedTuple):
    """log p(t), approximately, the latent function at its mode, and the slopes of log p(t)."""

    value: float
    latent: Floats
    slopes: Floats


def find_mode(K: Floats, ones: Floats, most_steps: int, start: Floats | None = None) -> LaplaceMode:
    """The mode by Newton's steps, from a latent function or from zero."""
    latent = np.zeros(len(ones)) if start is None else start.copy()
    best: LaplaceMode | None = None
    for _ in range(most_steps):
        share = expit(latent)
        curvature = share * (1 - share)
        root = np.sqrt(curvature)
        B = root[:, None] * K
        B *= root
        B[np.diag_indices_from(B)] += 1
        factor = factored(B)
        if factor is None:
            raise np.linalg.LinAlgError(
                "The kernel is not returning a positive semi-definite matrix, without which there is no Gaussian "
                "process. Use another kernel, or add White() to it."
            )
        b = curvature * latent + (ones - share)
        coef = b - root * factor.solve((root * (K @ b))[:, None])[:, 0]
        latent = K @ coef
        value = float(
            -0.5 * coef @ latent - np.logaddexp(0, -(2 * ones - 1) * latent).sum() - 0.5 * factor.log_determinant
        )
        grown = best is None or value - best.value >= _GROWTH
        best = LaplaceMode(latent, coef, share, root, factor, value)
        if not grown:
            break
    assert best is not None
    return best


def approximate_evidence(
    kernel: Kernel, X: Floats, ones: Floats, most_steps: int, start: Floats | None = None
) -> LaplaceEvidence:
    """log p(t) with its slopes by the logarithms of the parameters.

    With f̂ = K a, R = √H B⁻¹ √H and s the slope of log p by f̂ through H, they are ½ Σ_ij M_ij ∂K_ij with
    M = aaᵀ − R + w gᵀ + g wᵀ, where g = t − π and w = (I − R K) s.
    """
    K = covariance(kernel, X)
    mode = find_mode(K, ones, most_steps, start)
    inverse = mode.factor.inverse()
    # (K⁻¹ + H)⁻¹_ii H_ii = 1 − B⁻¹_ii, without a division by what may be zero.
    s = -0.5 * (1 - np.diagonal(inverse)) * (1 - 2 * mode.share)
    R = np.tril(inverse)
    R += np.tril(inverse, -1).T
    R *= mode.root[:, None]
    R *= mode.root
    gradient = ones - mode.share
    w = s - R @ (K @ s)
    M = blas.dsyrk(1.0, mode.coef[:, None], beta=-1.0, c=R.T, lower=0, overwrite_c=1)
    M = blas.dsyr2k(1.0, w[:, None], gradient[:, None], beta=1.0, c=M, lower=0, overwrite_c=1).T
    del K, inverse, R
    slopes = slopes_of(kernel, X, Weights(M, np.diagonal(M).copy()))
    return LaplaceEvidence(mode.value, mode.latent, 0.5 * np.array(slopes))


@dataclass(frozen=True, eq=False, repr=False)
class TwoClasses:
    """The latent function of two classes around its mode on the rows."""

    kernel: Kernel
    X: Floats
    coef: Floats  # t − π, by which the mean is an expansion
    root: Floats
    lower: Floats

    @classmethod
    def of(cls, kernel: Kernel, X: Floats, ones: Floats, most_steps: int) -> TwoClasses:
        mode = find_mode(covariance(kernel, X), ones, most_steps)
        return cls(kernel, X, ones - mode.share, mode.root, np.tril(mode.factor.lower))

    def mean(self, queries: Floats) -> Floats:
        """Of the latent function at every query."""
        return np.asarray(cross_covariance(self.kernel, queries, self.X) @ self.coef)

    def variance(self, queries: Floats) -> Floats:
        """Of the latent function at every query, never below zero."""
        values = cross_covariance(self.kernel, queries, self.X)
        values *= self.root
        known = np.asarray(blas.dtrsm(1.0, self.lower.T, values.T, side=0, lower=0, trans_a=1, overwrite_b=1))
        return np.asarray(np.maximum(self.kernel.diagonal(queries) - np.einsum("iq,iq->q", known, known), 0.0))

    def probability(self, queries: Floats) -> Floats:
        """Of the class of ones: the mean of σ(f), with σ as a mixture of five error functions."""
        widths = np.sqrt(1 + 2 * np.square(_LAMBDAS) * self.variance(queries))
        return np.asarray((_COEFS * (0.5 + 0.5 * erf(_LAMBDAS * self.mean(queries) / widths))).sum(axis=0))
