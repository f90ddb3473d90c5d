"""Classification by the votes of the nearest rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from mercer import checks
from mercer.data import read_sample_weight
from mercer.estimators.neighbour_weights import check_weights, weights_of_neighbours
from mercer.estimators.neighbours import KNeighbors
from mercer.typing import Floats, Labels

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(ClassifierMixin, KNeighbors):  # type: ignore[misc]
    """scikit-learn's `KNeighborsClassifier`, exact to the last neighbour, with weights of rows and classes.

    A query has the class with the most votes among its nearest rows; of equal votes the first class has it.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many rows vote.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        What a vote counts: one; the inverse of the distance, or only those at distance zero where there are some; or
        what a function of the distances gives.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in `NearestNeighbors`.
    class_weight : dict, "balanced" or None, default=None
        What votes for a class count besides; "balanced" counts them by the inverse of the number of its rows.

    Attributes
    ----------
    classes_ : ndarray, or a list of them for several outputs
    plan_ : str
        How neighbours are found.
    exact_ : Exactness
        What the last search took.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KNeighborsClassifier().fit(X, y).score(X, y)
    0.9666666666666667
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"weights": check_weights}

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: int | None = None,
        class_weight: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remembers rows and labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; of metric="precomputed", their distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            What the vote of each row counts.
        """
        y = self._remember(X, y)
        check_classification_targets(y)
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        columns = y.reshape(len(y), -1)
        codes = [np.unique(column, return_inverse=True) for column in columns.T]
        classes = [labels for labels, _ in codes]
        self.classes_ = classes if self.outputs_2d_ else classes[0]
        self._codes = np.stack([own for _, own in codes], axis=1)
        counted = None if sample_weight is None else read_sample_weight(sample_weight, len(y))
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            counted = by_class if counted is None else counted * by_class
        self._counted = counted
        return self

    def predict(self, X: Any) -> Labels:
        """The label of each query, or of each output of it; None asks for the training rows, each by the others."""
        votes, classes = self._votes(X), self._all_classes
        found = np.stack([own[shares.argmax(axis=1)] for own, shares in zip(classes, votes, strict=True)], axis=1)
        return found if self.outputs_2d_ else found.ravel()

    def predict_proba(self, X: Any) -> Any:
        """The share of the votes that each class has; a list of them for several outputs."""
        votes = self._votes(X)
        return votes if self.outputs_2d_ else votes[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of labels that are right; X=None leaves each training row out in turn."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    @property
    def _all_classes(self) -> list[Any]:
        found: Any = self.classes_
        return found if self.outputs_2d_ else [found]

    def _votes(self, X: Any) -> list[Floats]:
        """The share of each class, one array an output."""
        distances, rows = self.kneighbors(X)
        weights = weights_of_neighbours(self.weights, distances)
        counted = np.ones(rows.shape) if weights is None else weights
        if self._counted is not None:
            counted = counted * self._counted[rows]
        found = []
        for output, classes in enumerate(self._all_classes):
            count = len(classes)
            places = self._codes[rows, output] + count * np.arange(len(rows))[:, None]
            votes = np.bincount(places.ravel(), counted.ravel(), minlength=len(rows) * count).reshape(-1, count)
            total = votes.sum(axis=1, keepdims=True)
            found.append(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
