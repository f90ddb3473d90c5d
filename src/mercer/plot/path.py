"""Machines along a path of one parameter, such as C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.plot.canvas import legend_beside, one_panel, panel_below, title_above
from mercer.plot.palette import BLUE, CHOICE, ORANGE
from mercer.plot.searched import as_text
from mercer.typing import Floats

__all__ = ["PathDisplay", "plot_path"]

# With so few values each is marked.
_FEW_VALUES = 40
# Square points of the mark of the best.
_STAR = 180
# The panel of the counts has two areas to tell apart, and half of the height.
_SHARE_OF_COUNTS = 0.5


@dataclass
class PathDisplay:
    """Scores along a parameter, on a log scale where it is positive; support vectors that are free, and at their bound.

    Made by `from_path`; `plot` leaves the matplotlib objects in `figure_`, `axes_` and, the first of these, `ax_`.

    Attributes
    ----------
    parameter : str
    values : ndarray of shape (m,)
        Growing.
    scores : ndarray of shape (m,) or None
    free, bounded : ndarray of shape (m,)
        Numbers of support vectors with 0 < a < C, and with a = C, their bound.
    largest_gap : float or None
        The largest duality gap of the path.
    """

    parameter: str
    values: Floats
    scores: Floats | None
    free: Floats
    bounded: Floats
    largest_gap: float | None = None

    @classmethod
    def from_path(cls, path: Any, *, ax: Any = None) -> PathDisplay:
        """Draws a path; the parameters are those of `plot_path`."""
        needed = ("parameter", "values", "n_support", "n_bounded")
        missing = [name for name in needed if getattr(path, name, None) is None]
        if missing:
            raise InputError(
                f"path: expected an object with {', '.join(needed)}, got {type(path).__name__} without "
                f"{', '.join(missing)}."
            )
        values = np.asarray(path.values, dtype=np.float64)
        if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
            raise InputError(f"path.values: expected two finite numbers or more, got {path.values}.")
        order = np.argsort(values, kind="stable")
        support, bounded = (_one_each(path, name, order) for name in ("n_support", "n_bounded"))
        if (bounded > support).any():
            k = int(np.argmax(bounded > support))
            raise InputError(
                f"path.n_bounded: expected no more than n_support, got {bounded[k]:g} of {support[k]:g} at "
                f"{path.parameter}={as_text(values[order][k])}."
            )
        scores, gaps = (
            None if getattr(path, name, None) is None else _one_each(path, name, order) for name in ("scores", "gaps")
        )
        largest = None if gaps is None or np.isnan(gaps).all() else float(np.nanmax(gaps))
        return cls(str(path.parameter), values[order], scores, support - bounded, bounded, largest).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> PathDisplay:
        """Draws on the given axes, which make room for a panel below where there are scores, or on new ones."""
        has_scores = self.scores is not None and bool(np.isfinite(self.scores).any())
        ax = one_panel(ax, (8, 5) if has_scores else (8, 3.6))
        axes = [ax, panel_below(ax, _SHARE_OF_COUNTS)] if has_scores else [ax]
        if has_scores:
            self._draw_scores(ax)
        self._draw_counts(axes[-1])
        axes[-1].set(xscale="log" if self.values[0] > 0 else "linear", xlim=self.values[[0, -1]], xlabel=self.parameter)
        for panel in axes:
            legend_beside(panel)
        if self.largest_gap is not None:
            title_above(ax, [f"{len(self.values)} machines, with duality gaps of {as_text(self.largest_gap)} at most"])
        self.axes_, self.ax_, self.figure_ = np.array(axes, dtype=object), ax, ax.figure
        return self

    def _draw_scores(self, ax: Any) -> None:
        assert self.scores is not None
        best = int(np.nanargmax(self.scores))
        ax.plot(self.values, self.scores, "-", marker=self._mark, markersize=4, color="black", label="score")
        name = f"best: {self.parameter}={as_text(self.values[best])}"
        ax.scatter(self.values[best], self.scores[best], s=_STAR, label=name, clip_on=False, **CHOICE)
        ax.set(ylabel="score")
        ax.ticklabel_format(axis="y", useOffset=False)

    def _draw_counts(self, ax: Any) -> None:
        both = self.bounded + self.free
        look = {"edgecolor": "black", "linewidth": 0.8}
        ax.fill_between(self.values, self.bounded, both, facecolor=ORANGE, label="free", **look)
        ax.fill_between(self.values, 0, self.bounded, facecolor=BLUE, hatch="...", label="at their bound", **look)
        ax.set(ylabel="support vectors", ylim=(0, 1.05 * max(1.0, both.max())))

    @property
    def _mark(self) -> str:
        return "o" if len(self.values) <= _FEW_VALUES else ""


def plot_path(path: Any, ax: Any = None) -> PathDisplay:
    """Scores and support vectors of machines along a path of one parameter, on a log scale where it is positive.

    Parameters
    ----------
    path : object
        With `parameter`, its name; `values`; `n_support` and `n_bounded`, how many support vectors each machine has,
        and how many of them at their bound; and, where they are known, `scores` and `gaps`.
    ax : matplotlib axes, optional
        They give up their lower half to the support vectors where there are scores.

    Returns
    -------
    PathDisplay

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from mercer.plot import plot_path
    >>> counts = {"n_support": [90, 60, 50], "n_bounded": [88, 40, 10]}
    >>> display = plot_path(SimpleNamespace(parameter="C", values=[0.1, 1, 10], scores=None, gaps=None, **counts))
    >>> display.free.tolist()
    [2.0, 20.0, 40.0]
    """
    return PathDisplay.from_path(path, ax=ax)


def _one_each(path: Any, name: str, order: Any) -> Floats:
    numbers = np.asarray(getattr(path, name), dtype=np.float64)
    if numbers.shape != order.shape:
        raise InputError(f"path.{name}: expected one for each of {len(order)} values, got shape {numbers.shape}.")
    return np.asarray(numbers[order])
