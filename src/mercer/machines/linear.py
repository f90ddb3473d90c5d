"""Machines that keep weights: f(x) = wᵀx + b, one function or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core, threads_worth
from mercer.data import as_core_data, is_sparse
from mercer.errors import InputError
from mercer.machines.machine import Machine
from mercer.typing import Floats, Integers

__all__ = ["LinearMachine", "linear_values"]


@dataclass(frozen=True, eq=False)
class LinearMachine(Machine):
    """Weights, one row a function, and as many intercepts."""

    kind: ClassVar[str] = "linear"

    weights: Any
    intercept: Any

    def __post_init__(self) -> None:
        weights = as_numbers(self.weights.toarray() if is_sparse(self.weights) else self.weights)
        intercept = as_numbers(self.intercept)
        if weights is None or weights.ndim != 2:
            raise InputError("weights: expected finite numbers, one row a function, got others.")
        if intercept is None or intercept.shape not in ((), (len(weights),)):
            raise InputError(f"intercept: expected {len(weights)} finite numbers, got others.")
        own = np.ascontiguousarray(weights).view()
        own.setflags(write=False)
        object.__setattr__(self, "weights", own)
        object.__setattr__(self, "intercept", np.broadcast_to(intercept, len(weights)))

    @property
    def n_features(self) -> int:  # type: ignore[override]
        return int(self.weights.shape[1])

    def values(self, X: Any, threads: int | None, dtype: type = np.float64) -> Floats:
        self._check_features(X)
        threads = threads_worth(self.weights.size * X.shape[0], threads)
        return linear_values(as_core_data(X), None, self.weights, self.intercept, threads)


def linear_values(data: core.Data, rows: Integers | None, weights: Floats, intercept: Any, threads: int) -> Floats:
    """wᵀx + b for each row w of the weights, at some rows of the data, shape (rows, functions); all where None."""
    columns = [core.linear_values(data, rows, np.ascontiguousarray(w), threads) for w in weights]
    return np.asarray(np.stack(columns, axis=1) + intercept)


def as_numbers(values: Any) -> Floats | None:
    """The values in float64; None where they are none, or not finite."""
    try:
        given = np.asarray(values)
        numbers = None if given.dtype.kind == "c" else given.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        return None
    return numbers if numbers is not None and np.isfinite(numbers).all() else None
