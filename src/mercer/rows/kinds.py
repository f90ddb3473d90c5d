"""Which kind of rows a kernel makes of a matrix: the one place that asks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.data import is_sparse
from mercer.kernels import Kernel, ValuesFrom
from mercer.rows.callable import CallableExpansion, CallableRows
from mercer.rows.expansion import Expansion
from mercer.rows.features import FeatureExpansion, FeatureRows
from mercer.rows.linear import LinearExpansion, LinearRows
from mercer.rows.matrix import MatrixExpansion, MatrixRows
from mercer.rows.rows import Rows

__all__ = ["expansion_kind", "rows_of", "training_rows"]

# Sparse rows that take no more than 2 MB as dense ones are computed with as such.
_FEW_NUMBERS = 250_000
# Where values come from that the core computes.
_COMPUTED = (ValuesFrom.CORE, ValuesFrom.WEIGHTS)


class Kind(NamedTuple):
    """How training rows are served, and how new rows are evaluated."""

    rows: type[Rows]
    expansion: type[Expansion]


_KINDS = {
    ValuesFrom.CORE: Kind(FeatureRows, FeatureExpansion),
    ValuesFrom.WEIGHTS: Kind(LinearRows, LinearExpansion),
    ValuesFrom.MATRIX: Kind(MatrixRows, MatrixExpansion),
    ValuesFrom.PYTHON: Kind(CallableRows, CallableExpansion),
}


def rows_of(kernel: Kernel, X: Any, deadline: float = np.inf) -> Rows:
    """The rows of X under a kernel; `deadline` is one for values that are asked of Python."""
    return _KINDS[kernel.values_from].rows(kernel, X, deadline)


def training_rows(kernel: Kernel, X: Any, deadline: float = np.inf) -> Rows:
    """The rows of a fit under a kernel, whose parameters that are taken from the data become numbers.

    Values of few sparse rows are computed as those of dense ones: they are the same bits then, and so is the machine.
    """
    if is_sparse(X) and X.shape[0] * X.shape[1] <= _FEW_NUMBERS and kernel.values_from in _COMPUTED:
        dense = X.toarray()
        return rows_of(kernel.resolve(dense), dense, deadline).giving(X)
    return rows_of(kernel.resolve(X), X, deadline)


def expansion_kind(kernel: Kernel) -> type[Expansion]:
    """How machines with this kernel are evaluated."""
    return _KINDS[kernel.values_from].expansion
