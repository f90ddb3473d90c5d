"""Rows of features whose kernel values the core computes in tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data, core_ready, is_small_sparse, is_sparse, take_rows
from mercer.errors import KernelError, kernel_overflow
from mercer.kernels import Kernel
from mercer.rows.dense import dense_rows
from mercer.rows.expansion import Expansion, Segment, dense, in_blocks
from mercer.rows.plan import GramPlan, Source
from mercer.rows.rows import Precision, Rows
from mercer.typing import Floats, Integers

__all__ = ["FeatureExpansion", "FeatureRows", "checked_values"]

# Up to so many rows float64 takes no longer; and a matrix of kernel values, which is float64 mostly, leads to the same
# machine.
_FEW_ROWS = 128
# Centres at which float32 is compared with float64, and how far it may be off, relative to how far values lie apart.
_PROBES = 32
_COARSEST = 1e-3


class FeatureRows(Rows):
    """Values are computed whenever they are asked for, and never kept beyond a block of them."""

    is_computed: ClassVar[bool] = True

    # ---------------------------------------------------------------- as the core reads them

    @cached_property
    def lowered(self) -> core.Kernel:
        lowered = self.kernel.lower()
        assert lowered is not None
        return lowered

    @property
    def view(self) -> core.Data:
        """What the core sees of the rows."""
        return as_core_data(self.X)

    @cached_property
    def prepared32(self) -> core.Prepared32:
        """The rows as the core reads them in float32, made when first used and shared by all problems."""
        return core.Prepared32(self.lowered, self.view)

    @property
    def is_prepared32(self) -> bool:  # type: ignore[override]
        return "prepared32" in self.__dict__

    @cached_property
    def prepared64(self) -> core.Prepared64:
        return core.Prepared64(self.lowered, self.view)

    # ---------------------------------------------------------------- kernel values

    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        inputs = take_rows(self.X, rows)
        others = inputs if columns is None else take_rows(self.X, columns)
        return checked_values(self.kernel.matrix(inputs, others))

    def block(self, rows: Integers, columns: Integers, threads: int, dtype: Precision = np.float64) -> Any:
        kind = core.Centres32 if dtype is np.float32 else core.Centres64
        centres, queries = (as_core_data(core_ready(take_rows(self.X, chosen))) for chosen in (columns, rows))
        return kind(self.lowered, centres).matrix(queries, threads)

    def expand(
        self,
        targets: Sequence[Integers],
        sources: Sequence[Integers],
        coefs: Sequence[Floats],
        threads: int,
        dtype: Precision = np.float64,
    ) -> list[Floats]:
        if dtype is np.float32:
            return self.prepared32.expand(targets, sources, coefs, threads)
        return core.expand(self.lowered, self.view, targets, sources, coefs, threads)

    def products(self, coef: Floats, threads: int, dtype: Precision = np.float64) -> Floats:
        # All columns share the values.
        kind, count = core.Centres32 if dtype is np.float32 else core.Centres64, coef.shape[1]
        if dtype not in self._centres:
            self._centres[dtype] = kind(self.lowered, self.view)
        parts = [(column, 0, len(self)) for column in range(count)]
        return self._centres[dtype].evaluate(self.view, parts, count, np.ascontiguousarray(coef.T).ravel(), threads)

    @cached_property
    def _centres(self) -> dict[Precision, core.Centres32 | core.Centres64]:
        return {}

    def matrix(self, threads: int, dtype: Precision = np.float64) -> Any:
        return (self.prepared32 if dtype is np.float32 else self.prepared64).matrix(threads)

    def twofold_values(self, rows: Integers, threads: int) -> tuple[Floats, Floats]:
        return core.twofold_gram(self.lowered, dense_rows(self.X, rows)[0], threads)

    # ---------------------------------------------------------------- how they are served

    def precisions(self, rows: int, exact: bool) -> tuple[Precision, ...]:
        return (np.float64,) if exact or rows <= _FEW_ROWS else (np.float32, np.float64)

    def copied_bytes(self, dtype: Precision) -> int:
        """What the prepared rows take in float32, or in both precisions once float64 is needed."""
        size = int(self.X.size)
        return size * (4 if dtype is np.float32 else 12) + (size * 8 if is_sparse(self.X) else 0)

    @property
    def features(self) -> float:
        return float(self.X.size / self.X.shape[0])

    def source(self, rows: int, budget: int, precision: Precision) -> tuple[Source, str]:
        told = "float64" if precision is np.float64 else "float32, and float64 where that does not reach the tolerance"
        kind = "sparse data" if is_sparse(self.X) else "data"
        return Source.COMPUTED, f"{told}, {rows} rows of {kind}, {budget / 1e6:.0f} MB for what is kept"

    def gram(self, rows: Integers, plan: GramPlan, dtype: Precision) -> core.Gram32 | core.Gram64:
        if dtype is np.float32:
            return core.Gram32.computed(self.prepared32, rows, plan.threads)
        return core.Gram64.computed(self.prepared64, rows, plan.threads)

    # ---------------------------------------------------------------- an explicit map, and parts

    @property
    def map_size(self) -> int | None:
        return self.kernel.map_size(self.X.shape[1])

    def vectors(self, support: Integers) -> Any:
        return take_rows(self.X if self.given is None else self.given, support)


class FeatureExpansion(Expansion):
    """Values at new rows are computed by the core, in either precision."""

    has_float32: ClassVar[bool] = True

    def __init__(
        self, kernel: Kernel, centres: Any, segments: tuple[Segment, ...], outputs: int, low: Floats | None = None
    ) -> None:
        # SciPy notes on a matrix what it finds out about it.
        centres = core_ready(copy(centres) if is_sparse(centres) else centres)
        super().__init__(kernel, centres, segments, outputs, low)
        # As fits compute with few sparse rows: then values are those that the fit was proved for.
        self._computed = centres.toarray() if is_small_sparse(centres) else centres
        self._prepared: dict[Precision, core.Centres32 | core.Centres64] = {}

    @property
    def is_dense(self) -> bool:
        return not is_sparse(self.centres)

    def __call__(self, X: Any, threads: int, dtype: Precision = np.float64) -> Floats:
        if is_sparse(X) and not is_sparse(self._computed):
            blocks = [self._at(block.toarray(), threads, dtype) for block in in_blocks(X, X.shape[1])]
            return np.concatenate([np.zeros((0, self.outputs)), *blocks])
        return self._at(X, threads, dtype)

    def _at(self, X: Any, threads: int, dtype: Precision) -> Floats:
        queries = as_core_data(X)
        if dtype is np.float32 and self._float32_tells:
            with suppress(OverflowError):
                values = self._evaluated(np.float32, queries, threads)
                if np.all(np.isfinite(values)):
                    return values
        # float64 has more room
        with suppress(OverflowError):
            return self._finite(self._evaluated(np.float64, queries, threads))
        raise kernel_overflow(self.kernel)

    def precise(self, X: Any, threads: int) -> Floats:
        sums: list[Floats] = [np.zeros((0, self.outputs))]
        for block in map(dense, in_blocks(X, X.shape[1])):
            columns = [
                core.twofold_expansion(self._lowered, self._dense_centres, *one, block, threads)
                for one in self._by_output
            ]
            sums.append(np.stack(columns, axis=1))
        return self._finite(np.concatenate(sums))

    def values(self, X: Any) -> Floats:
        return self._finite(self.kernel.matrix(X, self.centres))

    @cached_property
    def _lowered(self) -> core.Kernel:
        lowered = self.kernel.lower()
        assert lowered is not None
        return lowered

    @cached_property
    def _dense_centres(self) -> Floats:
        return dense(self.centres)

    @cached_property
    def _float32_tells(self) -> bool:
        """Whether sums of float32 values differ by little from those of float64, at some of the centres.

        Large coefficients of either sign leave less of them than float32 has digits.
        """
        count = self.centres.shape[0]
        if count == 0:
            return True
        some = take_rows(self._computed, np.linspace(0, count - 1, min(count, _PROBES), dtype=np.int64))
        queries = as_core_data(some)
        try:
            coarse, fine = (self._evaluated(dtype, queries, 1) for dtype in (np.float32, np.float64))
        except OverflowError:
            return False
        with np.errstate(all="ignore"):
            spread = np.maximum(fine.std(axis=0), np.abs(fine - coarse).max(axis=0).min() if len(fine) == 1 else 0.0)
            return bool(np.all(np.abs(coarse - fine).max(axis=0) <= _COARSEST * spread))

    @cached_property
    def _task(self) -> tuple[list[tuple[int, int, int]], int, Floats]:
        parts = [(part.output, part.first, part.last) for part in self.segments]
        coef = np.concatenate([part.coef for part in self.segments]) if self.segments else np.empty(0)
        return parts, self.outputs, coef

    def _evaluated(self, dtype: Precision, queries: core.Data, threads: int) -> Floats:
        if dtype not in self._prepared:
            kind = core.Centres32 if dtype is np.float32 else core.Centres64
            self._prepared[dtype] = kind(self._lowered, as_core_data(self._computed))
        return self._prepared[dtype].evaluate(queries, *self._task, threads)


def checked_values(values: Floats) -> Floats:
    """The kernel values, where all are numbers."""
    if not math.isfinite(values.sum()) and not np.all(np.isfinite(values)):
        raise KernelError("Expected finite kernel values, got NaN or infinity. Scale the features.")
    return values
