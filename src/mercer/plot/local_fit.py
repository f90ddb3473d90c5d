"""A local fit of one feature: the curve with its band, and around one query the line and what each row contributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.plot.canvas import one_panel, panel_below
from mercer.plot.palette import BLUE, GREY, ORANGE, VERMILLION
from mercer.typing import Floats

__all__ = ["LocalFitDisplay"]

# Points of the curve, and square points of the row that contributes most.
_POINTS = 300
_LARGEST, _SMALLEST = 90.0, 4.0


@dataclass
class LocalFitDisplay:
    """Rows and the curve through them above; below, the equivalent kernel of one query.

    Made by `from_estimator`, which draws at once; `plot` draws it again and leaves the matplotlib objects in `figure_`,
    `ax_` and `axes_`.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Rows and targets.
    places, values, lower, upper : ndarray of shape (m,)
        The curve and its band.
    query : float
        The place that is asked about.
    kernel : ndarray of shape (n,)
        What each row contributes to the prediction there.
    confidence : float
        Of the band.
    """

    x: Floats
    y: Floats
    places: Floats
    values: Floats
    lower: Floats
    upper: Floats
    query: float
    kernel: Floats
    confidence: float

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, query: float, *, confidence: float = 0.95, ax: Any = None
    ) -> LocalFitDisplay:
        """Draws a fitted `LocallyWeightedRegression` of one feature and one target.

        Parameters
        ----------
        estimator : LocallyWeightedRegression
            Fitted.
        X : array-like of shape (n_samples, 1)
            The training rows, all of which weigh something.
        y : array-like of shape (n_samples,)
            Their targets.
        query : float
            The place whose equivalent kernel is shown.
        confidence : float, default=0.95
            Of the band.
        ax : matplotlib axes, optional
            Where to draw; new ones where none are given.
        """
        x, targets = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != 1 or targets.shape != (len(x),):
            raise InputError(
                f"LocalFitDisplay: expected rows of one feature and one target each, got shapes {x.shape} and "
                f"{targets.shape}."
            )
        kernel = estimator.equivalent_kernel([[query]])[0]
        if kernel.shape != targets.shape:
            raise InputError(
                f"LocalFitDisplay: expected the {len(kernel)} rows that the estimator was fitted on, got {len(x)}."
            )
        places = np.linspace(min(x.min(), query), max(x.max(), query), _POINTS)
        value, lower, upper = estimator.predict_interval(places[:, None], confidence)
        return cls(x[:, 0], targets, places, value, lower, upper, float(query), kernel, confidence).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LocalFitDisplay:
        """Draws on the given axes, which make room for a second panel, or on new ones."""
        ax = one_panel(ax, (7, 5.5))
        below = panel_below(ax)
        largest = np.abs(self.kernel).max(initial=0.0) or 1.0
        ax.fill_between(self.places, self.lower, self.upper, color=BLUE, alpha=0.2, linewidth=0, label=self._of_band)
        is_heard = self.kernel != 0
        ax.scatter(self.x[~is_heard], self.y[~is_heard], s=_SMALLEST, color=GREY, label="contributes nothing")
        areas = np.maximum(_SMALLEST, _LARGEST * np.abs(self.kernel) / largest)
        for side, colour, marker, name in (
            (self.kernel > 0, ORANGE, "o", "adds to the prediction at the query"),
            (self.kernel < 0, VERMILLION, "s", "takes from it"),
        ):
            style = {"color": colour, "edgecolors": "black", "linewidths": 0.4}
            if side.any():
                ax.scatter(self.x[side], self.y[side], s=areas[side], marker=marker, alpha=0.8, label=name, **style)
                below.vlines(self.x[side], 0, self.kernel[side], color=colour, linewidth=1)
                below.scatter(self.x[side], self.kernel[side], s=12, marker=marker, **style)
        ax.plot(self.places, self.values, color=BLUE, label="the local fit")
        for panel in (ax, below):
            panel.axvline(self.query, color="black", linestyle="--", linewidth=0.8)
        below.axhline(0, color="black", linewidth=0.6)
        below.set_ylabel("share of\neach row")
        ax.set_ylabel("y")
        below.set_xlabel("x")
        handles = ax.get_legend_handles_labels()
        below.legend(*handles, loc="upper left", bbox_to_anchor=(0, -0.45), ncols=2, fontsize=8, frameon=False)
        self.ax_, self.axes_, self.figure_ = ax, [ax, below], ax.figure
        return self

    @property
    def _of_band(self) -> str:
        return f"{100 * self.confidence:g} % band of the mean"
