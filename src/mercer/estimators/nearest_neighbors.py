"""Neighbours alone, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

from sklearn.utils.metaestimators import available_if

from mercer.estimators.neighbours import KNeighbors, RadiusNeighbors, takes_more_rows
from mercer.estimators.time_limits import limited_fit

__all__ = ["NearestNeighbors"]


class NearestNeighbors(KNeighbors, RadiusNeighbors):
    """scikit-learn's `NearestNeighbors`, exact to the last neighbour.

    Rows are screened in float32 by bounds that hold whatever their rounding, and those that are left are settled in
    float64 from the differences of their features. `exact_` tells what that took, `plan_` how rows are searched.

    Parameters
    ----------
    n_neighbors : int, default=5
        For `kneighbors`.
    radius : float, default=1.0
        For `radius_neighbors`.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree", "hnsw"}, default="auto"
        Whether a tree of boxes is searched ("kd_tree" and "ball_tree" alike) or all rows ("brute"); "auto" takes what
        visits less, for which it tries the tree with some queries once there are enough to repay it. No neighbour
        depends on it. "hnsw" is approximate: candidates come from a graph of near rows that faiss makes (the extra
        `mercer[ann]`) and are ranked in float64; `plan_` tells how many of the nearest rows it found on a sample.
    leaf_size : int, default=30
        Of scikit-learn's trees; here leaves have a size that suits the processor.
    metric : str, Kernel or callable, default="minkowski"
        "euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming", "precomputed"; a kernel k, whose metric
        is √(k(x, x) + k(z, z) − 2 k(x, z)) and, where it grows with a norm, searched by that, which also orders rows at
        the limit of the metric; or a function of two rows, which is called for each pair.
    p : float, default=2
        The power of "minkowski".
    metric_params : dict, optional
        More parameters of the metric, as the weights `w` of the features of "minkowski".
    n_jobs : int, optional
        Threads; None takes all that there are.
    time_limit : float, optional
        Seconds that `fit`, and each search, may take. There is no half answer: at the limit `TimeLimitError` is raised,
        and a fit leaves the estimator as it was.
    cache_size : float, optional
        MB for what is made of the rows to search them, and for what is worked on at a time; None allows whatever that
        takes, some two to four times the rows in float32. Where it does not suffice, rows are made ready some at a
        time, for each search anew, or distances are computed without; `plan_` says so. No answer depends on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import NearestNeighbors
    >>> X, _ = load_iris(return_X_y=True)
    >>> distances, rows = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X[:1])
    >>> rows
    array([[ 0, 17]])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        radius: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    @limited_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Makes rows ready to be searched; y is not looked at."""
        self._remember(X)
        return self

    @available_if(takes_more_rows)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learns rows besides those that are known; y is not looked at."""
        if not hasattr(self, "n_samples_fit_"):
            return self.fit(X)
        X, _ = self._read_more(X)
        self._learn(X)
        return self
