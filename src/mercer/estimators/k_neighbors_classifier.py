"""Classification by the votes of the nearest rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.errors import ParameterError
from mercer.estimators.neighbour_count import errors_of_votes, neighbours_left_out
from mercer.estimators.neighbour_storage import Condensed, Judge, condense, wrong_by
from mercer.estimators.neighbour_votes import NeighbourVotes
from mercer.estimators.neighbour_weights import check_some_count, weights_of_neighbours
from mercer.estimators.neighbours import KNeighbors
from mercer.typing import Floats, Integers

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
    algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit, cache_size
        As in `NearestNeighbors`.
    class_weight : dict, "balanced" or None, default=None
        What votes for a class count besides; "balanced" counts them by the inverse of the number of its rows.
    edit : bool, default=False
        Whether rows that their own neighbours contradict have no vote (Wilson's editing): outliers and wrong labels.
    condense : bool, default=False
        Whether only rows that decide are kept: as many as give all others their own class. Rows are edited before.

    Attributes
    ----------
    classes_ : ndarray, or a list of them for several outputs
    plan_ : str
        How neighbours are found.
    exact_ : Exactness
        What the last search took.
    n_neighbors_ : int
        How many rows vote.
    edited_ : ndarray of int
        With `edit`, the rows that are left out, by their numbers in `fit`.
    condensed_ : Condensed
        With `condense`, the rows that are kept, by their numbers in `fit`, and the errors before and after. Numbers
        that `kneighbors` returns are places in `condensed_.rows`.
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

    _checks: ClassVar[dict[str, checks.Check]] = {
        "n_neighbors": checks.auto_or_at_least(1),
        "edit": checks.flag,
        "condense": checks.flag,
    }

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
        edit: bool = False,
        condense: bool = False,
        time_limit: float | None = None,
        cache_size: float | None = None,
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
        self.edit = edit
        self.condense = condense
        self.time_limit = time_limit
        self.cache_size = cache_size

    def _finish(self) -> None:
        """Chooses the number of neighbours and the rows that are kept, where that is asked for."""
        self.n_neighbors_ = self.n_neighbors
        for name in ("left_out_errors_", "edited_", "condensed_"):  # of a fit that was made before
            self.__dict__.pop(name, None)
        if self.n_neighbors == "auto":
            self._choose_number()
        numbers = np.arange(self.n_samples_fit_)
        if (self.edit or self.condense) and self._is_given:
            raise ParameterError(
                "edit, condense: expected features, of which some rows can be kept, got metric='precomputed'."
            )
        if self.edit:
            wrong = wrong_by(self._memory, numbers, self._judge)
            # A class keeps its rows where all of them are contradicted.
            for codes in self._codes.T:
                for code in np.unique(codes):
                    wrong[codes == code] &= not wrong[codes == code].all()
            self.edited_ = numbers[wrong]
            numbers = numbers[~wrong]
            self._keep(np.flatnonzero(~wrong))
        if self.condense:
            everything = np.arange(len(numbers))
            before = wrong_by(self._memory, everything, self._judge)
            kept = condense(self._memory, self._judge)
            after = wrong_by(self._memory, kept, self._judge)
            self.condensed_ = Condensed(numbers[kept], float(before.mean()), float(after.mean()))
            self._keep(kept)

    @property
    def _judge(self) -> Judge:
        return Judge(self._codes, self._voted, self.n_neighbors_, self._threads)

    def _voted(self, distances: Floats, rows: Integers) -> Integers:
        """The codes that neighbours vote for."""
        votes = self._votes_of(distances, rows)
        return np.stack([shares.argmax(axis=1) for shares in votes], axis=1)

    def _keep(self, kept: Integers) -> None:
        """Remembers some of the rows alone."""
        self._memory = self._memory.of(self._memory.rows[kept])
        self.n_samples_fit_ = self._memory.size
        self._codes = self._codes[kept]
        if self._row_weights is not None:
            self._row_weights = self._row_weights[kept]
        if self._counted is not None:
            self._counted = self._counted[kept]

    def _check_changes(self) -> None:
        super()._check_changes()
        if self.edit or self.condense:
            raise ParameterError(
                "edit, condense: expected False where rows are learnt and forgotten after fit, as which rows are kept "
                "follows from all of them. Fit anew instead."
            )

    def _choose_number(self) -> None:
        distances, rows = neighbours_left_out(self._memory, self._threads)
        outputs = zip(self._codes.T, self._all_classes, strict=True)
        errors = [
            errors_of_votes(codes, len(own), self._counted, self.weights, distances, rows) for codes, own in outputs
        ]
        self.left_out_errors_ = np.mean(errors, axis=0)
        self.n_neighbors_ = int(np.argmin(self.left_out_errors_)) + 1

    def _votes(self, X: Any) -> list[Floats]:
        return self._votes_of(*self.kneighbors(X))

    def _votes_of(self, distances: Floats, rows: Integers) -> list[Floats]:
        weights = weights_of_neighbours(self.weights, distances)
        begins = np.arange(0, rows.size + 1, rows.shape[1])
        shares = self._shares(rows.ravel(), None if weights is None else weights.ravel(), begins)
        check_some_count(shares[0].sum(axis=1))
        return shares
