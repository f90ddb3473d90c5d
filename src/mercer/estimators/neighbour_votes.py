"""Classification by the votes of neighbours, however these are chosen."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from mercer import checks
from mercer.data import read_sample_weight
from mercer.estimators.neighbour_weights import check_weights
from mercer.estimators.neighbours import Neighbors
from mercer.typing import Floats, Integers, Labels

__all__ = ["NeighbourVotes"]


class NeighbourVotes(ClassifierMixin, Neighbors):  # type: ignore[misc]
    """A query has the class with the most votes; of equal votes the first class has it."""

    class_weight: Any
    weights: Any

    _checks: ClassVar[dict[str, checks.Check]] = {"weights": check_weights}

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
        self._finish()
        return self

    @abstractmethod
    def _finish(self) -> None:
        """What is left to do once rows and labels are remembered."""

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

    @abstractmethod
    def _votes(self, X: Any) -> list[Floats]:
        """The share of each class among the votes of the neighbours, one array an output."""

    @property
    def _all_classes(self) -> list[Any]:
        found: Any = self.classes_
        return found if self.outputs_2d_ else [found]

    def _shares(self, rows: Integers, weights: Floats | None, begins: Integers) -> list[Floats]:
        """The share of each class among neighbours, one array an output; zeros where there are none that count."""
        counted = np.ones(len(rows)) if weights is None else weights
        if self._counted is not None:
            counted = counted * self._counted[rows]
        queries = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        found = []
        for output, classes in enumerate(self._all_classes):
            places = self._codes[rows, output] + len(classes) * queries
            votes = np.bincount(places, counted, minlength=(len(begins) - 1) * len(classes)).reshape(-1, len(classes))
            total = votes.sum(axis=1, keepdims=True)
            found.append(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
