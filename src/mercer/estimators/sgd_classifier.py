"""Linear classification by stochastic gradient descent with scikit-learn's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.metaestimators import available_if

from mercer.estimators.sgd_classification import SGDClassification
from mercer.problems import LOSSES
from mercer.typing import Floats

__all__ = ["SGDClassifier"]


def _has_probabilities(estimator: SGDClassifier) -> bool:
    if estimator.loss not in ("log_loss", "modified_huber", "softmax"):
        raise AttributeError(
            f"probability estimates are not available for loss={estimator.loss!r}: expected 'log_loss', "
            "'modified_huber' or 'softmax'."
        )
    return True


class SGDClassifier(SGDClassification):
    """Linear classification by stochastic gradient descent: one batch of rows, one step.

    Minimises Σ v_i loss(t_i, f(x_i)) / Σ s_i + alpha · penalty(w) over f(x) = w·x + b, where s are the sample weights,
    v these times the class weights, and b costs nothing. In the words of `SVC` alpha is 1 / (C · n). Several classes
    are taken each against the rest, and with the loss "softmax" all at once. Parameters and attributes are those of
    `sklearn.linear_model.SGDClassifier` unless noted otherwise.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log_loss", "softmax", "modified_huber", "perceptron", "squared_error", "huber", \
"epsilon_insensitive", "squared_epsilon_insensitive"}, default="hinge"
        "softmax" is log Σ_c exp f_c − f_y; of two classes one has the score zero, and it is "log_loss". All others are
        scikit-learn's.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        ½‖w‖², ‖w‖₁, or a mixture of them.
    alpha : float, default=1e-4
        Strength of the penalty; also sets the learning rate "optimal".
    l1_ratio : float, default=0.15
        The share of ‖w‖₁ in the mixture "elasticnet".
    fit_intercept : bool, default=True
        Whether there is a b.
    max_iter : int, default=1000
        The most passes of `fit`.
    tol : float or None, default=1e-3
        Ends `fit` after `n_iter_no_change` passes of which none improved the objective, as it is met during a pass, or
        with `early_stopping` the score, by as much. With None all passes are made.
    shuffle : bool, default=True
        Whether each pass has an order of its own.
    verbose : bool, default=False
        Whether to write progress to the logger "mercer" at level INFO, and as a bar where stderr is a terminal.
    epsilon : float, default=0.1
        Half-width of the tube of the losses that have one; the error from which on "huber" is a line.
    n_jobs : int, optional
        Threads, for classes side by side and for prediction; None takes what affinity, control group and
        OMP_NUM_THREADS allow. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders and of the rows held out. The same seed gives the same bits.
    learning_rate : {"constant", "optimal", "invscaling", "adaptive"}, default="optimal"
        The length of the t-th step: eta0; 1 / (alpha (t0 + t − 1)); eta0 / t^power_t; eta0, and a fifth of it each time
        that passes no longer help. Bottou's t0 makes the first step of "optimal" 1 / (alpha^¼ max(1, |slope|)).
    eta0 : float, default=0.01
        First length of a step, but for "optimal".
    power_t : float, default=0.5
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Whether `fit` holds out rows, and stops once the share of them that is right no longer improves.
    validation_fraction : float, default=0.1
        The share of the rows held out, in every class.
    n_iter_no_change : int, default=5
        How many passes may be in vain.
    class_weight : dict or "balanced", optional
        Factors of the loss by class, against the rest that of the class itself only, as in scikit-learn. "balanced"
        counts sample weights as if they were repetitions.
    warm_start : bool, default=False
        Whether `fit` starts from the weights of an earlier one with as many features and the same classes.
    average : bool or int, default=False
        Whether the machine is the average of the weights after each step, or from which step on.
    batch_size : int, default=1
        Rows of a step, which takes the mean of their gradients. One row is scikit-learn's descent.
    time_limit : float, optional
        Seconds after which the descent stops with the weights it has.
    callback : callable, optional
        Called with a `Progress` about ten times a second, without a violation; returning True stops the fit.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights, in float64; read-only.
    intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    t_ : float
        One more than the number of steps made.
    objective_ : float or ndarray of shape (n_classes,)
        The objective of `fit`, worked out anew in float64 over the rows trained on; of each class where several are
        taken against the rest.
    status_ : Status
        How the descent ended; passes done, or no longer of any help, are silent, every other end warns.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from mercer import SGDClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SGDClassifier(alpha=0.01, average=True, random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.97
    True
    """

    _loss_names = tuple(LOSSES)

    def __init__(
        self,
        loss: str = "hinge",
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
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
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
        self.class_weight = class_weight

    # ---------------------------------------------------------------- predict

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, with σ the logistic function.

        Of two classes σ(f) and 1 − σ(f); with "softmax" that of the scores; of classes taken against the rest
        σ(f_c) / Σ σ(f), as in scikit-learn. With "modified_huber" σ(f) is ½(1 + f), cut to [0, 1]; where it is zero for
        every class, all are as likely.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self.decision_function(X)
        if self.loss == "modified_huber":
            return _cut_shares(values)
        if values.ndim == 1:
            return np.column_stack([expit(-values), expit(values)])
        if self.loss == "softmax":
            return np.asarray(softmax(values, axis=1))
        return np.exp(_log_shares(values))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`, without its rounding to zero; −inf where "modified_huber" gives zero.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        values = self.decision_function(X)
        if self.loss == "modified_huber":
            with np.errstate(divide="ignore"):
                return np.log(_cut_shares(values))
        if values.ndim == 1:
            return np.column_stack([log_expit(-values), log_expit(values)])
        if self.loss == "softmax":
            return np.asarray(log_softmax(values, axis=1))
        return _log_shares(values)


def _log_shares(values: Floats) -> Floats:
    """log(σ(f_c) / Σ σ(f)), also where every σ is rounded to zero."""
    return np.asarray(log_softmax(log_expit(values), axis=1))


def _cut_shares(values: Floats) -> Floats:
    """The probabilities of Zhang (2004): ½(1 + f) cut to [0, 1], as shares of their sum where there are several."""
    p = 0.5 * (1.0 + np.clip(values, -1.0, 1.0))
    if p.ndim == 1:
        return np.column_stack([1.0 - p, p])
    p[p.sum(axis=1) == 0] = 1.0
    return np.asarray(p / p.sum(axis=1, keepdims=True))
