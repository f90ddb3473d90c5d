"""What regression by Gaussian processes shares: targets and their noise, and predictions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mercer import checks
from mercer.data import is_sparse
from mercer.errors import InputError, ParameterError
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.gaussian_process import GaussianProcess, read_noise
from mercer.processes import NoiseGroups, Observations, Unknowns
from mercer.processes.hyperparameters import DEFAULT_BOUNDS, as_mercer, read_limits
from mercer.processes.noise import covariance
from mercer.typing import Floats

__all__ = ["GaussianProcessRegression"]

# A spread of targets below this share of their size is rounding: they are constant.
_CONSTANT = 10 * np.finfo(np.float64).eps

# What bounds of the noise of groups are called.
_OF_GROUPS = "noise_groups"


class Known(Protocol):
    """What is known of the function, in the units of the fit."""

    def mean(self, queries: Any) -> Floats: ...
    def variance(self, queries: Any) -> Floats: ...
    def covariance(self, queries: Any) -> Floats: ...


class GaussianProcessRegression(MultiOutputMixin, RegressorMixin, GaussianProcess):  # type: ignore[misc]
    """A function drawn with a kernel as covariance and observed with noise."""

    alpha: Any
    normalize_y: bool
    n_targets: int | None

    _checks: ClassVar[dict[str, checks.Check]] = {
        "normalize_y": checks.flag,
        "n_targets": checks.optional_at_least(1),
    }

    @abstractmethod
    def _learn(self, known: Observations, unknowns: Unknowns, ends: float) -> Floats:
        """Finds θ until the time `ends`, keeps what is known of the function then, and returns θ."""

    @property
    @abstractmethod
    def _posterior(self) -> Known:
        """What was kept."""

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, noise_groups: Any = None) -> Self:
        """Finds the kernel's parameters and what is known of the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            What was observed there.
        noise_groups : array-like of shape (n_samples,), optional
            A label for each observation. Those with the same label have noise of one variance, which is learnt with
            the kernel's parameters and added to `alpha` and to what is white in the kernel.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            return self._fit(X, y, noise_groups)

    def _fit(self, X: Any, y: Any, noise_groups: Any) -> Self:
        checks.check_parameters(self)
        ends = self._ends
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
        self._shape = y.shape
        columns = np.asfortranarray(((y - self._y_train_mean) / self._y_train_std).reshape(len(y), -1))
        known = Observations(X, columns, noise)
        unknowns = self._read_unknowns(known, noise_groups)
        theta = self._learn(known, unknowns, ends)
        self.kernel_ = unknowns.at(theta)
        self._groups, self._variances = unknowns.groups, unknowns.variances(theta)
        return self

    def _read_unknowns(self, known: Observations, noise_groups: Any) -> Unknowns:
        if noise_groups is None:
            return Unknowns.of(self._hyperparameters(known.X, self.bounds), known.y)
        if self.optimizer is None:
            raise ParameterError(
                "optimizer: expected one to learn the noise of groups, got None. Use alpha for noise that is known."
            )
        groups = NoiseGroups.of(noise_groups, len(known.X))
        given = dict(self.bounds or {})
        limits = read_limits(_OF_GROUPS, given.pop(_OF_GROUPS, DEFAULT_BOUNDS))
        if limits is None:
            raise ParameterError(
                f"bounds: expected two numbers for {_OF_GROUPS}, whose noise is learnt, got 'fixed'. Use alpha for "
                "noise that is known."
            )
        return Unknowns.of(self._hyperparameters(known.X, given or None), known.y, groups, limits)

    @property
    def noise_(self) -> dict[Any, Any]:
        """The variance of the noise of each group by its label, in the units of the targets.

        One number or, where `normalize_y` gives each of several targets a scale of its own, one for each of them.
        """
        if not hasattr(self, "kernel_"):
            raise AttributeError(f"{type(self).__name__} has no noise_ before fit.")
        if self._groups is None:
            return {}
        scale = np.square(self._y_train_std)
        each = (_plain(variance * scale) for variance in self._variances)
        return dict(zip(self._groups.labels, each, strict=True))

    # ---------------------------------------------------------------- predict

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, noise_groups: Any = None) -> Any:
        """The mean at every row and, where asked for, the standard deviation or the covariance of observations there.

        These include the noise of the kernel (`White`), not that of `alpha`, which is of the observations of the fit,
        and that of groups only where `noise_groups` says of which. Before a fit these are the prior's.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        return_std, return_cov : bool, default=False
            Which of the two is returned as well.
        noise_groups : label or array-like of shape (n_queries,), optional
            Groups of the fit whose noise the standard deviation or covariance includes.

        Returns
        -------
        mean : ndarray of shape (n_queries,) or (n_queries, n_targets)
        std : ndarray of the same shape, or covariance : ndarray of shape (n_queries, n_queries[, n_targets])
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        is_fitted = hasattr(self, "kernel_")
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        noise = self._noise_at(len(X), noise_groups, return_std or return_cov)
        if not is_fitted:
            return self._prior_at(X, return_std, return_cov)
        known = self._posterior
        columns = known.mean(X)
        mean = _single(self._y_train_std * columns + self._y_train_mean)
        scales = np.broadcast_to(self._y_train_std, columns.shape[1:])
        if return_std:
            return mean, _single(np.sqrt(known.variance(X) + noise)[:, None] * scales)
        if return_cov:
            left = known.covariance(X)
            left[np.diag_indices_from(left)] += noise
            return mean, _single(left[:, :, None] * np.square(scales))
        return mean

    def _noise_at(self, rows: int, noise_groups: Any, is_asked: bool) -> float | Floats:
        """The noise of groups that queries are of, in the units of the fit."""
        if noise_groups is None:
            return 0.0
        if getattr(self, "_groups", None) is None:
            raise ParameterError(
                "noise_groups: expected None, as no noise of groups was learnt, got labels. Give them to fit first."
            )
        if not is_asked:
            raise ParameterError(
                "noise_groups: expected None for the mean, which noise does not change, got labels. Ask for return_std "
                "or return_cov."
            )
        assert self._groups is not None
        return np.asarray(self._variances[self._groups.places(noise_groups, rows)])

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

    def _in_units(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """Means of targets in the units of the fit, one column each, and standard deviations, in their own units."""
        deviations = np.sqrt(variance)[:, None] * np.broadcast_to(self._y_train_std, mean.shape[1:])
        return _single(self._y_train_std * mean + self._y_train_mean), _single(deviations)

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


def _plain(variance: Any) -> Any:
    """A number, or one for each of several targets."""
    return float(variance) if np.size(variance) == 1 else np.asarray(variance)
