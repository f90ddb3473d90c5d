"""From a plan to the Gram matrix that the core reads, and kernel values at given rows for small checks."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data, take_rows
from mercer.errors import KernelError
from mercer.gram.pace import Pace
from mercer.gram.plan import GramPlan, Source
from mercer.kernels import Kernel
from mercer.plain_state import PlainState
from mercer.typing import Floats, Integers

__all__ = ["TrainingData", "TrainingRows", "describe_gram", "values_at"]


class TrainingData(PlainState):
    """The training matrix under a kernel, with what every problem on it needs.

    Where kernel values are asked of Python and do not come by `deadline`, on the clock `perf_counter`, `OutOfTime` is
    raised. Values that the core computes have no such end.
    """

    def __init__(self, kernel: Kernel, X: Any, deadline: float = np.inf) -> None:
        self.kernel = kernel
        self.X = X
        self.deadline = deadline

    @cached_property
    def is_asked(self) -> bool:
        """Whether kernel values are asked of Python."""
        return not self.kernel.is_pairwise and self.kernel.lower() is None

    @cached_property
    def pace(self) -> Pace:
        """How values are asked of Python."""
        return Pace(self.deadline if self.is_asked else np.inf)

    @cached_property
    def _magnitudes(self) -> dict[int, Floats]:
        """By the identity of terms, which need not be hashable."""
        return {}

    @property
    def is_hurried(self) -> bool:
        """Whether kernel values may not come in time."""
        return self.deadline < np.inf and self.is_asked

    def without_copies(self) -> TrainingData:
        """The same without what the solver prepared."""
        fresh = TrainingData(self.kernel, self.X, self.deadline if self.is_hurried else np.inf)
        if "diagonal" in self.__dict__:
            fresh.__dict__["diagonal"] = self.diagonal
        return fresh

    @cached_property
    def diagonal(self) -> Floats:
        """k(x, x) of every row."""
        return self.pace.row_by_row(self.kernel.diagonal, self.X) if self.is_asked else self.kernel.diagonal(self.X)

    def magnitude(self, term: Kernel) -> Floats:
        """That of every row under the kernel, or under one of the terms whose sum it is."""
        if term is self.kernel and type(term).magnitude is Kernel.magnitude:
            return np.sqrt(np.abs(self.diagonal))
        if term.lower() is not None:
            return term.magnitude(self.X)
        if id(term) not in self._magnitudes:
            self._magnitudes[id(term)] = self.pace.row_by_row(term.magnitude, self.X)
        return self._magnitudes[id(term)]

    @cached_property
    def rounding_size(self) -> Floats:
        """How much rounding each row brings into the sums of its kernel values, relative to others."""
        return self.kernel.rounding_size(self.X)

    @cached_property
    def prepared32(self) -> core.Prepared32:
        """The rows as the core reads them in float32, made when first used and shared by all problems."""
        return core.Prepared32(self._lowered, as_core_data(self.X))

    @property
    def is_prepared32(self) -> bool:
        """Whether that copy is at hand."""
        return "prepared32" in self.__dict__

    @cached_property
    def prepared64(self) -> core.Prepared64:
        return core.Prepared64(self._lowered, as_core_data(self.X))

    @cached_property
    def mapped(self) -> core.Data:
        """The rows under the kernel's explicit map."""
        return as_core_data(self.kernel.map_rows(self.X))

    @property
    def _lowered(self) -> core.Kernel:
        lowered = self.kernel.lower()
        assert lowered is not None
        return lowered

    def rows(self, rows: Integers) -> TrainingRows:
        return TrainingRows(self, rows)


class TrainingRows(NamedTuple):
    """Some rows of the training data: what a binary problem is about."""

    data: TrainingData
    rows: Integers

    @property
    def kernel(self) -> Kernel:
        return self.data.kernel

    @property
    def X(self) -> Any:
        return self.data.X


def describe_gram(training: TrainingRows, plan: GramPlan, dtype: type[np.floating[Any]]) -> core.Gram32 | core.Gram64:
    """What the core's solver opens as the Gram matrix of the training rows."""
    gram: Any = core.Gram32 if dtype is np.float32 else core.Gram64
    if plan.source is Source.COMPUTED:
        prepared = training.data.prepared32 if dtype is np.float32 else training.data.prepared64
        described = gram.computed(prepared, training.rows, plan.threads)
    elif training.kernel.is_pairwise:
        described = gram.stored(training.X, training.rows, plan.threads)
    elif plan.source is Source.STORED:
        inputs = take_rows(training.X, training.rows)
        values = np.ascontiguousarray(training.kernel.matrix(inputs, inputs))
        described = gram.stored(values, np.arange(len(training.rows)), plan.threads)
    else:
        described = _sourced_gram(training, plan)
    return cast("core.Gram32 | core.Gram64", described)


def _sourced_gram(training: TrainingRows, plan: GramPlan) -> core.Gram64:
    inputs, pace = take_rows(training.X, training.rows), Pace(training.data.pace.deadline)

    def fill(rows: Integers, done: int, out: Floats) -> int:
        return pace.add_values(training.kernel, lambda part: take_rows(inputs, rows[part]), inputs, done, out)

    return core.sourced_gram(fill, len(training.rows), plan.cache_bytes)


def values_at(training: TrainingRows, positions: Integers) -> Floats:
    """The kernel values among the training rows at the given positions, in float64."""
    rows = training.rows[positions]
    if training.kernel.is_pairwise:
        return np.asarray(training.X[np.ix_(rows, rows)], dtype=np.float64)
    inputs, kernel = take_rows(training.X, rows), training.kernel
    is_hurried = training.data.is_hurried
    values = training.data.pace.values(kernel, inputs, inputs) if is_hurried else kernel.matrix(inputs, inputs)
    if not np.all(np.isfinite(values)):
        raise KernelError("Expected finite kernel values, got NaN or infinity. Scale the features.")
    return values
