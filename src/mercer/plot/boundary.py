"""The decision boundary of a binary machine in the plane, with its margin, slacks and support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.labelled_rows import LabelledRows, check_plane
from mercer.plot.multipliers import Multipliers
from mercer.plot.palette import CLASS_COLOURS, CLASS_MARKERS, VERMILLION
from mercer.typing import Floats, Labels

__all__ = ["DecisionBoundaryDisplay", "limits_around"]

Limits = tuple[tuple[float, float], tuple[float, float]]

_GRID = 200
# The room around the points, as a share of their spread.
_ROOM = 0.12
# The area of the disc for a slack of one, in square points.
_AREA_OF_SLACK = 260.0
# Rows whose slack is below this lie on the margin, up to the tolerance of the solver.
_LEAST_SLACK = 1e-2


@dataclass
class DecisionBoundaryDisplay:
    """Decision values on a grid, the training points, and which of them are free and bounded support vectors.

    Made by `from_estimator`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    xx, yy, values : ndarray
        The grid, and f on it.
    X, y, classes : ndarray
        The points, their labels, and the two classes.
    free, bounded : ndarray of shape (n, 2)
        Support vectors with 0 < a < C, and those with a = C. Empty for machines without multipliers.
    slacks : ndarray of shape (n,)
        ξ = max(0, 1 − t f) of each point.
    feet : ndarray of shape (n, 2) or None
        Where the perpendicular through each point meets the margin of its class; None where f is not linear.
    """

    xx: Floats
    yy: Floats
    values: Floats
    X: Floats
    y: Labels
    classes: Labels
    free: Floats
    bounded: Floats
    slacks: Floats
    feet: Floats | None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, slacks: bool = False, sample_weight: Any = None, ax: Any = None
    ) -> DecisionBoundaryDisplay:
        """Evaluates and draws a fitted classifier for two classes on its two-dimensional training data.

        Parameters
        ----------
        estimator : classifier
            An `SVC`, of which free and bounded support vectors are shown, or any other with `decision_function`.
        X, y : array-like
            The training data.
        slacks : bool, default=False
            Whether to show the slack of each point that lies within the margin or on the wrong side: as a line to the
            margin of its class where f is linear, otherwise as a disc whose area is ξ.
        sample_weight : array-like, optional
            As it was given to fit: the bound of a row is C times its weight.
        ax : matplotlib axes, optional
        """
        return cls.evaluate(estimator, X, y, sample_weight=sample_weight).plot(ax=ax, slacks=slacks)

    @classmethod
    def evaluate(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, limits: Limits | None = None
    ) -> DecisionBoundaryDisplay:
        """The display without drawing it, on the rectangle ((left, right), (low, high)) or around the points."""
        check_plane(np.asarray(X))
        rows = LabelledRows.of(estimator, X, y)
        (left, right), (low, high) = limits_around(rows.X) if limits is None else limits
        xx, yy = np.meshgrid(np.linspace(left, right, _GRID), np.linspace(low, high, _GRID))
        f = np.asarray(estimator.decision_function(rows.X))
        free = bounded = np.zeros(len(rows.X), dtype=bool)
        if hasattr(estimator, "dual_coef_") and hasattr(estimator, "C"):
            multipliers = Multipliers.of(estimator, sample_weight)
            free, bounded = multipliers.free, multipliers.bounded
            if len(free) != len(rows.X):
                raise InputError(f"X: expected the {len(free)} rows of fit, got {len(rows.X)}.")
        return cls(
            xx,
            yy,
            estimator.decision_function(np.column_stack([xx.ravel(), yy.ravel()])).reshape(xx.shape),
            rows.X,
            rows.y,
            rows.classes,
            free=rows.X[free],
            bounded=rows.X[bounded],
            slacks=np.maximum(0.0, 1.0 - rows.signs * f),
            feet=_feet(estimator, rows, f),
        )

    def plot(self, *, ax: Any = None, slacks: bool = False, legend: bool = True) -> DecisionBoundaryDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 4.5))
        self._draw_values(ax)
        if slacks:
            self._draw_slacks(ax)
        for label, colour, marker in zip(self.classes, CLASS_COLOURS, CLASS_MARKERS, strict=True):
            points = self.X[self.y == label]
            ax.scatter(*points.T, s=22, c=colour, marker=marker, edgecolors="white", linewidths=0.4, label=str(label))
        rings = (
            (self.free, "o", 90, 1.4, "support vector, 0 < a < C"),
            (self.bounded, "D", 48, 0.7, "support vector, a = C"),
        )
        for points, marker, size, width, name in rings:
            if len(points):
                ring = {"facecolors": "none", "edgecolors": "black", "linewidths": width}
                ax.scatter(*points.T, s=size, marker=marker, label=name, **ring)
        ax.set(xlabel="x₁", ylabel="x₂", xlim=self.xx[0, [0, -1]], ylim=self.yy[[0, -1], 0])
        if legend:
            legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_values(self, ax: Any) -> None:
        largest = float(np.max(np.abs(self.values))) or 1.0
        shades = np.linspace(-largest, largest, 21)
        ax.contourf(self.xx, self.yy, self.values, levels=shades, cmap="PuOr_r", alpha=0.35)
        lines = (
            (0.0, "-", 2.0, "boundary, f = 0"),
            (1.0, "--", 1.0, "margin, f = 1"),
            (-1.0, ":", 1.3, "margin, f = −1"),
        )
        for level, style, width, name in lines:
            if self.values.min() < level < self.values.max():
                look = {"linestyles": [style], "linewidths": [width], "colors": "black"}
                ax.contour(self.xx, self.yy, self.values, levels=[level], **look)
                ax.plot([], [], color="black", linestyle=style, linewidth=width, label=name)

    def _draw_slacks(self, ax: Any) -> None:
        some = self.slacks > _LEAST_SLACK
        if self.feet is None:
            areas, name = _AREA_OF_SLACK * self.slacks[some], "slack ξ (as area)"
            ax.scatter(*self.X[some].T, s=areas, color=VERMILLION, alpha=0.35, linewidths=0, label=name)
            return
        from matplotlib.collections import LineCollection

        lines = list(np.stack([self.X[some], self.feet[some]], axis=1))
        # Behind the points, in front of the shades.
        ax.add_collection(LineCollection(lines, colors=VERMILLION, linewidths=1.2, zorder=1.5, label="slack ξ"))
        # Perpendicular lines look it only where both axes have one scale.
        ax.set_aspect("equal", adjustable="box")


def limits_around(X: Floats) -> Limits:
    """A rectangle around points, with some room; of size where all points have the same coordinate."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = _ROOM * np.where(high > low, high - low, 1.0)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    return (left, right), (bottom, top)


def _feet(estimator: Any, rows: LabelledRows, f: Floats) -> Floats | None:
    """x + (t − f) w / ‖w‖², at which f = t."""
    if not hasattr(estimator, "coef_"):
        return None
    w = np.asarray(estimator.coef_, dtype=np.float64).ravel()
    squared_norm = float(w @ w)
    return None if squared_norm == 0 else np.asarray(rows.X + np.outer((rows.signs - f) / squared_norm, w))
