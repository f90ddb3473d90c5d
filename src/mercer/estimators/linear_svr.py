"""Linear support vector regression at scale, with the interface of scikit-learn's LinearSVR."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer import checks
from mercer.data import NUMBERS, WeightedRows, read_weighted_rows
from mercer.errors import InputError
from mercer.estimators.linear import LinearEstimator
from mercer.fits import LinearFitted
from mercer.problems import LinearProblem, bounds_of
from mercer.typing import Floats

__all__ = ["LinearSVR"]

_MOST_TARGET = 1e150


class LinearSVR(RegressorMixin, LinearEstimator):  # type: ignore[misc]
    """Linear regression with a tube, on millions of rows, dense or sparse, with a certificate of optimality.

    Minimises ½‖w‖² + C Σ weight_i loss(y_i − wᵀx_i − b) with the loss max(0, |r| − ε) or its square. Parameters and
    attributes are those of `sklearn.svm.LinearSVR` unless noted otherwise.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half-width of the tube inside which errors cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The price of an error beyond the tube.
    tol, C, fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter, regularize_intercept, n_jobs, \
time_limit, warm_start, callback, solver
        As in `LinearSVC`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : ndarray of shape (1,)
    n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    certificate_, status_, plan_
        As in `LinearSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import LinearSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearSVR(C=10.0).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-4
    True
    """

    _target_kinds = NUMBERS

    _checks: ClassVar[dict[str, checks.Check]] = {
        "loss": checks.one_of("epsilon_insensitive", "squared_epsilon_insensitive"),
        "epsilon": checks.not_negative,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: Any = False,
        random_state: Any = None,
        max_iter: int = -1,
        regularize_intercept: bool = True,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        solver: str = "auto",
    ) -> None:
        super().__init__(
            loss=loss,
            dual=dual,
            tol=tol,
            C=C,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            verbose=verbose,
            random_state=random_state,
            max_iter=max_iter,
            regularize_intercept=regularize_intercept,
            n_jobs=n_jobs,
            time_limit=time_limit,
            warm_start=warm_start,
            callback=callback,
            solver=solver,
        )
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the weights and certifies them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; dense float32 and float64 in C order are not copied.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C by row. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def _check(self) -> None:
        super()._check()
        if self.loss == "epsilon_insensitive" and self._asks_for(dual=False):
            why = "The combination of penalty='l2' and loss='epsilon_insensitive' are not supported when dual=False"
            raise self._unsupported(why, "Use dual='auto'; solver='newton' asks for Newton's steps in w.")

    def predict(self, X: Any) -> Floats:
        """wᵀx + b of each row."""
        return self._values(X)[:, 0]

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> WeightedRows:
        targets = read_weighted_rows(y, sample_weight, rows)
        largest = float(np.abs(targets.y).max())
        if largest > _MOST_TARGET:
            raise InputError(
                f"y: expected targets whose squares float64 holds, at most {_MOST_TARGET:g} in size, got "
                f"{largest:.3g}. Scale the targets."
            )
        return targets

    def _problems(self, targets: WeightedRows) -> list[LinearProblem]:
        bounds = bounds_of(float(self.C), targets.weights)
        squared = self.loss == "squared_epsilon_insensitive"
        y = targets.y - self._middle(targets)
        return [LinearProblem.of_targets(targets.rows, y, bounds, float(self.epsilon), squared, self._intercept())]

    def _middle(self, targets: WeightedRows) -> float:
        """What a free intercept takes off the targets beforehand: far from zero they would round away."""
        return float(np.median(targets.y)) if self._intercept().is_free else 0.0

    def _keep(self, fitted: LinearFitted, targets: WeightedRows) -> None:
        (found,) = fitted.outcomes
        self.coef_ = found.weights.copy()
        self.intercept_ = np.array([found.intercept + self._middle(targets)])
