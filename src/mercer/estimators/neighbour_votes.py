"""Classification by the votes of neighbours, however these are chosen."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from mercer import checks
from mercer.data import read_row_weights
from mercer.errors import InputError, ParameterError
from mercer.estimators.neighbour_weights import check_weights, joined_weights
from mercer.estimators.neighbours import Neighbors, takes_more_rows
from mercer.estimators.time_limits import limited, limited_fit
from mercer.typing import Floats, Integers, Labels

__all__ = ["NeighbourVotes"]


class NeighbourVotes(ClassifierMixin, Neighbors):  # type: ignore[misc]
    """A query has the class with the most votes; of equal votes the first class has it."""

    class_weight: Any
    weights: Any

    _checks: ClassVar[dict[str, checks.Check]] = {"weights": check_weights}

    @limited_fit
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
        self._row_weights = None if sample_weight is None else read_row_weights(sample_weight, len(y))
        self._count_votes()
        self._finish()
        return self

    @available_if(takes_more_rows)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns rows besides those that are known, as if all had been given to `fit`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, or a list of them for several outputs, optional
            Labels that may come later, so that they have a column in `predict_proba` from the beginning. Labels that
            were never named are learnt as they come.
        """
        if not hasattr(self, "n_samples_fit_"):
            self._check_changes()
            self.fit(X, y, sample_weight)
            self._know(self._per_output(classes))
            return self
        X, y = self._read_more(X, y)
        check_classification_targets(y)
        columns = y.reshape(len(y), -1)
        if columns.shape[1] != len(self._all_classes):
            raise InputError(f"y: expected {len(self._all_classes)} outputs as before, got {columns.shape[1]}.")
        weights = None if sample_weight is None else read_row_weights(sample_weight, len(y))
        named = self._per_output(classes)
        self._know([np.union1d(own, column) for own, column in zip(named, columns.T, strict=True)])
        codes = [np.searchsorted(own, column) for own, column in zip(self._all_classes, columns.T, strict=True)]
        self._row_weights = joined_weights(self._row_weights, self.n_samples_fit_, weights, len(y))
        self._codes = np.concatenate([self._codes, np.stack(codes, axis=1)])
        self._learn(X)
        self._follow()
        return self

    def _per_output(self, classes: Any) -> list[Any]:
        if classes is None:
            return self._all_classes
        named = list(classes) if self.outputs_2d_ else [classes]
        if len(named) != len(self._all_classes):
            raise InputError(
                f"classes: expected a list for each of {len(self._all_classes)} outputs, got {len(named)}."
            )
        return [np.asarray(own) for own in named]

    def _know(self, labels: list[Any]) -> None:
        """Makes labels known; those that are known stay so."""
        known = [np.union1d(own, more) for own, more in zip(self._all_classes, labels, strict=True)]
        if all(len(own) == len(before) for own, before in zip(known, self._all_classes, strict=True)):
            return
        moved = zip(known, self._all_classes, self._codes.T, strict=True)
        self._codes = np.stack([np.searchsorted(own, before)[codes] for own, before, codes in moved], axis=1)
        self.classes_ = known if self.outputs_2d_ else known[0]

    def _forget_targets(self, numbers: Integers) -> None:
        self._codes = np.delete(self._codes, numbers, axis=0)
        if self._row_weights is not None:
            self._row_weights = np.delete(self._row_weights, numbers)
        self._follow()

    def _follow(self) -> None:
        """What follows from the labels, once rows were learnt or forgotten."""
        self._count_votes()

    def _count_votes(self) -> None:
        """What the vote of each row counts: its weight times that of its class."""
        self._counted = self._row_weights
        if self.class_weight is None:
            return
        labels = [own[codes] for own, codes in zip(self._all_classes, self._codes.T, strict=True)]
        by_class = compute_sample_weight(self.class_weight, np.stack(labels, axis=1) if self.outputs_2d_ else labels[0])
        if np.any(by_class < 0):
            raise ParameterError(f"class_weight: expected weights ≥ 0, got {self.class_weight!r}.")
        self._counted = by_class if self._row_weights is None else self._row_weights * by_class

    @abstractmethod
    def _finish(self) -> None:
        """What is left to do once rows and labels are remembered."""

    @limited
    def predict(self, X: Any) -> Labels:
        """The label of each query, or of each output of it; None asks for the training rows, each by the others."""
        votes, classes = self._votes(X), self._all_classes
        found = np.stack([own[shares.argmax(axis=1)] for own, shares in zip(classes, votes, strict=True)], axis=1)
        return found if self.outputs_2d_ else found.ravel()

    @limited
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
            votes = np.bincount(places, counted, minlength=(len(begins) - 1) * len(classes)).astype(np.float64)
            votes = votes.reshape(-1, len(classes))
            total = votes.sum(axis=1, keepdims=True)
            found.append(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags
