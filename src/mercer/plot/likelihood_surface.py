"""The likelihood of a Gaussian process over two parameters of its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.checks import integer
from mercer.errors import ParameterError
from mercer.plot.canvas import one_panel
from mercer.plot.palette import VERMILLION
from mercer.typing import Floats

__all__ = ["LikelihoodSurfaceDisplay"]

# To either side of the maximum, in natural logarithms: a factor of some thirty.
_REACH = 3.5
# Levels below the highest point drawn; likelihoods fall off so steeply that equal steps would show nothing near it.
_BELOW = np.array([0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256])


@dataclass
class LikelihoodSurfaceDisplay:
    """The logarithm of the likelihood over two parameters, with all others as they were found, and the maximum.

    Made by `from_estimator`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    names : (str, str)
        The parameters along x and y.
    x, y : ndarray
        Their values.
    values : ndarray of shape (len(y), len(x))
        log p, −∞ where the covariance is singular.
    found : (float, float)
        The values that the fit found.
    """

    names: tuple[str, str]
    x: Floats
    y: Floats
    values: Floats
    found: tuple[float, float]

    @classmethod
    def from_estimator(
        cls, model: Any, parameters: tuple[int, int] = (0, 1), *, points: int = 31, ax: Any = None
    ) -> LikelihoodSurfaceDisplay:
        """Draws a fitted `GaussianProcessRegressor` of Mercer's.

        Parameters
        ----------
        model : GaussianProcessRegressor
            The process.
        parameters : (int, int), default=(0, 1)
            Which of the free parameters, by their places in theta.
        points : int, default=31
            Values of each; the likelihood is evaluated at all pairs. Of an odd number the middle one is that found.
        ax : matplotlib axes, optional
            Where to draw; new axes by default.
        """
        check_is_fitted(model, "X_train_")
        integer("points", points, 2)
        free, best = model._unknowns, model._theta
        first, second = parameters
        if first == second or not all(0 <= place < len(best) for place in parameters):
            raise ParameterError(
                f"parameters: expected two different places below {len(best)}, of {free.names}, got {parameters!r}."
            )
        steps = np.linspace(-_REACH, _REACH, points)
        values = np.empty((points, points))
        for row, column in np.ndindex(points, points):
            theta = best.copy()
            theta[[first, second]] += steps[[column, row]]
            values[row, column] = model.log_marginal_likelihood(theta)
        x, y = np.exp(best[first] + steps), np.exp(best[second] + steps)
        found = (float(np.exp(best[first])), float(np.exp(best[second])))
        return cls((free.names[first], free.names[second]), x, y, values, found).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LikelihoodSurfaceDisplay:
        """Draws it on the given axes, or on new ones."""
        ax = one_panel(ax, (6.0, 4.5))
        finite = self.values[np.isfinite(self.values)]
        levels = (finite.max() - _BELOW)[::-1]
        drawn = np.where(np.isfinite(self.values), self.values, finite.min())
        filled = ax.contourf(self.x, self.y, drawn, levels=[*levels, finite.max()], extend="min", cmap="Blues")
        ax.figure.colorbar(filled, ax=ax, label="log likelihood")
        ax.plot(*self.found, "*", color=VERMILLION, markersize=14, label="maximum found")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])
        ax.legend(loc="best", fontsize=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self
