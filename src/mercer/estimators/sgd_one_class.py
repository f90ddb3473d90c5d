"""The support of a distribution by stochastic gradient descent with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer.data import read_queries, read_sample_weight
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.sgd import SGDEstimator
from mercer.estimators.sgd_targets import SgdTargets, start_of_shape
from mercer.estimators.weights import machine_of_weights
from mercer.machines import LinearMachine, locked
from mercer.solvers import DescentState, DescentTargets
from mercer.typing import Floats, Integers

__all__ = ["SGDOneClassSVM"]


class SGDOneClassSVM(OutlierMixin, SGDEstimator):  # type: ignore[misc]
    """The half-space where a distribution has most of its weight, by stochastic gradient descent.

    Minimises ½ ν ‖w‖² − ν ρ + Σ s_i max(0, ρ − w·x_i) / Σ s_i, where s are the sample weights: the problem of
    `OneClassSVM(kernel="linear")`, divided by the weight of all rows and with w and ρ in units of ν times it. After a
    `FeatureMap` or `sklearn.kernel_approximation` it is that of other kernels. Parameters and attributes are
    those of `sklearn.linear_model.SGDOneClassSVM` unless noted otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]: at the optimum at most this share of the weight lies outside.
    fit_intercept : bool, default=True
        Whether ρ is learned; else it stays where it starts, at zero.
    max_iter, tol, shuffle, verbose, random_state, learning_rate, eta0, power_t, average, batch_size, time_limit, \
callback
        As in `SGDClassifier`, with alpha = nu.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of an earlier one with as many features.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights, in float64; read-only. scikit-learn's have this shape as well, whatever its documentation says.
    offset_ : ndarray of shape (1,)
        ρ: `decision_function` is `score_samples` less this.
    n_iter_, t_, objective_, status_, n_features_in_, feature_names_in_
        As in `SGDClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SGDOneClassSVM
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = SGDOneClassSVM(nu=0.1, random_state=0, learning_rate="adaptive").fit(X)
    >>> bool((model.predict(X) == -1).mean() < 0.2)
    True
    """

    _target_kinds = None
    _loss_names = ("hinge",)

    def __init__(
        self,
        nu: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool = False,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        warm_start: bool = False,
        average: bool | int = False,
        *,
        batch_size: int = 1,
        time_limit: float | None = None,
        callback: Any = None,
    ) -> None:
        super().__init__(
            loss="hinge",
            penalty="l2",
            alpha=1.0,
            l1_ratio=None,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            shuffle=shuffle,
            verbose=verbose,
            epsilon=0.0,
            n_jobs=None,
            random_state=random_state,
            learning_rate=learning_rate,
            eta0=eta0,
            power_t=power_t,
            early_stopping=False,
            validation_fraction=0.1,
            n_iter_no_change=5,
            warm_start=warm_start,
            average=average,
            batch_size=batch_size,
            time_limit=time_limit,
            callback=callback,
        )
        self.nu = nu

    def fit(
        self, X: Any, y: Any = None, coef_init: Any = None, offset_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Makes passes over the rows until they no longer help.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : Ignored
            There for consistency.
        coef_init, offset_init : array-like of the shapes of `coef_` and `offset_`, optional
            Where to start.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, None, sample_weight, coef_init=coef_init, intercept_init=offset_init)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Makes one pass over these rows, from the weights at hand.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Some training rows.
        y : Ignored
            There for consistency.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the steps by row. `fit` divides by their mean, which is not known here.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            return self._fit_some(X, None, sample_weight, "_descent_state" not in self.__dict__)

    def score_samples(self, X: Any) -> Floats:
        """The values w·x, before the offset is taken off."""
        return self._scores_and_offset(X)[0]

    def decision_function(self, X: Any) -> Floats:
        """w·x − ρ: not negative inside, negative outside."""
        scores, offset = self._scores_and_offset(X)
        return np.asarray(scores - offset)

    def predict(self, X: Any) -> Integers:
        """1 for rows inside, −1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)

    def _scores_and_offset(self, X: Any) -> tuple[Floats, Floats]:
        check_is_fitted(self, "coef_")
        X = read_queries(self, X, accept_sparse=True)
        learned = machine_of_weights(self, self.coef_, self.offset_, name="offset_")
        without = LinearMachine(learned.weights, np.zeros(1))
        return without.values(X, None)[:, 0], learned.intercept

    # ---------------------------------------------------------------- in the words of the descent
    # With b = 1 − ρ the loss of a row is the hinge of f(x) = w·x + b for the sign +1, and −ν ρ is ν (b − 1).

    def _price(self) -> float:
        return checks.share("nu", self.nu)

    def _price_of_offset(self) -> float:
        return self._price() if self.fit_intercept else 0.0

    def _value_without_weights(self) -> float:
        return 1.0

    def _keep_intercept(self, b: Floats) -> None:
        self.offset_ = locked(1.0 - b)

    def _linear_machine(self) -> LinearMachine:
        learned = machine_of_weights(self, self.coef_, self.offset_, name="offset_")
        return LinearMachine(learned.weights, 1.0 - learned.intercept)

    def _start(self, earlier: Any, coef_init: Any, intercept_init: Any, problems: int) -> DescentState:
        start = super()._start(earlier, coef_init, None, problems)
        if intercept_init is not None:
            b = 1.0 - start_of_shape("offset_init", intercept_init, (1,))
        elif earlier is not None and earlier.is_of((1, self.n_features_in_), None):
            b = earlier.intercept
        else:
            b = np.ones(1)  # ρ = 0
        return DescentState.at(start.w[:, :-1], b, problems)

    def _read_sgd_targets(self, y: Any, sample_weight: Any, go_on: bool) -> SgdTargets:
        sample = read_sample_weight(sample_weight, len(y))
        return SgdTargets(DescentTargets(y, None if sample_weight is None else sample, (-1,)), sample)

    def _functions(self) -> int:
        return 1

    def _loss_of_functions(self) -> str:
        return self.loss

    def _hold_out(self, given: SgdTargets, rows: Integers, random: Any) -> tuple[Integers, Integers]:
        raise NotImplementedError("one class has no score to judge rows by")

    def _shape_of_coef(self, coef: Floats) -> Floats:
        return np.asarray(coef[0])
