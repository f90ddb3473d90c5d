"""The path of coordinate descent over the level sets of its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer.plot.canvas import one_panel
from mercer.plot.plane import Limits, check_plane, grid_of, limits_around, values_on
from mercer.typing import Floats

__all__ = ["CoordinatePathDisplay"]

_PATH = "#d55e00"
_LEVELS = 14


class Walked(Protocol):
    @property
    def points(self) -> Floats: ...
    @property
    def values(self) -> Floats: ...


@dataclass
class CoordinatePathDisplay:
    """A function of two variables on a grid, and the points of a path.

    Made by `from_path`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`.
    """

    xx: Floats
    yy: Floats
    values: Floats
    points: Floats

    @classmethod
    def from_path(
        cls, path: Walked, function: Callable[[Floats], Any], *, limits: Limits | None = None, ax: Any = None
    ) -> CoordinatePathDisplay:
        """Evaluates and draws a function of two variables around a path.

        Parameters
        ----------
        path : mercer.lectures.Path
            What `coordinate_descent` returned.
        function : callable
            What it was given.
        limits : ((left, right), (bottom, top)), optional
            What to show; a square around the path where not given.
        ax : matplotlib axes, optional
            Where to draw; new ones where not given.
        """
        points = np.asarray(path.points)
        check_plane(points)
        xx, yy = grid_of(limits_around(points, margin=0.3) if limits is None else limits)
        return cls(xx, yy, values_on(xx, yy, function), points).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> CoordinatePathDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (6, 5.5))
        # By equal shares of the grid: a narrow valley shows, however steep its walls.
        levels = np.unique(np.nanquantile(self.values, np.linspace(0.0, 0.95, _LEVELS)))
        ax.contour(self.xx, self.yy, self.values, levels=levels, colors="0.6", linewidths=0.8)
        ax.plot(*self.points.T, color=_PATH, marker=".", markersize=4, linewidth=1.5, label="path")
        ax.plot(*self.points[0], color="black", marker="s", linestyle="none", label="start")
        ax.plot(*self.points[-1], color="black", marker="*", markersize=12, linestyle="none", label="end")
        ax.set(aspect="equal", xlabel="x₁", ylabel="x₂")
        ax.legend(loc="best", fontsize=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self
