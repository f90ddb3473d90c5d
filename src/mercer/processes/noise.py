"""What different observations share, and what each has for itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel, Product, Scaled, Sum, White
from mercer.typing import Floats

__all__ = ["covariance", "cross_covariance", "own_noise", "quiet", "shared_part"]


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


def quiet(kernel: Kernel) -> Kernel:
    """The kernel with noise that is zero: its parameters are where they were, its diagonal is what is shared."""
    if isinstance(kernel, White):
        return White(0.0)
    whites = {name for name, part in kernel.get_params().items() if isinstance(part, White)}
    return kernel.with_params(**{f"{name}__noise": 0.0 for name in whites}) if whites else kernel


def own_noise(kernel: Kernel, X: Any) -> Floats:
    """What the diagonal has beside what is shared, of every row, without taking a difference."""
    if isinstance(kernel, White):
        return kernel.diagonal(X)
    if isinstance(kernel, Sum):
        return own_noise(kernel.left, X) + own_noise(kernel.right, X)
    if isinstance(kernel, Scaled):
        return kernel.factor * own_noise(kernel.kernel, X)
    if isinstance(kernel, Product):
        left, right = own_noise(kernel.left, X), own_noise(kernel.right, X)
        return left * kernel.right.diagonal(X) + quiet(kernel.left).diagonal(X) * right
    return np.zeros(X.shape[0])


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
