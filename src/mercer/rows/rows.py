"""What a fit stands on: the training rows under a kernel, in whatever form they are at hand.

Rows of features whose kernel values the core computes, a matrix of kernel values, and rows whose values are asked of a
Python function answer the same questions alike, so that nobody else asks which of them they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from mercer._runtime import core
from mercer.data import take_rows
from mercer.kernels import Kernel
from mercer.plain_state import PlainState
from mercer.rows.blocks import WatchedValues
from mercer.typing import Floats, Integers

if TYPE_CHECKING:
    from mercer.rows.linear import LinearRows
    from mercer.rows.plan import GramPlan, Source

__all__ = ["Precision", "Rows", "Subset"]

#: What kernel values are computed in.
Precision = type[np.floating[Any]]


class Rows(PlainState, ABC):
    """Training rows under a kernel. Nothing changes them; what is worked out from them is kept beside them.

    Parameters
    ----------
    kernel : Kernel
        With every parameter a number.
    X : {ndarray, CSR matrix}
        What the core can view of the rows: features, or kernel values.
    deadline : float
        On the clock `perf_counter`. Kernel values that do not come by then raise `OutOfTime`, where they are asked of
        Python; those that the core computes have no such end.
    given : optional
        The rows as they were given, where X holds them otherwise: what machines keep of their support vectors.
    """

    #: Whether the core computes kernel values, from features.
    is_computed: ClassVar[bool] = False
    #: Whether a copy of the rows is at hand from which the core computes values in float32.
    is_prepared32: bool = False

    def __init__(self, kernel: Kernel, X: Any, deadline: float = np.inf, given: Any = None) -> None:
        self.kernel = kernel
        self.X = X
        self.deadline = deadline
        self.given = None if given is X else given

    def __len__(self) -> int:
        return int(self.X.shape[0])

    # ---------------------------------------------------------------- facts of the kernel on these rows

    @property
    def is_definite(self) -> bool | None:
        """Whether the kernel matrix is positive semi-definite; None where nobody knows."""
        return self.kernel.is_definite

    @property
    def is_hurried(self) -> bool:
        """Whether kernel values may not come in time."""
        return False

    @cached_property
    def diagonal(self) -> Floats:
        """k(x, x) of every row."""
        return self._for_each_row(self.kernel.diagonal)

    @cached_property
    def magnitude(self) -> Floats:
        """One number m a row with |k(x_i, x_j)| ≤ m_i m_j."""
        if type(self.kernel).magnitude is Kernel.magnitude:
            return np.sqrt(np.abs(self.diagonal))
        return self._for_each_row(self.kernel.magnitude)

    @cached_property
    def rounding(self) -> Floats:
        """What each row adds to the rounding error of its kernel values, in units of the machine precision."""
        return self.kernel.rounding(self.X)

    @property
    def rounding_bound(self) -> float:
        """No less than any value of `rounding`; ∞ where only a closer look tells."""
        return self.kernel.rounding_bound(self.X)

    @cached_property
    def rounding_size(self) -> Floats:
        """How much rounding each row brings into the sums of its kernel values, relative to others."""
        return self.kernel.rounding_size(self.X)

    @cached_property
    def terms(self) -> list[Rows]:
        """The same rows under each of the kernels whose sum the kernel is."""
        from mercer.rows.kinds import rows_of

        parts = self.kernel.terms()
        return [self] if len(parts) == 1 else [rows_of(part, self.X, self.deadline) for part in parts]

    def _for_each_row(self, of_rows: Callable[[Any], Floats]) -> Floats:
        return of_rows(self.X)

    # ---------------------------------------------------------------- kernel values

    @abstractmethod
    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        """The kernel values between some rows and others, or among them, in float64."""

    def block(self, rows: Integers, columns: Integers, threads: int, dtype: Precision = np.float64) -> Any:
        """The kernel values between some rows and others, in `dtype` where the core computes them."""
        return self.values(rows, columns)

    @abstractmethod
    def expand(
        self,
        targets: Sequence[Integers],
        sources: Sequence[Integers],
        coefs: Sequence[Floats],
        threads: int,
        dtype: Precision = np.float64,
    ) -> list[Floats]:
        """Σ_j coef_j k(x_j, x_i) over the sources j, at the targets i, for each of several sets of rows.

        Values that the core computes are in `dtype`; OverflowError is raised where they do not fit.
        """

    def products(self, coef: Floats, threads: int, dtype: Precision = np.float64) -> Floats:
        """Σ_j coef_j k(x_j, x_i) over all rows j, at every row i, for each column of coefficients."""
        every = np.arange(len(self))
        columns = [np.ascontiguousarray(column) for column in coef.T]
        count = len(columns)
        return np.stack(self.expand([every] * count, [every] * count, columns, threads, dtype), axis=1)

    def matrix(self, threads: int, dtype: Precision = np.float64) -> Any:
        """The kernel values among all rows, which the caller may overwrite; OverflowError where they do not fit."""
        values = self.values(np.arange(len(self))).astype(dtype)
        if not np.all(np.isfinite(values)):
            raise OverflowError("kernel values beyond what the precision holds")
        return values

    def keep_values(self, most: int) -> None:
        """Keeps the values among all rows, where they are costly to come by and take no more than `most` bytes."""

    def watched(self, between: Callable[[], None]) -> WatchedValues:
        """Kernel values in blocks, between which somebody is heard."""
        return WatchedValues(self.kernel, self.X, between)

    def expand_until(self, targets: Integers, sources: Integers, coef: Floats, deadline: float) -> Floats:
        """The same of one set, at the first of the targets: as many as there is time for."""
        return self.expand([targets], [sources], [coef], threads=1)[0]

    @abstractmethod
    def twofold_values(self, rows: Integers, threads: int) -> tuple[Floats, Floats]:
        """The kernel values among some rows in twice the precision of float64, as high and low parts."""

    # ---------------------------------------------------------------- how they are served

    @abstractmethod
    def precisions(self, rows: int, exact: bool) -> tuple[Precision, ...]:
        """In which values of problems with so many rows are served, in the order in which they are tried.

        `exact` asks for float64 from the start.
        """

    def copied_bytes(self, dtype: Precision) -> int:
        """What copies of the rows take that serving values needs."""
        return 0

    @property
    def features(self) -> float:
        """Numbers of a row that each of its values is computed from, on average."""
        return 0.0

    @abstractmethod
    def source(self, rows: int, budget: int, precision: Precision) -> tuple[Source, str]:
        """Where the values of problems with so many rows come from within a budget of bytes, and why."""

    @abstractmethod
    def gram(self, rows: Integers, plan: GramPlan, dtype: Precision) -> core.Gram32 | core.Gram64:
        """What the core's solver opens as the kernel matrix of some rows."""

    # ---------------------------------------------------------------- an explicit map

    @property
    def map_size(self) -> int | None:
        """Features of an explicit map of the kernel; None where there is none."""
        return None

    #: Why there is none.
    why_no_map: ClassVar[str] = "the kernel has no finite feature map"
    #: Whether mapped rows are others than the rows themselves.
    is_map_copied: ClassVar[bool] = True

    @cached_property
    def mapped(self) -> LinearRows:
        """The rows under the explicit map, where there is one: their dot products are the kernel values."""
        from mercer.rows.mapped import mapped_rows

        return mapped_rows(self)

    # ---------------------------------------------------------------- parts and copies

    def subset(self, members: Integers) -> Subset:
        return Subset(self, members)

    def taken(self, members: Integers) -> Self:
        """Some of the rows as rows of their own."""
        given = None if self.given is None else take_rows(self.given, members)
        return type(self)(self.kernel, take_rows(self.X, members), self.deadline, given)

    @abstractmethod
    def vectors(self, support: Integers) -> Any:
        """What a machine keeps of its support vectors."""

    def without_copies(self) -> Self:
        """The same without what was prepared for a solver."""
        fresh = type(self)(self.kernel, self.X, self.deadline if self.is_hurried else np.inf, self.given)
        if "diagonal" in self.__dict__:
            fresh.__dict__["diagonal"] = self.diagonal
        return fresh

    def copied(self, deadline: float = np.inf) -> Self:
        """The same, whatever becomes of the user's arrays."""
        return type(self)(self.kernel, self.X.copy(), deadline, copy(self.given))


class Subset(NamedTuple):
    """Some of the rows: what one problem is about."""

    rows: Rows
    members: Integers

    @property
    def size(self) -> int:
        return len(self.members)

    @property
    def diagonal(self) -> Floats:
        """k(x, x) of each."""
        return self.rows.diagonal[self.members]

    def values(self, positions: Integers | None = None) -> Floats:
        """The kernel values among them, or among those at some positions, in float64."""
        return self.rows.values(self.members if positions is None else self.members[positions])

    def products(self, coef: Floats, threads: int) -> Floats:
        """Σ_j coef_j k(x_j, x_i) at each of them, in float64."""
        return self.rows.expand([self.members], [self.members], [coef], threads)[0]
