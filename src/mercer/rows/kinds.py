"""Which kind of rows a kernel makes of a matrix: the one place that asks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.kernels import Kernel, Linear
from mercer.rows.callable import CallableExpansion, CallableRows
from mercer.rows.expansion import Expansion
from mercer.rows.features import FeatureExpansion, FeatureRows
from mercer.rows.linear import LinearExpansion, LinearRows
from mercer.rows.matrix import MatrixExpansion, MatrixRows
from mercer.rows.rows import Rows

__all__ = ["expansion_kind", "rows_of"]


class Kind(NamedTuple):
    """How training rows are served, and how new rows are evaluated."""

    rows: type[Rows]
    expansion: type[Expansion]


_FEATURES = Kind(FeatureRows, FeatureExpansion)
_LINEAR = Kind(LinearRows, LinearExpansion)
_MATRIX = Kind(MatrixRows, MatrixExpansion)
_CALLABLE = Kind(CallableRows, CallableExpansion)


def _kind_of(kernel: Kernel) -> Kind:
    if kernel.is_pairwise:
        return _MATRIX
    if isinstance(kernel, Linear):
        return _LINEAR
    return _CALLABLE if kernel.lower() is None else _FEATURES


def rows_of(kernel: Kernel, X: Any, deadline: float = np.inf) -> Rows:
    """The rows of X under a kernel; `deadline` is one for values that are asked of Python."""
    return _kind_of(kernel).rows(kernel, X, deadline)


def expansion_kind(kernel: Kernel) -> type[Expansion]:
    """How machines with this kernel are evaluated."""
    return _kind_of(kernel).expansion
