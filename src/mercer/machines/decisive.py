"""Values in float32, and in float64 where only these decide.

A class is a matter of signs, or of which value is largest. So large tasks are done in float32, and again in float64 for
the rows that the error of float32 leaves in doubt. That error is measured on some rows and on those that round most,
and taken to grow with what a row brings into it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.machines.kernel import KernelMachine
from mercer.typing import Booleans, Floats

__all__ = ["decisive_values"]

# Tasks of fewer kernel values than this are done in float64 at once.
_WORTH_FLOAT32 = 1_000_000
# Rows on which the error of float32 is measured, and how many times that it may be elsewhere.
_PROBES = 64
_SAFETY = 8.0


def decisive_values(
    machine: KernelMachine, X: Any, threads: int | None, dtype: type, is_sure: Callable[[Floats, Floats], Booleans]
) -> Floats:
    """The values of the machine's functions at every row, near enough to those in float64 to decide alike.

    `is_sure` tells from values, and from how far off they may be, which rows are decided.
    """
    rows = X.shape[0]
    is_large = rows * len(machine.support) >= _WORTH_FLOAT32
    if dtype is np.float32 or machine.is_precise or not (is_large and machine.expansion.has_float32):
        return machine.values(X, threads, dtype)
    values = machine.values(X, threads, np.float32)
    size = machine.kernel.rounding_size(X)[:, None]
    most = np.argpartition(size[:, 0], -_PROBES)[-_PROBES:] if rows > _PROBES else np.arange(rows)
    probes = np.unique(np.concatenate([np.linspace(0, rows - 1, _PROBES, dtype=np.int64), most]))
    error = np.abs(values[probes] - machine.values(X[probes], threads, np.float64))
    of_probes = size[probes]
    with np.errstate(over="ignore", invalid="ignore"):  # an error that is no number leaves its row in doubt
        a_unit = np.max(np.divide(error, of_probes, out=np.zeros_like(error), where=of_probes > 0), axis=0)
        doubtful = np.flatnonzero(~is_sure(values, _SAFETY * a_unit * size))
    if len(doubtful):
        values[doubtful] = machine.values(X[doubtful], threads, np.float64)
    return values
