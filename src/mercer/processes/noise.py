"""What different observations share, and what each has for itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel, Product, Scaled, Sum, White
from mercer.typing import Floats

__all__ = ["covariance", "cross_covariance", "shared_part"]


def shared_part(kernel: Kernel) -> Kernel | None:
    """The kernel between different observations, without what is white; None where that is zero."""
    if isinstance(kernel, White):
        return None
    if isinstance(kernel, Sum):
        parts = [part for part in (shared_part(kernel.left), shared_part(kernel.right)) if part is not None]
        return Sum(*parts) if len(parts) == 2 else parts[0] if parts else None
    if isinstance(kernel, Product):
        left, right = shared_part(kernel.left), shared_part(kernel.right)
        return None if left is None or right is None else Product(left, right)
    if isinstance(kernel, Scaled):
        inner = shared_part(kernel.kernel)
        return None if inner is None else Scaled(kernel.factor, inner)
    return kernel


def cross_covariance(kernel: Kernel, X: Any, Z: Any) -> Floats:
    """Between observations at X and others at Z."""
    shared = shared_part(kernel)
    if shared is None:
        return np.zeros((X.shape[0], Z.shape[0]))
    if isinstance(shared, Scaled):  # in place, for these matrices are large
        values = shared.kernel.matrix(X, Z)
        values *= shared.factor
        return values
    return shared.matrix(X, Z)


def covariance(kernel: Kernel, X: Any, noise: float | Floats = 0.0) -> Floats:
    """Of observations at X, each with noise of its own beside that of the kernel."""
    K = cross_covariance(kernel, X, X)
    K[np.diag_indices_from(K)] = kernel.diagonal(X) + noise
    return K
