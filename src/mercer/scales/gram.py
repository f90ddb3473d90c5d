"""The kernel matrix of rows under weights of their features, and the slopes of what is made of it.

K_ij = exp(−Σ_k w_k (x_ik − x_jk)²), and A = K + 1 + ρ I: a constant is priced as a kernel of ones is, ρ is the noise.
An objective is a value with a symmetric matrix M of its slopes by A; the slopes by all w_k follow in one pass over the
pairs, as Σ_ij M_ij ∂K_ij / ∂w_k = −2 Σ_{j<i} M_ij K_ij (x_ik − x_jk)².
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import lapack

from mercer._runtime import core
from mercer.kernels import RBF
from mercer.typing import Floats

__all__ = ["Gram"]

# Of ρ, by its logarithm. Below, A is near singular in float64 where rows are many; above, only the constant is left.
_NOISE = (math.log(1e-6), math.log(1e2))


class Gram(ABC):
    """An objective of w and log ρ, through the inverse of A.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Standardised rows in float64.
    targets : ndarray of shape (n, T)
        With mean 0, and variance 1 in sum.
    threads : int
        Of the pass over pairs.
    """

    #: Of log ρ, which follows the weights.
    extra_bounds: tuple[tuple[float, float], ...] = (_NOISE,)

    def __init__(self, X: Floats, targets: Floats, threads: int) -> None:
        self._X, self._targets, self._threads = np.ascontiguousarray(X), targets, threads

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """The value, and its slopes by w and log ρ; infinite where A is not positive definite."""
        noise = math.exp(parameters[-1])
        K = RBF(parameters[:-1].tolist()).matrix(self._X, self._X)
        A = K + 1
        A.flat[:: len(A) + 1] += noise
        upper, info = lapack.dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
        if info != 0:
            return math.inf, np.zeros(len(parameters))
        log_determinant = 2 * float(np.log(np.diagonal(upper)).sum())
        inverse = np.asarray(lapack.dpotri(upper, lower=0, overwrite_c=1)[0]).T  # below its diagonal, row by row
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        value, M = self._judge(inverse, log_determinant)
        slopes = core.pair_sums(np.ascontiguousarray(M), K, self._X, True, self._threads)[1]
        return value, np.append(-2 * slopes, noise * np.trace(M))

    @abstractmethod
    def _judge(self, inverse: Floats, log_determinant: float) -> tuple[float, Floats]:
        """The value, and its slopes by A, symmetric."""
