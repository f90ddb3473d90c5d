"""Missing values by the nearest rows that have them, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.deadline import check_deadline
from mercer.errors import ParameterError
from mercer.estimators.imputed_values import imputed_by, imputed_by_callable
from mercer.estimators.neighbour_weights import check_weights
from mercer.estimators.time_limits import limited, limited_fit
from mercer.neighbours.masked import MaskedIndex, donors_in_parts
from mercer.neighbours.parts import RowParts
from mercer.typing import Booleans, Floats

__all__ = ["KNNImputer"]


def _check_metric(name: str, value: Any) -> None:
    if value != "nan_euclidean" and not callable(value):
        raise ParameterError(f"{name}: expected 'nan_euclidean' or a function of two rows, got {value!r}.")


def _check_missing(name: str, value: Any) -> None:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number:
        raise ParameterError(f"{name}: expected a number or NaN, got {value!r}.")


class KNNImputer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's `KNNImputer`, in the core: a missing value is the mean of the nearest rows that have one.

    Distances are taken over the features that both rows have, √(d/s Σ (q − x)²) of s among d features. Where no row
    with a value shares a feature, it is the mean of the column.

    Parameters
    ----------
    missing_values : int or float, default=nan
        What stands for a missing value.
    n_neighbors : int, default=5
        Over how many rows the mean is taken.
    weights : {"uniform", "distance"} or callable, default="uniform"
        What a row counts in it, as in `KNeighborsRegressor`.
    metric : {"nan_euclidean"} or callable, default="nan_euclidean"
        A function of two rows, and of `missing_values` by that name, is called for each pair: slow.
    copy : bool, default=True
        False imputes in place where it can.
    add_indicator : bool, default=False
        Whether columns follow that tell which values were missing, one for each column with some in `fit`.
    keep_empty_features : bool, default=False
        Whether columns without any value in `fit` are kept, as zeros.
    time_limit : float, optional
        Seconds that `fit`, and each `transform`, may take; as in `NearestNeighbors`.
    cache_size : float, optional
        MB for what is made of the rows to search them, and for what is worked on at a time; as in `NearestNeighbors`.

    Attributes
    ----------
    indicator_ : MissingIndicator or None
    n_features_in_ : int
    plan_ : str
        How donors are found.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KNNImputer
    >>> X = [[1, 2, np.nan], [3, 4, 3], [np.nan, 6, 5], [8, 8, 7]]
    >>> KNNImputer(n_neighbors=2).fit_transform(X)
    array([[1. , 2. , 4. ],
           [3. , 4. , 3. ],
           [5.5, 6. , 5. ],
           [8. , 8. , 7. ]])
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "missing_values": _check_missing,
        "n_neighbors": checks.at_least(1),
        "weights": check_weights,
        "metric": _check_metric,
        "copy": checks.flag,
        "add_indicator": checks.flag,
        "keep_empty_features": checks.flag,
        "time_limit": checks.optional_positive,
        "cache_size": checks.optional_positive,
    }

    def __init__(
        self,
        *,
        missing_values: Any = np.nan,
        n_neighbors: int = 5,
        weights: Any = "uniform",
        metric: Any = "nan_euclidean",
        copy: bool = True,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.missing_values = missing_values
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.time_limit = time_limit
        self.cache_size = cache_size

    @limited_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Remembers the rows; y is not looked at."""
        checks.check_parameters(self)
        X = validate_data(self, X, copy=self.copy, **self._reading)
        self._rows, self._is_missing = X, self._missing(X)
        self._has_values = ~self._is_missing.all(axis=0)
        check_deadline()
        self.indicator_ = None
        if self.add_indicator:
            from sklearn.impute import MissingIndicator  # it takes long to import

            self.indicator_ = MissingIndicator(missing_values=self.missing_values, error_on_new=False).fit(X)
        return self

    @limited
    def transform(self, X: Any) -> Any:
        """The rows with their missing values imputed, and the columns of the indicator where it was asked for."""
        check_is_fitted(self, "n_features_in_")
        X = validate_data(self, X, reset=False, copy=self.copy, force_writeable=True, **self._reading)
        is_missing = self._missing(X)
        indicated = None if self.indicator_ is None else self.indicator_.transform(X)
        is_wanted = is_missing & self._has_values
        places = np.flatnonzero(is_wanted.any(axis=1))
        if len(places):
            X[is_wanted] = self._imputed(X[places], is_missing[places], is_wanted[places])
        if self.keep_empty_features:
            X[:, ~self._has_values] = 0
        else:
            X = X[:, self._has_values]
        return X if indicated is None else np.hstack([X, indicated])

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns."""
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self, "n_features_in_")
        names = _check_feature_names_in(self, input_features)
        kept = names if self.keep_empty_features else names[self._has_values]
        return kept if self.indicator_ is None else np.hstack([kept, self.indicator_.get_feature_names_out(names)])

    @property
    def plan_(self) -> str:
        """How donors are found."""
        check_is_fitted(self, "n_features_in_")
        if callable(self.metric):
            return "All distances in float64: a Python function, pair by pair."
        return RowParts(self._rows, MaskedIndex, checks.bytes_allowed(self.cache_size)).plan

    def _imputed(self, Q: Any, is_missing: Booleans, is_wanted: Booleans) -> Floats:
        """The wanted values of some rows, in row-major order."""
        if callable(self.metric):
            return imputed_by_callable(self, Q, is_wanted)
        rows, queries = _with_nan(self._rows, self._is_missing), _with_nan(Q, is_missing)
        check_deadline()
        found = donors_in_parts(
            rows, queries, is_wanted, self.n_neighbors, available_threads(), checks.bytes_allowed(self.cache_size)
        )
        return imputed_by(self.weights, rows, np.nonzero(is_wanted)[1], found)

    def _missing(self, X: Any) -> Booleans:
        return np.asarray(np.isnan(X) if np.isnan(self.missing_values) else self.missing_values == X)

    @property
    def _reading(self) -> dict[str, Any]:
        return {
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": "allow-nan" if np.isnan(self.missing_values) else True,
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = bool(np.isnan(self.missing_values))
        return tags


def _with_nan(X: Any, is_missing: Booleans) -> Floats:
    rows = np.array(X, dtype=np.float64)
    rows[is_missing] = np.nan
    return rows
