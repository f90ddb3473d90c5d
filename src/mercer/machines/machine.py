"""What every machine has: support vectors, their coefficients, intercepts; checked once and read-only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import threads_worth
from mercer.data import is_sparse, take_rows
from mercer.errors import InputError
from mercer.kernels import Kernel, Linear
from mercer.machines.expansion import Expansion, Segment
from mercer.plain_state import PlainState
from mercer.typing import Floats, Integers

__all__ = ["Machine"]


@dataclass(frozen=True, eq=False)
class Machine(PlainState, ABC):
    """Functions Σ_j c_j k(x_j, ·) + intercept on shared support vectors, one or several.

    `support` are the numbers of the training rows that are the support vectors; `n_support` counts them by class.
    `dual_coef` has the coefficients in LIBSVM's layout. Of the linear kernel, `weights` are those of the features where
    float64 coefficients cannot make them up, one row a function.
    """

    kernel: Kernel
    n_features: int
    support: NDArray[np.int32]
    support_vectors: Any
    n_support: NDArray[np.int32]
    dual_coef: Floats
    intercept: Floats
    weights: Floats | None = field(default=None, kw_only=True)

    @abstractmethod
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes that `n_support`, `dual_coef` and `intercept` must have."""

    @abstractmethod
    def _segments(self) -> list[Segment]:
        """Which support vectors contribute to which function, and with which coefficients."""

    def __post_init__(self) -> None:
        counts = self.n_support.ravel().tolist()
        vectors = sum(counts)
        expected = {
            "support": self.support.shape == (vectors,),
            "support_vectors": self.kernel.is_pairwise or self.support_vectors.shape == (vectors, self.n_features),
            "n_support": min(counts, default=0) >= 0,
            "dual_coef": bool(np.isfinite(self.dual_coef).all()),
            "intercept": all(map(math.isfinite, self.intercept.ravel().tolist())),
        }
        for name, shape in self._shapes().items():
            expected[name] &= getattr(self, name).shape == shape
        if self.weights is not None:
            fits = isinstance(self.kernel, Linear) and self.weights.shape == (len(self.intercept), self.n_features)
            expected["weights"] = fits and bool(np.isfinite(self.weights).all())
            object.__setattr__(self, "weights", locked(self.weights))
        wrong = [name for name, fine in expected.items() if not fine]
        if wrong:
            raise InputError(
                f"The machine's {', '.join(wrong)} do not fit together: expected finite arrays for {vectors} support "
                "vectors. Fit the estimator again instead of changing its arrays."
            )
        for name in ("support", "n_support", "dual_coef", "intercept"):
            object.__setattr__(self, name, locked(getattr(self, name)))
        if is_sparse(self.support_vectors):
            for name in ("data", "indices", "indptr"):
                setattr(self.support_vectors, name, locked(getattr(self.support_vectors, name)))
        else:
            object.__setattr__(self, "support_vectors", locked(self.support_vectors))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @cached_property
    def expansion(self) -> Expansion:
        """The sums behind the functions, one output each."""
        if self.kernel.is_pairwise:
            centres: Any = self.support
        elif self.kernel.lower() is None:
            centres = self.support_vectors.copy()  # a function may want to write into what it gets
        else:
            centres = self.support_vectors
        return Expansion(self.kernel, centres, tuple(self._segments()), len(self.intercept), self.weights)

    def decision(self, X: Any, threads: int | None, dtype: type) -> Floats:
        """The values of the functions at every row, shape (rows, functions)."""
        threads = threads_worth(X.shape[0] * len(self.support), threads)
        return self.expansion(X, threads, dtype) + self.intercept

    def coef_of(self, function: int) -> tuple[Integers, Floats]:
        """Positions within the support of one function's support vectors, and their coefficients."""
        parts = [part for part in self.expansion.segments if part.output == function]
        positions = np.concatenate([np.arange(part.first, part.last) for part in parts])
        return positions, np.concatenate([part.coef for part in parts])

    def coef_at_rows(self, function: int, count: int) -> Floats:
        """The same as one coefficient for each of `count` training rows."""
        positions, coef = self.coef_of(function)
        full = np.zeros(count)
        full[self.support[positions]] = coef
        return full


def vectors_of(kernel: Kernel, X: Any, support: Integers) -> Any:
    """The support vectors among the rows of X; a precomputed kernel has none."""
    return np.empty((0, 0), X.dtype) if kernel.is_pairwise else take_rows(X, support)


def locked(array: Any) -> Any:
    """A read-only view of a read-only array: NumPy lets nobody make it writable again."""
    array.setflags(write=False)
    return array.view()
