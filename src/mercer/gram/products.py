"""Sums of kernel values between training rows, evaluated anew and never kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from mercer._runtime import core
from mercer.data import as_core_data, take_rows
from mercer.errors import kernel_overflow
from mercer.gram.pace import OutOfTime
from mercer.gram.sources import TrainingData
from mercer.kernels import Linear
from mercer.typing import Floats, Integers

__all__ = ["expand_in_time", "expand_training_rows"]


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


def expand_in_time(data: TrainingData, targets: Integers, rows: Integers, coef: Floats, deadline: float) -> Floats:
    """Σ_j coef_j k(X[rows_j], X[targets_i]) at the first of the targets: as many as there is time for."""
    found: list[Floats] = [np.zeros(0)]
    with suppress(OutOfTime):
        found.extend(_blocks_in_python(data, targets, rows, coef, deadline))
    return np.concatenate(found)


def _expand_in_python(data: TrainingData, targets: Integers, rows: Integers, coef: Floats) -> Floats:
    return np.concatenate([np.zeros(0), *_blocks_in_python(data, targets, rows, coef)])


def _blocks_in_python(
    data: TrainingData, targets: Integers, rows: Integers, coef: Floats, deadline: float | None = None
) -> Iterator[Floats]:
    """The sums at some targets after the other."""
    used = coef.nonzero()[0]
    sources, weights = rows[used], coef[used]
    if len(used) == 0:
        yield np.zeros(len(targets))
        return
    kernel, centres = data.kernel, None if data.kernel.is_pairwise else take_rows(data.X, sources)
    first = 0
    while first < len(targets):
        block = targets[first : first + data.pace.rows(len(sources))]
        if kernel.is_pairwise:
            K = data.X[np.ix_(block, sources)]
        else:
            K = data.pace.values(kernel, take_rows(data.X, block), centres, deadline)
        values = K @ weights
        if not np.all(np.isfinite(values)):
            raise kernel_overflow(kernel)
        yield values
        first += len(block)
