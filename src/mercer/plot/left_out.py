"""What a choice by leaving rows out saw: the error of every number of neighbours, or of every bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from mercer.errors import InputError
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.palette import BLUE, CHOICE, GREY
from mercer.plot.searched import as_text
from mercer.typing import Floats

__all__ = ["LeftOutDisplay", "plot_left_out_errors"]

# Square points of the mark of the choice.
_STAR = 180


@dataclass
class LeftOutDisplay:
    """Errors, or scores of a density, of rows as the others predict them, against what was chosen from.

    Made by `from_estimator`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    parameter : {"n_neighbors", "bandwidth"}
    values : ndarray of shape (m,)
        What was tried, growing.
    measured : ndarray of shape (m,)
        The error or score of each, NaN where there is none.
    measure : str
        What that is.
    chosen : int
        Which of the values was taken.
    """

    parameter: str
    values: Floats
    measured: Floats
    measure: str
    chosen: int

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> LeftOutDisplay:
        """Draws what a fitted estimator saw; the parameters are those of `plot_left_out_errors`."""
        scores = getattr(estimator, "left_out_scores_", None)
        found = getattr(estimator, "left_out_errors_", scores)
        if found is None or not _chooses(estimator):
            raise InputError(
                f"Expected a fitted estimator that chose by leaving rows out, got {type(estimator).__name__}. Fit it "
                'with n_neighbors="auto", bandwidth="auto" or bandwidth="leave-one-out", as it has it.'
            )
        measured = np.asarray(found, dtype=np.float64)
        tried = getattr(estimator, "bandwidths_", getattr(estimator, "candidates_", None))
        values = np.arange(1.0, len(measured) + 1) if tried is None else np.asarray(tried, dtype=np.float64)
        counts = getattr(estimator, "n_neighbors_", None)
        parameter, taken = ("n_neighbors", counts) if counts is not None else ("bandwidth", estimator.bandwidth_)
        order = np.argsort(values)
        values, measured = values[order], measured[order]
        if scores is not None:
            measure = "mean log-likelihood of rows left out"
        else:
            measure = (
                "share of rows left out that are wrong"
                if is_classifier(estimator)
                else "mean squared error of rows left out"
            )
        shown = np.where(np.isfinite(measured), measured, np.nan)
        return cls(parameter, values, shown, measure, int(np.argmin(np.abs(values - taken)))).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LeftOutDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 3.5))
        ax.plot(
            self.values,
            self.measured,
            "-",
            marker="o",
            markersize=3,
            color=BLUE,
            label="rows as the others predict them",
        )
        missing = np.isnan(self.measured)
        if missing.any():
            at = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            name = "a row has no other in its window"
            ax.plot(self.values[missing], np.full(missing.sum(), 0.03), "x", color=GREY, label=name, **at)
        name = f"chosen: {self.parameter}={as_text(self.values[self.chosen])}"
        ax.scatter(self.values[self.chosen], self.measured[self.chosen], s=_STAR, label=name, **CHOICE)
        # Bandwidths are tried by ratios.
        ax.set(xscale="log" if self.parameter == "bandwidth" else "linear", xlabel=self.parameter, ylabel=self.measure)
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def plot_left_out_errors(estimator: Any, ax: Any = None) -> LeftOutDisplay:
    """The errors among which an estimator chose its number of neighbours or its bandwidth, each row left out in turn.

    Parameters
    ----------
    estimator : estimator
        Fitted with n_neighbors="auto" (`KNeighborsClassifier`, `KNeighborsRegressor`, `LocallyWeightedRegression`),
        bandwidth="auto" (`LocallyWeightedRegression`), or bandwidth="leave-one-out" (`ParzenClassifier`,
        `ParzenRegressor`, `KernelDensity`, of which the mean log-likelihood is shown).
    ax : matplotlib axes, optional
        Where to draw; new ones where none are given.

    Returns
    -------
    LeftOutDisplay

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KNeighborsClassifier
    >>> from mercer.plot import plot_left_out_errors
    >>> model = KNeighborsClassifier("auto").fit(*load_iris(return_X_y=True))
    >>> display = plot_left_out_errors(model)
    >>> display.chosen + 1 == model.n_neighbors_
    True
    """
    return LeftOutDisplay.from_estimator(estimator, ax=ax)


def _chooses(estimator: Any) -> bool:
    """Whether the number or the width is left to the rows: what an earlier fit saw is not what the last one took."""
    asked = (getattr(estimator, name, None) for name in ("n_neighbors", "bandwidth"))
    return any(isinstance(value, str) and value in ("auto", "leave-one-out") for value in asked)
