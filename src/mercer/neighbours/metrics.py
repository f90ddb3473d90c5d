"""Which search serves a metric: the core's where it can, all distances otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from mercer.data.arrays import is_sparse
from mercer.errors import ParameterError
from mercer.kernels import Kernel
from mercer.neighbours.all_distances import AllDistances, by_callable, by_kernel, by_name, given
from mercer.neighbours.cosine import CosineIndex
from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Nearest, Within
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.sparse import SparseIndex
from mercer.typing import Integers

__all__ = ["METRICS", "Search", "search_by"]

_EUCLIDEAN = {"euclidean", "l2"}
_SAME = {"cityblock": "manhattan", "l1": "manhattan", "infinity": "chebyshev"}
#: Metrics by their names; any kernel and any function of two rows are metrics too.
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming", "precomputed")


def _is_scikit_learns(name: Any) -> bool:
    from sklearn.neighbors import VALID_METRICS  # it takes long to import

    return isinstance(name, str) and name in {*VALID_METRICS["brute"], "sqeuclidean"}


class Search(Protocol):
    """Rows that neighbours are looked for among."""

    @property
    def plan(self) -> str: ...
    def nearest(
        self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Nearest: ...
    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within: ...


def search_by(metric: Any, X: Any, p: float = 2, params: Mapping[str, Any] | None = None) -> Search:
    """The search among rows by a metric.

    Parameters
    ----------
    metric : str, Kernel or callable
        One of `METRICS`; a kernel k, whose metric is √(k(x, x) + k(z, z) − 2 k(x, z)); or a function of two rows.
    X : {ndarray, CSR matrix}
        Checked; of "precomputed", distances between the rows.
    p : float
        The power of "minkowski".
    params : mapping, optional
        `w`, weights of the features, for "minkowski"; whatever a function takes.
    """
    options = dict(params or {})
    if isinstance(metric, Kernel):
        return AllDistances(X, by_kernel(metric.resolve(X)), f"the metric of {metric}")
    if callable(metric):
        return AllDistances(X, by_callable(metric, options), "a Python function, pair by pair")
    name = _SAME.get(metric, metric) if isinstance(metric, str) else metric
    p = float(options.pop("p", p))
    if name == "precomputed":
        return AllDistances(X, given, "the distances that were given")
    if name == "minkowski" and not options:
        name = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(p, name)
    if name in _EUCLIDEAN and not options:
        return SparseIndex(X, by_cosine=False) if is_sparse(X) else EuclideanIndex(X)
    if name == "nan_euclidean" and not options:
        return MaskedIndex(X)
    if name == "cosine" and is_sparse(X):
        return SparseIndex(X, by_cosine=True)
    if name == "cosine" and np.all(np.any(X != 0, axis=1)):
        return CosineIndex(X)
    if name not in {*METRICS, *_EUCLIDEAN} and not _is_scikit_learns(name):
        raise ParameterError(
            f"metric: expected one of {METRICS}, another of scikit-learn's, a kernel or a function of two rows, got "
            f"{metric!r}."
        )
    return AllDistances(X, by_name("euclidean" if name in _EUCLIDEAN else name, p, options), f"{name} distances")
