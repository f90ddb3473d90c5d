"""Values of machines that decide as those in float64 do.

A class is a matter of signs, or of which value is largest. So large tasks are done in float32, and again in float64 for
the rows that the error of float32 leaves in doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.machines.kernel import KernelMachine
from mercer.rows import Caution, settle
from mercer.typing import Booleans, Floats

__all__ = ["decisive_values"]

# Tasks of fewer kernel values than this are done in float64 at once.
_WORTH_FLOAT32 = 1_000_000
# Rows on which the error of float32 is measured, and as many that round most.
_PROBES = 64
_CAUTION = Caution(safety=8.0)


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
    size = machine.kernel.rounding_size(X)
    probes = np.zeros(rows, dtype=bool)
    probes[np.linspace(0, rows - 1, _PROBES, dtype=np.int64)] = True
    probes[np.argpartition(size, -_PROBES)[-_PROBES:] if rows > _PROBES else slice(None)] = True

    def exact(chosen: Booleans) -> Floats:
        return machine.values(X[chosen], threads, np.float64)

    settle(values, size[:, None], probes, exact, lambda found, error: ~is_sure(found, error), _CAUTION)
    return values
