"""Classification by the rows in a window, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mercer import checks
from mercer.data import class_weights, read_row_weights
from mercer.errors import InputError, ParameterError
from mercer.estimators.parzen import ParzenEstimator
from mercer.estimators.time_limits import limited, limited_fit
from mercer.typing import Floats, Integers, Labels

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
        (or "triangular") and "cosine" are soft. A kernel k stands for k(x/h, z/h), and must have no value below
        zero.
    empty : {"nearest", "prior", "nan"}, default="nearest"
        What a query is told whose window holds no row: the class of the nearest row; the shares of the classes among
        all rows; or NaN as probabilities, and the most frequent class.
    n_neighbors, bandwidths, n_jobs, time_limit, cache_size
        As in `KernelDensity`.
    class_weight : dict, "balanced", list of dicts or None, default=None
        What rows of a class count besides; "balanced" makes all classes weigh the same. Of several outputs, a list has
        a dict for each, and the weights that a row has by its classes are multiplied. Errors of rows that are left out
        are weighted alike.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them for several outputs
    bandwidth_ : float or ndarray of shape (n_features,)
    bandwidths_, left_out_errors_ : ndarray
        Of "leave-one-out", the bandwidths that were looked at and the share of rows that the others get wrong, the mean
        of that over several outputs.
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
        cache_size: float | None = None,
        class_weight: Any = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.empty = empty
        self.n_neighbors = n_neighbors
        self.bandwidths = bandwidths
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.class_weight = class_weight

    @limited_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remembers rows and labels, and settles the bandwidth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, ≥ 0; rows that count nothing are as absent.
        """
        checks.check_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", multi_output=True)
        labels = y if y.ndim == 2 and y.shape[1] > 1 else column_or_1d(y, warn=True)
        check_classification_targets(labels)
        self.outputs_2d_ = labels.ndim == 2
        numbered = [np.unique(column, return_inverse=True) for column in labels.reshape(len(labels), -1).T]
        classes, codes = [own for own, _ in numbered], [own for _, own in numbered]
        if all(len(own) < 2 for own in classes):
            raise InputError(
                f"The number of classes has to be greater than one; got {len(classes[0])} class. Check that y holds "
                "the labels and that no filter removed the others."
            )
        self.classes_: Any = classes if self.outputs_2d_ else classes[0]
        weights = self._weights_by_class(codes, read_row_weights(sample_weight, len(X)))
        targets = [np.eye(len(own))[places] for own, places in zip(classes, codes, strict=True)]
        self._settle(X, np.hstack(targets), weights)
        return self

    def _weights_by_class(self, codes: list[Integers], weights: Floats) -> Floats:
        """What rows weigh, times what their classes do."""
        given, classes = self.class_weight, self._all_classes
        if given is None:
            return weights
        if self.outputs_2d_ and not isinstance(given, str):
            if not isinstance(given, (list, tuple)) or len(given) != len(classes):
                raise ParameterError(
                    f"class_weight: expected None, 'balanced' or a list of {len(classes)} dicts, one for each output, "
                    f"got {given!r}."
                )
            each = given
        else:
            each = [given] * len(classes)
        of_rows = weights
        for one, own, places in zip(each, classes, codes, strict=True):
            of_rows = of_rows * class_weights(one, own, places, weights)[places]
        if not np.any(of_rows > 0):
            raise ParameterError(f"class_weight: expected a row that weighs something, got {given!r}.")
        return of_rows

    @limited
    def predict_proba(self, X: Any) -> Any:
        """The share of each class in the window of each query; a list of them for several outputs."""
        check_is_fitted(self, "classes_")
        shares = self._by_output(self._means(X))
        return shares if self.outputs_2d_ else shares[0]

    @limited
    def predict(self, X: Any) -> Labels:
        """The class with the largest share, of each output."""
        check_is_fitted(self, "classes_")
        shares = self._means(X)
        shares[np.isnan(shares[:, 0])] = self._prior
        outputs = zip(self._all_classes, self._by_output(shares), strict=True)
        found = np.stack([own[share.argmax(axis=1)] for own, share in outputs], axis=1)
        return found if self.outputs_2d_ else found.ravel()

    @property
    def _all_classes(self) -> list[Labels]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _by_output(self, columns: Floats) -> list[Floats]:
        """Columns of all classes of all outputs, those of each output by themselves."""
        ends = np.cumsum([len(own) for own in self._all_classes])
        return np.split(columns, ends[:-1], axis=1)

    def _loss(self, means: Floats, targets: Floats) -> Floats:
        outputs = zip(self._by_output(means), self._by_output(targets), strict=True)
        wrong = [share.argmax(axis=1) != own.argmax(axis=1) for share, own in outputs]
        return np.asarray(np.mean(wrong, axis=0), dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
