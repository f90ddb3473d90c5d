"""What X may be under a kernel."""

from __future__ import annotations

from typing import Any

from mercer.data import checked_gram, is_small_sparse
from mercer.kernels import Kernel, ValuesFrom

__all__ = ["as_computed", "checked_matrix", "takes_features"]

# Where values come from that the core computes.
_COMPUTED = (ValuesFrom.CORE, ValuesFrom.WEIGHTS)


def takes_features(kernel: Kernel) -> bool:
    """Whether X holds features, dense or sparse; else it holds kernel values."""
    return not kernel.is_pairwise


def checked_matrix(kernel: Kernel, X: Any) -> Any:
    """X itself; where it is to hold kernel values, only if it is square and symmetric."""
    return checked_gram(X) if kernel.is_pairwise else X


def as_computed(kernel: Kernel, X: Any) -> Any:
    """X as a fit computes with it: few sparse rows become dense ones, so that the machine is the same, bit by bit."""
    return X.toarray() if kernel.values_from in _COMPUTED and is_small_sparse(X) else X
