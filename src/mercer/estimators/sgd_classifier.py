"""Linear classification by stochastic gradient descent with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from mercer.data import LABELS, read_class_targets, read_known_class_targets, read_sample_weight
from mercer.errors import InputError, ParameterError
from mercer.estimators.guarded import earlier_fit_kept
from mercer.estimators.sgd import Lesson, SGDEstimator
from mercer.machines import locked
from mercer.problems import LOSSES
from mercer.solvers import DescentTargets
from mercer.typing import Floats, Integers

__all__ = ["SGDClassifier"]


def _has_probabilities(estimator: SGDClassifier) -> bool:
    if estimator.loss not in ("log_loss", "modified_huber", "softmax"):
        raise AttributeError(
            f"probability estimates are not available for loss={estimator.loss!r}: expected 'log_loss', "
            "'modified_huber' or 'softmax'."
        )
    return True


class SGDClassifier(ClassifierMixin, SGDEstimator):  # type: ignore[misc]
    """Linear classification by stochastic gradient descent: one batch of rows, one step.

    Minimises Σ v_i loss(t_i, f(x_i)) / Σ s_i + alpha · penalty(w) over f(x) = w·x + b, where s are the sample weights,
    v these times the class weights, and b costs nothing. In the words of `SVC` alpha is 1 / (C · n). Several classes
    are taken each against the rest, and with the loss "softmax" all at once. Parameters and attributes are those of
    `sklearn.linear_model.SGDClassifier` unless told otherwise.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log_loss", "softmax", "modified_huber", "perceptron", "squared_error", "huber", \
"epsilon_insensitive", "squared_epsilon_insensitive"}, default="hinge"
        "softmax" is log Σ_c exp f_c − f_y; of two classes one has the score zero, and it is "log_loss". All others are
        scikit-learn's.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        ½‖w‖², ‖w‖₁, or a mixture of them.
    alpha : float, default=1e-4
        Price of the penalty; also sets the learning rate "optimal".
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

    _target_kinds = LABELS
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

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Makes passes over the rows until they no longer help.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        coef_init, intercept_init : array-like of the shapes of `coef_` and `intercept_`, optional
            Where to start.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Makes one pass over these rows, from the weights at hand.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Some training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,)
            All labels there will be; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the steps by row. `fit` divides by their mean, which is not known here.

        Returns
        -------
        self
        """
        with earlier_fit_kept(self):
            first = "_descent_state" not in self.__dict__
            self._check_classes(classes, first)
            return self._fit_some(X, y, sample_weight, first)

    def _check_classes(self, classes: Any, first: bool) -> None:
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"class_weight {self.class_weight!r} is not supported for partial_fit, which does not see all rows: "
                "expected a dict or None. Use sklearn.utils.class_weight.compute_class_weight on a sample."
            )
        if first and classes is None:
            raise InputError("classes must be passed on the first call to partial_fit: expected all labels, got None.")
        if classes is None:
            return
        known = np.unique(classes)
        if first and len(known) < 2:
            raise InputError(
                f"The number of classes has to be greater than one; got {len(known)} class. Name all labels there "
                "will be."
            )
        if first:
            self.classes_ = locked(known)
        elif not np.array_equal(known, self.classes_):
            raise InputError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit: expected "
                f"{self.classes_.tolist()}. Fit a new model for other classes."
            )

    def _read_lesson(self, y: Any, sample_weight: Any, go_on: bool) -> Lesson:
        if go_on:
            targets = read_known_class_targets(y, self.classes_, self.class_weight, sample_weight)
        else:
            targets = read_class_targets(y, self.class_weight, sample_weight)
            self.classes_ = locked(targets.classes)
        classes, by_class = len(self.classes_), targets.class_weight.tolist()
        codes = targets.codes.astype(np.float64)
        sample = read_sample_weight(sample_weight, len(codes))
        given = None if sample_weight is None else sample
        if classes == 2:
            return Lesson(DescentTargets(codes, given, (1,), (tuple(by_class),)), sample)
        if self.loss == "softmax":
            weights = targets.weights if targets.is_weighted else None
            return Lesson(DescentTargets(codes, weights, (-1,), functions=classes), sample)
        # As in scikit-learn, a class weighs more or less against the rest, whose rows keep their sample weights.
        against_rest = tuple((1.0, weight) for weight in by_class)
        return Lesson(DescentTargets(codes, given, tuple(range(classes)), against_rest), sample)

    def _functions(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _loss_of_functions(self) -> str:
        return "log_loss" if self.loss == "softmax" and len(self.classes_) == 2 else self.loss

    def _hold_out(self, lesson: Lesson, rows: Integers, random: Any) -> tuple[Integers, Integers]:
        from sklearn.model_selection import StratifiedShuffleSplit  # which takes longer to import than all of Mercer

        split = StratifiedShuffleSplit(n_splits=1, test_size=self.validation_fraction, random_state=random)
        try:
            training, held_out = next(split.split(rows, lesson.targets.y[rows]))
        except ValueError as error:
            raise InputError(
                f"early_stopping: expected rows of every class to train on and to hold out, got too few: {error} "
                "Change validation_fraction, or turn early_stopping off."
            ) from error
        return np.sort(rows[training]), np.sort(rows[held_out])

    def _shape_of_coef(self, coef: Floats) -> Floats:
        return coef

    # ---------------------------------------------------------------- predict

    def decision_function(self, X: Any) -> Floats:
        """The value of f at each row, for several classes a column each.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        values = self._values_of_queries(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Any:
        """The label of each row: by the sign, or of the class with the largest value."""
        values = self.decision_function(X)
        return self.classes_[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)]

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
