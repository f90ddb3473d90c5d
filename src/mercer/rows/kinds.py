"""Which kind of rows a kernel makes of a matrix: the one place that asks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.kernels import Kernel, ValuesFrom
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


_KINDS = {
    ValuesFrom.CORE: Kind(FeatureRows, FeatureExpansion),
    ValuesFrom.WEIGHTS: Kind(LinearRows, LinearExpansion),
    ValuesFrom.MATRIX: Kind(MatrixRows, MatrixExpansion),
    ValuesFrom.PYTHON: Kind(CallableRows, CallableExpansion),
}


def rows_of(kernel: Kernel, X: Any, deadline: float = np.inf, given: Any = None) -> Rows:
    """The rows of X under a kernel; `deadline` is one for values asked of Python, `given` what machines keep of X."""
    return _KINDS[kernel.values_from].rows(kernel, X, deadline, given)


def expansion_kind(kernel: Kernel) -> type[Expansion]:
    """How machines with this kernel are evaluated."""
    return _KINDS[kernel.values_from].expansion
