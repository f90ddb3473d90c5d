"""The nearest rows of one query in the plane, and the regions of the classes that neighbours vote for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer.errors import InputError
from mercer.plot.boundary import limits_around
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.labelled_rows import check_plane
from mercer.plot.palette import CHOICE, EACH_CLASS_COLOURS, EACH_CLASS_MARKERS, GREY
from mercer.typing import Booleans, Floats, Integers, Labels

__all__ = ["NeighboursDisplay", "plot_neighbours"]

# Along each axis; edges of regions look smooth.
_GRID = 300
# Square points of the mark of the query, and of the rings around its neighbours.
_STAR, _RING = 120, 60


@dataclass
class NeighboursDisplay:
    """Training rows, a query with lines to its neighbours, and the circle that reaches the farthest of them.

    Made by `from_estimator`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    X : ndarray of shape (n, 2)
        The rows.
    query : ndarray of shape (2,)
        The point that is asked about.
    rows, distances : ndarray of shape (k,)
        Numbers of its neighbours, nearest first, and how far they are.
    is_round : bool
        Whether distances are Euclidean, so that all points as far as the last neighbour make a circle.
    y, classes : ndarray or None
        Labels and what they can be, of classifiers.
    answer : object
        The class that is predicted for the query; None where there are no classes.
    xx, yy, regions : ndarray or None
        A grid, and the class that is predicted there, by its place in `classes`.
    """

    X: Floats
    query: Floats
    rows: Integers
    distances: Floats
    is_round: bool
    y: Labels | None = None
    classes: Labels | None = None
    answer: Any = None
    xx: Floats | None = None
    yy: Floats | None = None
    regions: Integers | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, query: Any, ax: Any = None) -> NeighboursDisplay:
        """Looks for the neighbours and draws them; the parameters are those of `plot_neighbours`."""
        check_is_fitted(estimator)
        points, place = np.asarray(X, dtype=np.float64), np.asarray(query, dtype=np.float64)
        check_plane(points)
        if place.shape != (2,):
            raise InputError(f"query: expected a point of two features, got shape {place.shape}.")
        _check_rows(estimator, points)
        distances, rows = (found[0] for found in estimator.kneighbors(place[None]))
        found = points, place, rows, distances, _is_euclidean(estimator)
        if not is_classifier(estimator):
            if y is not None:
                raise InputError(f"y: expected None, as {type(estimator).__name__} has no classes to show, got labels.")
            return cls(*found).plot(ax=ax)
        labels = np.asarray(y)
        if labels.shape != (len(points),) or len(estimator.classes_) > len(EACH_CLASS_COLOURS):
            raise InputError(
                f"y: expected one label a row, of at most {len(EACH_CLASS_COLOURS)} classes, got shape {labels.shape} "
                f"and a classifier for {len(estimator.classes_)}."
            )
        classes = np.asarray(estimator.classes_)
        (left, right), (low, high) = limits_around(np.vstack([points, place]))
        xx, yy = np.meshgrid(np.linspace(left, right, _GRID), np.linspace(low, high, _GRID))
        predicted = estimator.predict(np.column_stack([xx.ravel(), yy.ravel()]))
        regions = np.searchsorted(classes, predicted).reshape(xx.shape)
        answer = estimator.predict(place[None])[0]
        return cls(*found, labels, classes, answer, xx, yy, regions).plot(ax=ax)

    def plot(self, *, ax: Any = None, legend: bool = True) -> NeighboursDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 3.8))
        self._draw_regions(ax)
        self._draw_rows(ax)
        self._draw_neighbours(ax)
        # A circle looks it only where both axes have one scale.
        ax.set_aspect("equal", adjustable="box")
        (left, right), (low, high) = limits_around(np.vstack([self.X, self.query]))
        ax.set(xlim=(left, right), ylim=(low, high))
        if legend:
            legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_regions(self, ax: Any) -> None:
        if self.xx is None or self.yy is None or self.regions is None or self.classes is None:
            return
        from matplotlib.colors import ListedColormap

        shades, ends = ListedColormap(EACH_CLASS_COLOURS), (-0.5, len(EACH_CLASS_COLOURS) - 0.5)
        look = {"cmap": shades, "vmin": ends[0], "vmax": ends[1], "alpha": 0.18, "rasterized": True, "linewidth": 0}
        ax.pcolormesh(self.xx, self.yy, self.regions, shading="nearest", **look)
        for code in range(len(self.classes)):
            inside: Booleans = self.regions == code
            if inside.any() and not inside.all():
                ax.contour(self.xx, self.yy, inside.astype(float), levels=[0.5], colors="black", linewidths=0.7)

    def _draw_rows(self, ax: Any) -> None:
        if self.y is None or self.classes is None:
            ax.scatter(*self.X.T, s=22, c=GREY, edgecolors="white", linewidths=0.4, label="training row")
            return
        for label, colour, marker in zip(self.classes, EACH_CLASS_COLOURS, EACH_CLASS_MARKERS, strict=False):
            points = self.X[self.y == label]
            ax.scatter(*points.T, s=22, c=colour, marker=marker, edgecolors="white", linewidths=0.4, label=str(label))

    def _draw_neighbours(self, ax: Any) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Circle

        near = self.X[self.rows]
        lines = [np.stack([self.query, point]) for point in near]
        # Behind the points, in front of the shades.
        ax.add_collection(LineCollection(lines, colors="black", linewidths=0.7, zorder=1.5))
        name = "its nearest neighbour" if len(near) == 1 else f"its {len(near)} nearest neighbours"
        ax.scatter(*near.T, s=_RING, facecolors="none", edgecolors="black", linewidths=0.8, label=name)
        if self.is_round:
            radius, look = float(self.distances[-1]), {"color": "black", "linestyle": "--", "linewidth": 1.0}
            ax.add_patch(Circle(tuple(self.query), radius, fill=False, **look))
            ax.plot([], [], label=f"as far as the last of them: {radius:.2g}", **look)
        name = "the query" if self.answer is None else f"the query: {self.answer}"
        ax.scatter(*self.query, s=_STAR, label=name, **CHOICE)


def plot_neighbours(estimator: Any, X: Any, y: Any = None, *, query: Any, ax: Any = None) -> NeighboursDisplay:
    """Which training rows answer a query, in the plane: lines lead to its neighbours, a circle reaches the last.

    Of a classifier, shades show which class is predicted where. The circle is left out where distances are not
    Euclidean.

    Parameters
    ----------
    estimator : KNeighborsClassifier, KNeighborsRegressor or NearestNeighbors
        Fitted on two features; Mercer's or scikit-learn's.
    X : array-like of shape (n_samples, 2)
        The rows that it remembers: the training rows, of a condensed classifier those in `condensed_.rows`.
    y : array-like of shape (n_samples,), optional
        Their labels, of a classifier.
    query : array-like of shape (2,)
        The point that is asked about.
    ax : matplotlib axes, optional
        Where to draw; new ones where none are given.

    Returns
    -------
    NeighboursDisplay

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import KNeighborsClassifier
    >>> from mercer.plot import plot_neighbours
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> display = plot_neighbours(KNeighborsClassifier(3).fit(X, y), X, y, query=[0.5, 0.2])
    >>> len(display.rows)
    3
    """
    return NeighboursDisplay.from_estimator(estimator, X, y, query=query, ax=ax)


def _check_rows(estimator: Any, X: Floats) -> None:
    if not hasattr(estimator, "kneighbors") or getattr(estimator, "metric", None) == "precomputed":
        raise InputError(
            f"Expected an estimator that looks for k neighbours by features, got {type(estimator).__name__} with "
            f"metric={getattr(estimator, 'metric', None)!r}. Fit a KNeighborsClassifier or NearestNeighbors on them."
        )
    if len(X) != estimator.n_samples_fit_:
        raise InputError(
            f"X: expected the {estimator.n_samples_fit_} rows that the estimator remembers, got {len(X)}. Those of a "
            "condensed classifier are X[model.condensed_.rows]."
        )


def _is_euclidean(estimator: Any) -> bool:
    metric = estimator.metric
    return isinstance(metric, str) and (metric in ("euclidean", "l2") or (metric == "minkowski" and estimator.p == 2))
