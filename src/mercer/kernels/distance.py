"""Kernels of the distance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammainc

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.kernels.base import Gamma, Kernel, check_gamma, gamma_value, number, squared_norms, times_gamma
from mercer.kernels.monomials import Term, count_monomials, power_terms
from mercer.typing import Floats

__all__ = ["RBF", "Laplacian"]

# As in the core: the rows whose median is the centre, and where a row is far out in float64.
_CENTRE_ROWS = 63
_FAR_OUT = 1e5

_ROWS_A_CHUNK = 4096


@dataclass(frozen=True)
class RBF(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖²)"""

    _name: ClassVar[str | None] = "rbf"

    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        check_gamma("RBF", self.gamma)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("rbf", gamma=number(self.gamma))

    def resolve(self, X: Any) -> RBF:
        return type(self)(gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        # Monomials of up to this degree are those of exactly this degree with one more variable.
        return None if degree is None else count_monomials(features + 1, degree)

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        if degree is None:
            return super().map_terms(features)
        # exp(−γ‖x − z‖²) = exp(−γ‖x‖²) exp(−γ‖z‖²) · Σ (2γ xᵀz)^k / k!
        gamma = number(self.gamma)
        powers = (term for k in range(degree + 1) for term in power_terms(features, k, 2 * gamma))
        return [term._replace(decay=gamma) for term in powers]

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        # exp(−s) Σ s^k / k! over k > degree with s = 2γ‖x‖², the upper tail of a Poisson distribution.
        if degree is None:
            return super().map_remainder(X)
        return np.asarray(gammainc(degree + 1, 2 * times_gamma(self.gamma, squared_norms(X))))

    @property
    def is_definite(self) -> bool:
        return True

    def rounding(self, X: Any) -> Floats:
        # A distance is a difference of norms, so its error grows with them, and goes through the exponential unchanged.
        # Dense rows beyond `_FAR_OUT` have their distances summed feature by feature instead.
        norms = times_gamma(self.gamma, _squared_spread(X))
        if not is_sparse(X):
            norms = np.minimum(norms, _FAR_OUT)
        return super().rounding_bound(X) * (1 + 2 * norms)

    def rounding_bound(self, X: Any) -> float:
        return math.inf if is_sparse(X) else super().rounding_bound(X) * (1 + 2 * _FAR_OUT)


@dataclass(frozen=True)
class Laplacian(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖₁)"""

    _name: ClassVar[str | None] = "laplacian"

    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        check_gamma("Laplacian", self.gamma)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("laplacian", gamma=number(self.gamma))

    def resolve(self, X: Any) -> Laplacian:
        return type(self)(gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def rounding(self, X: Any) -> Floats:
        # Centring rounds each feature relative to its distance from the centre.
        spread = np.concatenate([np.asarray(abs(chunk).sum(axis=1), dtype=np.float64).ravel() for chunk in _chunks(X)])
        return super().rounding_bound(X) + times_gamma(self.gamma, spread)

    def rounding_bound(self, X: Any) -> float:
        return math.inf

    @property
    def is_definite(self) -> bool:
        return True


def _chunks(X: Any) -> Iterator[Any]:
    """The rows around the centre that the core uses, some at a time, in float64; sparse data are not centred."""
    if is_sparse(X):
        yield X
        return
    step = max(1, len(X) // _CENTRE_ROWS)
    some = X[::step][:_CENTRE_ROWS]
    middle = len(some) // 2
    centre = np.partition(some, middle, axis=0)[middle].astype(np.float64)
    for first in range(0, len(X), _ROWS_A_CHUNK):
        yield X[first : first + _ROWS_A_CHUNK] - centre


def _squared_spread(X: Any) -> Floats:
    with np.errstate(over="ignore"):
        return np.concatenate([squared_norms(chunk) for chunk in _chunks(X)])
