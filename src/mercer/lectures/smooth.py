"""A differentiable function of a vector: its values, its gradient and its Hessian, by differences where not given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.typing import Floats

__all__ = ["Smooth", "as_smooth", "read_point"]

# Four values, at ±h and ±2h, have an error of h⁴ from the series and of eps / h from rounding: the best h is eps^(1/5).
_STEP = float(np.finfo(np.float64).eps ** 0.2)


@dataclass(frozen=True)
class Smooth:
    """A function x → number with its gradient and its Hessian; None takes central differences of fourth order."""

    function: Callable[[Floats], Any]
    derivative: Callable[[Floats], Any] | None = None
    second: Callable[[Floats], Floats] | None = None
    name: str = "function"

    def __call__(self, x: Floats) -> float:
        value = np.asarray(self.function(x), dtype=np.float64)
        if value.size != 1:
            raise InputError(f"{self.name}: expected one number at a point, got shape {value.shape}. Split it.")
        return float(value.reshape(()))

    def gradient(self, x: Floats) -> Floats:
        """The vector of partial derivatives."""
        if self.derivative is None:
            return _differences(self, x)
        gradient = np.asarray(self.derivative(x), dtype=np.float64)
        if gradient.shape != x.shape:
            raise InputError(f"{self.name}: expected a gradient of shape {x.shape}, got {gradient.shape}.")
        return gradient

    def hessian(self, x: Floats) -> Floats:
        """The symmetric matrix of second derivatives."""
        if self.second is not None:
            return self.second(x)
        H = _differences(self.gradient, x)
        return (H + H.T) / 2


def _differences(function: Callable[[Floats], Any], x: Floats) -> Floats:
    """The derivative of a function by each coordinate, in the first axis."""
    parts = []
    for i, size in enumerate(np.maximum(1.0, np.abs(x))):
        step = np.zeros_like(x)
        step[i] = _STEP * size
        near = np.asarray(function(x + step)) - np.asarray(function(x - step))
        far = np.asarray(function(x + 2 * step)) - np.asarray(function(x - 2 * step))
        parts.append((8 * near - far) / (12 * step[i]))
    return np.array(parts, dtype=np.float64)


def as_smooth(given: Any, name: str) -> Smooth:
    """A function, or a pair of it and its gradient."""
    if isinstance(given, Smooth):
        return given
    parts = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(parts) <= 2 or not all(map(callable, parts)):
        raise ParameterError(f"{name}: expected a function, or a pair of it and its gradient, got {given!r}.")
    return Smooth(parts[0], parts[1] if len(parts) == 2 else None, name=name)


def read_point(name: str, given: Any, size: int | None = None) -> Floats:
    """A vector of finite numbers."""
    try:
        point = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected a vector of numbers, got {given!r} ({error}).") from error
    if point.ndim != 1 or point.size == 0 or (size is not None and len(point) != size):
        wanted = "one or more" if size is None else str(size)
        raise InputError(f"{name}: expected a vector of {wanted} numbers, got shape {point.shape}.")
    if not np.all(np.isfinite(point)):
        raise InputError(f"{name}: expected finite numbers, got {point.tolist()}.")
    return point
