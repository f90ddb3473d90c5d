"""Some rows as a dense matrix of float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.data import is_sparse, take_rows
from mercer.typing import Floats, Integers

__all__ = ["dense_rows"]


def dense_rows(X: Any, rows: Integers) -> tuple[Floats, Integers]:
    """The rows as a matrix of float64, and which columns it has: of sparse rows those that occur in them."""
    chosen = take_rows(X, rows)
    columns = np.unique(chosen.indices) if is_sparse(chosen) else np.arange(chosen.shape[1])
    if is_sparse(chosen):
        chosen = chosen[:, columns].toarray()
    return np.ascontiguousarray(chosen, dtype=np.float64), columns
