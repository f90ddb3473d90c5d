"""Support vector regression with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin, clone

from mercer import checks
from mercer.calibration import LaplaceNoise
from mercer.data import FOLDS, NUMBERS, WeightedRows, read_numbers, read_sample_weight
from mercer.errors import InputError
from mercer.estimators.regressor import SingleOutput
from mercer.problems import SupportVectorRegression, bounds_of
from mercer.typing import Floats

__all__ = ["SVR", "KernelRegressor"]


class KernelRegressor(RegressorMixin, SingleOutput):  # type: ignore[misc]
    """A machine whose values are predictions."""

    _target_kinds = NUMBERS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the flattest function with the least loss and certifies it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C by row. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def predict(self, X: Any) -> Floats:
        """The value of the function at each row."""
        return self._values(X)[:, 0]

    def laplace_noise(self, X: Any, y: Any, sample_weight: Any = None) -> LaplaceNoise:
        """How far targets lie from predictions, as LIBSVM estimates it: on five folds that are held out in turn.

        The estimator need not be fitted, and is left as it is; `random_state` decides the folds.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        LaplaceNoise
            Its `interval(predicted, coverage)` tells between which numbers targets lie.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from mercer import SVR
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = SVR(C=100.0).fit(X, y)
        >>> low, high = model.laplace_noise(X, y).interval(model.predict(X), coverage=0.9)
        >>> bool(0.85 < ((low <= y) & (y <= high)).mean() < 0.97)
        True
        """
        from sklearn.model_selection import KFold, cross_val_predict  # which takes longer to import than all of Mercer

        rows = len(np.asarray(y))
        if rows < 2:
            raise InputError(f"laplace_noise: expected two rows or more, to hold some out, got {rows}.")
        seed = 0 if self.random_state is None else self.random_state
        folds = KFold(min(FOLDS, rows), shuffle=True, random_state=seed)
        weights = read_sample_weight(sample_weight, rows)
        params = None if sample_weight is None else {"sample_weight": weights}
        predicted = cross_val_predict(clone(self).set_params(warm_start=False), X, y, cv=folds, params=params)
        return LaplaceNoise.learn(read_numbers(y) - predicted, weights)


class SVR(KernelRegressor):
    """ε-support vector regression, fast and with a certificate of optimality.

    Minimises ½‖w‖² + C Σ weight_i max(0, |y_i − f(x_i)| − ε) over f(x) = Σ c_i k(x_i, x) + b. Parameters and attributes
    are those of `sklearn.svm.SVR` unless noted otherwise.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on errors beyond the tube. `numpy.inf` allows none, whatever the weights; an `InputError` says so where
        no function of the kernel stays within the tube.
    epsilon : float, default=0.1
        Half-width of the tube inside which errors cost nothing; zero is allowed.
    tol : float, default=1e-3
        Largest violation of the optimality conditions over all rows, in the units of y.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, random_state, n_jobs, time_limit, gap_tol, \
warm_start, callback, formulation, polish
        As in `SVC`.
    trace : bool, default=False
        Whether to record the rounds of the solver in `trace_`, in signed coefficients.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, \
n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_, status_, plan_
        As in `SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import SVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SVR(C=100.0).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"C": checks.positive_or_infinite, "epsilon": checks.not_negative}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 1000,
        verbose: bool = False,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        formulation: str = "auto",
        polish: bool = False,
        trace: bool = False,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            shrinking=shrinking,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            gap_tol=gap_tol,
            warm_start=warm_start,
            callback=callback,
            formulation=formulation,
            polish=polish,
            trace=trace,
        )
        self.C = C
        self.epsilon = epsilon

    def _problem(self, targets: WeightedRows) -> SupportVectorRegression:
        bounds = bounds_of(float(self.C), targets.weights)
        return SupportVectorRegression.of(targets.y, bounds, float(self.epsilon))
