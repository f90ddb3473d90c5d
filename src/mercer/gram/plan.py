"""The plan: where kernel values come from, in which precision, and what the memory budget is spent on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import threads_worth
from mercer.data import is_sparse
from mercer.kernels import Kernel

__all__ = ["Source", "GramPlan", "plan_gram"]

# Active sets up to this many rows are solved as one block: at most 64 MB of float32. And the least there must be.
_MOST_IN_A_BLOCK = 4096
_FEWEST_IN_A_BLOCK = 64
_WORKING_SET = 1024
# Rows of the first sample; and where the time may be up before so many rows have come, so that there is some machine.
_FIRST_SAMPLE = 512
_FIRST_SAMPLE_IN_A_HURRY = 64
# Some thirty float64 vectors: the state of the solver and what the certificate computes. And the few that hold the
# problem and its solution, for all problems together.
_STATE_BYTES_A_ROW = 240
_VECTOR_BYTES_A_ROW = 48


class Source(Enum):
    """Where kernel values come from."""

    COMPUTED = "computed in tiles by the core"
    STORED = "read from a matrix in memory"
    SOURCED = "asked of the callable, whole rows at a time"


class GramPlan(NamedTuple):
    """How the Gram matrix of a fit is served. `reason` tells a person why.

    `block_rows` has the precisions to be tried, in their order, and how many rows' kernel values are kept at once.
    """

    source: Source
    block_rows: dict[type[np.floating[Any]], int]
    cache_bytes: int
    threads: int
    problems_at_once: int
    reason: str
    first_sample: int = _FIRST_SAMPLE

    @property
    def all_threads(self) -> int:
        """Threads that may work at once: inside one problem, or on several."""
        return max(self.threads, self.problems_at_once)

    def block_sizes(self, dtype: type[np.floating[Any]]) -> dict[str, int]:
        """Rows of the samples, of the working sets and of the blocks, by the core's names."""
        most = self.block_rows[dtype]
        return {
            "first_sample": self.first_sample,
            "working_set": min(_WORKING_SET, most),
            "largest_working_set": most,
            "whole_block": most,
        }

    def __str__(self) -> str:
        return f"Kernel values are {self.source.value}: {self.reason}."


def plan_gram(
    kernel: Kernel,
    X: Any,
    sizes: Sequence[int],
    budget: int,
    threads: int | None,
    exact: bool = False,
    is_hurried: bool = False,
) -> GramPlan:
    """Chooses how the kernel values of one or several problems, with `sizes` rows, are had within `budget` bytes.

    Several problems run side by side, one thread each, and share the budget. With `exact`, float64 is used from the
    start. With `is_hurried`, the time of a callable is spent on the rows that the solver asks for.
    """
    n = max(sizes)
    threads = threads_worth(sum(size * size for size in sizes), threads)
    at_once = min(threads, len(sizes))
    is_computed = not kernel.is_pairwise and kernel.lower() is not None
    state = _STATE_BYTES_A_ROW * n * at_once + _VECTOR_BYTES_A_ROW * sum(sizes)
    precisions: tuple[type[np.floating[Any]], ...]
    if kernel.is_pairwise:
        precisions = (X.dtype.type,)
    else:
        precisions = (np.float32, np.float64) if is_computed and not exact else (np.float64,)
    left = {}  # bytes that each problem has for what it keeps, beside the state and the prepared data
    for dtype in precisions:
        copies = _copied_bytes(X, dtype) if is_computed else 0
        left[dtype] = (budget - min(budget // 2, state + copies)) // at_once
    megabytes = f"{left[precisions[0]] / 1e6:.0f} MB"

    if kernel.is_pairwise:
        source = Source.STORED
        reason = f"X is the {n} × {n} kernel matrix"
    elif is_computed:
        source = Source.COMPUTED
        reason = (
            f"{'float64' if exact else 'float32, and float64 where that does not reach the tolerance'}, "
            f"{n} rows of {'sparse ' if is_sparse(X) else ''}data, {megabytes} for what is kept"
        )
    else:
        whole = n * n * 8
        if is_hurried:
            source, reason = Source.SOURCED, "so that the time limit can be kept"
        elif 2 * whole <= left[np.float64]:
            source, reason = Source.STORED, f"its {whole / 1e6:.0f} MB fit the budget of {megabytes}"
        else:
            source, reason = Source.SOURCED, f"all {whole / 1e6:.0f} MB would not fit {megabytes}"
    features = X.size / X.shape[0] if is_computed else 0.0
    return GramPlan(
        source=source,
        block_rows={dtype: _rows_in_a_block(left[dtype], dtype, features) for dtype in precisions},
        cache_bytes=left[precisions[-1]] // 2,
        threads=threads if at_once == 1 else 1,
        problems_at_once=at_once,
        reason=reason,
        first_sample=_FIRST_SAMPLE_IN_A_HURRY if is_hurried else _FIRST_SAMPLE,
    )


def _rows_in_a_block(left: int, dtype: type[np.floating[Any]], features: float) -> int:
    """Room for its values, for as many in float64 for Newton steps, and for twice the rows they come from."""
    item = 4 if dtype is np.float32 else 8
    values, rows = left / (item + 8), features * item / (item + 8)
    side = int((values + rows**2) ** 0.5 - rows)
    return max(_FEWEST_IN_A_BLOCK, min(side, _MOST_IN_A_BLOCK))


def _copied_bytes(X: Any, dtype: type[np.floating[Any]]) -> int:
    """What the prepared rows take in float32, or in both precisions once float64 is needed."""
    return int(X.size) * (4 if dtype is np.float32 else 12) + (int(X.size) * 8 if is_sparse(X) else 0)
