"""Kernels of the Euclidean distance that Gaussian processes are made of, beside RBF.

Where there is a gamma it is 1 / (2 ℓ²) with the length scale ℓ, as for RBF, which they tend to.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from mercer._runtime import core
from mercer.checks import positive
from mercer.data import is_sparse
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.distance import RBF
from mercer.kernels.feature_gamma import (
    FeatureGamma,
    as_feature_gamma,
    gamma_of_length_scale,
    lowered_gamma,
    resolved_gamma,
)
from mercer.typing import Floats

__all__ = ["Matern", "RationalQuadratic"]

# The leaf of the core for each ν.
_LEAVES = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


@dataclass(frozen=True)
class _OfDistance(Kernel):
    """A function of gamma times the squared distance that is 1 at zero, with as many slopes as RBF next to it."""

    gamma: FeatureGamma = "scale"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", as_feature_gamma(type(self).__name__, self.gamma))

    @classmethod
    def with_length_scale(cls, length_scale: Any, **others: Any) -> Self:
        """The kernel by its length scale ℓ, or one for each feature: gamma is 1 / (2 ℓ²)."""
        return cls(gamma=gamma_of_length_scale(cls.__name__, length_scale), **others)

    def resolve(self, X: Any) -> Self:
        return replace(self, gamma=resolved_gamma(type(self).__name__, self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def rounding(self, X: Any) -> Floats:
        return RBF(self.gamma).rounding(X)

    def rounding_bound(self, X: Any) -> float:
        return RBF(self.gamma).rounding_bound(X)

    @property
    def is_definite(self) -> bool:
        return True


@dataclass(frozen=True)
class Matern(_OfDistance):
    """Matérn's kernel with ν = 1/2, 3/2 or 5/2: functions with no, one or two derivatives

    With r = ‖x − z‖ / ℓ, where gamma = 1 / (2 ℓ²): exp(−r), (1 + √3 r) exp(−√3 r) and (1 + √5 r + 5/3 r²) exp(−√5 r).
    As ν grows it tends to RBF with the same gamma; ν = ∞ is RBF itself. One gamma for each feature is taken as well.

    Examples
    --------
    >>> from mercer import Matern
    >>> Matern.with_length_scale(2.0, nu=1.5)([[0.0]], [[2.0]]).round(4).tolist()
    [[0.4834]]
    """

    _name: ClassVar[str | None] = "matern"

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.nu, bool) or self.nu not in _LEAVES:
            raise ParameterError(
                f"Matern: expected nu to be 0.5, 1.5 or 2.5, got {self.nu!r}. RBF is the kernel of nu = ∞."
            )

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf(_LEAVES[self.nu], gamma=lowered_gamma(self.gamma))

    def rounding(self, X: Any) -> Floats:
        units = super().rounding(X)
        if self.nu > 1:
            return 4 * units
        # Distances of dense rows are summed feature by feature. Others are differences of norms, and the root of what
        # rounding leaves of zero is much larger than it.
        return np.sqrt(units / sys.float_info.epsilon) if is_sparse(X) else units

    def rounding_bound(self, X: Any) -> float:
        return math.inf if is_sparse(X) else 4 * super().rounding_bound(X)


@dataclass(frozen=True)
class RationalQuadratic(_OfDistance):
    """k(x, z) = (1 + gamma ‖x − z‖² / alpha)^(−alpha), a mixture of RBF kernels with many length scales

    As alpha grows it tends to RBF with the same gamma. One gamma for each feature is taken as well.

    Examples
    --------
    >>> from mercer import RationalQuadratic
    >>> RationalQuadratic(gamma=0.5, alpha=1.0)([[0.0]], [[1.0]]).round(4).tolist()
    [[0.6667]]
    """

    _name: ClassVar[str | None] = "rational_quadratic"

    alpha: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("RationalQuadratic: alpha", self.alpha)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("rational_quadratic", gamma=lowered_gamma(self.gamma), alpha=float(self.alpha))

    def rounding(self, X: Any) -> Floats:
        return (1 + self.alpha) * super().rounding(X)

    def rounding_bound(self, X: Any) -> float:
        return (1 + self.alpha) * super().rounding_bound(X)
