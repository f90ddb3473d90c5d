"""The plan: where kernel values come from, in which precision, and what the memory budget is spent on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import threads_worth
from mercer.kernels import Kernel

__all__ = ["Source", "GramPlan", "plan_gram"]

# Active sets up to this many rows are solved as one block: at most 64 MB of float32.
_WHOLE_BLOCK = 4096
_WORKING_SET = 1024
_FIRST_SAMPLE = 512
_LARGEST_WORKING_SET = 4096
_SMALLEST_WORKING_SET = 64
# Some thirty float64 vectors: the state of the solver and what the certificate computes.
_STATE_BYTES_A_ROW = 240


class Source(Enum):
    """Where kernel values come from."""

    COMPUTED = "computed in tiles by the core"
    STORED = "read from a matrix in memory"
    SOURCED = "asked of the callable, whole rows at a time"


@dataclass(frozen=True)
class GramPlan:
    """How the Gram matrix of a fit is served. `reason` tells a person why."""

    source: Source
    precisions: tuple[type[np.floating[Any]], ...]
    cache_bytes: int
    first_sample: int
    whole_block: int
    working_set: int
    largest_working_set: int
    threads: int
    problems_at_once: int
    reason: str

    @property
    def all_threads(self) -> int:
        """Threads that may work at once: inside one problem, or on several."""
        return max(self.threads, self.problems_at_once)

    def __str__(self) -> str:
        return f"Kernel values are {self.source.value}: {self.reason}."


def plan_gram(kernel: Kernel, X: Any, sizes: Sequence[int], budget: int, threads: int, exact: bool = False) -> GramPlan:
    """Chooses how the kernel values of one or several problems, with `sizes` rows, are had within `budget` bytes.

    Several problems run side by side, one thread each, and share the budget. With `exact`, float64 is used from the
    start.
    """
    n = max(sizes)
    threads = threads_worth(sum(size * size for size in sizes), threads)
    at_once = min(threads, len(sizes))
    budget = budget // at_once
    budget -= min(budget // 2, _STATE_BYTES_A_ROW * n)
    precisions: tuple[type[np.floating[Any]], ...]
    if kernel.is_pairwise:
        source, precisions = Source.STORED, (X.dtype.type,)
        reason = f"X is the {n} × {n} kernel matrix"
    elif kernel.lower() is not None:
        source = Source.COMPUTED
        precisions = (np.float64,) if exact else (np.float32, np.float64)
        reason = (
            f"{'float64' if exact else 'float32, and float64 where that does not reach the tolerance'}, "
            f"{n} rows of {'sparse ' if sp.issparse(X) else ''}data, {budget / 1e6:.0f} MB for what is kept"
        )
    else:
        precisions = (np.float64,)
        whole = n * n * 8
        if 2 * whole <= budget:
            source, reason = (
                Source.STORED,
                f"its {whole / 1e6:.0f} MB fit the budget of {budget / 1e6:.0f} MB",
            )
        else:
            source, reason = Source.SOURCED, f"all {whole / 1e6:.0f} MB would not fit {budget / 1e6:.0f} MB"
    # Half of the budget goes to the block of the working set.
    side = max(_SMALLEST_WORKING_SET, int((budget / 2 / np.dtype(precisions[-1]).itemsize) ** 0.5))
    return GramPlan(
        source=source,
        precisions=precisions,
        cache_bytes=budget // 2,
        first_sample=_FIRST_SAMPLE,
        whole_block=min(_WHOLE_BLOCK, side),
        working_set=min(_WORKING_SET, side),
        largest_working_set=min(_LARGEST_WORKING_SET, side),
        threads=threads if at_once == 1 else 1,
        problems_at_once=at_once,
        reason=reason,
    )
