"""What each training point says about one query, in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.plot.canvas import one_panel
from mercer.rows import takes_features
from mercer.typing import Floats

__all__ = ["InfluenceDisplay"]

# Told apart by shape and by brightness, so that grey prints and colour-blind readers lose nothing.
_FOR = {"color": "#0072b2", "marker": "o"}
_AGAINST = {"color": "#e69f00", "marker": "s"}
# Square points of the largest contribution; below the smallest a marker cannot be seen.
_LARGEST, _SMALLEST = 420.0, 3.0
_IN_LEGEND = 60.0


@dataclass
class InfluenceDisplay:
    """Points that contribute to f at a query: areas are sizes of contributions, markers their signs.

    Made by `from_estimator`, or from arrays, for instance those of `mercer.inspection.contributions`; `plot` draws it
    and leaves the matplotlib objects in `figure_` and `ax_`.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        The points.
    contributions : ndarray of shape (n,)
        What each of them adds to f(query).
    query : ndarray of shape (2,)
        The point that is asked about.
    others : ndarray of shape (k, 2), optional
        Points to show that contribute nothing.
    """

    X: Floats
    contributions: Floats
    query: Floats
    others: Floats | None = None

    def __post_init__(self) -> None:
        self.X, self.query = (np.asarray(array, dtype=np.float64) for array in (self.X, self.query))
        self.contributions = np.asarray(self.contributions, dtype=np.float64)
        if self.X.ndim != 2 or self.X.shape[1] != 2 or self.query.shape != (2,):
            raise InputError(
                f"Expected points and one query with two features, got shapes {self.X.shape} and {self.query.shape}. "
                "Pick or project two of them."
            )
        if self.contributions.shape != (len(self.X),) or not np.all(np.isfinite(self.contributions)):
            raise InputError(
                f"contributions: expected a finite number for each of {len(self.X)} points, got shape "
                f"{self.contributions.shape}. Pass the row of one query."
            )

    @classmethod
    def from_estimator(cls, estimator: Any, x: Any, *, X: Any = None, ax: Any = None) -> InfluenceDisplay:
        """Draws what the support vectors of a fitted machine of one function say about the point x.

        Parameters
        ----------
        estimator : estimator
            A fitted kernel machine of Mercer with two features, for two classes or with predictions.
        x : array-like of shape (2,)
            The point.
        X : array-like of shape (n_samples, 2), optional
            Training rows; those that are no support vectors are shown as dots.
        ax : matplotlib axes, optional
            Where to draw; new ones where none are given.
        """
        kernel, vectors = getattr(estimator, "kernel_", None), getattr(estimator, "support_vectors_", None)
        if kernel is None or vectors is None or not takes_features(kernel) or is_sparse(vectors):
            raise InputError(
                f"InfluenceDisplay: expected a fitted kernel machine of Mercer on dense rows, got "
                f"{type(estimator).__name__}. Make the display from arrays, with mercer.inspection.contributions."
            )
        if len(estimator.intercept_) != 1:
            raise InputError(
                f"InfluenceDisplay: expected a machine of one function, got {len(estimator.intercept_)}. Make the "
                "display from arrays, with mercer.inspection.contributions(…, function=…)."
            )
        query = np.array(x, dtype=np.float64)
        if query.shape != (2,) or vectors.shape[1] != 2:
            raise InputError(
                f"Expected a machine of two features and one point, got {vectors.shape[1]} features and shape "
                f"{query.shape}. Pick or project two of them."
            )
        centres = vectors.astype(np.float64)
        parts = kernel.matrix(query[None], centres)[0] * estimator.dual_coef_[0]
        others = None if X is None else np.delete(np.asarray(X, dtype=np.float64), estimator.support_, axis=0)
        return cls(centres, parts, query, others).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> InfluenceDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 5))
        if self.others is not None and len(self.others):
            ax.scatter(*self.others.T, s=6, color="0.55", marker=".", label="adds nothing")
        sizes = np.abs(self.contributions)
        largest = float(sizes.max(initial=0.0))
        areas = np.maximum(_SMALLEST, _LARGEST * sizes / (largest or 1.0))
        for side, style, name in (
            (self.contributions > 0, _FOR, "adds to f"),
            (self.contributions < 0, _AGAINST, "takes from f"),
        ):
            drawn = {**style, "alpha": 0.7, "edgecolors": "black", "linewidths": 0.6}
            ax.scatter(*self.X[side].T, s=areas[side], **drawn)
            total = float(self.contributions[side].sum())
            ax.scatter([], [], s=_IN_LEGEND, label=f"{name}: {total:+.3g} by {side.sum()} points", **drawn)
        ax.scatter(*self.query, s=200, color="black", marker="*", edgecolors="white", linewidths=0.8, label="the query")
        ax.legend(loc="best", fontsize=8, title=f"area: |contribution|, at most {largest:.2g}", title_fontsize=8)
        self.ax_, self.figure_ = ax, ax.figure
        return self
