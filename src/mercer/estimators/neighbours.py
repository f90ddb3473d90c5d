"""Estimators that remember their rows: fitting is making these ready to be searched."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.data.arrays import core_ready, is_sparse
from mercer.deadline import check_deadline
from mercer.errors import InputError, ParameterError, SparseMatrixError, warn_user
from mercer.estimators.time_limits import limited
from mercer.neighbours import ALGORITHMS, Exactness, Memory, Nearest, without_next
from mercer.typing import Floats, Integers

__all__ = ["KNeighbors", "Neighbors", "RadiusNeighbors", "takes_more_rows"]


def takes_more_rows(estimator: Neighbors) -> bool:
    """Whether there is a `partial_fit`: of given distances those between new rows and old ones would be missing."""
    return not estimator._is_given


# Sparse formats that tell a distance of zero from none.
_FORMATS_WITH_ZEROS = ("csr", "csc", "coo", "lil")


class Neighbors(BaseEstimator):  # type: ignore[misc]
    """Rows, and the search among them."""

    algorithm: str
    metric: Any
    p: float
    metric_params: Any
    n_jobs: int | None
    time_limit: float | None
    cache_size: float | None
    n_features_in_: int

    _checks: ClassVar[dict[str, checks.Check]] = {
        "algorithm": checks.one_of(*ALGORITHMS),
        "leaf_size": checks.at_least(1),
        "p": checks.positive_or_infinite,
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "cache_size": checks.optional_positive,
    }

    def _remember(self, X: Any, y: Any = None) -> Any:
        """Reads the rows and makes them ready; returns the targets, where there are some, as they were read."""
        X, y = self._read(X, y)
        if self._is_given and X.shape[0] != X.shape[1]:
            raise InputError(
                f"metric='precomputed': expected the distances between all rows, a square matrix, got {X.shape}."
            )
        if "p" in (self.metric_params or {}):
            warn_user(SyntaxWarning("p: expected as a parameter, got in metric_params, where it takes its place."))
        room = checks.bytes_allowed(self.cache_size)
        memory = Memory(core_ready(X), self.metric, self.p, dict(self.metric_params or {}), self.algorithm, room)
        memory.check()
        check_deadline()
        self._memory = memory
        self.n_samples_fit_ = memory.size
        self.effective_metric_ = self.metric
        self.effective_metric_params_ = dict(self.metric_params or {})
        return y

    def _read(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, Any]:
        checks.check_parameters(self)
        X = _rows_of(X)
        self._check_format(X)
        if y is None:
            return validate_data(self, X, None, reset=reset, **self._reading), None
        X, y = validate_data(self, X, y, reset=reset, multi_output=True, **self._reading)
        return X, y

    # ---------------------------------------------------------------- learning and forgetting

    def _read_more(self, X: Any, y: Any = None) -> tuple[Any, Any]:
        """Rows to be learnt besides those that are known, and their targets; nothing is changed."""
        self._check_changes()
        X, y = self._read(X, y, reset=False)
        return self._laid_out(X), y

    def _learn(self, X: Any) -> None:
        self._memory.learn(X)
        self.n_samples_fit_ = self._memory.size

    def forget(self, rows: Any = None, *, older_than: int | None = None) -> Self:
        """Forgets rows, as if they had never been learnt; what is left is numbered from 0 on in the same order.

        Parameters
        ----------
        rows : array-like of int, optional
            Numbers of the rows, as `kneighbors` returns them.
        older_than : int, optional
            Forgets all but the so many rows that were learnt last, those forgotten before counted among them.
        """
        check_is_fitted(self, "n_samples_fit_")
        self._check_changes()
        numbers = self._numbers_of(rows, older_than)
        if len(numbers) == self.n_samples_fit_:
            raise InputError("forget: expected to keep a row, got all of them to be forgotten. Fit anew instead.")
        if len(numbers):
            self._memory.forget(numbers)
            self.n_samples_fit_ = self._memory.size
            self._forget_targets(numbers)
        return self

    def _numbers_of(self, rows: Any, older_than: int | None) -> Integers:
        if (rows is None) == (older_than is None):
            raise ParameterError("forget: expected either rows or older_than, got both or neither.")
        if older_than is not None:
            oldest = self._memory.learnt - checks.integer("older_than", older_than, 0)
            return np.flatnonzero(self._memory.born < oldest)
        numbers = np.atleast_1d(np.asarray(rows))
        if numbers.size == 0:
            return np.empty(0, dtype=np.int64)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise InputError(f"forget: expected numbers of rows, got {rows!r}.")
        numbers = np.unique(numbers)
        if numbers[0] < 0 or numbers[-1] >= self.n_samples_fit_:
            raise InputError(
                f"forget: expected numbers of rows from 0 to {self.n_samples_fit_ - 1}, got {numbers[0]} to "
                f"{numbers[-1]}."
            )
        return numbers.astype(np.int64)

    def _forget_targets(self, numbers: Integers) -> None:
        """Forgets what was learnt of rows besides their features."""

    def _check_changes(self) -> None:
        """Raises ParameterError where rows cannot be learnt or forgotten after `fit`."""
        if self._is_given:
            raise ParameterError(
                "metric='precomputed': expected features, of which rows can be learnt and forgotten one after the "
                "other, got distances between all rows. Fit anew instead."
            )

    @property
    def learnt_(self) -> Integers:
        """Of each row that is remembered, how many were learnt before it, those forgotten since counted too."""
        check_is_fitted(self, "n_samples_fit_")
        return self._memory.born

    # ---------------------------------------------------------------- searching

    @property
    def plan_(self) -> str:
        """How neighbours are found."""
        check_is_fitted(self, "n_samples_fit_")
        return self._memory.plan

    @property
    def exact_(self) -> Exactness:
        """What the last search took: pairs, those that were not ruled out at once, those settled in float64."""
        check_is_fitted(self, "n_samples_fit_")
        return self._memory.last

    @property
    def _reading(self) -> dict[str, Any]:
        """How rows and queries are read."""
        takes_missing = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        return {
            "accept_sparse": False if takes_missing else "csr",
            "dtype": [np.float64, np.float32],
            "order": "C",
            "ensure_all_finite": "allow-nan" if takes_missing else True,
        }

    @property
    def _is_given(self) -> bool:
        """Whether X holds distances."""
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    def _queries(self, X: Any) -> tuple[Any, Integers | None]:
        """Rows to look around, and which rows they must not find: themselves, where they are the training rows."""
        check_is_fitted(self, "n_samples_fit_")
        if X is None:
            return self._memory.rows, np.arange(self.n_samples_fit_)
        self._check_format(X)
        return self._laid_out(validate_data(self, X, reset=False, **self._reading)), None

    def _check_format(self, X: Any) -> None:
        if self._is_given and sp.issparse(X) and X.format not in _FORMATS_WITH_ZEROS:
            raise SparseMatrixError(
                f"Sparse matrix in {X.format!r} format is not supported due to its handling of explicit zeros, which "
                f"are distances here: expected one of {_FORMATS_WITH_ZEROS}."
            )

    def _laid_out(self, X: Any) -> Any:
        """Sparse or dense as the rows that are remembered."""
        holds_sparse = self._memory.is_sparse
        if self._is_given:  # of a sparse matrix, only what it holds are distances
            return core_ready(X)
        if is_sparse(X) and not holds_sparse:
            X = X.toarray()
        elif holds_sparse and not is_sparse(X):
            X = sp.csr_matrix(X)
        return core_ready(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        takes_missing = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        tags.input_tags.sparse, tags.input_tags.allow_nan = not takes_missing, takes_missing
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_given
        return tags


class KNeighbors(Neighbors):
    """Looks for so many."""

    n_neighbors: Any

    _checks: ClassVar[dict[str, checks.Check]] = {"n_neighbors": checks.at_least(1)}

    @limited
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training rows of each query, nearest first; of equal distances the lower number first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), optional
            Queries; None takes the training rows, of which none is its own neighbour.
        n_neighbors : int, optional
            How many; None takes those of the estimator.
        return_distance : bool, default=True
            Whether distances are returned before the row numbers.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
        rows : ndarray of int of shape (n_queries, n_neighbors)
        """
        queries, excluded = self._queries(X)
        own = getattr(self, "n_neighbors_", self.n_neighbors)
        k = checks.integer("n_neighbors", own if n_neighbors is None else n_neighbors, 1)
        most = self.n_samples_fit_ - (excluded is not None)
        if k > most:
            relation = "<=" if excluded is None else "<"
            raise ParameterError(
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{self.n_samples_fit_}, n_samples = {queries.shape[0]}"
            )
        found = self._nearest(queries, k, excluded)
        return (found.distances, found.rows) if return_distance else found.rows

    def _nearest(self, queries: Any, k: int, excluded: Integers | None) -> Nearest:
        """The nearest rows; one more is looked for, to tell how far it is from the last."""
        has_next = k < self.n_samples_fit_ - (excluded is not None) and not self._is_given
        found = self._memory.nearest(queries, k + has_next, self._threads, excluded)
        if has_next:
            found = without_next(found, self.n_features_in_)
        self._memory.last = found.exactness
        return found

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The same as a sparse matrix of queries by training rows, of ones or of distances."""
        _check_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        values = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        begins = np.arange(0, rows.size + 1, rows.shape[1])
        return sp.csr_matrix((values, rows.ravel(), begins), shape=(len(rows), self.n_samples_fit_))


class RadiusNeighbors(Neighbors):
    """Looks for all within a radius."""

    radius: float

    _checks: ClassVar[dict[str, checks.Check]] = {"radius": checks.not_negative_or_infinite}

    @limited
    def radius_neighbors(
        self, X: Any = None, radius: Any = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """All training rows no farther from each query than a radius.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), optional
            Queries; None takes the training rows, of which none is its own neighbour.
        radius : float or array-like of shape (n_queries,), optional
            One for all queries or one for each; None takes that of the estimator.
        return_distance : bool, default=True
            Whether distances are returned before the row numbers.
        sort_results : bool, default=False
            Whether rows are in the order of their distances, and not of their numbers.

        Returns
        -------
        distances, rows : ndarray of shape (n_queries,) of arrays
        """
        begins, rows, distances = self._within(X, radius)
        if sort_results:
            if not return_distance:
                raise ParameterError("return_distance must be True if sort_results is True.")
            order = np.lexsort((distances, np.repeat(np.arange(len(begins) - 1), np.diff(begins))))
            rows, distances = rows[order], distances[order]
        found = _as_lists(rows, begins)
        return (_as_lists(distances, begins), found) if return_distance else found

    @limited
    def radius_neighbors_graph(
        self, X: Any = None, radius: Any = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        """The same as a sparse matrix of queries by training rows, of ones or of distances."""
        _check_mode(mode)
        begins, rows, distances = self._within(X, radius)
        if sort_results:
            order = np.lexsort((distances, np.repeat(np.arange(len(begins) - 1), np.diff(begins))))
            rows, distances = rows[order], distances[order]
        values = np.ones(len(rows)) if mode == "connectivity" else distances
        return sp.csr_matrix((values, rows, begins), shape=(len(begins) - 1, self.n_samples_fit_))

    def _within(self, X: Any, radius: Any) -> tuple[Integers, Integers, Floats]:
        queries, excluded = self._queries(X)
        reaches = _radii(self.radius if radius is None else radius, queries.shape[0])
        found = self._memory.within(queries, float(np.max(reaches, initial=0.0)), self._threads, excluded)
        self._memory.last = found.exactness
        if reaches.ndim == 0:
            return found.begins, found.rows, found.distances
        kept = found.distances <= np.repeat(reaches, np.diff(found.begins))
        before = np.concatenate([[0], np.cumsum(kept)])
        return before[found.begins], found.rows[kept], found.distances[kept]


def _rows_of(X: Any) -> Any:
    """The rows of what has some: an estimator or a tree, as in scikit-learn."""
    if isinstance(X, Neighbors):
        return X._memory.rows
    if hasattr(X, "_fit_X"):
        return X._fit_X
    is_tree = type(X).__module__.startswith("sklearn.neighbors") and hasattr(X, "data")
    return np.asarray(X.data) if is_tree else X


def _radii(radius: Any, queries: int) -> Floats:
    """One number, or one for each query."""
    if np.ndim(radius) == 0:
        return np.asarray(checks.not_negative_or_infinite("radius", radius), dtype=np.float64)
    radii = np.asarray(radius)
    if radii.shape != (queries,) or radii.dtype.kind not in "iuf" or not np.all(radii >= 0):
        raise ParameterError(f"radius: expected a number ≥ 0, or one for each of {queries} queries, got {radius!r}.")
    return radii.astype(np.float64)


def _check_mode(mode: Any) -> None:
    if mode not in ("connectivity", "distance"):
        raise ParameterError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


def _as_lists(values: Any, begins: Integers) -> Any:
    lists = np.empty(len(begins) - 1, dtype=object)
    lists[:] = np.split(values, begins[1:-1]) if len(begins) > 1 else []
    return lists
