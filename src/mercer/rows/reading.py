"""What X may be under a kernel."""

from __future__ import annotations

from typing import Any

from mercer.data import checked_gram
from mercer.kernels import Kernel

__all__ = ["checked_matrix", "takes_features"]


def takes_features(kernel: Kernel) -> bool:
    """Whether X holds features, dense or sparse; else it holds kernel values."""
    return not kernel.is_pairwise


def checked_matrix(kernel: Kernel, X: Any) -> Any:
    """X itself; where it is to hold kernel values, only if it is square and symmetric."""
    return checked_gram(X) if kernel.is_pairwise else X
