"""Kernels of the dot product."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.checks import check_gamma, check_number
from mercer.errors import ParameterError
from mercer.kernels.base import (
    Gamma,
    Kernel,
    ValuesFrom,
    gamma_value,
    number,
    squared_norms,
    times_gamma,
)
from mercer.kernels.monomials import Term, count_monomials, power_terms
from mercer.typing import Floats

__all__ = ["Linear", "Polynomial", "Sigmoid"]


@dataclass(frozen=True)
class Linear(Kernel):
    """k(x, z) = xᵀz"""

    _name: ClassVar[str | None] = "linear"

    @property
    def values_from(self) -> ValuesFrom:
        return ValuesFrom.WEIGHTS

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("linear")

    def resolve(self, X: Any) -> Linear:
        return self

    def diagonal(self, X: Any) -> Floats:
        return squared_norms(X)

    def map_size(self, features: int, degree: int | None = None) -> int:
        return features

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        return list(power_terms([(j, 1.0) for j in range(features)], 1))

    def map_rows(self, X: Any, degree: int | None = None) -> Any:
        return X

    @property
    def is_definite(self) -> bool:
        return True


@dataclass(frozen=True)
class Polynomial(Kernel):
    """k(x, z) = (gamma · xᵀz + coef0)^degree

    `coef0=0` is the homogeneous kernel. Definite where gamma and coef0 are not negative.
    """

    _name: ClassVar[str | None] = "poly"

    degree: int = 3
    gamma: Gamma = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.degree, Integral) or isinstance(self.degree, bool) or self.degree < 0:
            raise ParameterError(f"Polynomial: expected degree to be an integer ≥ 0, got {self.degree!r}.")
        check_gamma("Polynomial", self.gamma)
        check_number("Polynomial", "coef0", self.coef0)

    @classmethod
    def general(cls, alpha: float, beta: float, gamma: int) -> Polynomial:
        """The general form (xᵀz / alpha + beta)^gamma."""
        check_number("Polynomial.general", "alpha", alpha)
        if alpha <= 0:
            raise ParameterError(f"Polynomial.general: expected alpha > 0, got {alpha!r}.")
        return cls(degree=gamma, gamma=1.0 / alpha, coef0=beta)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf(
            "polynomial", gamma=number(self.gamma), coef0=float(self.coef0), degree=int(self.degree)
        )

    def resolve(self, X: Any) -> Polynomial:
        return replace(self, gamma=gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return (times_gamma(self.gamma, squared_norms(X)) + self.coef0) ** self.degree

    def magnitude(self, X: Any) -> Floats:
        return (times_gamma(self.gamma, squared_norms(X)) + abs(self.coef0)) ** (self.degree / 2)

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        return count_monomials(features + (self.coef0 != 0), self.degree) if self.is_definite else None

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        if not self.is_definite:
            return super().map_terms(features, degree)
        # (s + c)^p = Σ p! / (p − k)! · c^(p − k) · s^k / k!
        p, c, gamma = int(self.degree), float(self.coef0), number(self.gamma)
        variables = [(j, gamma) for j in range(features)]
        powers = range(p + 1) if c else [p]
        return [term for k in powers for term in power_terms(variables, k, math.perm(p, k), c ** (p - k))]

    @property
    def is_definite(self) -> bool:
        return self.coef0 >= 0

    def rounding_bound(self, X: Any) -> float:
        return max(1, self.degree) * super().rounding_bound(X)


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """k(x, z) = tanh(gamma · xᵀz + coef0), which is not positive semi-definite in general"""

    _name: ClassVar[str | None] = "sigmoid"

    gamma: Gamma = "scale"
    coef0: float = 0.0

    def __post_init__(self) -> None:
        check_gamma("Sigmoid", self.gamma)
        check_number("Sigmoid", "coef0", self.coef0)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("sigmoid", gamma=number(self.gamma), coef0=float(self.coef0))

    def resolve(self, X: Any) -> Sigmoid:
        return replace(self, gamma=gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.tanh(times_gamma(self.gamma, squared_norms(X)) + self.coef0)

    def magnitude(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    @property
    def is_definite(self) -> bool:
        return False
