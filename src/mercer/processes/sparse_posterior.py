"""What is known of a function once it was observed, told by inducing rows alone.

With v = L⁻¹ k(Z, x) and B as in `inducing`, the function at x has the mean kᵀ β and the variance
k(x, x) − vᵀv + vᵀ B⁻¹ v. See Titsias (2009), Variational learning of inducing variables in sparse Gaussian processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.processes.bounds import coefficients
from mercer.processes.inducing import Inducing, Seen, solved
from mercer.processes.likelihood import Factor
from mercer.processes.noise import covariance, cross_covariance, own_noise, quiet
from mercer.typing import Floats

__all__ = ["SparsePosterior"]


@dataclass(frozen=True, eq=False, repr=False)
class SparsePosterior:
    """Inducing rows, the factor of B, β, and queries that are answered at a time."""

    inducing: Inducing
    inner: Factor
    beta: Floats
    step: int

    @classmethod
    def of(cls, inducing: Inducing, seen: Seen, step: int) -> SparsePosterior:
        return cls(inducing, seen.factor, coefficients(inducing, seen).beta, step)

    def mean(self, queries: Any) -> Floats:
        """The expected value at every query, one column a target."""
        kernel, Z = self.inducing.kernel, self.inducing.Z
        return np.concatenate([cross_covariance(kernel, part, Z) @ self.beta for part in self._parts(queries)])

    def variance(self, queries: Any) -> Floats:
        """Of an observation at every query, never below zero."""
        kernel, found = self.inducing.kernel, []
        for part in self._parts(queries):
            V = self.inducing.whitened(part)
            # Rounding can leave less than nothing of the difference of two numbers that are almost the same.
            left = np.maximum(quiet(kernel).diagonal(part) - np.einsum("qm,qm->q", V, V), 0.0)
            known = solved(self.inner, V)
            found.append(left + np.einsum("qm,qm->q", known, known) + own_noise(kernel, part))
        return np.concatenate(found)

    def covariance(self, queries: Any) -> Floats:
        """Of observations at all queries."""
        V = self.inducing.whitened(queries)
        left = covariance(self.inducing.kernel, queries)
        left -= V @ V.T
        known = solved(self.inner, V)
        left += known @ known.T
        left[np.diag_indices_from(left)] = np.maximum(np.diagonal(left), 0.0)
        return left

    def _parts(self, queries: Any) -> list[Any]:
        return [queries[first : first + self.step] for first in range(0, len(queries), self.step)]
