"""Classification by the votes of the nearest rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.estimators.neighbour_count import errors_of_votes, neighbours_left_out
from mercer.estimators.neighbour_votes import NeighbourVotes
from mercer.estimators.neighbour_weights import weights_of_neighbours
from mercer.estimators.neighbours import KNeighbors
from mercer.typing import Floats

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(NeighbourVotes, KNeighbors):
    """scikit-learn's `KNeighborsClassifier`, exact to the last neighbour, with weights of rows and classes.

    A query has the class with the most votes among its nearest rows; of equal votes the first class has it.

    Parameters
    ----------
    n_neighbors : int or "auto", default=5
        How many rows vote. "auto" takes the number up to 100 with which the fewest rows are wrong when each is left out
        in turn, the smallest of several: one search tells all of them.
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
    n_neighbors_ : int
        How many rows vote.
    left_out_errors_ : ndarray of shape (numbers of neighbours,)
        Of n_neighbors="auto", the share of rows that are wrong with one neighbour, with two, and so on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KNeighborsClassifier().fit(X, y).score(X, y)
    0.9666666666666667
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"n_neighbors": checks.auto_or_at_least(1)}

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

    def _finish(self) -> None:
        """Chooses the number of neighbours where that is asked for."""
        self.n_neighbors_ = self.n_neighbors
        if self.n_neighbors != "auto":
            return
        distances, rows = neighbours_left_out(self._memory, self._threads)
        outputs = zip(self._codes.T, self._all_classes, strict=True)
        errors = [
            errors_of_votes(codes, len(own), self._counted, self.weights, distances, rows) for codes, own in outputs
        ]
        self.left_out_errors_ = np.mean(errors, axis=0)
        self.n_neighbors_ = int(np.argmin(self.left_out_errors_)) + 1

    def _votes(self, X: Any) -> list[Floats]:
        distances, rows = self.kneighbors(X)
        weights = weights_of_neighbours(self.weights, distances)
        begins = np.arange(0, rows.size + 1, rows.shape[1])
        return self._shares(rows.ravel(), None if weights is None else weights.ravel(), begins)
