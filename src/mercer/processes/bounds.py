"""Bounds on the likelihood of observations under a Gaussian process, through inducing rows.

*Given* a kernel, inducing rows, observations with noise D and Q ≤ K as in `inducing`, *returns* bounds on
log p(y) = log N(y; 0, K + D), summed over the targets:

    lower  log N(y; 0, Q + D) − ½ tr(D⁻¹ (K − Q)),
    upper  −½ yᵀ (Q + D + t I)⁻¹ y − ½ log det(Q + D) − n/2 log 2π with t = tr(K − Q),

and the slopes of the lower one by the logarithms of the kernel's parameters and of the noise of groups. With
K_ZZ = L Lᵀ, Vᵀ = K_XZ L⁻ᵀ, B = I + V D⁻¹ Vᵀ, α = (Q + D)⁻¹ y and β = L⁻ᵀ B⁻¹ V D⁻¹ y, these are sums of derivatives
of kernel values, of T targets, with the weights

    of K_XZ    α βᵀ + T D⁻¹ Vᵀ (I − B⁻¹) L⁻¹,
    of K_ZZ    −½ (β βᵀ + T L⁻ᵀ (B − 2I + B⁻¹) L⁻¹),
    of k_ii    −½ T / d_i,
    of d_i     ½ (α_i² − T / d_i + T (k_ii − v_iᵀ (I − B⁻¹) v_i) / d_i²).

See Titsias (2009), Variational learning of inducing variables in sparse Gaussian processes; for the upper bound Titsias
(2014), Variational inference for Gaussian and determinantal point processes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from mercer.kernels import Kernel
from mercer.processes.inducing import JITTER, Inducing, Room, Seen, noise_of, see
from mercer.processes.likelihood import Observations
from mercer.processes.noise import cross_covariance, quiet
from mercer.processes.slopes import Weights, slopes_of
from mercer.typing import Floats

__all__ = ["Coefficients", "coefficients", "lower_bound", "lower_bound_with_slopes", "upper_bound"]


class Coefficients(NamedTuple):
    """Of the mean, one column a target: by kernel values, and by what V has of them."""

    beta: Floats
    whitened: Floats


def coefficients(inducing: Inducing, seen: Seen) -> Coefficients:
    """β and Lᵀ β = B⁻¹ V D⁻¹ y."""
    whitened = seen.factor.solve(seen.targets)
    return Coefficients(np.asarray(blas.dtrsm(1.0, inducing.factor.upper, whitened, side=0, lower=0)), whitened)


def lower_bound(seen: Seen) -> float:
    """Titsias's bound, of what observations are through inducing rows."""
    targets = int(seen.targets.shape[1])
    spread = len(seen.noise) * math.log(2 * math.pi) + seen.log_determinant + float((seen.left / seen.noise).sum())
    return -0.5 * (targets * spread + seen.misfit)


def upper_bound(inducing: Inducing, observed: Observations, seen: Seen, room: Room) -> float:
    """No likelihood of the exact process is larger, up to rounding."""
    targets, t = int(seen.targets.shape[1]), max(float(seen.left.sum()), 0.0)
    wider = see(inducing, observed, seen.noise + t, room._replace(keeps=False), seen.whitened)
    spread = len(seen.noise) * math.log(2 * math.pi) + seen.log_determinant
    return -0.5 * (targets * spread + wider.misfit)


def lower_bound_with_slopes(
    kernel: Kernel, Z: Floats, observed: Observations, room: Room
) -> tuple[float, Floats | None]:
    """The bound and its slopes; −∞ and none where the covariance of inducing rows is singular."""
    noise, inducing = noise_of(kernel, observed), Inducing.of(kernel, Z)
    if inducing is None or not np.all(np.isfinite(noise)):
        return -math.inf, None
    try:
        seen = see(inducing, observed, noise, room)
    except np.linalg.LinAlgError:
        return -math.inf, None
    value = lower_bound(seen)
    if not math.isfinite(value):
        return -math.inf, None
    return value, _slopes(inducing, observed, seen, room)


def _slopes(inducing: Inducing, observed: Observations, seen: Seen, room: Room) -> Floats:
    kernel, Z, targets, noise = inducing.kernel, inducing.Z, observed.y.shape[1], seen.noise
    silent, m = quiet(kernel), len(Z)
    coef = coefficients(inducing, seen)
    inverse = _mirrored(lapack.dpotri(seen.factor.upper, lower=0)[0])
    # (I − B⁻¹) L⁻¹, which V meets from the left.
    kept = np.eye(m) - inverse
    kept = np.asarray(blas.dtrsm(1.0, inducing.factor.upper, np.asfortranarray(kept), side=1, lower=0, trans_a=1))
    slopes = np.zeros(0)
    by_noise = np.empty(len(noise))
    for rows in room.blocks(len(noise)):
        X, d = observed.X[rows], noise[rows]
        V = inducing.whitened(X) if seen.whitened is None else seen.whitened[rows]
        alpha = (observed.y[rows] - V @ coef.whitened) / d[:, None]
        weights = V @ kept
        explained = np.einsum("im,im->i", weights, cross_covariance(kernel, X, Z))
        weights *= (targets / d)[:, None]
        weights += alpha @ coef.beta.T
        shared = silent.diagonal(X)
        own = np.square(alpha).sum(axis=1) - targets / d + targets * (shared - explained) / np.square(d)
        by_noise[rows] = 0.5 * own
        of_block = np.array(slopes_of(kernel, X, Weights(weights, None, others=Z)))
        of_block += slopes_of(kernel, X, Weights(None, by_noise[rows]))
        of_block += slopes_of(silent, X, Weights(None, -0.5 * targets / d - by_noise[rows]))
        slopes = of_block if len(slopes) == 0 else slopes + of_block
    slopes = slopes + slopes_of(silent, Z, _among(inducing, seen, coef, inverse, targets))
    return np.append(slopes, observed.slopes_of_groups(by_noise))


def _among(inducing: Inducing, seen: Seen, coef: Coefficients, inverse: Floats, targets: int) -> Weights:
    """The weights of K_ZZ; what is added to its diagonal grows with it."""
    within = _mirrored(seen.inner) + inverse
    within[np.diag_indices_from(within)] -= 2.0
    upper = inducing.factor.upper
    within = np.asarray(blas.dtrsm(1.0, upper, np.asfortranarray(within), side=0, lower=0))
    within = np.asarray(blas.dtrsm(1.0, upper, within, side=1, lower=0, trans_a=1))
    W = np.ascontiguousarray(-0.5 * (targets * within + coef.beta @ coef.beta.T))
    own = np.diagonal(W).copy()
    return Weights(W, own + JITTER * own.sum() / len(own))


def _mirrored(upper: Floats) -> Floats:
    """A symmetric matrix by what it has above its diagonal."""
    return np.asarray(np.triu(upper) + np.triu(upper, 1).T)
