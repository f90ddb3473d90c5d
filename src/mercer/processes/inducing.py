"""Inducing rows: the values of a function at a few rows, through which all observations are seen.

*Given* a kernel, inducing rows Z and observations with noise D, K is replaced by Q = K_XZ K_ZZ⁻¹ K_ZX = Vᵀ V. All that
is asked of n observations then is B = I + V D⁻¹ Vᵀ, of m × m numbers for m inducing rows, and V D⁻¹ y. They are summed
up over blocks of rows, so that memory does not grow with n; where V fits, it is kept for what comes after.

K_ZZ has a small multiple of the identity added to it. Q is no larger then, so that K − Q stays positive semi-definite
and every bound that rests on this holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from mercer.errors import KernelError
from mercer.kernels import Kernel
from mercer.processes.likelihood import Factor, Observations, factored
from mercer.processes.noise import covariance, cross_covariance, own_noise, quiet
from mercer.typing import Floats

__all__ = ["JITTER", "Inducing", "Room", "Seen", "noise_of", "see"]

#: What is added to the diagonal of K_ZZ, as a share of its mean: a hundred times what rounding leaves of the least
#: eigenvalue of 1,000 rows that are all alike.
JITTER = 1e-10

# Rows of a block hold about so many numbers: 8 MB, beyond which products are no faster.
_NUMBERS_AT_ONCE = 1_000_000
# Matrices of m × m, and of a block × m, that are held at a time; kernels that are products need the most of these.
_SQUARES, _BLOCKS = 10, 8


# Rounding leaves of a variance no less than minus this share of the largest: the square root of the jitter times what
# double keeps, with room for thousands of inducing rows.
_BEYOND_ROUNDING = 1e-6


class Room(NamedTuple):
    """Rows of a block, whether V is kept, and what is called at every block, which may raise."""

    step: int
    keeps: bool
    check: Callable[[], None] = lambda: None

    @classmethod
    def within(cls, rows: int, inducing: int, memory: int) -> Room | None:
        """That of so many rows through so many others, within so many bytes; None where these do not fit."""
        left = memory - 8 * _SQUARES * inducing**2
        fitting = left // (8 * _BLOCKS * inducing)
        if fitting < 1:
            return None
        step = max(1, min(rows, fitting, _NUMBERS_AT_ONCE // inducing))
        keeps = 8 * inducing * (rows + _BLOCKS * step) <= left
        return cls(step, keeps)

    def blocks(self, rows: int) -> Iterator[slice]:
        for first in range(0, rows, self.step):
            self.check()
            yield slice(first, min(first + self.step, rows))


@dataclass(frozen=True, eq=False, repr=False)
class Inducing:
    """Rows Z under a kernel, with L Lᵀ = K_ZZ."""

    kernel: Kernel
    Z: Floats
    factor: Factor

    @classmethod
    def of(cls, kernel: Kernel, Z: Floats) -> Inducing | None:
        """None where K_ZZ is not positive definite."""
        K = covariance(quiet(kernel), Z)
        K[np.diag_indices_from(K)] += JITTER * np.trace(K) / len(K)
        factor = factored(K) if np.all(np.isfinite(K)) else None
        return None if factor is None else cls(kernel, Z, factor)

    def whitened(self, X: Floats) -> Floats:
        """L⁻¹ k(Z, x), one row each."""
        return solved(self.factor, cross_covariance(self.kernel, X, self.Z))


class Seen(NamedTuple):
    """What observations with noise D are through inducing rows."""

    noise: Floats  # D
    inner: Floats  # B
    factor: Factor  # of B
    targets: Floats  # V D⁻¹ y
    squares: float  # yᵀ D⁻¹ y, of all targets
    left: Floats  # k(x, x) − q(x, x) of every row, without noise
    whitened: Floats | None  # Vᵀ, where it is kept

    @property
    def log_determinant(self) -> float:
        """Of Q + D."""
        return float(np.log(self.noise).sum()) + self.factor.log_determinant

    @property
    def misfit(self) -> float:
        """yᵀ (Q + D)⁻¹ y, summed over targets."""
        explained = blas.dtrsm(1.0, self.factor.upper, self.targets, side=0, lower=0, trans_a=1)
        return self.squares - float(np.square(explained).sum())


def noise_of(kernel: Kernel, observed: Observations) -> Floats:
    """The variance of the noise of each observation, that of the kernel included."""
    return own_noise(kernel, observed.X) + observed.noise


def see(inducing: Inducing, observed: Observations, noise: Floats, room: Room, known: Floats | None = None) -> Seen:
    """Observations with this noise through inducing rows; `known` is Vᵀ, where it was kept."""
    n, m = len(observed.X), len(inducing.Z)
    inner, targets = np.zeros((m, m), order="F"), np.zeros((m, observed.y.shape[1]), order="F")
    diagonal = quiet(inducing.kernel).diagonal(observed.X)
    left = diagonal.copy()
    kept = np.empty((n, m)) if room.keeps and known is None else known
    for rows in room.blocks(n):
        V = inducing.whitened(observed.X[rows]) if known is None else known[rows]
        if kept is not None and known is None:
            kept[rows] = V
        left[rows] -= np.einsum("im,im->i", V, V)
        targets += V.T @ (observed.y[rows] / noise[rows, None])
        weighted = V / np.sqrt(noise[rows, None])
        inner = blas.dsyrk(1.0, weighted.T, beta=1.0, c=inner, lower=0, overwrite_c=1)
    inner[np.diag_indices_from(inner)] += 1.0
    factor = factored(inner.copy(order="F").T)
    if factor is None:
        raise np.linalg.LinAlgError("the inducing rows see more than numbers can tell: scale the targets")
    squares = float(np.einsum("it,it,i->", observed.y, observed.y, 1 / noise))
    if left.min() < -_BEYOND_ROUNDING * diagonal.max():
        raise KernelError(
            f"kernel: expected one that is positive semi-definite, on which every bound rests, got {inducing.kernel}, "
            f"which leaves {left.min():.2g} of a variance. Use GaussianProcessRegressor, or another kernel."
        )
    return Seen(noise, inner, factor, targets, squares, left, kept)


def solved(factor: Factor, rows: Floats) -> Floats:
    """L⁻¹ of every row, in its place."""
    return np.asarray(blas.dtrsm(1.0, factor.upper, rows.T, side=0, lower=0, trans_a=1, overwrite_b=1)).T
