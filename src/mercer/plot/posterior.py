"""What a Gaussian process knows of a function of one feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.checks import integer
from mercer.errors import InputError, ParameterError
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.palette import BLUE, GREY
from mercer.processes.hyperparameters import as_mercer
from mercer.processes.noise import shared_part
from mercer.typing import Floats

__all__ = ["PosteriorDisplay"]

_POINTS = 300
_OBSERVED = "95 % of observations"
# Noise whose variance is a smaller share of that of the targets does not show.
_SEEN = 1e-4
# Standard deviations to either side: 95 % of what is observed lies within.
_BAND = 1.96
# How far the axis goes beyond the rows, as a share of their range.
_BEYOND = 0.15


@dataclass
class PosteriorDisplay:
    """The mean with the band of 95 %, functions that could be, and the rows.

    The band holds 95 % of observations, with the noise of the kernel. Noise that is `alpha`, or of groups, is not in
    it, and the legend says so.

    Made by `from_estimator`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    grid, mean, std : ndarray of shape (n_points,)
        Where, the mean there, and the standard deviation of an observation.
    samples : ndarray of shape (n_points, n_samples)
        Functions drawn from what is known, without noise.
    X, y : ndarray of shape (n_samples,)
        The rows and what was observed.
    """

    grid: Floats
    mean: Floats
    std: Floats
    samples: Floats
    X: Floats
    y: Floats
    label: str = _OBSERVED

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        *,
        samples: int = 3,
        limits: tuple[float, float] | None = None,
        random_state: Any = 0,
        ax: Any = None,
    ) -> PosteriorDisplay:
        """Draws a fitted `GaussianProcessRegressor` of one feature and one target, Mercer's or scikit-learn's.

        Parameters
        ----------
        model : estimator
            The process.
        samples : int, default=3
            Functions to draw.
        limits : (low, high), optional
            Where the axis begins and ends; by default somewhat beyond the rows.
        random_state : int, RandomState or None, default=0
            Decides which functions.
        ax : matplotlib axes, optional
            Where to draw; new axes by default.
        """
        integer("samples", samples, 0)
        check_is_fitted(model, "X_train_")
        X, y = np.asarray(model.X_train_), np.asarray(model.y_train_ * model._y_train_std + model._y_train_mean)
        if X.shape[1] != 1 or (y.ndim > 1 and y.shape[1] > 1):
            raise InputError(f"Expected a process of one feature and one target, got {X.shape[1]} and {y.shape[1:]}.")
        low, high = _limits(X[:, 0]) if limits is None else limits
        if not low < high:
            raise ParameterError(f"limits: expected low < high, got {limits!r}.")
        grid = np.linspace(low, high, _POINTS)
        mean, std = model.predict(grid[:, None], return_std=True)
        drawn = _functions(model, grid[:, None], samples, random_state)
        display = cls(grid, mean, std, drawn, X[:, 0], y.reshape(-1), _label(model))
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> PosteriorDisplay:
        """Draws it on the given axes, or on new ones."""
        ax = one_panel(ax, (8.0, 4.0))
        low, high = self.mean - _BAND * self.std, self.mean + _BAND * self.std
        ax.fill_between(self.grid, low, high, color=BLUE, alpha=0.2, linewidth=0, label=self.label)
        for number, sample in enumerate(self.samples.T):
            ax.plot(self.grid, sample, color=GREY, linewidth=0.8, label="functions drawn" if number == 0 else None)
        ax.plot(self.grid, self.mean, color=BLUE, linewidth=2, label="mean")
        ax.plot(self.X, self.y, "k.", markersize=5, label="rows")
        ax.set_xlim(self.grid[0], self.grid[-1])
        ax.set_xlabel("x")
        ax.set_ylabel("y")
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _functions(model: Any, queries: Floats, count: int, random_state: Any) -> Floats:
    """Functions drawn from what is known, without the noise that observations of them would have."""
    mean, left = model.predict(queries, return_cov=True)
    kernel = as_mercer(model.kernel_)
    shared = shared_part(kernel)
    noise = kernel.diagonal(queries) - (0.0 if shared is None else shared.diagonal(queries))
    left[np.diag_indices_from(left)] -= noise * np.square(model._y_train_std)
    random = check_random_state(random_state)
    # Rounding may leave eigenvalues slightly below zero, which do not show.
    return np.asarray(random.multivariate_normal(mean, left, count, check_valid="ignore").T)


def _label(model: Any) -> str:
    """What 95 % of is in the band."""
    if getattr(model, "noise_", {}):
        return "95 %, without the noise of groups"
    variance = np.asarray(model.alpha)
    return "95 %, without the noise of alpha" if np.any(variance > _SEEN * np.var(model.y_train_)) else _OBSERVED


def _limits(x: Floats) -> tuple[float, float]:
    room = _BEYOND * (x.max() - x.min()) or 1.0
    return float(x.min() - room), float(x.max() + room)
