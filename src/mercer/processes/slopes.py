"""Slopes of weighted sums of kernel values by the logarithms of the kernel's parameters.

*Given* a weight w_ij for every two observations, symmetric, *returns* Σ_ij w_ij ∂k_ij / ∂log p for each parameter p.
No derivative is held for all pairs and all parameters: those by the gammas of all features follow from one pass over
the pairs, for ∂k / ∂gamma_m is a function of the distance times (x_m − z_m)², and that function is a kernel again.

See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, section 5.4.1, for the sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce, singledispatch
from typing import Any

import numpy as np
from scipy.special import xlogy

from mercer._runtime import available_threads, core
from mercer.kernels import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Matern,
    Periodic,
    Polynomial,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
    White,
)
from mercer.processes.noise import cross_covariance, shared_part
from mercer.typing import Floats

__all__ = ["Weights", "slopes_of", "weighted_sum"]

# Rows whose derivatives are held at a time, where they are computed in NumPy.
_ROWS_PER_CHUNK = 128


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    """What each value of a kernel counts: those of different observations below the diagonal, and their own."""

    #: None where different observations count nothing.
    pairs: Floats | None
    own: Floats
    factor: float = 1.0

    def times(self, kernel: Kernel, X: Any) -> Weights:
        """The weights of what is multiplied by the values of another kernel."""
        if isinstance(kernel, Constant):
            return replace(self, factor=self.factor * float(kernel.value))
        pairs = None
        if self.pairs is not None and shared_part(kernel) is not None:
            pairs = cross_covariance(kernel, X, X)
            pairs *= self.pairs
        return Weights(pairs, self.own * kernel.diagonal(X), self.factor)

    def total(self, values: Floats, own: Floats, factor: float = 1.0) -> float:
        """Σ w_ij v_ij, of values below the diagonal and on it."""
        return factor * self.factor * (2 * _pair_sums(self.pairs, values, values[:, :0])[0] + float(self.own @ own))


def _pair_sums(weights: Any, values: Floats, X: Any, squared: bool = True) -> tuple[float, Floats]:
    return core.pair_sums(weights, values, np.ascontiguousarray(X), squared, available_threads())


def weighted_sum(kernel: Kernel, X: Any, weights: Weights) -> float:
    """Σ w_ij k_ij."""
    if isinstance(kernel, Sum):
        return weighted_sum(kernel.left, X, weights) + weighted_sum(kernel.right, X, weights)
    if isinstance(kernel, Scaled):
        return weighted_sum(kernel.kernel, X, replace(weights, factor=weights.factor * kernel.factor))
    own = weights.factor * float(weights.own @ kernel.diagonal(X))
    if weights.pairs is None or shared_part(kernel) is None:
        return own
    return 2 * weights.factor * _pair_sums(weights.pairs, cross_covariance(kernel, X, X), X[:, :0])[0] + own


@singledispatch
def slopes_of(kernel: Kernel, X: Any, weights: Weights) -> list[float]:
    """Σ w_ij ∂k_ij / ∂log p of each parameter p of the kernel, in the order of `parameters_of`."""
    return []


@slopes_of.register
def _of_sum(kernel: Sum, X: Any, weights: Weights) -> list[float]:
    return slopes_of(kernel.left, X, weights) + slopes_of(kernel.right, X, weights)


@slopes_of.register
def _of_product(kernel: Product, X: Any, weights: Weights) -> list[float]:
    factors = _factors(kernel)
    slopes: list[float] = []
    for place, factor in enumerate(factors):
        others = factors[:place] + factors[place + 1 :]
        constants = [other for other in others if isinstance(other, Constant)]
        varying = [other for other in others if not isinstance(other, Constant)]
        weighted = reduce(lambda some, other: some.times(other, X), constants, weights)
        slopes += slopes_of(factor, X, weighted.times(reduce(Product, varying), X) if varying else weighted)
    return slopes


def _factors(kernel: Kernel) -> list[Kernel]:
    return _factors(kernel.left) + _factors(kernel.right) if isinstance(kernel, Product) else [kernel]


@slopes_of.register
def _of_scaled(kernel: Scaled, X: Any, weights: Weights) -> list[float]:
    scaled = replace(weights, factor=weights.factor * kernel.factor)
    if isinstance(kernel.kernel, RBF) and weights.pairs is not None:  # its values are its slopes: one pass for both
        total, slopes = _of_values(kernel.kernel, X, scaled)
        return [total, *slopes]
    return [weighted_sum(kernel.kernel, X, scaled), *slopes_of(kernel.kernel, X, scaled)]


@slopes_of.register
def _of_constant(kernel: Constant, X: Any, weights: Weights) -> list[float]:
    return [weighted_sum(kernel, X, weights)]


@slopes_of.register
def _of_white(kernel: White, X: Any, weights: Weights) -> list[float]:
    return [weighted_sum(kernel, X, weights)]


@slopes_of.register
def _of_rbf(kernel: RBF, X: Any, weights: Weights) -> list[float]:
    return _of_values(kernel, X, weights)[1] if weights.pairs is not None else _none(kernel)


def _of_values(kernel: RBF, X: Any, weights: Weights) -> tuple[float, list[float]]:
    """Of exp(−s), which is its own slope but for the sign: the sum of its values, and the slopes."""
    total, differences = _pair_sums(weights.pairs, kernel.matrix(X, X), X)
    own = float(weights.own.sum())
    return weights.factor * (2 * total + own), _by_gamma(kernel.gamma, -weights.factor * differences)


@slopes_of.register
def _of_laplacian(kernel: Laplacian, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return _none(kernel)
    differences = _pair_sums(weights.pairs, kernel.matrix(X, X), X, squared=False)[1]
    return _by_gamma(kernel.gamma, -weights.factor * differences)


@slopes_of.register
def _of_matern(kernel: Matern, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return _none(kernel)
    if kernel.nu == 0.5:
        # By s = gamma ‖x − z‖², exp(−r) with r = √(2s) has the slope −exp(−r) / r; equal rows have no difference.
        factor, values = 1.0, kernel.matrix(X, X)
        with np.errstate(divide="ignore"):
            logarithms = np.log(values)
        np.divide(values, logarithms, out=values, where=logarithms != 0)
    elif kernel.nu == 1.5:
        # (1 + r) exp(−r) with r = √(6s): −3 exp(−r), which is ν = ½ with three times the gamma.
        factor, values = -3.0, Matern(_times(kernel.gamma, 3.0), nu=0.5).matrix(X, X)
    else:
        # (1 + r + r²/3) exp(−r) with r = √(10s): −5/3 (1 + r) exp(−r), which is ν = 3/2.
        factor, values = -5 / 3, Matern(_times(kernel.gamma, 5 / 3), nu=1.5).matrix(X, X)
    return _by_gamma(kernel.gamma, factor * weights.factor * _pair_sums(weights.pairs, values, X)[1])


@slopes_of.register
def _of_rational_quadratic(kernel: RationalQuadratic, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return [0.0, *_none(kernel)]
    alpha = float(kernel.alpha)
    # (1 + s/α)^(−α) has the slope −(1 + s/α)^(−α−1) by s, which is the kernel of α + 1.
    steeper = RationalQuadratic(_times(kernel.gamma, (alpha + 1) / alpha), alpha + 1)
    by_gamma = _by_gamma(kernel.gamma, -weights.factor * _pair_sums(weights.pairs, steeper.matrix(X, X), X)[1])
    values = kernel.matrix(X, X)
    for rows in _chunks(len(values)):
        k = values[rows]
        values[rows] = xlogy(k, k) + alpha * k * -np.expm1(xlogy(k > 0, k + (k == 0)) / alpha)
    return [weights.total(values, np.zeros(len(values))), *by_gamma]


@slopes_of.register
def _of_periodic(kernel: Periodic, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return [0.0, 0.0]
    from scipy.spatial.distance import cdist  # importing it takes longer than a small fit of other machines

    values, none = kernel.matrix(X, X), np.zeros(X.shape[0])
    by_period = np.empty_like(values)
    for rows in _chunks(len(values)):
        k, turns = values[rows], np.pi * cdist(X[rows], X) * kernel.frequency
        by_period[rows] = k * kernel.rate * np.sin(2 * turns) * turns
        values[rows] = -2 * xlogy(k, k)
    return [weights.total(values, none), weights.total(by_period, none)]


@slopes_of.register
def _of_polynomial(kernel: Polynomial, X: Any, weights: Weights) -> list[float]:
    if kernel.degree == 0:
        return [0.0, 0.0]
    # (γ xᵀz + c)^p has the slope p c (…)^(p−1) by log c, and p times itself less that by log γ.
    lower = replace(kernel, degree=kernel.degree - 1)
    by_coef0 = kernel.degree * float(kernel.coef0) * weighted_sum(lower, X, weights) if kernel.coef0 else 0.0
    return [by_coef0, kernel.degree * weighted_sum(kernel, X, weights) - by_coef0]


def _times(gamma: Any, factor: float) -> Any:
    return (factor * np.asarray(gamma)).tolist()


def _by_gamma(gamma: Any, sums: Floats) -> list[float]:
    """Slopes by the logarithms of gammas, of sums over pairs with the slope by s: both halves of the pairs count."""
    if isinstance(gamma, tuple):
        return (2 * np.asarray(gamma) * sums).tolist()  # type: ignore[no-any-return]
    return [float(2 * gamma * sums.sum())]


def _none(kernel: Any) -> list[float]:
    """Slopes by gammas where no pair counts: a row has no distance from itself."""
    return [0.0] * (len(kernel.gamma) if isinstance(kernel.gamma, tuple) else 1)


def _chunks(rows: int) -> list[slice]:
    return [slice(first, first + _ROWS_PER_CHUNK) for first in range(0, rows, _ROWS_PER_CHUNK)]
