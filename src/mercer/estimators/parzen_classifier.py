"""Classification by the rows in a window, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mercer import checks
from mercer.data import read_row_weights
from mercer.errors import InputError
from mercer.estimators.parzen import ParzenEstimator
from mercer.estimators.time_limits import limited, limited_fit
from mercer.typing import Floats, Labels

__all__ = ["ParzenClassifier"]


class ParzenClassifier(ClassifierMixin, ParzenEstimator):  # type: ignore[misc]
    """Parzen's windows: all rows vote, each by its distance.

    The share of a class is Σ wᵢ K(‖x − xᵢ‖ / h) over its rows, divided by that over all rows; a query has the class
    with the largest share, of equal ones the first.

    Parameters
    ----------
    bandwidth : float, array of shape (n_features,) or str, default="leave-one-out"
        How wide windows are: the radius of the hard window, h of soft ones; one for each feature; or a rule as in
        `KernelDensity`. "leave-one-out" takes the one with the fewest errors on rows when each is left out in turn, of
        fifty in one pass, the widest of several.
    kernel : str or Kernel, default="gaussian"
        The window: "tophat" is the hard one, whose edge counts; "gaussian", "epanechnikov", "exponential", "linear"
        (the triangular one) and "cosine" are soft. A kernel k stands for k(x/h, z/h), and must have no value below
        zero.
    empty : {"nearest", "prior", "nan"}, default="nearest"
        What a query is told whose window holds no row: the class of the nearest row; the shares of the classes among
        all rows; or NaN as probabilities, and the most frequent class.
    n_neighbors, bandwidths, n_jobs, time_limit, cache_size
        As in `KernelDensity`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    bandwidth_ : float or ndarray of shape (n_features,)
    bandwidths_, left_out_errors_ : ndarray
        Of "leave-one-out", the bandwidths that were looked at and the share of rows that the others get wrong.
    plan_ : str
        How sums are taken.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import ParzenClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ParzenClassifier().fit(X, y)
    >>> model.score(X, y) > 0.95
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
        cache_size: float = 1000,
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
        """Remembers rows and labels, and settles the bandwidth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, ≥ 0; rows that count nothing are as absent.
        """
        checks.check_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class. Check that y holds "
                "the labels and that no filter removed the others."
            )
        self._settle(X, np.eye(len(self.classes_))[codes], read_row_weights(sample_weight, len(X)))
        return self

    @limited
    def predict_proba(self, X: Any) -> Floats:
        """The share of each class in the window of each query."""
        check_is_fitted(self, "classes_")
        return self._means(X)

    def predict(self, X: Any) -> Labels:
        """The class with the largest share."""
        shares = self.predict_proba(X)
        shares[np.isnan(shares[:, 0])] = self._prior
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def _loss(self, means: Floats, targets: Floats) -> Floats:
        return np.asarray(means.argmax(axis=1) != targets.argmax(axis=1), dtype=np.float64)
