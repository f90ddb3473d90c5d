"""What is known of a function once it was observed.

See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, algorithm 2.1; for what each observation looks
like from all others, section 5.4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm

from mercer.kernels import Kernel
from mercer.processes.noise import covariance, cross_covariance
from mercer.typing import Floats

__all__ = ["LeftOut", "Posterior"]

# Numbers that are held at a time on the way to variances: 64 MB.
_MOST_NUMBERS = 8_000_000


class LeftOut(NamedTuple):
    """What all other observations say of each: mean, and variance with noise."""

    mean: Floats
    variance: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Rows under a kernel with the factor L of their covariance, and α = K⁻¹ y, one column a target."""

    kernel: Kernel
    X: Floats
    lower: Floats
    alpha: Floats

    def mean(self, queries: Any) -> Floats:
        """The expected value at every query, one column a target."""
        return np.asarray(cross_covariance(self.kernel, queries, self.X) @ self.alpha)

    def variance(self, queries: Any) -> Floats:
        """Of an observation at every query, never below zero, some queries at a time."""
        step = max(1, _MOST_NUMBERS // len(self.X))
        parts = [self._variance(queries[first : first + step]) for first in range(0, len(queries), step)]
        return np.concatenate(parts)

    def _variance(self, queries: Any) -> Floats:
        known = self._whitened(queries)
        # Rounding can leave less than nothing of the difference of two numbers that are almost the same.
        return np.asarray(np.maximum(self.kernel.diagonal(queries) - np.einsum("qi,qi->q", known, known), 0.0))

    def covariance(self, queries: Any) -> Floats:
        """Of observations at all queries."""
        known = self._whitened(queries)
        left = covariance(self.kernel, queries) - known @ known.T
        left[np.diag_indices_from(left)] = np.maximum(np.diagonal(left), 0.0)
        return left

    def _whitened(self, queries: Any) -> Floats:
        """L⁻¹ k(X, q), one row a query."""
        values = cross_covariance(self.kernel, queries, self.X)
        # As LAPACK sees it, the transposed matrix has queries in columns and the factor above the diagonal.
        return np.asarray(dtrsm(1.0, self.lower.T, values.T, side=0, lower=0, trans_a=1, overwrite_b=1)).T

    def left_out(self, y: Floats) -> LeftOut:
        """Each observation as all others tell it: y − α / K⁻¹_ii, with the variance 1 / K⁻¹_ii."""
        inverse = lapack.dtrtri(self.lower.T, lower=0)[0]
        diagonal = np.einsum("ij,ij->i", inverse, inverse)[:, None]
        return LeftOut(y - self.alpha / diagonal, 1.0 / diagonal[:, 0])
