"""The plan: where kernel values come from, in which precision, and what the memory budget is spent on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import available_threads, threads_worth
from mercer.rows.rows import Rows

__all__ = ["Budget", "Source", "GramPlan", "plan_gram"]

# Active sets up to this many rows are solved as one block: at most 64 MB of float32. And the least there must be.
_MOST_IN_A_BLOCK = 4096
_FEWEST_IN_A_BLOCK = 64
_WORKING_SET = 1024
# Rows of the first sample; and where the time may be up before so many rows have come, so that there is some machine.
_FIRST_SAMPLE = 512
_FIRST_SAMPLE_IN_A_HURRY = 64
# Some thirty float64 vectors: the state of the solver and what the certificate computes. And the few that hold the
# problem and its solution, for all problems together.
_STATE_BYTES_PER_ROW = 240
_VECTOR_BYTES_PER_ROW = 48


class Source(Enum):
    """Where kernel values come from."""

    COMPUTED = "computed in tiles by the core"
    STORED = "read from a matrix in memory"
    SOURCED = "asked of the callable, whole rows at a time"


class Budget(NamedTuple):
    """What a fit may use: bytes for what it keeps beside the data, and threads, where None means those available."""

    bytes: int = 1_000_000_000
    threads: int | None = None

    def shared(self, fits: int) -> Budget:
        """What each of so many fits may use that run side by side."""
        threads = available_threads() if self.threads is None else self.threads
        return Budget(self.bytes // fits, max(1, threads // fits))


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

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "source": self.source.name.lower(),
            "block_rows": {np.dtype(dtype).name: rows for dtype, rows in self.block_rows.items()},
            "cache_bytes": self.cache_bytes,
            "threads": self.threads,
            "problems_at_once": self.problems_at_once,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        return f"Kernel values are {self.source.value}: {self.reason}."


def plan_gram(rows: Rows, sizes: Sequence[int], budget: Budget, exact: bool = False) -> GramPlan:
    """Chooses how the kernel values of one or several problems, with `sizes` rows, are served within a budget.

    Several problems run side by side, one thread each, and share the budget. With `exact`, float64 is used from the
    start.
    """
    n, given = max(sizes), budget.bytes
    threads = threads_worth(sum(size * size for size in sizes), budget.threads)
    at_once = min(threads, len(sizes))
    state = _STATE_BYTES_PER_ROW * n * at_once + _VECTOR_BYTES_PER_ROW * sum(sizes)
    precisions = rows.precisions(n, exact)
    # Bytes that each problem has for what it keeps, beside the state and the prepared data.
    left = {dtype: (given - min(given // 2, state + rows.copied_bytes(dtype))) // at_once for dtype in precisions}
    source, reason = rows.source(n, left[precisions[0]], precisions[0])
    return GramPlan(
        source=source,
        block_rows={dtype: _rows_in_a_block(left[dtype], dtype, rows.features) for dtype in precisions},
        cache_bytes=left[precisions[-1]] // 2,
        threads=threads if at_once == 1 else 1,
        problems_at_once=at_once,
        reason=reason,
        first_sample=_FIRST_SAMPLE_IN_A_HURRY if rows.is_hurried else _FIRST_SAMPLE,
    )


def _rows_in_a_block(left: int, dtype: type[np.floating[Any]], features: float) -> int:
    """Room for its values, for as many in float64 for Newton steps, and for twice the rows they come from."""
    item = 4 if dtype is np.float32 else 8
    values, rows = left / (item + 8), features * item / (item + 8)
    side = int((values + rows**2) ** 0.5 - rows)
    return max(_FEWEST_IN_A_BLOCK, min(side, _MOST_IN_A_BLOCK))
