"""Kernels built from kernels. Sum and Product are types of their own, so that (a + b) * c stays what it says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import repeat
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.checks import check_number
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel, ValuesFrom
from mercer.kernels.foreign import CallableKernel
from mercer.kernels.monomials import Term
from mercer.typing import Floats

__all__ = ["Constant", "Sum", "Product", "Scaled", "as_kernel", "power_of"]

# Each factor is evaluated for itself.
_MOST_POWER = 64


@dataclass(frozen=True)
class Constant(Kernel):
    """k(x, z) = value, a number ≥ 0"""

    _name: ClassVar[str | None] = "constant"

    value: float

    def __post_init__(self) -> None:
        check_number("Constant", "value", self.value, least=0)

    def lower(self) -> core.Kernel:
        return core.Kernel.constant(float(self.value))

    def resolve(self, X: Any) -> Constant:
        return self

    def diagonal(self, X: Any) -> Floats:
        return np.full(X.shape[0], float(self.value))

    def map_size(self, features: int, degree: int | None = None) -> int:
        return 1

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        return [Term(float(self.value))]

    def __str__(self) -> str:
        return f"{self.value:g}"

    @property
    def is_definite(self) -> bool:
        return True


@dataclass(frozen=True)
class _Joined(Kernel):
    """Two kernels and what joins their values; lowered where both sides are."""

    # As those of scikit-learn's Gaussian processes.
    _shown_names: ClassVar[dict[str, str]] = {"left": "k1", "right": "k2"}

    left: Kernel
    right: Kernel

    def __post_init__(self) -> None:
        for side in (self.left, self.right):
            _check_operand(type(self).__name__, side)

    def resolve(self, X: Any) -> Kernel:
        return type(self)(self.left.resolve(X), self.right.resolve(X))

    @property
    def values_from(self) -> ValuesFrom:
        return _joined_values(self.left, self.right)

    def rounding(self, X: Any) -> Floats:
        return self.left.rounding(X) + self.right.rounding(X)

    def rounding_bound(self, X: Any) -> float:
        return self.left.rounding_bound(X) + self.right.rounding_bound(X)

    @property
    def is_definite(self) -> bool | None:
        # Sums and products of definite kernels are definite; of others, nothing follows.
        return True if self.left.is_definite and self.right.is_definite else None

    def _map_sizes(self, features: int, degree: int | None) -> tuple[int, int] | None:
        left, right = self.left.map_size(features, degree), self.right.map_size(features, degree)
        return None if left is None or right is None else (left, right)

    def _matrix(self, X: Any, Z: Any, join: Callable[[Any, Any], Any]) -> Floats:
        if self.values_from is ValuesFrom.CORE:
            return super().matrix(X, Z)
        return np.asarray(join(self.left.matrix(X, Z), self.right.matrix(X, Z)))


@dataclass(frozen=True)
class Sum(_Joined):
    """k(x, z) = left(x, z) + right(x, z)"""

    _name: ClassVar[str | None] = "sum"

    def lower(self) -> core.Kernel | None:
        left, right = self.left.lower(), self.right.lower()
        return None if left is None or right is None else left + right

    def matrix(self, X: Any, Z: Any) -> Floats:
        return self._matrix(X, Z, np.add)

    def diagonal(self, X: Any) -> Floats:
        return self.left.diagonal(X) + self.right.diagonal(X)

    def terms(self) -> list[Kernel]:
        return self.left.terms() + self.right.terms()

    def magnitude(self, X: Any) -> Floats:
        return np.hypot(self.left.magnitude(X), self.right.magnitude(X))

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        sizes = self._map_sizes(features, degree)
        return None if sizes is None else sum(sizes)

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        return self.left.map_terms(features, degree) + self.right.map_terms(features, degree)

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        return self.left.map_remainder(X, degree) + self.right.map_remainder(X, degree)

    def __str__(self) -> str:
        return f"{self.left} + {self.right}"


@dataclass(frozen=True)
class Product(_Joined):
    """k(x, z) = left(x, z) · right(x, z)"""

    _name: ClassVar[str | None] = "product"

    def lower(self) -> core.Kernel | None:
        left, right = self.left.lower(), self.right.lower()
        return None if left is None or right is None else left * right

    def matrix(self, X: Any, Z: Any) -> Floats:
        return self._matrix(X, Z, np.multiply)

    def diagonal(self, X: Any) -> Floats:
        return self.left.diagonal(X) * self.right.diagonal(X)

    def magnitude(self, X: Any) -> Floats:
        return self.left.magnitude(X) * self.right.magnitude(X)

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        sizes = self._map_sizes(features, degree)
        return None if sizes is None else math.prod(sizes)

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        left, right = self.left.map_terms(features, degree), self.right.map_terms(features, degree)
        return [term.times(other) for term in left for other in right]

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        # What the left side leaves out, with all of the right; and what it keeps, with what the right leaves out.
        left, right = self.left.map_remainder(X, degree), self.right.map_remainder(X, degree)
        return left * self.right.diagonal(X) + (self.left.diagonal(X) - left) * right

    def __str__(self) -> str:
        return f"{_as_factor(self.left)} * {_as_factor(self.right)}"


@dataclass(frozen=True)
class Scaled(Kernel):
    """k(x, z) = factor · kernel(x, z), with a factor > 0"""

    _name: ClassVar[str | None] = "scaled"
    _plain_names: ClassVar[dict[str, str]] = {"kernel": "of"}

    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        check_number("Scaled", "factor", self.factor)
        if self.factor <= 0:
            raise ParameterError(f"Scaled: expected a factor > 0, got {self.factor!r}: else it is no kernel.")
        _check_operand("Scaled", self.kernel)

    def lower(self) -> core.Kernel | None:
        inner = self.kernel.lower()
        return None if inner is None else core.Kernel.constant(self.factor) * inner

    def matrix(self, X: Any, Z: Any) -> Floats:
        return self.factor * self.kernel.matrix(X, Z)

    @property
    def values_from(self) -> ValuesFrom:
        return _joined_values(self.kernel)

    def resolve(self, X: Any) -> Scaled:
        return Scaled(self.factor, self.kernel.resolve(X))

    def diagonal(self, X: Any) -> Floats:
        return self.factor * self.kernel.diagonal(X)

    def magnitude(self, X: Any) -> Floats:
        return np.asarray(np.sqrt(self.factor) * self.kernel.magnitude(X))

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        return self.kernel.map_size(features, degree)

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        return [Term(self.factor).times(term) for term in self.kernel.map_terms(features, degree)]

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        return np.asarray(self.factor * self.kernel.map_remainder(X, degree))

    def __str__(self) -> str:
        return f"{self.factor:g} * {_as_factor(self.kernel)}"

    def rounding(self, X: Any) -> Floats:
        return self.kernel.rounding(X) + 1

    def rounding_bound(self, X: Any) -> float:
        return self.kernel.rounding_bound(X) + 1

    @property
    def is_definite(self) -> bool | None:
        return self.kernel.is_definite


def _joined_values(*kernels: Kernel) -> ValuesFrom:
    """Where the values of something made of kernels come from: the core, where those of all do."""
    asks = any(kernel.values_from is ValuesFrom.PYTHON for kernel in kernels)
    return ValuesFrom.PYTHON if asks else ValuesFrom.CORE


def power_of(kernel: Kernel, power: int) -> Kernel:
    """The product of a kernel with itself, so many times; of none of it, one."""
    if not isinstance(power, Integral) or isinstance(power, bool) or not 0 <= power <= _MOST_POWER:
        raise ParameterError(
            f"Expected {kernel} to a power that is an integer from 0 to {_MOST_POWER}, got {power!r}: other powers are "
            "no products of kernels."
        )
    if power == 1:
        return kernel
    _check_operand("Product", kernel)
    return reduce(Product, repeat(kernel, int(power))) if power else Constant(1.0)


def _check_operand(owner: str, kernel: object) -> None:
    if not isinstance(kernel, Kernel):
        raise ParameterError(f"{owner}: expected kernels, got {type(kernel).__name__}.")
    if kernel.is_pairwise:
        raise ParameterError(
            f"{owner}: a precomputed matrix cannot be combined with kernels. Combine the matrices before you pass them."
        )


def _as_factor(kernel: Kernel) -> str:
    return f"({kernel})" if isinstance(kernel, Sum) else str(kernel)


def as_kernel(value: Kernel | float) -> Kernel:
    """A kernel as it is, a number as a constant, a function of two matrices as a kernel."""
    if isinstance(value, Kernel):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return Constant(float(value))
    if callable(value):
        from mercer.kernels.translated import is_translatable, translate

        return translate(value).kernel if is_translatable(value) else CallableKernel(value)
    raise ParameterError(f"Expected a kernel or a number, got {type(value).__name__}.")
