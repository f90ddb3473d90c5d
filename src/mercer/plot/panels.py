"""Several machines in the plane, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.plot.boundary import DecisionBoundaryDisplay, limits_around
from mercer.plot.canvas import several_panels
from mercer.plot.labelled_rows import check_plane

__all__ = ["Panel", "PanelsDisplay"]

# A panel in inches, and what the legend below all of them takes.
_WIDTH, _HEIGHT, _LEGEND = 2.9, 2.6, 0.7
_MOST_COLUMNS = 4


class Panel(NamedTuple):
    """A machine with its training data and a title."""

    model: Any
    title: str
    X: Any
    y: Any


@dataclass
class PanelsDisplay:
    """Boundaries of several machines on common axes: what C, γ, a kernel or a row does.

    Made by `from_estimators`, of machines on the same data, or by `from_panels`, of each on its own. `plot` leaves the
    matplotlib objects in `figure_`, `axes_` and, the first of these, `ax_`.

    Attributes
    ----------
    displays : list of DecisionBoundaryDisplay
    titles : list of str
    columns : int
    slacks : bool
        Whether slacks are shown.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SVC
    >>> from mercer.plot import PanelsDisplay
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> models = [SVC(gamma=gamma).fit(X, y) for gamma in (0.1, 10)]
    >>> display = PanelsDisplay.from_estimators(models, ["γ = 0.1", "γ = 10"], X, y)
    >>> len(display.axes_)
    2
    """

    displays: list[DecisionBoundaryDisplay]
    titles: list[str]
    columns: int
    slacks: bool = False

    @classmethod
    def from_estimators(
        cls,
        models: Sequence[Any],
        titles: Sequence[str],
        X: Any,
        y: Any,
        *,
        test: tuple[Any, Any] | None = None,
        columns: int | None = None,
        slacks: bool = False,
        ax: Any = None,
    ) -> PanelsDisplay:
        """Draws machines that were fitted on the same data.

        Parameters
        ----------
        models, titles : sequences
            Fitted classifiers for two classes, and what stands above them.
        X, y : array-like
            Their training data, with two features.
        test : (X, y), optional
            Rows that they have not seen; then the accuracies on the training and on these rows stand in the titles.
        columns : int, optional
            Panels side by side; by default all of them up to four.
        slacks : bool, default=False
            Whether to show slacks, as `DecisionBoundaryDisplay` does.
        ax : sequence of matplotlib axes, optional
        """
        models, titles = list(models), list(titles)
        if len(models) != len(titles):
            raise ParameterError(f"titles: expected one for each of {len(models)} machines, got {len(titles)}.")
        if test is not None:
            titles = [
                f"{title}\naccuracy: training {model.score(X, y):.2f}, test {model.score(*test):.2f}"
                for model, title in zip(models, titles, strict=True)
            ]
        panels = [Panel(model, title, X, y) for model, title in zip(models, titles, strict=True)]
        return cls.from_panels(panels, columns=columns, slacks=slacks, ax=ax)

    @classmethod
    def from_panels(
        cls, panels: Sequence[Panel], *, columns: int | None = None, slacks: bool = False, ax: Any = None
    ) -> PanelsDisplay:
        """Draws machines, each on data of its own: `Panel(model, title, X, y)`."""
        if not panels:
            raise InputError("panels: expected one or more, got none.")
        if columns is not None and columns < 1:
            raise ParameterError(f"columns: expected an integer ≥ 1, got {columns!r}.")
        data = [np.asarray(panel.X, dtype=np.float64) for panel in panels]
        for X in data:
            check_plane(X)
        limits = limits_around(np.concatenate(data))
        displays = [DecisionBoundaryDisplay.evaluate(panel.model, panel.X, panel.y, limits=limits) for panel in panels]
        columns = min(len(panels), columns or _MOST_COLUMNS)
        return cls(displays, [panel.title for panel in panels], columns, slacks).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> PanelsDisplay:
        """Draws on the given axes, one a panel, or on new ones."""
        rows, own = -(-len(self.displays) // self.columns), ax is None
        size = (_WIDTH * self.columns, _HEIGHT * rows + _LEGEND)
        axes = several_panels(ax, (rows, self.columns) if own else (1, len(self.displays)), size, same_axes=own)
        for panel, display, title in zip(axes, self.displays, self.titles, strict=False):
            display.plot(ax=panel, slacks=self.slacks, legend=False)
            panel.set_title(title, fontsize=9)
            panel.label_outer()
        for panel in axes[len(self.displays) :]:
            panel.remove()
        self.axes_ = axes[: len(self.displays)]
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        if own:
            named = {
                name: handle
                for panel in self.axes_
                for handle, name in zip(*panel.get_legend_handles_labels(), strict=True)
            }
            look = {"loc": "outside lower center", "fontsize": 8, "frameon": False, "ncols": min(self.columns, 3) + 1}
            self.figure_.legend(named.values(), named.keys(), **look)
        return self
