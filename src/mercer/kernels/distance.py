"""Kernels of the distance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.data import is_sparse
from mercer.kernels.base import Kernel, number, squared_norms, times_gamma
from mercer.kernels.feature_gamma import (
    FeatureGamma,
    as_feature_gamma,
    gamma_of_length_scale,
    lowered_gamma,
    resolved_gamma,
    scale_features,
)
from mercer.kernels.monomials import Term, count_monomials, power_terms
from mercer.typing import Floats

__all__ = ["RBF", "Laplacian"]

# As in the core: the rows whose median is the centre, and where a row is far out in float64.
_CENTRE_ROWS = 63
_FAR_OUT = 1e5

_ROWS_PER_CHUNK = 4096


@dataclass(frozen=True)
class RBF(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖²)

    With one gamma for each feature, as in RBF(gamma=[0.5, 2.0, 0.0]), it is exp(−Σ gamma_j (x_j − z_j)²): a feature
    counts by its own gamma, and one whose gamma is zero does not count.

    Examples
    --------
    >>> from mercer import RBF
    >>> RBF(gamma=[0.5, 0.0])([[0.0, 3.0]], [[2.0, 7.0]]).round(4).tolist()
    [[0.1353]]
    """

    _name: ClassVar[str | None] = "rbf"

    gamma: FeatureGamma = "scale"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", as_feature_gamma("RBF", self.gamma))

    @classmethod
    def with_length_scale(cls, length_scale: Any) -> RBF:
        """The kernel by its length scale ℓ, or one for each feature: gamma is 1 / (2 ℓ²)."""
        return cls(gamma_of_length_scale("RBF", length_scale))

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("rbf", gamma=lowered_gamma(self.gamma))

    def resolve(self, X: Any) -> RBF:
        return type(self)(resolved_gamma("RBF", self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        # Monomials of up to this degree are those of exactly this degree with one more variable.
        return None if degree is None else count_monomials(self._count(features) + 1, degree)

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        if degree is None:
            return super().map_terms(features)
        # exp(−γ‖x − z‖²) = exp(−γ‖x‖²) exp(−γ‖z‖²) · Σ (2γ xᵀz)^k / k!
        twice = [(j, 2 * gamma) for j, gamma in self._variables(features)]
        decay = self.gamma if isinstance(self.gamma, tuple) else number(self.gamma)
        return [term._replace(decay=decay) for k in range(degree + 1) for term in power_terms(twice, k)]

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        # exp(−s) Σ s^k / k! over k > degree with s = 2γ‖x‖², the upper tail of a Poisson distribution.
        if degree is None:
            return super().map_remainder(X)
        if isinstance(self.gamma, tuple):
            return RBF(1.0).map_remainder(self._scaled(X), degree)
        from scipy.special import gammainc  # it takes long to import

        return np.asarray(gammainc(degree + 1, 2 * times_gamma(self.gamma, squared_norms(X))))

    @property
    def is_definite(self) -> bool:
        return True

    def rounding(self, X: Any) -> Floats:
        if isinstance(self.gamma, tuple):
            return RBF(1.0).rounding(self._scaled(X))
        # A distance is a difference of norms, so its error grows with them, and goes through the exponential unchanged.
        # Dense rows beyond `_FAR_OUT` have their distances summed feature by feature instead.
        norms = times_gamma(self.gamma, _squared_spread(X))
        if not is_sparse(X):
            norms = np.minimum(norms, _FAR_OUT)
        return super().rounding_bound(X) * (1 + 2 * norms)

    def rounding_bound(self, X: Any) -> float:
        return math.inf if is_sparse(X) else super().rounding_bound(X) * (1 + 2 * _FAR_OUT)

    def _count(self, features: int) -> int:
        """The features that count."""
        return sum(gamma > 0 for gamma in self.gamma) if isinstance(self.gamma, tuple) else features

    def _variables(self, features: int) -> list[tuple[int, float]]:
        """The features with their gammas; those that have a gamma of zero of their own do not count."""
        if isinstance(self.gamma, tuple):
            return [(j, gamma) for j, gamma in enumerate(self.gamma) if gamma > 0]
        return [(j, number(self.gamma)) for j in range(features)]

    def _scaled(self, X: Any) -> Any:
        """The rows on which gamma is 1 for all features."""
        return scale_features(X, np.sqrt(self.gamma))


@dataclass(frozen=True)
class Laplacian(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖₁)

    With one gamma for each feature it is exp(−Σ gamma_j |x_j − z_j|), and a feature whose gamma is zero does not count.
    """

    _name: ClassVar[str | None] = "laplacian"

    gamma: FeatureGamma = "scale"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", as_feature_gamma("Laplacian", self.gamma))

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("laplacian", gamma=lowered_gamma(self.gamma))

    def resolve(self, X: Any) -> Laplacian:
        return type(self)(resolved_gamma("Laplacian", self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def rounding(self, X: Any) -> Floats:
        if isinstance(self.gamma, tuple):
            return Laplacian(1.0).rounding(scale_features(X, self.gamma))
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
    for first in range(0, len(X), _ROWS_PER_CHUNK):
        yield X[first : first + _ROWS_PER_CHUNK] - centre


def _squared_spread(X: Any) -> Floats:
    with np.errstate(over="ignore"):
        return np.concatenate([squared_norms(chunk) for chunk in _chunks(X)])
