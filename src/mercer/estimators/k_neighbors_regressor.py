"""Regression by the mean of the nearest rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer import checks
from mercer.data import read_sample_weight
from mercer.estimators.neighbour_count import errors_of_means, neighbours_left_out
from mercer.estimators.neighbour_weights import check_weights, weights_of_neighbours
from mercer.estimators.neighbours import KNeighbors
from mercer.typing import Floats

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(RegressorMixin, KNeighbors):  # type: ignore[misc]
    """scikit-learn's `KNeighborsRegressor`, exact to the last neighbour, with weights of rows.

    Parameters
    ----------
    n_neighbors : int or "auto", default=5
        Over how many rows the mean is taken. "auto" takes the number up to 100 with the least squared error when each
        row is left out in turn: one search tells all of them. It is then `n_neighbors_`, and all errors are in
        `left_out_errors_`.
    weights, algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in `KNeighborsClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(KNeighborsRegressor(20).fit(X, y).score(X, y), 2)
    0.51
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"weights": check_weights, "n_neighbors": checks.auto_or_at_least(1)}

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
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remembers rows and targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; of metric="precomputed", their distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts in means.
        """
        self._y = np.asarray(self._remember(X, y), dtype=np.float64)
        self._counted = None if sample_weight is None else read_sample_weight(sample_weight, len(self._y))
        if self.n_neighbors != "auto":
            self.n_neighbors_ = self.n_neighbors
            return self
        found = neighbours_left_out(self._memory, self._threads)
        targets = self._y.reshape(len(self._y), -1)
        self.left_out_errors_ = errors_of_means(targets, self._counted, self.weights, *found)
        self.n_neighbors_ = int(np.argmin(self.left_out_errors_)) + 1
        return self

    def predict(self, X: Any) -> Floats:
        """The mean of the targets of the nearest rows; None asks for the training rows, each by the others."""
        distances, rows = self.kneighbors(X)
        weights = weights_of_neighbours(self.weights, distances)
        if self._counted is not None:
            weights = self._counted[rows] * (1.0 if weights is None else weights)
        targets = self._y[rows]
        if weights is None:
            return np.asarray(targets.mean(axis=1))
        total, alike = weights.sum(axis=1, keepdims=True), np.full_like(weights, 1 / rows.shape[1])
        shares = np.divide(weights, total, out=alike, where=total != 0)
        return np.asarray(np.einsum("qk,qk...->q...", shares, targets))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R²; X=None leaves each training row out in turn."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
