"""Regression by the means of neighbours, however these are chosen."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from mercer import checks
from mercer.data import read_row_weights
from mercer.errors import InputError
from mercer.estimators.neighbour_weights import check_weights, joined_weights
from mercer.estimators.neighbours import Neighbors, takes_more_rows
from mercer.estimators.time_limits import limited_fit
from mercer.typing import Integers

__all__ = ["NeighbourMeans"]


class NeighbourMeans(RegressorMixin, Neighbors):  # type: ignore[misc]
    """Remembers targets and weights of the rows."""

    weights: Any

    _checks: ClassVar[dict[str, checks.Check]] = {"weights": check_weights}

    @limited_fit
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
        self._counted = None if sample_weight is None else read_row_weights(sample_weight, len(self._y))
        self._finish()
        return self

    @available_if(takes_more_rows)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns rows besides those that are known, as if all had been given to `fit`, whose parameters these are."""
        if not hasattr(self, "n_samples_fit_"):
            self._check_changes()
            return self.fit(X, y, sample_weight)
        X, y = self._read_more(X, y)
        y = np.asarray(y, dtype=np.float64)
        if y.shape[1:] != self._y.shape[1:]:
            raise InputError(f"y: expected targets of shape {self._y.shape[1:]} for each row, got {y.shape[1:]}.")
        weights = None if sample_weight is None else read_row_weights(sample_weight, len(y))
        self._counted = joined_weights(self._counted, self.n_samples_fit_, weights, len(y))
        self._y = np.concatenate([self._y, y])
        self._learn(X)
        return self

    def _forget_targets(self, numbers: Integers) -> None:
        self._y = np.delete(self._y, numbers, axis=0)
        if self._counted is not None:
            self._counted = np.delete(self._counted, numbers)

    def _finish(self) -> None:
        """What is left to do once rows and targets are remembered."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
