"""Classification by Gaussian processes, with scikit-learn's interface."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from threading import Event
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer.data import read_class_targets
from mercer.errors import ParameterError
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.gaussian_process import GaussianProcess
from mercer.kernels.translated import is_of_scikit_learn
from mercer.processes import Hyperparameters, TwoClasses, approximate_evidence, find_mode
from mercer.processes.hyperparameters import as_mercer
from mercer.processes.noise import covariance
from mercer.solvers import few_threads
from mercer.typing import Floats, Labels

__all__ = ["GaussianProcessClassifier"]


@dataclass(frozen=True, eq=False, repr=False)
class _OneClass:
    """A class against the others, as it was fitted."""

    ones: Floats
    parameters: Hyperparameters
    kernel: Any
    value: float
    machine: TwoClasses


class GaussianProcessClassifier(ClassifierMixin, GaussianProcess):  # type: ignore[misc]
    """scikit-learn's `GaussianProcessClassifier` with Mercer's kernels.

    A latent function is drawn with the kernel as covariance, and the logistic function of it is the probability of a
    class. What is known of it is approximated by a Gaussian around its mode (Laplace). Several classes are learnt each
    against the rest.

    Parameters
    ----------
    kernel : Kernel, optional
        As in `GaussianProcessRegressor`. The default, 1.0 * RBF(0.5), is kept as it is unless there are `bounds`, as
        scikit-learn keeps it: give a kernel to have its parameters learnt.
    optimizer, n_restarts_optimizer, copy_X_train, random_state, bounds, time_limit
        As in `GaussianProcessRegressor`.
    max_iter_predict : int, default=100
        The most steps of Newton's method for the mode.
    warm_start : bool, default=False
        Whether the search for each mode begins from the one before, instead of from zero.
    multi_class : "one_vs_rest", default="one_vs_rest"
        How several classes are learnt.
    n_jobs : int, optional
        Classes that are learnt at a time; None means one.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    kernel_ : Kernel, or tuple of them
        With its parameters found; one for each class where there are more than two. Those of scikit-learn's are then
        in its `CompoundKernel`.
    log_marginal_likelihood_value_ : float
        The logarithm of the likelihood, its mean over the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, GaussianProcessClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> round(GaussianProcessClassifier(1.0 * RBF(0.5)).fit(X, y).score(X, y), 2)
    0.99
    """

    _keeps_default = True
    _checks: ClassVar[dict[str, checks.Check]] = {
        "max_iter_predict": checks.at_least(1),
        "warm_start": checks.flag,
        "copy_X_train": checks.flag,
        "multi_class": checks.one_of("one_vs_rest"),
        "n_jobs": checks.number_of_threads,
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        bounds: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.bounds = bounds
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any) -> Self:
        """Finds the kernel's parameters and the latent functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels, of two classes at least.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            checks.check_parameters(self)
            ends = self._ends
            self._prior()  # raises for what is no kernel, whatever X is
            X, y = validate_data(self, X, y, dtype=np.float64, order="C")
            targets = read_class_targets(y, None, None)
            self.classes_: Labels = targets.classes
            self.n_classes_ = len(self.classes_)
            self.X_train_ = X.copy() if self.copy_X_train else X
            learnt = [1] if self.n_classes_ == 2 else range(self.n_classes_)
            ones = [(targets.codes == code).astype(np.float64) for code in learnt]
            self._learnt = self._fit_classes(ones, ends)
            self.kernel_ = _together([one.kernel for one in self._learnt])
            self.log_marginal_likelihood_value_ = np.mean([one.value for one in self._learnt])
            return self

    def _fit_classes(self, ones: list[Floats], ends: float) -> list[_OneClass]:
        """Each class, as many at a time as there are jobs."""
        ended, jobs = Event(), min(len(ones), checks.thread_count(self.n_jobs) or 1)
        if jobs == 1:
            return [self._fit_class(own, ended, ends) for own in ones]
        with few_threads(len(self.X_train_), 1), ThreadPoolExecutor(jobs) as pool:
            try:
                return list(pool.map(self._fit_class, ones, repeat(ended), repeat(ends)))
            finally:
                ended.set()  # whoever is still at it after an error or Ctrl-C

    def _fit_class(self, ones: Floats, ended: Event, ends: float) -> _OneClass:
        parameters = self._hyperparameters(self.X_train_, self.bounds)
        theta, latent = parameters.theta, None

        def value_and_slopes(theta: Floats) -> tuple[float, Floats]:
            nonlocal latent
            if ended.is_set():
                raise KeyboardInterrupt
            kernel = parameters.compiled(theta)
            found = approximate_evidence(kernel, self.X_train_, ones, self.max_iter_predict, latent)
            latent = found.latent if self.warm_start else None
            return found.value, parameters.slopes_in_theta(found.slopes)

        if self.optimizer is not None and len(theta) > 0:
            starts = self._starts(parameters, self._random)
            theta = self._maximise(parameters, value_and_slopes, len(ones), starts, ends).theta
        kernel = parameters.at(theta)
        machine = TwoClasses.of(as_mercer(kernel), self.X_train_, ones, self.max_iter_predict)
        return _OneClass(ones, parameters, kernel, self._value(as_mercer(kernel), ones), machine)

    def _value(self, kernel: Any, ones: Floats) -> float:
        return find_mode(covariance(kernel, self.X_train_), ones, self.max_iter_predict).value

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The logarithm of the likelihood of the labels, approximately; of several classes the mean.

        Parameters
        ----------
        theta : array-like, optional
            Logarithms of the kernel's free parameters, of all classes alike or one class after the other; None takes
            those that were found.
        eval_gradient : bool, default=False
            Whether the slopes by theta are returned as well, of two classes.
        clone_kernel : bool, default=True
            Kernels are values here, so that both answers give the same.

        Returns
        -------
        value : float
        gradient : ndarray
            Where it is asked for.
        """
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None.")
            return self.log_marginal_likelihood_value_
        given, size = np.asarray(theta, dtype=np.float64), len(self._learnt[0].parameters.theta)
        if given.shape not in ((size,), (size * len(self._learnt),)):
            raise ParameterError(f"theta: expected {size} numbers, or as many for each class, got {theta!r}.")
        if not eval_gradient:
            each = np.tile(given, len(self._learnt)) if given.shape == (size,) else given
            pairs = zip(self._learnt, each.reshape(len(self._learnt), size), strict=True)
            return np.mean([self._value(one.parameters.compiled(own), one.ones) for one, own in pairs])
        if len(self._learnt) > 1:
            raise NotImplementedError("eval_gradient: expected two classes, got more. Ask for the value alone.")
        (one,) = self._learnt
        kernel = one.parameters.compiled(given)
        found = approximate_evidence(kernel, self.X_train_, one.ones, self.max_iter_predict)
        return np.float64(found.value), one.parameters.slopes_in_theta(found.slopes)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class at every row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_queries, n_classes)
        """
        queries = self._queries(X)
        shares = np.column_stack([one.machine.probability(queries) for one in self._learnt])
        if self.n_classes_ == 2:
            return np.column_stack([1 - shares[:, 0], shares[:, 0]])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Labels:
        """The most probable class of every row."""
        queries = self._queries(X)
        if self.n_classes_ == 2:
            chosen = (self._learnt[0].machine.mean(queries) > 0).astype(np.intp)
        else:
            chosen = np.argmax(self.predict_proba(queries), axis=1)
        return np.asarray(self.classes_[chosen])

    def latent_mean_and_variance(self, X: Any) -> tuple[Floats, Floats]:
        """Of the latent function at every row, of two classes.

        Returns
        -------
        mean, variance : ndarray of shape (n_queries,)
        """
        queries = self._queries(X)
        if self.n_classes_ > 2:
            # The first sentence is scikit-learn's, which people match.
            raise ParameterError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, "
                f"received {self.n_classes_} classes. Several classes have one latent function each."
            )
        machine = self._learnt[0].machine
        return machine.mean(queries), machine.variance(queries)

    def _queries(self, X: Any) -> Floats:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64, order="C"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _together(kernels: list[Any]) -> Any:
    """The kernel of two classes, or those of all classes in what the user's library has for several."""
    if len(kernels) == 1:
        return kernels[0]
    if not is_of_scikit_learn(kernels[0]):
        return tuple(kernels)
    from sklearn.gaussian_process.kernels import CompoundKernel  # the user has imported it

    return CompoundKernel(kernels)
