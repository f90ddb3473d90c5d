"""Rows whose kernel values are asked of a Python function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.data import core_ready, is_sparse, take_rows
from mercer.errors import kernel_overflow
from mercer.kernels import Kernel
from mercer.rows.expansion import PythonExpansion, Segment
from mercer.rows.features import checked_values
from mercer.rows.matrix import MatrixRows
from mercer.rows.pace import OutOfTime, Pace
from mercer.rows.plan import GramPlan, Source
from mercer.rows.rows import Precision, Rows
from mercer.typing import Floats, Integers

__all__ = ["CallableExpansion", "CallableRows"]


class CallableRows(Rows):
    """Values come from Python, some at a time, so that a deadline can be kept."""

    @cached_property
    def pace(self) -> Pace:
        """How values are asked for."""
        return Pace(self.deadline)

    @property
    def is_hurried(self) -> bool:
        return self.deadline < np.inf

    def _for_each_row(self, of_rows: Callable[[Any], Floats]) -> Floats:
        return self.pace.row_by_row(of_rows, self.X)

    # ---------------------------------------------------------------- kernel values

    @cached_property
    def whole(self) -> MatrixRows:
        """The values between all rows, where they fit: the function is asked once, and everybody reads them."""
        return MatrixRows(self.kernel, np.ascontiguousarray(self.kernel.matrix(self.X, self.X)))

    def keep_values(self, most: int) -> None:
        if 8 * len(self) ** 2 <= most:
            self.whole  # noqa: B018 it is kept

    @property
    def _is_whole(self) -> bool:
        return "whole" in self.__dict__

    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        if self._is_whole:
            return self.whole.values(rows, columns)
        inputs, kernel = take_rows(self.X, rows), self.kernel
        others = inputs if columns is None else take_rows(self.X, columns)
        if self.is_hurried:
            return checked_values(self.pace.values(kernel, inputs, others))
        return checked_values(kernel.matrix(inputs, others))

    def expand(
        self,
        targets: Sequence[Integers],
        sources: Sequence[Integers],
        coefs: Sequence[Floats],
        threads: int,
        dtype: Precision = np.float64,
    ) -> list[Floats]:
        if self._is_whole:
            return self.whole.expand(targets, sources, coefs, threads)
        return [np.concatenate([np.zeros(0), *self._blocks(*one)]) for one in zip(targets, sources, coefs, strict=True)]

    def expand_until(self, targets: Integers, sources: Integers, coef: Floats, deadline: float) -> Floats:
        found: list[Floats] = [np.zeros(0)]
        with suppress(OutOfTime):
            found.extend(self._blocks(targets, sources, coef, deadline))
        return np.concatenate(found)

    def _blocks(
        self, targets: Integers, sources: Integers, coef: Floats, deadline: float | None = None
    ) -> Iterator[Floats]:
        """The sums at some targets after the other."""
        used = coef.nonzero()[0]
        if len(used) == 0:
            yield np.zeros(len(targets))
            return
        centres, weights = take_rows(self.X, sources[used]), coef[used]
        first = 0
        while first < len(targets):
            block = targets[first : first + self.pace.rows(len(used))]
            sums = self.pace.values(self.kernel, take_rows(self.X, block), centres, deadline) @ weights
            if not np.all(np.isfinite(sums)):
                raise kernel_overflow(self.kernel)
            yield sums
            first += len(block)

    def twofold_values(self, rows: Integers, threads: int) -> tuple[Floats, Floats]:
        inputs = take_rows(self.X, rows)
        high = np.ascontiguousarray(self.kernel.matrix(inputs, inputs), dtype=np.float64)
        return high, np.zeros_like(high)  # nobody knows more digits

    # ---------------------------------------------------------------- how they are served

    def precisions(self, rows: int, exact: bool) -> tuple[Precision, ...]:
        return (np.float64,)

    def source(self, rows: int, budget: int, precision: Precision) -> tuple[Source, str]:
        whole = rows * rows * 8
        if self.is_hurried:
            return Source.SOURCED, "so that the time limit can be kept"
        if 2 * whole <= budget:
            return Source.STORED, f"its {whole / 1e6:.0f} MB fit the budget of {budget / 1e6:.0f} MB"
        return Source.SOURCED, f"all {whole / 1e6:.0f} MB would not fit {budget / 1e6:.0f} MB"

    def gram(self, rows: Integers, plan: GramPlan, dtype: Precision) -> core.Gram32 | core.Gram64:
        if plan.source is Source.STORED and 8 * len(self) ** 2 <= plan.cache_bytes:
            return self.whole.gram(rows, plan, dtype)
        inputs = take_rows(self.X, rows)
        if plan.source is Source.STORED:
            values = np.ascontiguousarray(self.kernel.matrix(inputs, inputs))
            return core.Gram64.stored(values, np.arange(len(rows)), plan.threads)
        pace = Pace(self.deadline)

        def fill(asked: Integers, done: int, out: Floats) -> int:
            return pace.add_values(self.kernel, lambda part: take_rows(inputs, asked[part]), inputs, done, out)

        return core.sourced_gram(fill, len(rows), plan.cache_bytes)

    def vectors(self, support: Integers) -> Any:
        return take_rows(self.X, support)

    @property
    def map_size(self) -> int | None:
        return self.kernel.map_size(self.X.shape[1])


class CallableExpansion(PythonExpansion):
    """The function sees new rows as it saw those of the fit: dense or sparse."""

    def __init__(
        self, kernel: Kernel, centres: Any, segments: tuple[Segment, ...], outputs: int, low: Floats | None = None
    ) -> None:
        # A function may want to write into what it gets.
        super().__init__(kernel, centres.copy(), segments, outputs, low)

    def as_in_fit(self, X: Any) -> Any:
        if is_sparse(X) == is_sparse(self.centres):
            return X
        return X.toarray() if is_sparse(X) else core_ready(sp.csr_matrix(X))

    def _asked(self, X: Any) -> Any:
        return self.kernel.matrix(X, self.centres)
