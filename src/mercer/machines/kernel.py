"""Machines that keep training rows: support vectors, their coefficients, intercepts; checked once and read-only."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_not
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import threads_worth
from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.kernels import Kernel
from mercer.machines.machine import Machine, is_array, locked, locked_vectors
from mercer.rows import Expansion, Segment, expansion_kind
from mercer.typing import Floats, Integers

__all__ = ["KernelMachine", "is_resolved"]


@dataclass(frozen=True, eq=False)
class KernelMachine(Machine):
    """Functions Σ_j c_j k(x_j, ·) + intercept on shared support vectors, one or several.

    `support` are the numbers of the training rows that are the support vectors; `n_support` counts them by class.
    `dual_coef` has the coefficients in LIBSVM's layout. With `is_precise`, sums are taken in twice the precision of
    float64, for they cancel to less than it tells; `low` has what float64 leaves of the coefficients then, where that
    matters, one row a function.
    """

    #: Kinds of what arrays hold, by NumPy's letters.
    _array_kinds: ClassVar[dict[str, str]] = {"support": "iu", "n_support": "iu", "dual_coef": "f", "intercept": "f"}

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
        self._check_arrays(is_made=True)
        if self.low is not None:
            object.__setattr__(self, "low", locked(self.low))
        for name in ("support", "n_support", "dual_coef", "intercept"):
            object.__setattr__(self, name, locked(getattr(self, name)))
        object.__setattr__(self, "support_vectors", locked_vectors(self.support_vectors))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        machine = super().from_arrays(arrays)
        # What a fit cannot get wrong, but a file can.
        support, kernel = machine.support, machine.kernel
        ordered = np.sort(support)
        if (ordered[1:] == ordered[:-1]).any() or (len(support) and int(ordered[0]) < 0):
            raise InputError(f"{cls.kind}: expected `support` to be different row numbers ≥ 0, got others.")
        if not isinstance(machine.is_precise, bool):
            raise InputError(f"{cls.kind}: expected `is_precise` to be True or False, got {machine.is_precise!r}.")
        if not is_resolved(kernel, int(machine.n_features)):
            raise InputError(f"{cls.kind}: expected a kernel whose parameters are numbers, got {kernel}.")
        return machine

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

    def _check_arrays(self, is_made: bool = False) -> None:
        """Raises where arrays do not fit; vectors on a file are looked through not when it is made, but when used."""
        wrong = [name for name, kinds in self._array_kinds.items() if not is_array(getattr(self, name), kinds)]
        wrong += [] if isinstance(self.kernel, Kernel) else ["kernel"]
        wrong += [] if isinstance(self.n_features, (int, np.integer)) else ["n_features"]
        wrong = wrong or self._misfits(is_made and isinstance(self.support_vectors, np.memmap))
        if wrong:
            raise InputError(
                f"The machine's {', '.join(wrong)} do not fit together: expected a kernel and finite arrays of one "
                "size. Fit the estimator again instead of changing its arrays."
            )

    def _misfits(self, puts_off: bool) -> list[str]:
        """Names of the arrays that are not of the size or within the range that the others ask for."""
        counts = self.n_support.ravel().tolist()
        vectors = sum(counts)
        keeps_vectors, columns = expansion_kind(self.kernel).takes_features, self.n_features
        expected = {
            "support": self.support.shape == (vectors,) and (keeps_vectors or _is_within(self.support, columns)),
            "support_vectors": _are_vectors(
                self.support_vectors, (vectors, columns) if keeps_vectors else None, puts_off
            ),
            "n_support": min(counts, default=0) >= 0,
            "dual_coef": bool(np.isfinite(self.dual_coef).all()),
            "intercept": all(map(math.isfinite, self.intercept.ravel().tolist())),
        }
        for name, shape in self._shapes().items():
            expected[name] = expected.get(name, True) and getattr(self, name).shape == shape
        if self.low is not None:
            fits = self.is_precise and is_array(self.low, "f") and self.low.shape == (len(self.intercept), vectors)
            expected["low"] = fits and bool(np.isfinite(self.low).all())
        return [name for name, fine in expected.items() if not fine]

    @cached_property
    def expansion(self) -> Expansion:
        """The sums behind the functions, one output each."""
        kind = expansion_kind(self.kernel)
        centres = kind.centres_of(self.support, self.support_vectors)
        return kind(self.kernel, centres, tuple(self._segments()), len(self.intercept), self.low)

    def values(self, X: Any, threads: int | None, dtype: type = np.float64) -> Floats:
        self.check()
        self._check_features(X)
        threads = threads_worth(X.shape[0] * len(self.support), threads)
        sums = self.expansion.precise(X, threads) if self.is_precise else self.expansion(X, threads, dtype)
        return sums + self.intercept

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


def is_resolved(kernel: Kernel, features: int) -> bool:
    """Whether every parameter is a number; raises `KernelError` where there is not one for each of so many features."""
    if features < 0 or any(isinstance(value, str) for value in kernel.get_params().values()):
        return False
    # A row that takes no memory, however many features a file tells of.
    return kernel.resolve(np.broadcast_to(np.float64(1.0), (1, features))) == kernel


def _is_within(support: Any, columns: int) -> bool:
    return not bool(((support < 0) | (support >= columns)).any())


def _are_vectors(vectors: Any, shape: tuple[int, int] | None, puts_off: bool) -> bool:
    """Whether they are numbers of that shape, finite unless that is put off; of kernels that keep none, any array."""
    values = getattr(vectors, "data", None) if is_sparse(vectors) else vectors
    if not isinstance(values, np.ndarray) or shape is None:
        return isinstance(values, np.ndarray)
    return values.dtype.kind == "f" and vectors.shape == shape and (puts_off or _are_finite(values))


def _are_finite(values: Any) -> bool:
    """Whether all are: their sum tells at once, unless it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum()) or bool(np.isfinite(values).all())
