"""The optimality conditions of a binary machine, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.plot.canvas import several_panels
from mercer.plot.labelled_rows import LabelledRows
from mercer.plot.multipliers import Multipliers
from mercer.plot.palette import CLASS_COLOURS, CLASS_MARKERS, GREY
from mercer.typing import Booleans, Floats, Labels

__all__ = ["KktResidualsDisplay"]


@dataclass
class KktResidualsDisplay:
    """Where each row lies beside the conditions, and by how much it misses them.

    At the optimum every row is on a line of three pieces:

        a = 0 with t f ≥ 1,     0 < a < C with t f = 1,     a = C with t f ≤ 1

    The first panel has t f of each row against its share a / C (a itself under the hard margin), the second the
    residual: 1 − t f, |t f − 1| and t f − 1, where positive. Made by `from_estimator`; `plot` leaves the matplotlib
    objects in `figure_`, `axes_` and, the first of these, `ax_`.

    Attributes
    ----------
    scores : ndarray
        t f of each row.
    shares : ndarray
        a / C, or a under the hard margin.
    residuals : ndarray
    positive : ndarray of bool
        Which rows are of the second class.
    tol : float or None
        What the machine was to keep to.
    share_name : str
        What `shares` are.
    """

    scores: Floats
    shares: Floats
    residuals: Floats
    positive: Booleans
    classes: Labels
    tol: float | None = None
    share_name: str = "a / C"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> KktResidualsDisplay:
        """Evaluates a fitted `SVC` for two classes on its training data; `ax` are two axes."""
        rows, found = LabelledRows.of(estimator, X, y), Multipliers.of(estimator, sample_weight)
        if len(rows.X) != len(found.alpha):
            raise InputError(f"X: expected the {len(found.alpha)} rows of fit, got {len(rows.X)}.")
        scores = rows.signs * np.asarray(estimator.decision_function(rows.X))
        missing = 1.0 - scores
        residuals = np.where(found.bounded, np.maximum(0.0, -missing), np.maximum(0.0, missing))
        residuals[found.free] = np.abs(missing[found.free])
        # A row that weighs nothing has no multiplier and no condition.
        residuals[found.upper == 0] = 0.0
        scale = np.where(np.isfinite(found.upper) & (found.upper > 0), found.upper, 1.0)
        tol, share_name = getattr(estimator, "tol", None), "a / C" if np.isfinite(found.upper).all() else "a"
        shares = found.alpha / scale
        return cls(scores, shares, residuals, rows.signs > 0, rows.classes, tol, share_name).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> KktResidualsDisplay:
        """Draws on the two given axes, or on new ones."""
        axes = several_panels(ax, (1, 2), (9, 3.6))
        self._draw_conditions(axes[0])
        self._draw_residuals(axes[1])
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return self

    def _draw_conditions(self, ax: Any) -> None:
        most = float(max(1.0, self.shares.max()))
        left, right = float(min(0.0, self.scores.min())) - 0.3, float(max(2.0, self.scores.max())) + 0.3
        corners = np.array([[left, most], [1, most], [1, 0], [right, 0]])
        ax.plot(*corners.T, color=GREY, linewidth=5, alpha=0.5, solid_capstyle="butt", label="optimality")
        for side, label, colour, marker in zip((False, True), self.classes, CLASS_COLOURS, CLASS_MARKERS, strict=True):
            some = self.positive == side
            look = {"linestyle": "", "marker": marker, "color": colour, "markerfacecolor": "none", "markersize": 5}
            ax.plot(self.scores[some], self.shares[some], label=str(label), **look)
        ax.set(xlabel="t f(x)", ylabel=self.share_name, xlim=(left, right), ylim=(-0.06 * most, 1.06 * most))
        ax.legend(fontsize=8, loc="center right")

    def _draw_residuals(self, ax: Any) -> None:
        rows, some = np.arange(len(self.residuals)), self.residuals > 0
        for side, colour, marker in zip((False, True), CLASS_COLOURS, CLASS_MARKERS, strict=True):
            those = some & (self.positive == side)
            ax.plot(rows[those], self.residuals[those], linestyle="", marker=marker, color=colour, markersize=4)
        if some.any():
            ax.set_yscale("log")
        else:
            ax.set_ylim(0, 2 * (self.tol or 1.0))
        if self.tol is not None:
            ax.axhline(self.tol, color="black", linestyle="--", linewidth=1, label=f"tol = {self.tol:g}")
            ax.legend(fontsize=8)
        ax.set(xlabel="training row", ylabel="residual", xlim=(-1, len(rows)))
        ax.set_title(f"none at {np.sum(~some)} of {len(rows)} rows; largest {self.residuals.max():.1e}", fontsize=9)
