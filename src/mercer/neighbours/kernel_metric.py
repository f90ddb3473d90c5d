"""Search by the metric of a kernel that falls with a norm: the core's by that norm, whose distances are mapped."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammainc

from mercer.data.arrays import core_ready, is_sparse
from mercer.kernels import RBF, Constant, Kernel, Laplacian, Linear, Matern, RationalQuadratic, Scaled, Sum
from mercer.kernels.feature_gamma import scale_features
from mercer.neighbours.all_distances import Distances, by_kernel
from mercer.neighbours.found import Nearest, Within
from mercer.neighbours.search import Search
from mercer.typing import Floats, Integers

__all__ = ["MappedSearch", "NormMetric", "by_terms", "norm_metric"]

# Beyond it exp(−r) is zero, also times powers of r.
_NOTHING_LEFT = 1e3
# What rounding may do to the metric between two equal norms.
_ROUNDING = 1e-12


class NormMetric(NamedTuple):
    """The metric of a kernel as a function of a norm of differences, which it grows with."""

    norm: str
    #: Of each feature, or None where all count the same.
    scales: Floats | None
    #: From norms to the metric; of numbers that cancel, nothing is subtracted.
    of: Callable[[Floats], Floats]

    def reach(self, radius: float) -> float:
        """A norm that all rows within a radius of the metric have at most."""
        limit = radius * (1 + _ROUNDING)
        ends = np.array([0.0, np.inf])
        if self.of(ends)[1] <= limit:
            return np.inf
        # Floats that are not negative are in the order of their bits.
        low, high = (int(bits) for bits in ends.view(np.int64))
        while high - low > 1:
            middle = (low + high) // 2
            norm = np.array([middle], dtype=np.int64).view(np.float64)
            low, high = (middle, high) if self.of(norm)[0] <= limit else (low, middle)
        return float(np.array([high], dtype=np.int64).view(np.float64)[0])


def norm_metric(kernel: Kernel) -> NormMetric | None:
    """How √(k(x, x) + k(z, z) − 2 k(x, z)) follows from a norm of x − z; None where that is not known.

    The kernel has numbers for all parameters. Kernels of one's own, also those derived from these, may be anything.
    """
    if type(kernel) is Scaled:
        inner, root = norm_metric(kernel.kernel), np.sqrt(kernel.factor)
        return None if inner is None else inner._replace(of=lambda norms: root * inner.of(norms))
    if type(kernel) is Linear:
        return NormMetric("euclidean", None, np.asarray)
    if type(kernel) not in _LOST:
        return None
    lost, is_manhattan, gamma = _LOST[type(kernel)](kernel), type(kernel) is Laplacian, kernel.gamma  # type: ignore[attr-defined]
    factors = np.atleast_1d(gamma).astype(np.float64)
    if not factors.any():  # then all rows are equal
        return None
    if not is_manhattan:
        factors = np.sqrt(factors)
    scales, factor = (factors, 1.0) if isinstance(gamma, tuple) else (None, factors[0])

    def of(norms: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.sqrt(2 * lost(factor * norms)))

    return NormMetric("manhattan" if is_manhattan else "euclidean", scales, of)


def _of_rbf(kernel: Any) -> Callable[[Floats], Floats]:
    return lambda r: -np.expm1(-(r**2))


def _of_laplacian(kernel: Any) -> Callable[[Floats], Floats]:
    return lambda r: -np.expm1(-r)


def _of_rational_quadratic(kernel: Any) -> Callable[[Floats], Floats]:
    alpha = float(kernel.alpha)
    return lambda r: -np.expm1(-alpha * np.log1p(r**2 / alpha))


def _of_matern(kernel: Any) -> Callable[[Floats], Floats]:
    # The powers of √(2ν) times the distance in length scales, ℓ² being 1 / (2 gamma), add up to incomplete gammas.
    root = 2 * np.sqrt(kernel.nu)

    def lost(r: Floats) -> Floats:
        t = np.minimum(root * r, _NOTHING_LEFT)
        if kernel.nu == 0.5:
            return np.asarray(-np.expm1(-t))
        if kernel.nu == 1.5:
            return np.asarray(gammainc(2, t))
        return np.asarray(gammainc(3, t) + t**2 / 6 * np.exp(-t))

    return lost


# 1 − k as a function of the norm, by the root of gamma, or gamma itself, as unit.
_LOST: dict[type, Callable[[Any], Callable[[Floats], Floats]]] = {
    RBF: _of_rbf,
    Laplacian: _of_laplacian,
    Matern: _of_matern,
    RationalQuadratic: _of_rational_quadratic,
}


def by_terms(kernel: Kernel) -> Distances:
    """√(k(x, x) + k(z, z) − 2 k(x, z)) of dense rows, a sum over the terms of the kernel.

    Terms whose metric follows from a norm are told by differences, of which nothing is lost far from the origin.
    """
    return lambda Q, X: np.sqrt(np.maximum(_squared(kernel, Q, X), 0.0))


def _squared(kernel: Kernel, Q: Any, X: Any) -> Floats:
    if type(kernel) is Sum:
        return _squared(kernel.left, Q, X) + _squared(kernel.right, Q, X)
    if type(kernel) is Scaled:
        return kernel.factor * _squared(kernel.kernel, Q, X)
    if type(kernel) is Constant:
        return np.zeros((len(Q), len(X)))
    metric = norm_metric(kernel)
    if metric is None:
        return np.asarray(by_kernel(kernel)(Q, X) ** 2)
    from scipy.spatial.distance import cdist  # it takes long to import

    is_euclidean = metric.norm == "euclidean"
    weights = None if metric.scales is None else metric.scales ** (2 if is_euclidean else 1)
    return np.asarray(metric.of(cdist(Q, X, "euclidean" if is_euclidean else "cityblock", w=weights)) ** 2)


class MappedSearch:
    """The neighbours by a norm are those by the metric, in the same order.

    Where the metric is at its limit, or its steps are below rounding, the norm still tells rows apart: the order is by
    the norm, and of equal norms the lower number first.

    Parameters
    ----------
    X : {ndarray, CSR matrix}
    kernel : Kernel
        With numbers for all parameters.
    metric : NormMetric
        Its own.
    by_norm : callable
        From the name of a norm and rows to a search.
    """

    def __init__(self, X: Any, kernel: Kernel, metric: NormMetric, by_norm: Callable[[str, Any], Search]) -> None:
        self._kernel, self._metric = kernel, metric
        self._centre = None if metric.scales is None or is_sparse(X) else _middle(X)
        self._search = by_norm(metric.norm, self._scaled(X))

    def fitted(self, room: float) -> MappedSearch:
        """Scaled rows, where features have scales, are kept whatever the memory."""
        limited = copy(self)
        limited._search = self._search.fitted(room)
        return limited

    @property
    def plan(self) -> str:
        units = "" if self._metric.scales is None else " of scaled features"
        grows = f"The metric of {self._kernel} grows with the {self._metric.norm} distance{units}"
        return f"{grows}, which is searched by. {self._search.plan}"

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        found = self._search.nearest(self._scaled(Q), k, threads, excluded, forgotten)
        distances = np.where(found.rows < 0, np.inf, self._metric.of(found.distances))
        return found._replace(distances=distances, squared=None)

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        found = self._search.within(self._scaled(Q), self._metric.reach(radius), threads, excluded, forgotten)
        distances = self._metric.of(found.distances)
        kept = distances <= radius
        # How many are kept before each place.
        before = np.concatenate([[0], np.cumsum(kept)])
        return Within(before[found.begins], found.rows[kept], distances[kept], found.exactness)

    def _scaled(self, rows: Any) -> Any:
        """Around the middle first, where there is one: a scale rounds features relative to their size."""
        if self._metric.scales is None:
            return rows
        if self._centre is not None:
            rows = np.asarray(rows, dtype=np.float64) - self._centre
        return core_ready(scale_features(rows, self._metric.scales))


def _middle(X: Any) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        mean = X.mean(axis=0, dtype=np.float64)
    return np.where(np.isfinite(mean), mean, 0.0)
