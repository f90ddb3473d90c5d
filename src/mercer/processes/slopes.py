"""Slopes of weighted sums of kernel values by the logarithms of the kernel's parameters.

*Given* a weight w_ij for every two observations, symmetric, or for every one of some with every one of others,
*returns* Σ_ij w_ij ∂k_ij / ∂log p for each parameter p.
No derivative is held for all pairs and all parameters: those by the gammas of all features follow from one pass over
the pairs, for ∂k / ∂gamma_m is a function of the distance times (x_m − z_m)², and that function is a kernel again.

See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, section 5.4.1, for the sums.
"""

from __future__ import annotations

import math
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
    """What each value of a kernel counts: those of different observations, and their own.

    Among the rows themselves the pairs are symmetric, and stand below the diagonal. With others there is one for each
    row with each of the others, which are different observations.
    """

    #: None where different observations count nothing.
    pairs: Floats | None
    #: None with others.
    own: Floats | None
    factor: float = 1.0
    others: Any = None

    def times(self, kernel: Kernel, X: Any) -> Weights:
        """The weights of what is multiplied by the values of another kernel."""
        if isinstance(kernel, Constant):
            return replace(self, factor=self.factor * float(kernel.value))
        pairs = None
        if self.pairs is not None and shared_part(kernel) is not None:
            pairs = cross_covariance(kernel, X, self.partners(X))
            pairs *= self.pairs
        return replace(self, pairs=pairs, own=None if self.own is None else self.own * kernel.diagonal(X))

    def partners(self, X: Any) -> Any:
        """The rows that those of X make pairs with."""
        return X if self.others is None else self.others

    def values(self, kernel: Kernel, X: Any) -> Floats:
        """Of a kernel, for all pairs."""
        return kernel.matrix(X, self.partners(X))

    def sums(self, values: Floats, X: Any, squared: bool = True) -> tuple[float, Floats]:
        """Σ w_ij v_ij over different observations, and of each feature Σ w_ij v_ij (x_i − z_j)², or of the distance."""
        assert self.pairs is not None
        X, threads = np.ascontiguousarray(X), available_threads()
        if self.others is None:
            total, differences = core.pair_sums(self.pairs, values, X, squared, threads)
            return 2 * self.factor * total, 2 * self.factor * differences
        Z = np.ascontiguousarray(self.others[:, : X.shape[1]])
        total, differences = core.cross_sums(self.pairs, values, X, Z, squared, threads)
        return self.factor * total, self.factor * differences

    def total(self, values: Floats) -> float:
        """Σ w_ij v_ij over different observations."""
        return self.sums(values, values[:, :0])[0]

    def total_of_own(self, kernel: Kernel, X: Any) -> float:
        """Σ w_ii k_ii."""
        return 0.0 if self.own is None else self.factor * float(self.own @ kernel.diagonal(X))


def weighted_sum(kernel: Kernel, X: Any, weights: Weights) -> float:
    """Σ w_ij k_ij."""
    if isinstance(kernel, Sum):
        return weighted_sum(kernel.left, X, weights) + weighted_sum(kernel.right, X, weights)
    if isinstance(kernel, Scaled):
        return weighted_sum(kernel.kernel, X, replace(weights, factor=weights.factor * kernel.factor))
    own = weights.total_of_own(kernel, X)
    if weights.pairs is None or shared_part(kernel) is None:
        return own
    return weights.total(cross_covariance(kernel, X, weights.partners(X))) + own


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
    varying = [factor for factor in factors if not isinstance(factor, Constant)]
    if len(varying) == 1 and isinstance(varying[0], RBF) and weights.pairs is not None:
        scale = math.prod(float(factor.value) for factor in factors if isinstance(factor, Constant))
        total, of_rbf = _of_values(varying[0], X, replace(weights, factor=scale * weights.factor))
        return [slope for factor in factors for slope in ([total] if isinstance(factor, Constant) else of_rbf)]
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
    total, differences = weights.sums(weights.values(kernel, X), X)
    return total + weights.total_of_own(kernel, X), _by_gamma(kernel.gamma, -differences)


@slopes_of.register
def _of_laplacian(kernel: Laplacian, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return _none(kernel)
    return _by_gamma(kernel.gamma, -weights.sums(weights.values(kernel, X), X, squared=False)[1])


@slopes_of.register
def _of_matern(kernel: Matern, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return _none(kernel)
    if kernel.nu == 0.5:
        # By s = gamma ‖x − z‖², exp(−r) with r = √(2s) has the slope −exp(−r) / r; equal rows have no difference.
        factor, values = 1.0, weights.values(kernel, X)
        with np.errstate(divide="ignore"):
            logarithms = np.log(values)
        np.divide(values, logarithms, out=values, where=logarithms != 0)
    elif kernel.nu == 1.5:
        # (1 + r) exp(−r) with r = √(6s): −3 exp(−r), which is ν = ½ with three times the gamma.
        factor, values = -3.0, weights.values(Matern(_times(kernel.gamma, 3.0), nu=0.5), X)
    else:
        # (1 + r + r²/3) exp(−r) with r = √(10s): −5/3 (1 + r) exp(−r), which is ν = 3/2.
        factor, values = -5 / 3, weights.values(Matern(_times(kernel.gamma, 5 / 3), nu=1.5), X)
    return _by_gamma(kernel.gamma, factor * weights.sums(values, X)[1])


@slopes_of.register
def _of_rational_quadratic(kernel: RationalQuadratic, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return [0.0, *_none(kernel)]
    alpha = float(kernel.alpha)
    # (1 + s/α)^(−α) has the slope −(1 + s/α)^(−α−1) by s, which is the kernel of α + 1.
    steeper = RationalQuadratic(_times(kernel.gamma, (alpha + 1) / alpha), alpha + 1)
    by_gamma = _by_gamma(kernel.gamma, -weights.sums(weights.values(steeper, X), X)[1])
    values = weights.values(kernel, X)
    for rows in _chunks(len(values)):
        k = values[rows]
        values[rows] = xlogy(k, k) + alpha * k * -np.expm1(xlogy(k > 0, k + (k == 0)) / alpha)
    return [weights.total(values), *by_gamma]


@slopes_of.register
def _of_periodic(kernel: Periodic, X: Any, weights: Weights) -> list[float]:
    if weights.pairs is None:
        return [0.0, 0.0]
    from scipy.spatial.distance import cdist  # importing it takes longer than a small fit of other machines

    values, Z = weights.values(kernel, X), weights.partners(X)
    by_period = np.empty_like(values)
    for rows in _chunks(len(values)):
        k, turns = values[rows], np.pi * cdist(X[rows], Z) * kernel.frequency
        by_period[rows] = k * kernel.rate * np.sin(2 * turns) * turns
        values[rows] = -2 * xlogy(k, k)
    return [weights.total(values), weights.total(by_period)]


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
    """Slopes by the logarithms of gammas, of sums over pairs with the slope by s."""
    if isinstance(gamma, tuple):
        return (np.asarray(gamma) * sums).tolist()  # type: ignore[no-any-return]
    return [float(gamma * sums.sum())]


def _none(kernel: Any) -> list[float]:
    """Slopes by gammas where no pair counts: a row has no distance from itself."""
    return [0.0] * (len(kernel.gamma) if isinstance(kernel.gamma, tuple) else 1)


def _chunks(rows: int) -> list[slice]:
    return [slice(first, first + _ROWS_PER_CHUNK) for first in range(0, rows, _ROWS_PER_CHUNK)]
