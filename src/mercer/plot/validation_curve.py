"""The scores of a grid search along one parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.plot.canvas import in_lines, inches_of, legend_beside, one_panel, panel_below, title_above
from mercer.plot.palette import BLUE, CHOICE, GREEN, GREY, VERMILLION
from mercer.plot.parameter_axis import ParameterAxis
from mercer.plot.searched import Searched, as_text
from mercer.typing import Floats

__all__ = ["ValidationCurveDisplay", "plot_validation_curve"]

# Square points of the mark of the choice, and points of the names of axes.
_STAR, _LABEL = 180, 10
# Above and below the curves, in units of their spread: the margin, and what long bars may take beyond.
_ROOM, _FOR_BARS = 0.06, 0.5
# In units of the score itself: below the first, scores differ by rounding, and the axis has the second.
_ROUNDING, _FLAT = 1e-9, 0.5


@dataclass
class ValidationCurveDisplay:
    """Scores along a parameter, with all others at the choice; below them the number of support vectors.

    Made by `from_search`; `plot` leaves the matplotlib objects in `figure_`, `axes_` and, the first of these, `ax_`.

    Attributes
    ----------
    axis : ParameterAxis
        The parameter.
    scores, errors : ndarray
        Mean scores over the folds, NaN where there are none, and their standard errors.
    low, high : ndarray or None
        Between which the mean scores of the exact machines lie, proven.
    train : ndarray or None
        Mean scores on the training rows, where the search kept them.
    support : ndarray or None
        Mean numbers of support vectors.
    chosen : int
        Which of the values was chosen.
    one_error_below : float
        The best mean score of the whole grid less its standard error; NaN where there is none.
    others : mapping
        The parameters that vary in the grid and are kept at the choice here.
    score_name : str
    """

    axis: ParameterAxis
    scores: Floats
    errors: Floats
    low: Floats | None
    high: Floats | None
    train: Floats | None
    support: Floats | None
    chosen: int
    one_error_below: float
    others: Mapping[str, Any]
    score_name: str

    @classmethod
    def from_search(cls, search: Any, parameter: str | None = None, *, ax: Any = None) -> ValidationCurveDisplay:
        """Draws a fitted search; the parameters are those of `plot_validation_curve`."""
        found = Searched.of(search)
        name = _one_name(found, parameter)
        choice, others = found.cells[found.chosen], [other for other in found.varying if other != name]
        if name not in choice:
            raise ParameterError(f"parameter: expected one that the choice, {choice}, has, got {name!r}.")
        along = [
            k
            for k, cell in enumerate(found.cells)
            if name in cell and all(found.is_same(other, cell, choice) for other in others)
        ]
        _, first = np.unique(found.numbers(name)[along], return_index=True)
        rows = np.array(along)[first]
        places, names = found.numbers(name), found.names(name)
        values = places[rows]
        axis = ParameterAxis.of(name, values, None if names is None else [names[int(value)] for value in values])
        if len(rows) < 2:
            raise ParameterError(f"parameter: expected two values or more beside the choice, {choice}, got one.")
        best = int(np.nanargmax(found.means))
        columns = f"test_{found.score}_low", f"test_{found.score}_high", f"mean_train_{found.score}", "n_support"
        low, high, train, support = (found.column(column, rows) for column in columns)
        return cls(
            *(axis, found.means[rows], found.errors[rows], low, high, train, support),
            int(np.searchsorted(values, places[found.chosen])),
            float(found.means[best] - found.errors[best]),
            {other: choice[other] for other in others if other in choice},
            found.axis_name,
        ).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ValidationCurveDisplay:
        """Draws on the given axes, which make room for a panel below, or on new ones."""
        ax = one_panel(ax, (8, 5))
        axes = [ax] if self.support is None else [ax, panel_below(ax)]
        self._draw_scores(ax)
        if self.support is not None:
            self._draw_support(axes[1])
        self.axis.show(axes[-1], "x")
        if self.others:
            title_above(ax, [", ".join(f"{name}={as_text(value)}" for name, value in self.others.items())])
        legend_beside(ax)
        self.axes_, self.ax_, self.figure_ = np.array(axes, dtype=object), ax, ax.figure
        return self

    def _draw_scores(self, ax: Any) -> None:
        x = self.axis.places
        if np.isfinite(self.errors).any():
            band = self.scores - self.errors, self.scores + self.errors
            ax.fill_between(x, *band, color=BLUE, alpha=0.2, linewidth=0, label="± one standard error")
        if self.train is not None:
            ax.plot(x, self.train, "--", marker="s", markersize=4, color=VERMILLION, label="on the training rows")
        ax.plot(x, self.scores, "-", marker="o", markersize=4, color=BLUE, label="on the held-out rows")
        if self.low is not None and self.high is not None:
            look = {"color": "black", "linewidth": 1, "capsize": 4, "capthick": 1, "linestyle": ""}
            middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
            ax.errorbar(x, middle, half, label="exact machines, proven", **look)
        if np.isfinite(self.one_error_below):
            look = {"color": GREY, "linestyle": ":", "linewidth": 1.5}
            ax.axhline(self.one_error_below, label="the best less one standard error", **look)
        missing = np.isnan(self.scores)
        if missing.any():
            at = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            ax.plot(x[missing], np.full(missing.sum(), 0.03), "x", color=GREY, label="no score", **at)
        name = f"chosen: {self.axis.name}={self.axis.labels[self.chosen]}"
        ax.scatter(x[self.chosen], self.scores[self.chosen], s=_STAR, label=name, **CHOICE)
        ax.set(ylim=self._limits(), ylabel=in_lines(self.score_name, inches_of(ax)[1], _LABEL))
        ax.ticklabel_format(axis="y", useOffset=False)

    def _limits(self) -> tuple[float, float]:
        """Room for the curves, and for proven bars as far as they do not squeeze the curves."""
        errors = np.nan_to_num(self.errors)
        curves = [self.scores - errors, self.scores + errors, *([] if self.train is None else [self.train])]
        least, most = float(np.nanmin(curves)), float(np.nanmax(curves))
        size = max(abs(most), 1.0)
        spread = most - least if most - least > _ROUNDING * size else _FLAT * size
        if self.low is not None and self.high is not None:
            least = max(least - _FOR_BARS * spread, min(least, float(np.nanmin(self.low))))
            most = min(most + _FOR_BARS * spread, max(most, float(np.nanmax(self.high))))
        return least - _ROOM * spread, most + _ROOM * spread

    def _draw_support(self, ax: Any) -> None:
        assert self.support is not None
        ax.plot(self.axis.places, self.support, "-", marker="^", markersize=4, color=GREEN)
        ax.scatter(self.axis.places[self.chosen], self.support[self.chosen], s=_STAR, **CHOICE)
        ax.set(ylabel="support\nvectors", ylim=(0, 1.15 * np.nanmax(self.support)))


def plot_validation_curve(search: Any, parameter: str | None = None, ax: Any = None) -> ValidationCurveDisplay:
    """The scores of a grid search along one of its parameters, with all others at the choice.

    Around the mean score is a band of one standard error over the folds; thin bars are the bounds that are proven for
    the exact machines. A cell above the dotted line is within one standard error of the best of the whole grid. Below
    is how many support vectors the machines have.

    Parameters
    ----------
    search : GridSearchCV, TunedSVC or TunedSVR
        Fitted; Mercer's, or scikit-learn's, which has neither bounds nor support vectors. Training scores are shown
        where it was made with return_train_score=True.
    parameter : str, optional
        A parameter of the grid, as it names it; where exactly one varies, or one of them is a number, this.
    ax : matplotlib axes, optional
        They give up their lower part to the support vectors.

    Returns
    -------
    ValidationCurveDisplay

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, GridSearchCV
    >>> from mercer.plot import plot_validation_curve
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1, 10, 100]}).fit(*load_iris(return_X_y=True))
    >>> display = plot_validation_curve(search)
    >>> display.axis.name, len(display.scores)
    ('C', 4)
    """
    return ValidationCurveDisplay.from_search(search, parameter, ax=ax)


def _one_name(found: Searched, parameter: str | None) -> str:
    if parameter is not None:
        found.check_axis("parameter", parameter)
        return parameter
    axes = found.numeric if len(found.numeric) == 1 else found.axes
    if len(axes) != 1:
        raise ParameterError(f"parameter: expected the name of one parameter, of {axes}, got None.")
    return axes[0]
