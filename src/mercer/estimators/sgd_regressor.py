"""Linear regression by stochastic gradient descent with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from mercer.data import NUMBERS, read_sample_weight
from mercer.errors import InputError
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.sgd import SGDEstimator
from mercer.estimators.sgd_targets import SgdTargets
from mercer.solvers import DescentTargets
from mercer.typing import Floats, Integers

__all__ = ["SGDRegressor"]


class SGDRegressor(RegressorMixin, SGDEstimator):  # type: ignore[misc]
    """Linear regression by stochastic gradient descent: one batch of rows, one step.

    Minimises Σ s_i loss(y_i, f(x_i)) / Σ s_i + alpha · penalty(w) over f(x) = w·x + b, where s are the sample weights
    and b costs nothing. Parameters and attributes are those of `sklearn.linear_model.SGDRegressor` unless told
    otherwise.

    Parameters
    ----------
    loss : {"squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"}, default="squared_error"
        ½(y − f)²; the same up to |y − f| = ε and ε |y − f| − ½ε² beyond; max(0, |y − f| − ε); or the square of that.
    learning_rate : {"constant", "optimal", "invscaling", "adaptive"}, default="invscaling"
        As in `SGDClassifier`.
    power_t : float, default=0.25
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Whether `fit` holds out rows, and stops once their coefficient of determination no longer improves.
    penalty, alpha, l1_ratio, fit_intercept, max_iter, tol, shuffle, verbose, epsilon, n_jobs, random_state, eta0, \
validation_fraction, n_iter_no_change, warm_start, average, batch_size, time_limit, callback
        As in `SGDClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights, in float64; read-only.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_, t_, objective_, status_, n_features_in_, feature_names_in_
        As in `SGDClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> from mercer import SGDRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SGDRegressor(random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.5
    True
    """

    _target_kinds = NUMBERS
    _loss_names = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool = False,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
        time_limit: float | None = None,
        callback: Any = None,
    ) -> None:
        super().__init__(
            loss=loss,
            penalty=penalty,
            alpha=alpha,
            l1_ratio=l1_ratio,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            shuffle=shuffle,
            verbose=verbose,
            epsilon=epsilon,
            n_jobs=n_jobs,
            random_state=random_state,
            learning_rate=learning_rate,
            eta0=eta0,
            power_t=power_t,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            warm_start=warm_start,
            average=average,
            batch_size=batch_size,
            time_limit=time_limit,
            callback=callback,
        )

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Makes passes over the rows until they no longer help.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        coef_init, intercept_init : array-like of the shapes of `coef_` and `intercept_`, optional
            Where to start.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Makes one pass over these rows, from the weights at hand.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Some training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the steps by row. `fit` divides by their mean, which is not known here.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            return self._fit_some(X, y, sample_weight, "_descent_state" not in self.__dict__)

    def predict(self, X: Any) -> Floats:
        """The value of f at each row."""
        return self._values_of_queries(X)[:, 0]

    def _read_sgd_targets(self, y: Any, sample_weight: Any, go_on: bool) -> SgdTargets:
        targets = np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64)
        sample = read_sample_weight(sample_weight, len(targets))
        weights = None if sample_weight is None else sample
        return SgdTargets(DescentTargets(targets, weights, (-1,)), sample)

    def _functions(self) -> int:
        return 1

    def _loss_of_functions(self) -> str:
        return self.loss

    def _hold_out(self, given: SgdTargets, rows: Integers, random: Any) -> tuple[Integers, Integers]:
        held_out = round(len(rows) * self.validation_fraction)
        if not 0 < held_out < len(rows):
            raise InputError(
                f"early_stopping: expected rows to train on and rows to hold out, got {held_out} of {len(rows)} to "
                "hold out. Change validation_fraction, or turn early_stopping off."
            )
        order = random.permutation(rows)
        return np.sort(order[held_out:]), np.sort(order[:held_out])

    def _shape_of_coef(self, coef: Floats) -> Floats:
        return np.asarray(coef[0])
