"""Regression by the rows in a window, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from mercer import checks
from mercer.data import read_row_weights
from mercer.estimators.parzen import ParzenEstimator
from mercer.estimators.time_limits import limited, limited_fit
from mercer.estimators.windows import unit_of
from mercer.typing import Floats

__all__ = ["ParzenRegressor"]


class ParzenRegressor(RegressorMixin, ParzenEstimator):  # type: ignore[misc]
    """Nadaraya and Watson's regression: the mean of the targets, each weighted by its distance.

    f(x) = Σ wᵢ K(‖x − xᵢ‖ / h) yᵢ / Σ wᵢ K(‖x − xᵢ‖ / h)

    Parameters
    ----------
    bandwidth : float, array of shape (n_features,) or str, default="leave-one-out"
        As in `ParzenClassifier`; "leave-one-out" takes the one with the least squared error on rows when each is left
        out in turn.
    kernel, n_neighbors, bandwidths, n_jobs, time_limit, cache_size
        As in `ParzenClassifier`.
    empty : {"nearest", "prior", "nan"}, default="nearest"
        What a query is told whose window holds no row: the target of the nearest row; the mean of all; or NaN.

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,)
    bandwidths_, left_out_errors_ : ndarray
        Of "leave-one-out", the bandwidths that were looked at and the mean squared error of each.
    plan_ : str
        How sums are taken.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import ParzenRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ParzenRegressor().fit(X, y)
    >>> model.score(X, y) > 0.5
    True
    """

    def __init__(
        self,
        bandwidth: Any = "leave-one-out",
        *,
        kernel: Any = "gaussian",
        empty: str = "nearest",
        n_neighbors: int | None = None,
        bandwidths: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.empty = empty
        self.n_neighbors = n_neighbors
        self.bandwidths = bandwidths
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    @limited_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remembers rows and targets, and settles the bandwidth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, ≥ 0; rows that count nothing are as absent.
        """
        checks.check_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", multi_output=True, y_numeric=True)
        targets = np.asarray(y, dtype=np.float64)
        self._is_single = targets.ndim == 1
        targets = targets.reshape(len(targets), -1)
        self._unit = unit_of(targets)  # so that squares of errors are numbers
        targets = targets / self._unit
        # Means are taken around the middle of the targets, so that a large one common to all costs no digits.
        self._middle = targets.mean(axis=0)
        self._settle(X, targets - self._middle, read_row_weights(sample_weight, len(X)))
        if hasattr(self, "left_out_errors_"):
            with np.errstate(over="ignore"):
                self.left_out_errors_ = self.left_out_errors_ * self._unit * self._unit
        return self

    @limited
    def predict(self, X: Any) -> Floats:
        """The mean of the targets over the window of each query."""
        means = (self._means(X) + self._middle) * self._unit
        return np.asarray(means[:, 0] if self._is_single else means)

    def _loss(self, means: Floats, targets: Floats) -> Floats:
        return np.asarray(np.mean((means - targets) ** 2, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
