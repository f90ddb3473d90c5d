"""Regression by a polynomial around each query, with scikit-learn's interface."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.data import read_row_weights
from mercer.deadline import check_deadline
from mercer.errors import NumericsWarning, ParameterError, warn_user
from mercer.estimators.time_limits import limited, limited_fit
from mercer.local import (
    KERNELS,
    FittedSmoothers,
    FixedWindows,
    Interval,
    NearestWindows,
    Smoother,
    Windows,
    bisquare_weights,
    neighbours_of_share,
    select_windows,
)
from mercer.typing import Booleans, Floats

__all__ = ["LocallyWeightedRegression"]

# Cleveland's, where nothing is said about windows.
_SHARE = 2.0 / 3.0
# As densities have it, from scikit-learn.
_SYNONYMS = {"linear": "triangular"}


class LocallyWeightedRegression(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A polynomial around each query, fitted by least squares to the rows in a window: LOESS, LOWESS.

    The prediction at x is the value there of the polynomial p that minimises Σ wᵢ K(‖xᵢ − x‖ / h) (yᵢ − p(xᵢ))². It is
    a weighted sum of the targets, Σ lᵢ(x) yᵢ; the weights lᵢ are the equivalent kernel.

    Parameters
    ----------
    order : {0, 1, 2}, default=1
        Of the polynomials: 0 is the weighted mean of Nadaraya and Watson, 1 lines or planes, 2 with squares and
        products.
    kernel : {"tricube", "tophat", "triangular", "epanechnikov", "biweight", "triweight", "gaussian"}, default="tricube"
        What rows weigh, by their distance in units of h. "linear" is another name of "triangular".
    frac : float, optional
        h reaches the nearest rows that are this share of all: 2/3 where neither this nor one of the next two is given.
    n_neighbors : int or "auto", optional
        h reaches so many rows. "auto" takes the number with the least error when each row is left out.
    bandwidth : float, array-like of shape (n_features,) or "auto", optional
        h itself, the same everywhere, or one for each feature. An infinite one makes an ordinary polynomial
        regression.
    robust_iterations : int, default=0
        How often fits are made anew with rows weighed down that the last one misses (Cleveland's bisquare weights).
    ridge : float, default=1e-10
        Where the rows of a window do not determine a polynomial (the least pivot of its system is below this share of
        the diagonal), this share is added to the diagonal. A warning says so; `ridged_` tells of which training rows.
    empty : {"nearest", "nan"}, default="nearest"
        What to predict where no row is in a window of fixed bandwidth: the target of the nearest row, or NaN.
    n_jobs : int, optional
        Threads; None uses those that are available.
    time_limit : float, optional
        Seconds that `fit`, and each prediction, may take. There is no half answer: at the limit
        `TimeLimitError` is raised, and a fit leaves the estimator as it was.
    cache_size : float, optional
        MB for what is made of the rows to search them, and for lists of the rows in windows, which are made for some
        queries at a time; None allows whatever that takes. `plan_` says where that is few. No prediction depends on it.

    Attributes
    ----------
    n_neighbors_, bandwidth_ : int, float or tuple
        Of the windows; None of the one that they do not have.
    candidates_, left_out_errors_ : ndarray
        Where "auto" was asked for: what was tried, and the mean squared errors with each row left out.
    robustness_weights_ : ndarray
        What rows weighed in the last fit, where there are robust iterations.
    fitted_values_, residuals_, left_out_residuals_, leverage_, ridged_ : ndarray
        At the training rows of positive weight; a leverage lᵢ(xᵢ) is what a row contributes to its own prediction. They
        are worked out when first asked for.
    effective_dof_, sigma_ : float or ndarray
        The trace of the smoother matrix; the standard deviation of the errors.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import LocallyWeightedRegression
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> y = np.sin(x[:, 0]) + np.random.default_rng(0).normal(scale=0.3, size=200)
    >>> model = LocallyWeightedRegression(n_neighbors="auto").fit(x, y)
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 2 * std[0])
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "kernel": checks.one_of(*KERNELS, *_SYNONYMS),
        "robust_iterations": checks.at_least(0),
        "ridge": checks.positive,
        "empty": checks.one_of("nearest", "nan"),
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "cache_size": checks.optional_positive,
    }

    def __init__(
        self,
        order: int = 1,
        *,
        kernel: str = "tricube",
        frac: float | None = None,
        n_neighbors: int | str | None = None,
        bandwidth: Any = None,
        robust_iterations: int = 0,
        ridge: float = 1e-10,
        empty: str = "nearest",
        n_jobs: int | None = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.order = order
        self.kernel = kernel
        self.frac = frac
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.robust_iterations = robust_iterations
        self.ridge = ridge
        self.empty = empty
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    # ------------------------------------------------------ fitting

    @limited_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remembers rows and targets, chooses windows where asked to, and weighs rows down that fits miss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            What each row weighs: the inverse of the variance of its target. Rows that weigh nothing are absent.
        """
        self._check()
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=[np.float64, np.float32], order="C")
        weights = read_row_weights(sample_weight, len(X))
        present = weights > 0
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)[present]
        self._is_vector = np.ndim(y) == 1
        rows = np.ascontiguousarray(X[present], dtype=np.float64)
        smoother = Smoother(
            rows,
            Y,
            weights[present],
            self._windows(len(rows), rows.shape[1]),
            _SYNONYMS.get(self.kernel, self.kernel),
            self.order,
            float(self.ridge),
            room=checks.bytes_allowed(self.cache_size),
        )
        check_deadline()
        self._choose(smoother)
        smoother = replace(smoother, windows=self._chosen)
        self._memory = FittedSmoothers(
            self._robust(smoother), self.robust_iterations > 0, checks.thread_count(self.n_jobs)
        )
        return self

    def _check(self) -> None:
        checks.check_parameters(self)
        if checks.integer("order", self.order, 0) > 2:
            raise ParameterError(f"order: expected 0, 1 or 2, got {self.order!r}.")
        given = [name for name in ("frac", "n_neighbors", "bandwidth") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ParameterError(
                f"Expected one of frac, n_neighbors and bandwidth, got {' and '.join(given)}. Leave the others None."
            )
        if self.frac is not None:
            checks.share("frac", self.frac)
        if self.n_neighbors is not None:
            checks.auto_or_at_least(1)("n_neighbors", self.n_neighbors)

    def _windows(self, rows: int, features: int) -> Windows:
        """As asked for; where "auto" is to choose, any of that kind."""
        if self.bandwidth is not None:
            return FixedWindows(1.0 if _is_auto(self.bandwidth) else _read_bandwidth(self.bandwidth, features))
        if _is_auto(self.n_neighbors):
            return NearestWindows(rows)
        if self.n_neighbors is None:
            return NearestWindows(neighbours_of_share(_SHARE if self.frac is None else float(self.frac), rows))
        if int(self.n_neighbors) > rows:
            raise ParameterError(
                f"n_neighbors: expected at most the {rows} rows that weigh something, got {self.n_neighbors}."
            )
        return NearestWindows(int(self.n_neighbors))

    def _choose(self, smoother: Smoother) -> None:
        for name in ("candidates_", "left_out_errors_", "robustness_weights_"):
            self.__dict__.pop(name, None)
        self._chosen = smoother.windows
        if _is_auto(self.n_neighbors) or _is_auto(self.bandwidth):
            selection = select_windows(smoother, self._threads)
            self._chosen, self.left_out_errors_ = selection.windows, selection.errors
            self.candidates_ = np.array(
                [one.k if isinstance(one, NearestWindows) else one.bandwidth for one in selection.candidates]
            )
        self.n_neighbors_ = self._chosen.k if isinstance(self._chosen, NearestWindows) else None
        self.bandwidth_ = self._chosen.bandwidth if isinstance(self._chosen, FixedWindows) else None

    def _robust(self, smoother: Smoother) -> list[Smoother]:
        if self.robust_iterations == 0:
            return [smoother]
        found, robustness = [], []
        for column in smoother.Y.T:
            # Each keeps what it makes of the rows.
            room = smoother.room / smoother.Y.shape[1]
            one = replace(smoother, Y=np.ascontiguousarray(column[:, None]), room=room)
            for _ in range(self.robust_iterations):
                values = one.fits(one.X, self._threads).values[:, 0]
                # A row whose window holds nothing any more is missed by nothing.
                own = bisquare_weights(column - np.where(np.isnan(values), column, values))
                one = one.with_robustness(own)
            found.append(one)
            robustness.append(own)
        self.robustness_weights_ = self._shaped(np.stack(robustness, axis=1))
        return found

    # ------------------------------------------------------ prediction

    @limited
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The value of the local polynomial at each query, and where asked for the standard error of that.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Queries.
        return_std : bool, default=False
            Whether to return standard errors too: `sigma_` times the root of Σ lᵢ(x)² / wᵢ.

        Returns
        -------
        values : ndarray of shape (n_queries,) or (n_queries, n_targets)
        std : ndarray of the same shape
        """
        values, squares = self._predicted(self._queries(X), return_std)
        if not return_std:
            return self._shaped(values)
        return self._shaped(values), self._shaped(np.sqrt(squares) * self._memory.sigma)

    @limited
    def predict_interval(self, X: Any, confidence: float = 0.95, *, of: str = "mean") -> Interval:
        """Predictions and what the mean, or a new target, lies between with some confidence.

        It counts on errors that are normal and of equal variance (over the weights), and not on the bias of the fit.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Queries.
        confidence : float, default=0.95
            How sure to be.
        of : {"mean", "target"}, default="mean"
            Whether of the mean of targets at a query, or of a single one that weighs one.
        """
        from scipy.stats import t as student  # it takes long to import

        checks.inner_share("confidence", confidence)
        checks.choice("of", of, ("mean", "target"))
        values, squares = self._predicted(self._queries(X), True)
        spread = np.sqrt(squares + (of == "target")) * self._memory.sigma
        dof = np.maximum(self._memory.residual_dof, 1.0)
        half = spread * student.ppf((1 + confidence) / 2, dof)
        return Interval(self._shaped(values), self._shaped(values - half), self._shaped(values + half))

    @limited
    def equivalent_kernel(self, X: Any) -> Floats:
        """What each training row of positive weight contributes to each prediction: rows of the smoother matrix.

        Returns
        -------
        ndarray of shape (n_queries, n_rows), or (n_queries, n_rows, n_targets) where rows were weighed for each target
        """
        queries = self._queries(X)
        found = [smoother.equivalent_kernel(queries, self._threads) for smoother in self._memory.smoothers]
        return found[0] if len(found) == 1 else np.stack(found, axis=2)

    def _predicted(self, queries: Floats, squares: bool) -> tuple[Floats, Floats]:
        """Values and variances of predictions, of each target."""
        fits = self._memory.fits(queries, self._threads, squares)
        values = np.concatenate([one.values for one in fits], axis=1)
        variances = np.zeros_like(values)
        if squares:
            variances[:] = np.stack([one.squares for one in fits], axis=1)
        is_empty = fits[0].is_empty
        if is_empty.any():
            self._fill(queries, is_empty, values, variances)
        count = sum(int(one.is_ridged.sum()) for one in fits)
        if count:
            warn_user(
                NumericsWarning(
                    f"The rows in {count} of {len(queries)} windows do not determine a polynomial of order "
                    f"{self.order}: a ridge of {self.ridge:g} of the diagonal did. Use wider windows or a lower order."
                )
            )
        return values, variances

    def _fill(self, queries: Floats, is_empty: Booleans, values: Floats, variances: Floats) -> None:
        if self.empty == "nan":
            warn_user(
                NumericsWarning(
                    f"{int(is_empty.sum())} of {len(queries)} windows hold no row: predicting NaN. Use a wider "
                    "bandwidth, or empty='nearest'."
                )
            )
            return
        first = self._memory.smoothers[0]
        rows = first.nearest_rows(queries[is_empty], self._threads)
        values[is_empty] = np.concatenate([one.Y[rows] for one in self._memory.smoothers], axis=1)
        variances[is_empty] = 1 / first.weights[rows][:, None]

    def _queries(self, X: Any) -> Floats:
        check_is_fitted(self, "_memory")
        return np.asarray(
            validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C"), dtype=np.float64
        )

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    def _shaped(self, columns: Any) -> Any:
        return columns[..., 0] if self._is_vector else columns

    # ------------------------------------------------------ what the fit tells of itself

    @property
    def _known(self) -> FittedSmoothers:
        check_is_fitted(self, "_memory")
        return self._memory

    @property
    def fitted_values_(self) -> Floats:
        """Predictions at the training rows of positive weight."""
        return np.asarray(self._shaped(self._known.values))

    @property
    def residuals_(self) -> Floats:
        """Targets less predictions."""
        return np.asarray(self._shaped(self._known.residuals))

    @property
    def left_out_residuals_(self) -> Floats:
        """Targets less what the other rows predict in the same windows, without fitting anew."""
        return np.asarray(self._shaped(self._known.left_out))

    @property
    def leverage_(self) -> Floats:
        """The diagonal of the smoother matrix."""
        leverage = self._known.leverage
        return np.asarray(leverage[:, 0] if leverage.shape[1] == 1 else leverage)

    @property
    def ridged_(self) -> Booleans:
        """At which training rows a ridge acted."""
        return np.asarray(np.any([one.is_ridged for one in self._known.own], axis=0))

    @property
    def effective_dof_(self) -> Any:
        """The trace of the smoother matrix: how many parameters the fit is worth."""
        return _plain(self._known.leverage.sum(axis=0), self._known.leverage.shape[1] == 1)

    @property
    def sigma_(self) -> Any:
        """The standard deviation of the errors of rows that weigh one; of robust fits by the median of residuals."""
        return _plain(self._known.sigma, self._is_vector)

    @property
    def plan_(self) -> str:
        """What is fitted, in a sentence."""
        check_is_fitted(self, "_memory")
        shape = ("Means", "Planes" if self.n_features_in_ > 1 else "Lines", "Quadratics")[self.order]
        told = f"{shape} with {self.kernel} weights in {self._chosen}."
        limited = self._memory.smoothers[0].plan
        return told if limited is None else f"{told} {limited}"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _plain(found: Floats, is_one: bool) -> Any:
    return float(found[0]) if is_one else found


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _read_bandwidth(given: Any, features: int) -> float | tuple[float, ...]:
    if np.ndim(given) == 0:
        return checks.positive_or_infinite("bandwidth", given)
    widths = tuple(checks.positive("bandwidth", width) for width in given)
    if len(widths) != features:
        raise ParameterError(f"bandwidth: expected one for each of {features} features, got {len(widths)}.")
    return widths
