"""Windows around rows of one feature, and what their sum says: a density, a mean, or the shares of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import checks
from mercer.errors import InputError
from mercer.plot.canvas import legend_beside, one_panel, panel_below
from mercer.plot.palette import BLUE, EACH_CLASS_COLOURS, GREY, LINE_STYLES, ORANGE
from mercer.plot.windowed_rows import Said, WindowedRows, says
from mercer.typing import Floats, Integers

__all__ = ["WindowsDisplay", "plot_windows"]

# Points of a curve; hard windows have edges that are to look steep.
_POINTS = 801
# How high the rug is, as a share of the axes.
_RUG = 0.02


@dataclass
class WindowsDisplay:
    """What an estimator says along one feature, and the windows of some rows.

    Made by `from_estimator`; `plot` draws it and leaves the matplotlib objects in `figure_`, `axes_` and, the first of
    these, `ax_`. A density has one panel, in which windows and their sum have one scale; others have windows below.

    Attributes
    ----------
    windowed : WindowedRows
        The rows with their windows.
    places : ndarray of shape (m,)
    said : Said
        What the estimator says there.
    shown : ndarray of int
        The rows whose windows are drawn.
    windows : ndarray of shape (len(shown), m)
    """

    windowed: WindowedRows
    places: Floats
    said: Said
    shown: Integers
    windows: Floats

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, shown: int = 8, sample_weight: Any = None, ax: Any = None
    ) -> WindowsDisplay:
        """Evaluates and draws a fitted estimator; the parameters are those of `plot_windows`."""
        windowed = WindowedRows.of(estimator, X, y, sample_weight)
        places = np.linspace(*windowed.limits, _POINTS)
        said = says(estimator, places)
        if said.classes is not None and len(said.classes) > len(EACH_CLASS_COLOURS):
            raise InputError(
                f"Expected at most {len(EACH_CLASS_COLOURS)} classes, which can be told apart, got {len(said.classes)}."
            )
        count = min(checks.integer("shown", shown, 0), len(windowed.x))
        ranks = ((np.arange(count) + 0.5) / max(count, 1) * len(windowed.x)).astype(np.int64)
        rows = np.argsort(windowed.x, kind="stable")[ranks]
        return cls(windowed, places, said, rows, windowed.windows(rows, places)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> WindowsDisplay:
        """Draws on the given axes, which make room for a second panel where there is one, or on new ones."""
        is_density = self.windowed.y is None
        ax = one_panel(ax, (7, 3.5) if is_density else (7, 4.5))
        below = ax if is_density else panel_below(ax, 0.4)
        if is_density:
            ax.plot(self.places, self.said.values[0], color=BLUE, linewidth=2, label="the density, their sum")
            ax.set_ylabel("density")
        elif self.said.classes is None:
            ax.scatter(self.windowed.x, self.windowed.y, s=10, color=GREY, label="training row")
            ax.plot(self.places, self.said.values[0], color=BLUE, linewidth=2, label="the mean in the window")
            ax.set_ylabel("y")
        else:
            looks = zip(self.said.classes, self.said.values, EACH_CLASS_COLOURS, LINE_STYLES, strict=False)
            for name, share, colour, style in looks:
                ax.plot(self.places, share, color=colour, linestyle=style, linewidth=2, label=f"share of {name}")
            ax.set_ylabel("share of the class\nin the window")
        self._draw_windows(below)
        below.set(xlabel="x", xlim=self.places[[0, -1]])
        if not is_density:
            below.set_ylabel("weight of\na row")
            legend_beside(below)
        legend_beside(ax)
        self.ax_, self.axes_, self.figure_ = ax, [ax] if is_density else [ax, below], ax.figure
        return self

    def _draw_windows(self, ax: Any) -> None:
        name: str | None = f"windows of {len(self.shown)} rows of {len(self.windowed.x)}"
        for row, values in zip(self.shown, self.windows, strict=True):
            look: dict[str, Any] = {"color": ORANGE}
            if self.said.classes is not None and self.windowed.y is not None:
                code = int(np.searchsorted(self.said.classes, self.windowed.y[row]))
                look = {"color": EACH_CLASS_COLOURS[code], "linestyle": LINE_STYLES[code]}
            ax.plot(self.places, values, linewidth=1, label=name, **look)
            name = None
        if len(self.shown):
            ax.set_ylim(bottom=0)
        at = {"transform": ax.get_xaxis_transform(), "color": "black", "markersize": 6, "markeredgewidth": 0.6}
        ax.plot(self.windowed.x, np.full(len(self.windowed.x), _RUG), "|", label="a row", **at)


def plot_windows(
    estimator: Any, X: Any, y: Any = None, *, shown: int = 8, sample_weight: Any = None, ax: Any = None
) -> WindowsDisplay:
    """The windows of some rows of one feature, and what comes of all of them.

    Windows of a density are drawn at the height at which they add up to it. Those of a classifier or regressor are
    drawn below what it says: at any place, they are what rows count there.

    Parameters
    ----------
    estimator : KernelDensity, ParzenClassifier or ParzenRegressor
        Fitted on one feature.
    X : array-like of shape (n_samples, 1)
        The training rows.
    y : array-like of shape (n_samples,), optional
        Their labels or targets; None of a density.
    shown : int, default=8
        Of how many rows windows are drawn. They are taken evenly from the rows in their order.
    sample_weight : array-like of shape (n_samples,), optional
        As it was given to fit.
    ax : matplotlib axes, optional
        Where to draw; new ones where none are given.

    Returns
    -------
    WindowsDisplay

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity
    >>> from mercer.plot import plot_windows
    >>> x = np.random.default_rng(0).normal(size=(50, 1))
    >>> display = plot_windows(KernelDensity(bandwidth=0.5).fit(x), x, shown=5)
    >>> display.windows.shape
    (5, 801)
    """
    return WindowsDisplay.from_estimator(estimator, X, y, shown=shown, sample_weight=sample_weight, ax=ax)
