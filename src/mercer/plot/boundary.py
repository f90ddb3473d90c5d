"""The decision boundary of a binary machine in the plane, with its margin and support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats, Labels

__all__ = ["DecisionBoundaryDisplay"]

# Told apart by shape and by brightness, so that grey prints and colour-blind readers lose nothing.
_COLOURS = ("#0072b2", "#e69f00")
_MARKERS = ("o", "s")
_GRID = 200


@dataclass
class DecisionBoundaryDisplay:
    """Decision values on a grid, the training points, and which of them are free and bounded support vectors.

    Made by `from_estimator`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`.
    """

    xx: Floats
    yy: Floats
    values: Floats
    X: Floats
    y: Labels
    classes: Labels
    free: Floats
    bounded: Floats

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> DecisionBoundaryDisplay:
        """Evaluates and draws a fitted binary `SVC` on its two-dimensional training data."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        if X.ndim != 2 or X.shape[1] != 2:
            raise InputError(f"Expected data with two features, got shape {X.shape}. Pick or project two of them.")
        if len(estimator.classes_) != 2:
            raise InputError(f"Expected a machine for two classes, got {len(estimator.classes_)}.")
        span = np.ptp(X, axis=0)
        low, high = X.min(axis=0) - 0.12 * span, X.max(axis=0) + 0.12 * span
        xx, yy = np.meshgrid(np.linspace(low[0], high[0], _GRID), np.linspace(low[1], high[1], _GRID))
        values = estimator.decision_function(np.column_stack([xx.ravel(), yy.ravel()])).reshape(xx.shape)
        alpha = np.abs(np.asarray(estimator.dual_coef_)[0])
        weights = estimator.class_weight_[np.searchsorted(estimator.classes_, y[estimator.support_])]
        at_bound = alpha >= estimator.C * weights * (1 - 1e-9)
        display = cls(
            xx,
            yy,
            values,
            X,
            y,
            estimator.classes_,
            free=X[estimator.support_[~at_bound]],
            bounded=X[estimator.support_[at_bound]],
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> DecisionBoundaryDisplay:
        """Draws on the given axes, or on new ones."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(7, 5), layout="constrained")
        limit = float(np.max(np.abs(self.values)))
        ax.contourf(self.xx, self.yy, self.values, levels=np.linspace(-limit, limit, 21), cmap="PuOr_r", alpha=0.35)
        lines = ax.contour(
            self.xx,
            self.yy,
            self.values,
            levels=[-1, 0, 1],
            colors="black",
            linestyles=["--", "-", "--"],
            linewidths=[1, 2, 1],
        )
        ax.clabel(lines, fmt={-1: "f = −1", 0: "f = 0", 1: "f = 1"}, fontsize=8)
        for label, colour, marker in zip(self.classes, _COLOURS, _MARKERS, strict=True):
            points = self.X[self.y == label]
            ax.scatter(*points.T, s=22, c=colour, marker=marker, edgecolors="white", linewidths=0.4, label=str(label))
        rings = ((self.free, 90, 1.3, "support vector, free"), (self.bounded, 40, 0.7, "support vector, at its bound"))
        for points, size, width, name in rings:
            ax.scatter(*points.T, s=size, facecolors="none", edgecolors="black", linewidths=width, label=name)
        ax.legend(loc="best", fontsize=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self
