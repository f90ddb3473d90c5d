"""Regression by a Gaussian process, with scikit-learn's interface."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.errors import ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.gaussian_process_regression import GaussianProcessRegression
from mercer.kernels import Kernel
from mercer.processes import Observations, Posterior, Unknowns, likelihood
from mercer.processes.hyperparameters import as_mercer
from mercer.processes.likelihood import factored
from mercer.processes.noise import covariance
from mercer.processes.optimum import Objective
from mercer.typing import Floats, Integers

__all__ = ["GaussianProcessRegressor"]


class GaussianProcessRegressor(GaussianProcessRegression):
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
        as scikit-learn calls it. From 1,600 rows on the search begins on a sample of them, and ends on all rows.
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
        Others have scikit-learn's: 1e-5 and 1e5, of gammas what follows from these for the length scale. Those of
        "noise_groups" are of the noise that is learnt for groups, with any kernel.
    time_limit : float, optional
        Seconds after which the search for parameters ends: the best of those seen is kept, with a warning.

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
    noise_ : dict
        The variance of the noise of each group by its label, where `fit` was given groups, in the units of the targets.

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

    _checks: ClassVar[dict[str, checks.Check]] = {"copy_X_train": checks.flag}

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
        time_limit: float | None = None,
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
        self.time_limit = time_limit

    def _learn(self, known: Observations, unknowns: Unknowns, ends: float) -> Floats:
        self.X_train_ = known.X.copy() if self.copy_X_train else known.X
        self.y_train_ = known.y.reshape(self._shape)
        self._noise, self._unknowns = known.noise, unknowns
        theta, value = unknowns.theta, -math.inf
        if self.optimizer is not None and len(theta) > 0:
            starts = self._starts(unknowns, self._random)
            of_all = self._objective(None)
            found = self._maximise(unknowns, of_all, len(known.X), starts, ends, self._objective)
            theta, value = found.theta, found.value
        self._theta = theta
        self.kernel_ = unknowns.at(theta)
        kernel, observed = unknowns.compiled(theta), unknowns.observed(theta, self._known)
        self._keep(kernel, observed)
        own = value if math.isfinite(value) else likelihood(kernel, observed)
        if not math.isfinite(own):
            warn_user(
                UnsolvedWarning(
                    "The search for the kernel's parameters found no likelihood that is a number, and keeps them as "
                    "they are given: expected targets whose squares float64 holds, got "
                    f"{np.abs(self.y_train_).max():.3g}. Scale them, or use normalize_y=True."
                )
            )
        self.log_marginal_likelihood_value_ = np.float64(own)
        return theta

    def _keep(self, kernel: Kernel, observed: Observations) -> None:
        factor = factored(covariance(kernel, observed.X, observed.noise))
        if factor is None:
            raise np.linalg.LinAlgError(self._singular_message())
        self.L_ = np.tril(factor.lower)
        alpha = factor.solve(observed.y)
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
    def _known(self) -> Observations:
        """What was observed, without the noise that is learnt for groups."""
        columns = self.y_train_.reshape(len(self.y_train_), -1)
        return Observations(self.X_train_, np.asfortranarray(columns), self._noise)

    @property
    def _posterior(self) -> Posterior:
        columns = self.alpha_.reshape(len(self.alpha_), -1)
        return Posterior(as_mercer(self.kernel_), self.X_train_, self.L_, columns)

    def _objective(self, rows: Integers | None) -> Objective:
        """The logarithm of the likelihood of some of the rows, or of all, with its slopes by θ."""
        if rows is None:
            return self._unknowns.objective(self._known)
        return self._unknowns.taken(rows).objective(self._known.taken(rows))

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The logarithm of the likelihood of the observations.

        Parameters
        ----------
        theta : array-like of shape (n_params,), optional
            Logarithms of the kernel's free parameters and, after them, of the variances of groups in the units of the
            fit; None takes those that were found.
        eval_gradient : bool, default=False
            Whether its slopes by theta are returned as well.
        clone_kernel : bool, default=True
            Kernels are values here, so that both answers give the same.

        Returns
        -------
        value : float
        gradient : ndarray of shape (n_params,)
            Where it is asked for.
        """
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None.")
            return self.log_marginal_likelihood_value_
        given = np.asarray(theta, dtype=np.float64)
        unknowns = self._unknowns
        if given.shape != unknowns.theta.shape:
            raise ParameterError(f"theta: expected {len(unknowns.theta)} numbers, of {unknowns.names}, got {theta!r}.")
        if eval_gradient:
            value, slopes = self._objective(None)(given)
            return np.float64(value), slopes
        return np.float64(likelihood(unknowns.compiled(given), unknowns.observed(given, self._known)))

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
        left_out = self._posterior.left_out(self._known.y)
        mean, deviations = self._in_units(left_out.mean, left_out.variance)
        return (mean, deviations) if return_std else mean
