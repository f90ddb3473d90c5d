"""Least-squares support vector machines: ridge regression of ±1, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from mercer import checks
from mercer.data import read_class_targets
from mercer.estimators.ridge import RidgeEstimator, RidgeRows, read_ridge_weights
from mercer.solvers import Terms
from mercer.typing import Floats, Integers, Labels

__all__ = ["KernelRidgeClassifier"]


class KernelRidgeClassifier(ClassifierMixin, RidgeEstimator):  # type: ignore[misc]
    """Classification by kernel ridge regression of ±1: the least-squares support vector machine.

    Two classes have one function, which is positive for the second; of several, each has one against the rest, and the
    largest decides. What machines say of rows that they were fitted without is known in closed form.

    Parameters
    ----------
    alpha : float, default=1.0
        What the squared norm costs, > 0: 1 / C of a support vector machine.
    kernel, gamma, degree, coef0, kernel_params
        As in `KernelRidge`, with "rbf" for default.
    fit_intercept : bool, default=True
        Whether there is a constant b that costs nothing.
    class_weight : dict or "balanced", optional
        Weights of classes, with which those of rows are multiplied.
    solver, tol, max_iter, cache_size, time_limit, n_jobs, callback
        As in `KernelRidge`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        The coefficients.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b of each function.
    certificate_, X_fit_, kernel_, plan_, status_, n_iter_
        As in `KernelRidge`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier(0.1).fit(X, y)
    >>> round(model.left_out_score(y), 3)
    0.967
    """

    _takes_columns = False
    _checks: ClassVar[dict[str, checks.Check]] = {"alpha": checks.positive}

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int = -1,
        cache_size: float = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solves the linear systems of all classes and certifies the solutions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0 of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def _read_targets(self, y: Any, sample_weight: Any) -> tuple[Floats, Floats]:
        read_ridge_weights(sample_weight, len(y))
        targets = read_class_targets(y, self.class_weight, sample_weight)
        self.classes_ = targets.classes
        positive = np.arange(len(targets.classes)) if len(targets.classes) > 2 else np.array([1])
        return np.where(targets.codes[:, None] == positive, 1.0, -1.0), targets.weights

    def _choose(self, data: RidgeRows, limits: Terms) -> tuple[RidgeRows, Floats]:
        return data, np.full(data.targets.shape[1], float(self.alpha))

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients, one row a function."""
        self._check_fitted("dual_coef_")
        return self._machine.dual_coef

    @property
    def intercept_(self) -> Floats:
        """b of each function."""
        self._check_fitted("intercept_")
        return self._machine.intercept

    def decision_function(self, X: Any) -> Floats:
        """The functions at each row: one number for two classes, positive for the second; else one for each class."""
        values = self._functions(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Labels:
        """The label of each row."""
        decided = _decided(self._functions(X))
        return np.asarray(self.classes_[decided])

    def left_out_decision_function(self) -> Floats:
        """The functions at each training row, fitted without it, in closed form."""
        values = self._left_out_values()
        return values[:, 0] if values.shape[1] == 1 else values

    def left_out_score(self, y: Any, sample_weight: Any = None) -> float:
        """The share of training rows that machines fitted without them classify rightly; y as in fit."""
        decided = _decided(self._left_out_values())
        return float(np.average(self.classes_[decided] == np.asarray(y), weights=sample_weight))


def _decided(values: Floats) -> Integers:
    """Numbers of classes from the values of their functions."""
    return np.asarray(values[:, 0] > 0, dtype=np.int64) if values.shape[1] == 1 else values.argmax(axis=1)
