"""Regression by the mean of the nearest rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.estimators.neighbour_count import errors_of_means, neighbours_left_out
from mercer.estimators.neighbour_means import NeighbourMeans
from mercer.estimators.neighbour_weights import check_some_count, weights_of_neighbours
from mercer.estimators.neighbours import KNeighbors
from mercer.estimators.time_limits import limited
from mercer.typing import Floats

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(NeighbourMeans, KNeighbors):
    """scikit-learn's `KNeighborsRegressor`, exact to the last neighbour, with weights of rows.

    Parameters
    ----------
    n_neighbors : int or "auto", default=5
        Over how many rows the mean is taken. "auto" takes the number up to 100 with the least squared error when each
        row is left out in turn: one search tells all of them. It is then `n_neighbors_`, and all errors are in
        `left_out_errors_`.
    weights, algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit, cache_size
        As in `KNeighborsClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(KNeighborsRegressor(20).fit(X, y).score(X, y), 2)
    0.51
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"n_neighbors": checks.auto_or_at_least(1)}

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    def _finish(self) -> None:
        """Chooses the number of neighbours where that is asked for."""
        self.n_neighbors_ = self.n_neighbors
        self.__dict__.pop("left_out_errors_", None)
        if self.n_neighbors != "auto":
            return
        found = neighbours_left_out(self._memory, self._threads)
        targets = self._y.reshape(len(self._y), -1)
        self.left_out_errors_ = errors_of_means(targets, self._counted, self.weights, *found)
        self.n_neighbors_ = int(np.argmin(self.left_out_errors_)) + 1

    @limited
    def predict(self, X: Any) -> Floats:
        """The mean of the targets of the nearest rows; None asks for the training rows, each by the others."""
        distances, rows = self.kneighbors(X)
        weights = weights_of_neighbours(self.weights, distances)
        if self._counted is not None:
            weights = self._counted[rows] * (1.0 if weights is None else weights)
        targets = self._y[rows]
        if weights is None:
            return np.asarray(targets.mean(axis=1))
        total = weights.sum(axis=1, keepdims=True)
        check_some_count(total)
        return np.asarray(np.einsum("qk,qk...->q...", weights / total, targets))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R²; X=None leaves each training row out in turn."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))
