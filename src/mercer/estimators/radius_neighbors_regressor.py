"""Regression by the mean of all rows within a radius, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import NumericsWarning, warn_user
from mercer.estimators.neighbour_means import NeighbourMeans
from mercer.estimators.neighbour_weights import weights_within
from mercer.estimators.neighbours import RadiusNeighbors
from mercer.estimators.time_limits import limited
from mercer.typing import Floats

__all__ = ["RadiusNeighborsRegressor"]


class RadiusNeighborsRegressor(NeighbourMeans, RadiusNeighbors):
    """scikit-learn's `RadiusNeighborsRegressor`, with weights of rows.

    A query without neighbours has no mean: its prediction is NaN, and a warning says so.

    Parameters
    ----------
    radius : float, default=1.0
        Over rows no farther than this the mean is taken.
    weights, algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit, cache_size
        As in `KNeighborsRegressor`.

    Examples
    --------
    >>> from mercer import RadiusNeighborsRegressor
    >>> RadiusNeighborsRegressor(1.0).fit([[0.0], [1.0], [5.0]], [1.0, 3.0, 9.0]).predict([[0.5]])
    array([2.])
    """

    def __init__(
        self,
        radius: float = 1.0,
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
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    @limited
    def predict(self, X: Any) -> Floats:
        """The mean of the targets of the rows within the radius, NaN where there are none."""
        begins, rows, distances = self._within(X, None)
        weights = weights_within(self.weights, distances, begins)
        counted = np.ones(len(rows)) if weights is None else weights
        if self._counted is not None:
            counted = counted * self._counted[rows]
        queries, columns = np.repeat(np.arange(len(begins) - 1), np.diff(begins)), self._y.reshape(len(self._y), -1)
        total = np.bincount(queries, counted, minlength=len(begins) - 1).astype(np.float64)
        if not np.all(total > 0):
            warn_user(NumericsWarning("One or more samples have no neighbors within specified radius; predicting NaN."))
        # Of no neighbours at all, the counts are whole numbers.
        sums = [
            np.bincount(queries, counted * own[rows], minlength=len(begins) - 1).astype(np.float64) for own in columns.T
        ]
        means = np.stack(
            [np.divide(one, total, out=np.full_like(one, np.nan), where=total > 0) for one in sums], axis=1
        )
        return means if self._y.ndim == 2 else means.ravel()
