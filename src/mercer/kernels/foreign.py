"""Kernels whose values come from outside: a matrix at hand, or a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.data import asymmetry, is_sparse
from mercer.errors import KernelError, ParameterError
from mercer.kernels.base import Kernel, ValuesFrom
from mercer.typing import Floats

__all__ = ["Precomputed", "CallableKernel"]


@dataclass(frozen=True)
class Precomputed(Kernel):
    """X holds kernel values: between training rows in fit, between new rows and the training rows in predict

    Of a kernel that is known, as in Precomputed(RBF(0.5)), the facts hold for its matrix: whether it is positive
    semi-definite decides whether a certificate bounds the distance from the optimum, and what a solver may leave out.
    """

    _name: ClassVar[str | None] = "precomputed"

    of: Kernel | None = None

    def __post_init__(self) -> None:
        if self.of is not None and (not isinstance(self.of, Kernel) or self.of.is_pairwise):
            raise ParameterError(f"Precomputed: expected the kernel whose values X holds, or None, got {self.of!r}.")

    def __repr__(self) -> str:
        return "Precomputed()" if self.of is None else f"Precomputed({self.of!r})"

    def resolve(self, X: Any) -> Precomputed:
        return self

    @property
    def is_definite(self) -> bool | None:
        return None if self.of is None else self.of.is_definite

    @property
    def values_from(self) -> ValuesFrom:
        return ValuesFrom.MATRIX

    def matrix(self, X: Any, Z: Any) -> Floats:
        return np.asarray(X)

    def diagonal(self, X: Any) -> Floats:
        return np.diagonal(X).astype(np.float64)

    def magnitude(self, X: Any) -> Floats:
        return np.full(X.shape[0], max(float(X.max()), -float(X.min())) ** 0.5)

    def rounding_bound(self, X: Any) -> float:
        return 1.0


@dataclass(frozen=True)
class CallableKernel(Kernel):
    """k given by function(X, Z), which returns the matrix of values between the rows of X and of Z"""

    function: Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"CallableKernel: expected a callable of two matrices, got {self.function!r}.")

    def resolve(self, X: Any) -> CallableKernel:
        return self

    @property
    def is_definite(self) -> bool | None:
        return None

    def matrix(self, X: Any, Z: Any) -> Floats:
        shape = _length(X), _length(Z)
        if 0 in shape:
            return np.zeros(shape)  # many functions refuse a matrix without rows
        try:
            values = self.function(X, Z)
        except KernelError:
            raise
        except Exception as error:
            raise KernelError(
                f"{self._title}: expected it to return kernel values, got {type(error).__name__}: {error}. It was "
                f"called with {_told(X)} and {_told(Z)}."
            ) from error
        if is_sparse(values):
            values = values.toarray()
        if np.iscomplexobj(values):
            raise KernelError(f"{self._title}: expected it to return real numbers, got complex ones.")
        try:
            values = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise KernelError(
                f"{self._title}: expected it to return a matrix of numbers, got {type(values).__name__} ({error})."
            ) from error
        if values.shape != shape:
            raise KernelError(
                f"{self._title}: expected it to return a matrix of shape {shape}, one value for each row of X and each "
                f"row of Z, got {values.shape}."
            )
        if not np.all(np.isfinite(values)):
            raise KernelError(f"{self._title}: expected finite kernel values, got NaN or infinity.")
        if X is Z and (worst := asymmetry(values)) > 0:
            raise KernelError(
                f"{self._title}: expected it to be symmetric, got values that differ by {worst:.3g} if its arguments "
                "change places. Use (k(x, z) + k(z, x)) / 2 if that is what you mean."
            )
        return values

    @property
    def _title(self) -> str:
        return f"kernel {getattr(self.function, '__name__', type(self.function).__name__)}"


def _length(X: Any) -> int:
    """How many rows there are, of a matrix or a sequence of objects."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _told(X: Any) -> str:
    return f"a matrix of shape {X.shape}" if hasattr(X, "shape") else f"a {type(X).__name__} of {len(X)} objects"
