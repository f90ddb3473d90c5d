"""A matrix of kernel values at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from mercer._runtime import core
from mercer.data import checked_gram, is_sparse
from mercer.errors import InputError, kernel_overflow
from mercer.rows.blocks import WatchedValues
from mercer.rows.expansion import PythonExpansion
from mercer.rows.features import checked_values
from mercer.rows.plan import GramPlan, Source
from mercer.rows.rows import Precision, Rows
from mercer.typing import Floats, Integers

__all__ = ["MatrixExpansion", "MatrixRows"]

# Sums are taken over blocks of about so many values.
_VALUES_PER_BLOCK = 4_000_000


class MatrixRows(Rows):
    """X holds the kernel values between all rows; nothing is computed, and nothing is kept of a row but its number."""

    why_no_map: ClassVar[str] = "X holds kernel values, and no features"

    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        chosen = np.ix_(rows, rows if columns is None else columns)
        return checked_values(np.asarray(self.X[chosen], dtype=np.float64))

    def watched(self, between: Callable[[], None]) -> StoredValues:
        return StoredValues(self.X)

    def expand(
        self,
        targets: Sequence[Integers],
        sources: Sequence[Integers],
        coefs: Sequence[Floats],
        threads: int,
        dtype: Precision = np.float64,
    ) -> list[Floats]:
        return [self._expanded(*one) for one in zip(targets, sources, coefs, strict=True)]

    def _expanded(self, targets: Integers, sources: Integers, coef: Floats) -> Floats:
        used = coef.nonzero()[0]
        if len(used) == 0:
            return np.zeros(len(targets))
        columns, weights = sources[used], coef[used]
        step = max(1, _VALUES_PER_BLOCK // len(columns))
        blocks = [targets[first : first + step] for first in range(0, len(targets), step)]
        sums = np.concatenate([np.zeros(0), *(self.X[np.ix_(block, columns)] @ weights for block in blocks)])
        if not np.all(np.isfinite(sums)):
            raise kernel_overflow(self.kernel)
        return sums

    def products(self, coef: Floats, threads: int, dtype: Precision = np.float64) -> Floats:
        if self.X.dtype == np.float64:
            return np.asarray(self.X @ coef)
        step = max(1, _VALUES_PER_BLOCK // len(self))
        blocks = [self.X[first : first + step].astype(np.float64) for first in range(0, len(self), step)]
        return np.concatenate([block @ coef for block in blocks])

    def matrix(self, threads: int, dtype: Precision = np.float64) -> Any:
        with np.errstate(over="ignore"):
            values = np.array(self.X, dtype=dtype, order="C")
        if not np.all(np.isfinite(values)):
            raise OverflowError("kernel values beyond what the precision holds")
        return values

    def twofold_values(self, rows: Integers, threads: int) -> tuple[Floats, Floats]:
        high = np.asarray(self.X[np.ix_(rows, rows)], dtype=np.float64)
        return high, np.zeros_like(high)  # they are exact as they are

    def precisions(self, rows: int, exact: bool) -> tuple[Precision, ...]:
        return (self.X.dtype.type,)

    def source(self, rows: int, budget: int, precision: Precision) -> tuple[Source, str]:
        return Source.STORED, f"X is the {rows} × {rows} kernel matrix"

    def gram(self, rows: Integers, plan: GramPlan, dtype: Precision) -> core.Gram32 | core.Gram64:
        kind = core.Gram32 if dtype is np.float32 else core.Gram64
        return kind.stored(self.X, rows, plan.threads)

    def taken(self, members: Integers) -> Self:
        return type(self)(self.kernel, np.ascontiguousarray(self.X[np.ix_(members, members)]), self.deadline)

    def vectors(self, support: Integers) -> Any:
        return np.empty((0, 0), self.X.dtype)


class StoredValues(WatchedValues):
    """Values at hand: nobody need be heard."""

    def __init__(self, K: Any) -> None:
        self._K = K

    def values(self, rows: Integers, columns: Integers | None = None) -> Floats:
        chosen = self._K[rows] if columns is None else self._K[np.ix_(rows, columns)]
        return np.asarray(chosen, dtype=np.float64)


class MatrixExpansion(PythonExpansion):
    """New rows hold their kernel values with all training rows; the centres are the columns that count."""

    takes_features: ClassVar[bool] = False

    @staticmethod
    def centres_of(support: Any, vectors: Any) -> Any:
        return support

    def at_centres(self, gram: Any, threads: int) -> Floats:
        if gram is None:
            raise InputError(
                "gram: expected the kernel values between the training rows, got None. Of a precomputed kernel the "
                "machine does not keep them, and ‖w‖² = Σ c_i c_j k(x_i, x_j) needs them."
            )
        return self(checked_gram(gram)[self.centres], threads)

    def as_in_fit(self, X: Any) -> Any:
        return X.toarray() if is_sparse(X) else X

    def _asked(self, X: Any) -> Any:
        return X[:, self.centres]
