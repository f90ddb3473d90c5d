"""The multipliers of a binary machine, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.multipliers import Multipliers
from mercer.plot.palette import CLASS_COLOURS, CLASS_MARKERS, GREY
from mercer.typing import Labels

__all__ = ["DualVariablesDisplay"]


@dataclass
class DualVariablesDisplay:
    """The multiplier of each training row as a stem: 0 ≤ a ≤ C, and Σ a t = 0.

    Rows of the two classes have their own markers, filled where the multiplier is at its bound and hollow where it is
    free. Made by `from_estimator`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from mercer import SVC
    >>> from mercer.plot import DualVariablesDisplay
    >>> X, y = make_blobs(40, centers=2, random_state=0)
    >>> display = DualVariablesDisplay.from_estimator(SVC().fit(X, y))
    >>> display.ax_.get_ylabel()
    'multiplier a'
    """

    multipliers: Multipliers
    classes: Labels

    @classmethod
    def from_estimator(cls, estimator: Any, *, sample_weight: Any = None, ax: Any = None) -> DualVariablesDisplay:
        """Draws a fitted `SVC` for two classes; `sample_weight` as it was given to fit."""
        multipliers = Multipliers.of(estimator, sample_weight)
        return cls(multipliers, np.asarray(estimator.classes_)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> DualVariablesDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (8, 3))
        rows, found = np.arange(len(self.multipliers.alpha)), self.multipliers
        support = found.alpha > 0
        ax.vlines(rows[support], 0, found.alpha[support], color=GREY, linewidth=0.8)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.plot(rows[~support], found.alpha[~support], "|", color="black", markersize=4, label="a = 0")
        sides = zip((-1, 1), self.classes, CLASS_COLOURS, CLASS_MARKERS, strict=True)
        for sign, label, colour, marker in sides:
            kinds = (("0 < a < C", found.free, "none"), ("a = C", found.bounded, colour))
            for name, those, face in kinds:
                some = those & (found.signs == sign)
                if some.any():
                    look = {"linestyle": "", "marker": marker, "color": colour, "markerfacecolor": face}
                    ax.plot(rows[some], found.alpha[some], label=f"{label}: {name}", **look)
        self._draw_bounds(ax, rows)
        ax.set(xlabel="training row", ylabel="multiplier a", xlim=(-1, len(rows)))
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_bounds(self, ax: Any, rows: Any) -> None:
        """A line for each class where its rows have one bound, otherwise a dash for each support vector."""
        support = self.multipliers.alpha > 0
        uppers = [np.unique(self.multipliers.upper[self.multipliers.signs == sign]) for sign in (-1, 1)]
        if any(len(upper) > 1 for upper in uppers):
            ax.plot(rows[support], self.multipliers.upper[support], "_", color="black", label="bound of the row")
            return
        for upper in np.unique(np.concatenate(uppers)):
            if np.isfinite(upper):
                ax.axhline(upper, color="black", linestyle="--", linewidth=1, label=f"C = {upper:g}")
