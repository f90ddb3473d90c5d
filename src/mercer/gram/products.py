"""Sums of kernel values between training rows, evaluated anew and never kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data, take_rows
from mercer.errors import kernel_overflow
from mercer.gram.sources import TrainingData
from mercer.kernels import Linear
from mercer.typing import Floats, Integers

__all__ = ["expand_training_rows"]

# Values of a kernel from Python are asked for this many at a time.
_VALUES_A_BLOCK = 4_000_000


def expand_training_rows(
    data: TrainingData,
    targets: Sequence[Integers],
    rows: Sequence[Integers],
    coefs: Sequence[Floats],
    threads: int,
    dtype: type = np.float64,
) -> list[Floats]:
    """Σ_j coef_j k(X[rows_j], X[targets_i]) for each of several sets of rows.

    Kernel values of the core are computed in `dtype`: in float32 from the copy of the rows that the solver prepared, in
    float64 from the rows themselves. OverflowError is raised where they do not fit.
    """
    if isinstance(data.kernel, Linear):
        view = as_core_data(data.X)
        return [_through_weights(view, *one, threads) for one in zip(targets, rows, coefs, strict=True)]
    lowered = data.kernel.lower()
    if lowered is None:
        return [_expand_in_python(data, *one) for one in zip(targets, rows, coefs, strict=True)]
    if dtype is np.float32:
        return data.prepared32.expand(targets, rows, coefs, threads)
    return core.expand(lowered, as_core_data(data.X), targets, rows, coefs, threads)


def _through_weights(data: core.Data, targets: Integers, rows: Integers, coef: Floats, threads: int) -> Floats:
    """Of the linear kernel: one sum of rows, and its product with each target."""
    used = coef.nonzero()[0]
    if len(used) == 0 or len(targets) == 0:
        return np.zeros(len(targets))
    return core.linear_values(data, targets, core.linear_sums(data, rows[used], coef[used], threads), threads)


def _expand_in_python(data: TrainingData, targets: Integers, rows: Integers, coef: Floats) -> Floats:
    used = coef.nonzero()[0]
    sources, weights = rows[used], coef[used]
    kernel, centres = data.kernel, None if data.kernel.is_pairwise else take_rows(data.X, sources)
    values = np.zeros(len(targets))
    step = max(1, _VALUES_A_BLOCK // max(1, len(sources)))
    for first in range(0, len(targets), step):
        block = targets[first : first + step]
        K = data.X[np.ix_(block, sources)] if kernel.is_pairwise else kernel.matrix(take_rows(data.X, block), centres)
        values[first : first + step] = K @ weights
    if not np.all(np.isfinite(values)):
        raise kernel_overflow(kernel)
    return values
