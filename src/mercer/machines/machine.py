"""What every machine has: support vectors, their coefficients, intercepts; checked once and read-only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import threads_worth
from mercer.data import core_ready, is_sparse, take_rows
from mercer.errors import InputError
from mercer.kernels import Kernel
from mercer.machines.expansion import Expansion, Segment
from mercer.machines.precise_expansion import PreciseExpansion
from mercer.plain_state import PlainState
from mercer.typing import Floats, Integers

__all__ = ["Machine"]

# Kinds of what arrays hold, by NumPy's letters.
_KINDS = {"support": "iu", "n_support": "iu", "dual_coef": "f", "intercept": "f", "classes": "biufUSO"}


@dataclass(frozen=True, eq=False)
class Machine(PlainState, ABC):
    """Functions Σ_j c_j k(x_j, ·) + intercept on shared support vectors, one or several.

    `support` are the numbers of the training rows that are the support vectors; `n_support` counts them by class.
    `dual_coef` has the coefficients in LIBSVM's layout. With `is_precise`, sums are taken in twice the precision of
    float64, for they cancel to less than it tells; `low` has what float64 leaves of the coefficients then, where that
    matters, one row a function.
    """

    kernel: Kernel
    n_features: int
    support: NDArray[np.int32]
    support_vectors: Any
    n_support: NDArray[np.int32]
    dual_coef: Floats
    intercept: Floats
    is_precise: bool = field(default=False, kw_only=True)
    low: Floats | None = field(default=None, kw_only=True)

    @abstractmethod
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes that `n_support`, `dual_coef`, `intercept` and the classes must have."""

    @abstractmethod
    def _segments(self) -> list[Segment]:
        """Which support vectors contribute to which function, and with which coefficients."""

    def __post_init__(self) -> None:
        self._check_arrays()
        if self.low is not None:
            object.__setattr__(self, "low", locked(self.low))
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

    def check(self) -> None:
        """Raises where arrays that do not fit have taken the place of its own; those that fit are used from now on."""
        parts, known = self._parts(), self._checked
        if len(parts) != len(known) or any(map(is_not, parts, known)):
            for name in set(self.__dict__) - set(self.__dataclass_fields__):
                del self.__dict__[name]
            self.check()

    @cached_property
    def _checked(self) -> tuple[Any, ...]:
        """The parts that were found to fit."""
        self._check_arrays()
        return self._parts()

    def _parts(self) -> tuple[Any, ...]:
        own, vectors = self.__dict__, self.support_vectors
        parts = tuple([own.get(name) for name in self.__dataclass_fields__])
        if is_sparse(vectors):
            parts += tuple([getattr(vectors, name, None) for name in ("data", "indices", "indptr")])
        return parts

    def _check_arrays(self) -> None:
        arrays = {name: kinds for name, kinds in _KINDS.items() if name in self.__dataclass_fields__}
        wrong = [name for name, kinds in arrays.items() if not _is_array(getattr(self, name), kinds)]
        wrong += [] if isinstance(self.kernel, Kernel) else ["kernel"]
        wrong += [] if isinstance(self.n_features, int) else ["n_features"]
        wrong = wrong or self._misfits()
        if wrong:
            raise InputError(
                f"The machine's {', '.join(wrong)} do not fit together: expected a kernel and finite arrays of one "
                "size. Fit the estimator again instead of changing its arrays."
            )

    def _misfits(self) -> list[str]:
        """Names of the arrays that are not of the size or within the range that the others ask for."""
        counts, pairwise = self.n_support.ravel().tolist(), self.kernel.is_pairwise
        vectors = sum(counts)
        expected = {
            "support": self.support.shape == (vectors,) and not (pairwise and self._support_is_outside()),
            "support_vectors": pairwise or _has_shape(self.support_vectors, (vectors, self.n_features)),
            "n_support": min(counts, default=0) >= 0,
            "dual_coef": bool(np.isfinite(self.dual_coef).all()),
            "intercept": all(map(math.isfinite, self.intercept.ravel().tolist())),
        }
        for name, shape in self._shapes().items():
            expected[name] = expected.get(name, True) and getattr(self, name).shape == shape
        if self.low is not None:
            fits = self.is_precise and _is_array(self.low, "f") and self.low.shape == (len(self.intercept), vectors)
            expected["low"] = fits and bool(np.isfinite(self.low).all())
        return [name for name, fine in expected.items() if not fine]

    def _support_is_outside(self) -> bool:
        return bool(((self.support < 0) | (self.support >= self.n_features)).any())

    @cached_property
    def expansion(self) -> Expansion:
        """The sums behind the functions, one output each."""
        if self.kernel.is_pairwise:
            centres: Any = self.support
        elif self.kernel.lower() is None:
            centres = self.support_vectors.copy()  # a function may want to write into what it gets
        elif is_sparse(self.support_vectors):
            centres = core_ready(copy(self.support_vectors))  # on which SciPy may note what it finds
        else:
            centres = core_ready(self.support_vectors)
        segments, outputs = tuple(self._segments()), len(self.intercept)
        if self.is_precise:
            return PreciseExpansion(self.kernel, centres, segments, outputs, self.low)
        return Expansion(self.kernel, centres, segments, outputs)

    def decision(self, X: Any, threads: int | None, dtype: type) -> Floats:
        """The values of the functions at every row, shape (rows, functions)."""
        self.check()
        if X.shape[1] != self.n_features:
            raise InputError(
                f"Expected rows of {self.n_features} features, as the machine was fitted on, got {X.shape[1]}. Fit the "
                "estimator again instead of changing its attributes."
            )
        threads = threads_worth(X.shape[0] * len(self.support), threads)
        return self.expansion(X, threads, dtype) + self.intercept

    def coef_of(self, function: int) -> tuple[Integers, Floats]:
        """Positions within the support of one function's support vectors, and their coefficients."""
        self.check()
        parts = [part for part in self.expansion.segments if part.output == function]
        positions = np.concatenate([np.arange(part.first, part.last) for part in parts])
        return positions, np.concatenate([part.coef for part in parts])

    def low_at_rows(self, function: int, count: int) -> Floats:
        """What float64 leaves of them."""
        full = np.zeros(count)
        if self.low is not None:
            full[self.support] = self.low[function]
        return full

    def coef_at_rows(self, function: int, count: int) -> Floats:
        """The same as one coefficient for each of `count` training rows."""
        positions, coef = self.coef_of(function)
        full = np.zeros(count)
        full[self.support[positions]] = coef
        return full


def _is_array(values: Any, kinds: str) -> bool:
    """Whether it is one of these kinds of numbers; those with a fraction are float64."""
    return (
        isinstance(values, np.ndarray) and values.dtype.kind in kinds and (kinds != "f" or values.dtype == np.float64)
    )


def _has_shape(vectors: Any, shape: tuple[int, int]) -> bool:
    values = getattr(vectors, "data", None) if is_sparse(vectors) else vectors
    return isinstance(values, np.ndarray) and values.dtype.kind == "f" and vectors.shape == shape


def vectors_of(kernel: Kernel, X: Any, support: Integers) -> Any:
    """The support vectors among the rows of X; a precomputed kernel has none."""
    return np.empty((0, 0), X.dtype) if kernel.is_pairwise else take_rows(X, support)


def locked(array: Any) -> Any:
    """A read-only view of a read-only array: NumPy lets nobody make it writable again."""
    array.setflags(write=False)
    return array.view()
