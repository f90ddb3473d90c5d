"""Regression by a Gaussian process, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mercer import checks
from mercer.data import is_sparse
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.gaussian_process import GaussianProcess, read_noise
from mercer.kernels import Kernel
from mercer.processes import (
    Observations,
    Posterior,
    likelihood,
    likelihood_with_slopes,
)
from mercer.processes.hyperparameters import as_mercer
from mercer.processes.likelihood import factored
from mercer.processes.noise import covariance
from mercer.typing import Floats

__all__ = ["GaussianProcessRegressor"]

# A spread of targets below this share of their size is rounding: they are constant.
_CONSTANT = 10 * np.finfo(np.float64).eps


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, GaussianProcess):  # type: ignore[misc]
    """scikit-learn's `GaussianProcessRegressor` with Mercer's kernels.

    A function is drawn with the kernel as covariance, and observed with noise. The kernel's parameters are those under
    which the observations are most likely; what is known of the function then is a mean and a variance everywhere.

    Parameters
    ----------
    kernel : Kernel, optional
        A kernel of Mercer's or of `sklearn.gaussian_process.kernels`; the default is 1.0 * RBF(0.5), a length scale of
        one. `White` in it is noise whose variance is learnt.
    alpha : float or ndarray of shape (n_samples,), default=1e-10
        The variance of noise that is known, of all observations or of each.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        What maximises the likelihood over the kernel's parameters; None keeps them as they are. A callable is called
        as scikit-learn calls it.
    n_restarts_optimizer : int, default=0
        Further starts of the search, log-uniform within the bounds; they are climbed side by side.
    normalize_y : bool, default=False
        Whether each target is brought to mean zero and variance one for the fit. Predictions are in its own units.
    copy_X_train : bool, default=True
        Whether rows and targets are copied.
    n_targets : int, optional
        How many targets there are, for what is asked before a fit.
    random_state : int, RandomState or None, default=None
        Decides the further starts.
    bounds : dict, optional
        Bounds of parameters of a kernel of Mercer's by their names in `kernel.get_params()`: two numbers, or "fixed".
        Others have scikit-learn's: 1e-5 and 1e5, of gammas what follows from these for the length scale.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters found, Mercer's or scikit-learn's as it was given.
    L_, alpha_ : ndarray
        The lower Cholesky factor of the covariance of the observations, and the coefficients of the mean.
    X_train_, y_train_ : ndarray
        The rows, and the targets as they were fitted.
    log_marginal_likelihood_value_ : float
        The logarithm of the likelihood under `kernel_`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, GaussianProcessRegressor, White
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(scale=0.1, size=40)
    >>> model = GaussianProcessRegressor(RBF(1.0) + White(0.1)).fit(X, y)
    >>> mean, std = model.predict([[1.5], [9.0]], return_std=True)
    >>> bool(std[0] < 0.15 < std[1])
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "normalize_y": checks.flag,
        "n_targets": checks.optional_at_least(1),
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
        bounds: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.bounds = bounds

    def fit(self, X: Any, y: Any) -> Self:
        """Finds the kernel's parameters and what is known of the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            What was observed there.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> Self:
        checks.check_parameters(self)
        self._prior()  # raises for what is no kernel, whatever X is
        if is_sparse(y):
            raise InputError("y: expected a dense array, got a sparse matrix. Call its toarray().")
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, order="C")
        y = np.asarray(y, dtype=np.float64)
        targets = y.shape[1] if y.ndim > 1 else 1
        if self.n_targets is not None and targets != self.n_targets:
            raise InputError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. Got "
                f"{targets} != {self.n_targets}."
            )
        noise = read_noise(self.alpha, len(y))
        self._y_train_mean: Any
        self._y_train_std: Any
        self._y_train_mean, self._y_train_std = _centre_and_spread(y) if self.normalize_y else (0.0, 1.0)
        self.X_train_ = X.copy() if self.copy_X_train else X
        self.y_train_ = (y - self._y_train_mean) / self._y_train_std
        self._noise = noise
        parameters = self._hyperparameters(self.X_train_)
        self._parameters = parameters
        theta, value = parameters.theta, None
        if self.optimizer is not None and len(theta) > 0:
            found = self._maximise(parameters, self._value_and_slopes, len(y), self._random)
            theta, value = found.theta, found.value
        self.kernel_ = parameters.at(theta)
        self._keep(as_mercer(self.kernel_))
        if value is not None and not np.isfinite(value):
            warn_user(
                UnsolvedWarning(
                    "The search for the kernel's parameters found no likelihood that is a number, and keeps them as "
                    f"they are given: expected targets whose squares float64 holds, got {np.abs(y).max():.3g}. Scale "
                    "them, or use normalize_y=True."
                )
            )
        own = likelihood(as_mercer(self.kernel_), self._observed) if value is None else value
        self.log_marginal_likelihood_value_ = np.float64(own)
        return self

    def _keep(self, kernel: Kernel) -> None:
        factor = factored(covariance(kernel, self.X_train_, self._noise))
        if factor is None:
            raise np.linalg.LinAlgError(self._singular_message())
        self.L_ = np.tril(factor.lower)
        alpha = factor.solve(self._observed.y)
        if not np.all(np.isfinite(alpha)):
            raise np.linalg.LinAlgError(self._singular_message())
        self.alpha_ = alpha.reshape(self.y_train_.shape)

    def _singular_message(self) -> str:
        rows = len(self.X_train_)
        distinct = len(np.unique(self.X_train_, axis=0))
        repeated = f" {rows - distinct} of the {rows} rows repeat others." if distinct < rows else ""
        noise = f"alpha from {np.min(self._noise):g}" if np.ndim(self._noise) else f"alpha={self._noise:g}"
        # The first two sentences are scikit-learn's, which people match.
        return (
            f"The kernel, {self.kernel_}, is not returning a positive definite matrix. Try gradually increasing the "
            f"'alpha' parameter of your GaussianProcessRegressor estimator. With {noise} it is singular to rounding, "
            f"or the kernel is not positive semi-definite.{repeated} White() in the kernel learns the noise instead."
        )

    @property
    def _observed(self) -> Observations:
        columns = self.y_train_.reshape(len(self.y_train_), -1)
        return Observations(self.X_train_, np.asfortranarray(columns), self._noise)

    @property
    def _posterior(self) -> Posterior:
        columns = self.alpha_.reshape(len(self.alpha_), -1)
        return Posterior(as_mercer(self.kernel_), self.X_train_, self.L_, columns)

    def _value_and_slopes(self, theta: Floats) -> tuple[float, Floats]:
        value, slopes = likelihood_with_slopes(self._parameters.compiled(theta), self._observed)
        return value, np.zeros(len(theta)) if slopes is None else self._parameters.slopes_in_theta(slopes)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The logarithm of the likelihood of the observations.

        Parameters
        ----------
        theta : array-like of shape (n_kernel_params,), optional
            Logarithms of the kernel's free parameters; None takes those that were found.
        eval_gradient : bool, default=False
            Whether its slopes by theta are returned as well.
        clone_kernel : bool, default=True
            Kernels are values here, so that both answers give the same.

        Returns
        -------
        value : float
        gradient : ndarray of shape (n_kernel_params,)
            Where it is asked for.
        """
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None.")
            return self.log_marginal_likelihood_value_
        given = np.asarray(theta, dtype=np.float64)
        if given.shape != self._parameters.theta.shape:
            raise ParameterError(
                f"theta: expected {len(self._parameters.theta)} numbers, of {self._parameters.names}, got {theta!r}."
            )
        if eval_gradient:
            value, slopes = self._value_and_slopes(given)
            return np.float64(value), slopes
        return np.float64(likelihood(self._parameters.compiled(given), self._observed))

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The mean at every row and, where asked for, the standard deviation or the covariance of observations there.

        Before a fit these are the prior's.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        return_std, return_cov : bool, default=False
            Which of the two is returned as well.

        Returns
        -------
        mean : ndarray of shape (n_queries,) or (n_queries, n_targets)
        std : ndarray of the same shape, or covariance : ndarray of shape (n_queries, n_queries[, n_targets])
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        is_fitted = hasattr(self, "X_train_")
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        if not is_fitted:
            return self._prior_at(X, return_std, return_cov)
        known = self._posterior
        mean = _single(self._y_train_std * known.mean(X) + self._y_train_mean)
        scales = np.broadcast_to(self._y_train_std, known.alpha.shape[1:])
        if return_std:
            return mean, _single(np.sqrt(known.variance(X))[:, None] * scales)
        if return_cov:
            return mean, _single(known.covariance(X)[:, :, None] * np.square(scales))
        return mean

    def _prior_at(self, X: Floats, return_std: bool, return_cov: bool) -> Any:
        kernel, targets = as_mercer(self._prior()).resolve(X), self.n_targets or 1
        mean = _single(np.zeros((len(X), targets)))
        if return_std:
            return mean, _single(np.repeat(np.sqrt(kernel.diagonal(X))[:, None], targets, axis=1))
        if return_cov:
            return mean, _single(np.repeat(covariance(kernel, X)[:, :, None], targets, axis=2))
        return mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Functions drawn from what is known, at every row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=0
            Decides which.

        Returns
        -------
        samples : ndarray of shape (n_queries[, n_targets], n_samples)
        """
        random = check_random_state(random_state)
        mean, left = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return np.asarray(random.multivariate_normal(mean, left, n_samples).T)
        drawn = [random.multivariate_normal(mean[:, k], left[..., k], n_samples).T for k in range(mean.shape[1])]
        return np.stack(drawn, axis=1)

    def leave_one_out(self, return_std: bool = False) -> Any:
        """What all other observations say of each, in closed form and with the kernel's parameters as they were found.

        Parameters
        ----------
        return_std : bool, default=False
            Whether the standard deviation of each observation, noise included, is returned as well.

        Returns
        -------
        mean : ndarray of the shape of y
        std : ndarray of the same shape
        """
        left_out = self._posterior.left_out(self._observed.y)
        mean = _single(self._y_train_std * left_out.mean + self._y_train_mean)
        if not return_std:
            return mean
        return mean, _single(
            np.sqrt(left_out.variance)[:, None] * np.broadcast_to(self._y_train_std, left_out.mean.shape[1:])
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.sparse = False
        return tags


def _centre_and_spread(y: Floats) -> tuple[Any, Any]:
    """The mean of each target and its standard deviation, one where the target is constant."""
    # A power of two, by which nothing is rounded, so that squares neither overflow nor vanish.
    unit = np.exp2(np.frexp(np.abs(y).max(axis=0))[1] - 1.0)
    mean, spread = unit * np.mean(y / unit, axis=0), unit * np.std(y / unit, axis=0)
    return mean, np.where(spread <= _CONSTANT * np.abs(mean), 1.0, spread)


def _single(values: Floats) -> Floats:
    """Without the last axis where there is one target only."""
    return values[..., 0] if values.shape[-1] == 1 else values
