"""Which search serves a metric: the core's where it can, all distances otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.data.arrays import is_sparse
from mercer.errors import NumericsWarning, ParameterError, warn_user
from mercer.kernels import Kernel
from mercer.neighbours.all_distances import AllDistances, by_callable, by_kernel, by_name, by_object
from mercer.neighbours.cheaper import CheaperSearch
from mercer.neighbours.cosine import CosineIndex
from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.far import FarQueries
from mercer.neighbours.given import GivenDistances
from mercer.neighbours.kernel_metric import MappedSearch, by_terms, norm_metric
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.metric_options import check_options
from mercer.neighbours.own_units import in_own_units
from mercer.neighbours.panels import PanelIndex
from mercer.neighbours.rotation import PrincipalDirections
from mercer.neighbours.search import Search
from mercer.neighbours.sparse import SparseIndex
from mercer.neighbours.tree import TreeIndex
from mercer.neighbours.units import is_ordinary, largest_of

__all__ = ["ALGORITHMS", "METRICS", "search_by"]

_SAME = {"l2": "euclidean", "cityblock": "manhattan", "l1": "manhattan", "infinity": "chebyshev"}
#: Metrics by their names; any kernel and any function of two rows are metrics too.
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming", "precomputed")


#: How rows are searched by a norm of their differences; trees of boxes are the only trees.
ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree", "hnsw")
_TREES = {"kd_tree", "ball_tree"}
_NORMS = {"manhattan", "euclidean", "chebyshev"}
# Trees of more features visit nearly all rows, whatever these are like; turned, few directions may tell enough.
_MOST_FEATURES_OF_TREES = 20
_MOST_FEATURES_OF_TURNED_TREES = 128


def _is_scikit_learns(name: str) -> bool:
    from sklearn.neighbors import VALID_METRICS  # it takes long to import

    return name in {*VALID_METRICS["brute"], "sqeuclidean"}


def search_by(
    metric: Any, X: Any, p: float = 2, params: Mapping[str, Any] | None = None, algorithm: str = "auto"
) -> Search:
    """The search among rows by a metric.

    Parameters
    ----------
    metric : str, Kernel or callable
        One of `METRICS`; a kernel k, whose metric is √(k(x, x) + k(z, z) − 2 k(x, z)); one of scikit-learn's
        `DistanceMetric` objects; or a function of two rows.
    X : {ndarray, CSR matrix}
        Checked; of "precomputed", distances between the rows.
    p : float
        The power of "minkowski".
    params : mapping, optional
        `w`, weights of the features, for "minkowski"; whatever a function takes.
    algorithm : str
        One of `ALGORITHMS`: all rows, a tree, or whichever takes less; "hnsw" is approximate.
    """
    options = dict(params or {})
    if algorithm == "hnsw":
        return _approximate(metric, X, p, options)
    if options and (isinstance(metric, Kernel) or hasattr(metric, "pairwise")):
        raise ParameterError(f"metric_params: {metric} has its own parameters and takes none, got {sorted(options)}.")
    if isinstance(metric, Kernel):
        return _by_kernel(metric.resolve(X), X, algorithm)
    if hasattr(metric, "pairwise"):
        return AllDistances(X, by_object(metric), f"scikit-learn's {type(metric).__name__}")
    if callable(metric):
        return AllDistances(X, by_callable(metric, options), "a Python function, pair by pair")
    name = _SAME.get(metric, metric) if isinstance(metric, str) else ""
    if name not in METRICS and not _is_scikit_learns(name):
        raise ParameterError(
            f"metric: expected one of {METRICS}, another of scikit-learn's, a kernel or a function of two rows, got "
            f"{metric!r}."
        )
    check_options(name, options, X.shape[1])
    p = float(options.pop("p", p))
    if name == "precomputed":
        return GivenDistances(X)
    if name == "minkowski":
        _check_power(p, algorithm)
        if not options:
            name = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(p, name)
    if name in _NORMS and not options and not is_sparse(X):
        return _by_norm(name, X, algorithm)
    if name == "euclidean" and not options:
        return SparseIndex(X, by_cosine=False)
    if name == "nan_euclidean" and not options:
        return MaskedIndex(X)
    if name not in _NORMS:
        _check_tree(name, algorithm, options)
    if name == "cosine" and is_sparse(X):
        return SparseIndex(X, by_cosine=True)
    if name == "cosine":
        return CosineIndex(X)
    _check_rows(name, options, X)
    return AllDistances(X, by_name(name, p, options), f"{name} distances")


def _by_kernel(kernel: Kernel, X: Any, algorithm: str) -> Search:
    metric = norm_metric(kernel)
    if metric is None:
        distances = by_kernel(kernel) if is_sparse(X) else by_terms(kernel)
        return AllDistances(X, distances, f"the metric of {kernel}")
    return MappedSearch(X, kernel, metric, lambda norm, rows: search_by(norm, rows, algorithm=algorithm))


def _by_norm(name: str, X: Any, algorithm: str) -> Search:
    d, directions = X.shape[1], PrincipalDirections(X)
    if name == "euclidean":
        if not is_ordinary(largest_of(X)):
            return AllDistances(X, in_own_units, "euclidean distances, each in units of its largest difference")
        return FarQueries(_by_euclidean(X, algorithm, directions), X, directions)
    tree = TreeIndex(X, name, directions)
    if algorithm in _TREES:
        return tree
    whole = PanelIndex(X, name)
    if algorithm == "brute" or d > _MOST_FEATURES_OF_TREES:
        return whole
    return CheaperSearch(tree, whole, lambda: whole.seconds_per_row)


def _by_euclidean(X: Any, algorithm: str, directions: PrincipalDirections) -> Search:
    tree, bounds = TreeIndex(X, "euclidean", directions), EuclideanIndex(X, directions)
    if algorithm in _TREES:
        return tree
    if algorithm == "brute" or X.shape[1] > _MOST_FEATURES_OF_TURNED_TREES:
        return bounds
    return CheaperSearch(tree, bounds, lambda: bounds.seconds_per_row)


def _approximate(metric: Any, X: Any, p: float, options: Mapping[str, Any]) -> Search:
    is_euclidean = isinstance(metric, str) and (
        _SAME.get(metric, metric) == "euclidean" or (metric == "minkowski" and p == 2 and not options)
    )
    if not is_euclidean or is_sparse(X):
        kind = "sparse rows" if is_sparse(X) else f"metric={metric!r}"
        raise ParameterError(f"algorithm='hnsw': expected dense rows and metric='euclidean', got {kind}.")
    from mercer.neighbours.approximate import ApproximateIndex  # few ask for it

    return ApproximateIndex(X)


def _check_power(p: float, algorithm: str) -> None:
    if p >= 1:
        return
    if algorithm in _TREES:
        raise ParameterError(
            f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this problem '
            'either set p >= 1 or algorithm="brute".'
        )
    warn_user(
        NumericsWarning(
            "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
            "`algorithm='brute'`."
        )
    )


def _check_tree(name: str, algorithm: str, options: Mapping[str, Any]) -> None:
    """Refuses a tree for what is no metric of one."""
    if algorithm not in _TREES:
        return
    from sklearn.neighbors import VALID_METRICS  # it takes long to import

    if name not in VALID_METRICS[algorithm] or (algorithm == "kd_tree" and "w" in options):
        raise ParameterError(
            f"Metric {name!r} not valid with algorithm={algorithm!r}: expected one of "
            f"{sorted(VALID_METRICS[algorithm])}. Set algorithm='brute'."
        )


def _check_rows(name: str, options: Mapping[str, Any], X: Any) -> None:
    from sklearn.neighbors import VALID_METRICS_SPARSE  # it takes long to import

    if is_sparse(X) and (name not in VALID_METRICS_SPARSE["brute"] or options):
        raise ParameterError(
            f"Metric {name!r} not valid for sparse input. Use sorted(sklearn.neighbors.VALID_METRICS_SPARSE['brute']) "
            "to get valid options, or call its toarray()."
        )
