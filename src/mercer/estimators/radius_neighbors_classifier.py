"""Classification by the votes of all rows within a radius, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import InputError, NumericsWarning, ParameterError, warn_user
from mercer.estimators.neighbour_votes import NeighbourVotes
from mercer.estimators.neighbour_weights import weights_within
from mercer.estimators.neighbours import RadiusNeighbors
from mercer.estimators.time_limits import limited
from mercer.typing import Floats, Labels

__all__ = ["RadiusNeighborsClassifier"]


class RadiusNeighborsClassifier(NeighbourVotes, RadiusNeighbors):
    """scikit-learn's `RadiusNeighborsClassifier`, with weights of rows and classes.

    Parameters
    ----------
    radius : float, default=1.0
        Rows no farther than this vote.
    weights, algorithm, leaf_size, p, metric, metric_params, n_jobs, class_weight, time_limit, cache_size
        As in `KNeighborsClassifier`.
    outlier_label : label, list of labels, "most_frequent" or None, default=None
        What a query without neighbours is; None makes it an error.

    Examples
    --------
    >>> from mercer import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(outlier_label="most_frequent").fit([[0.0], [0.5], [3.0]], ["a", "a", "b"])
    >>> model.predict([[0.2], [2.5], [10.0]]).tolist()
    ['a', 'b', 'a']
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
        outlier_label: Any = None,
        metric_params: Any = None,
        n_jobs: int | None = None,
        class_weight: Any = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.cache_size = cache_size

    def _finish(self) -> None:
        self.outlier_label_ = self._outlier_labels()

    def _follow(self) -> None:
        super()._follow()
        self._finish()

    def _outlier_labels(self) -> list[Any] | None:
        """The label of queries without neighbours, one an output."""
        asked, classes = self.outlier_label, self._all_classes
        if asked is None:
            return None
        if isinstance(asked, str) and asked == "most_frequent":
            counted = self._counted
            counts = [np.bincount(codes, counted, minlength=1) for codes in self._codes.T]
            return [own[count.argmax()] for own, count in zip(classes, counts, strict=True)]
        if np.ndim(asked) == 0:
            labels = [asked] * len(classes)
        elif len(asked) == len(classes):
            labels = list(asked)
        else:
            raise ParameterError(
                f"The length of outlier_label: {asked} is inconsistent with the output length: {len(classes)}"
            )
        for label, own in zip(labels, classes, strict=True):
            if np.ndim(label) != 0:
                raise ParameterError(f"The outlier_label of classes {own} is supposed to be a scalar, got {label}.")
            is_text = own.dtype.kind in "US" or isinstance(own[0], str)
            if isinstance(label, str) != is_text or (
                not is_text and np.append(own, label).dtype.kind != own.dtype.kind
            ):
                raise ParameterError(f"The dtype of outlier_label {label!r} is inconsistent with classes {own} in y.")
        return labels

    @limited
    def predict(self, X: Any) -> Labels:
        """The label of each query, or of each output of it; that of `outlier_label` where it has no neighbours."""
        votes, found = self._votes(X), []
        for output, (own, shares) in enumerate(zip(self._all_classes, votes, strict=True)):
            labels = own[shares.argmax(axis=1)]
            if self.outlier_label_ is not None:
                outliers = np.zeros(len(labels), dtype=bool)
                outliers[self._outliers] = True
                label = np.asarray(self.outlier_label_[output])
                labels = np.where(outliers, label, labels.astype(np.result_type(labels, label)))
            found.append(labels)
        stacked = np.stack(found, axis=1)
        return stacked if self.outputs_2d_ else stacked.ravel()

    def _votes(self, X: Any) -> list[Floats]:
        begins, rows, distances = self._within(X, None)
        votes = self._shares(rows, weights_within(self.weights, distances, begins), begins)
        # Rows of weight zero are no neighbours.
        self._memory.outliers = outliers = np.flatnonzero(votes[0].sum(axis=1) == 0)
        if len(outliers) == 0:
            return votes
        if self.outlier_label_ is None:
            raise InputError(
                f"No neighbors found for test samples {outliers}, you can try using larger radius, giving a label for "
                "outliers, or considering removing them from your dataset."
            )
        for label, own, shares in zip(self.outlier_label_, self._all_classes, votes, strict=True):
            places = np.flatnonzero(own == label)
            if len(places):
                shares[outliers, places[0]] = 1
            else:
                warn_user(
                    NumericsWarning(
                        f"Outlier label {label} is not in training classes. All class probabilities of outliers "
                        "will be assigned with 0."
                    )
                )
        return votes

    @property
    def _outliers(self) -> Any:
        return self._memory.outliers
