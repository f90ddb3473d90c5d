"""The scores of a grid search over two parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.plot.canvas import inches_of, legend_below, one_panel, title_above
from mercer.plot.palette import CHOICE
from mercer.plot.parameter_axis import ParameterAxis
from mercer.plot.searched import Searched, as_text
from mercer.typing import Booleans, Floats

__all__ = ["SearchDisplay", "plot_search"]

# Inches of a cell that has room for its score.
_ROOM_FOR_TEXT = (0.48, 0.42)
# Points across of a star and of a ring in large cells, and the share of a small cell that they take.
_STAR, _RING, _OF_CELL = 14.0, 8.0, 0.5
# Points from a mark, in the middle of a cell, down to the score.
_TEXT_BELOW = 11
# From this share of the range of scores on, cells are so bright that text on them is black.
_BRIGHT = 0.55


@dataclass
class SearchDisplay:
    """Mean scores of the cells as colours; the choice, cells that are not proven worse, and cells without a score.

    Made by `from_search`; `plot` leaves the matplotlib objects in `figure_`, `ax_`, and `mesh_`, the coloured cells.

    Attributes
    ----------
    x, y : ParameterAxis
        The two parameters.
    scores : ndarray of shape (len(y.values), len(x.values))
        The best over all other parameters; NaN where there is no score.
    chosen : (row, column) or None
        Where the choice is; None where it does not have both parameters.
    alike : ndarray of bool, of the shape of scores
        Where a cell other than the choice is not proven to score less: it may score the same, or higher.
    unproven : ndarray of bool, of the shape of scores
        Where there are other cells with scores of which nothing is proven.
    title : tuple of str
        What is shown, and the certificate's sentence.
    score_name : str
    choice : str
        The chosen values.
    without : str
        Why cells have no score.
    """

    x: ParameterAxis
    y: ParameterAxis
    scores: Floats
    chosen: tuple[int, int] | None
    alike: Booleans
    unproven: Booleans
    title: tuple[str, ...]
    score_name: str
    choice: str
    without: str

    @classmethod
    def from_search(cls, search: Any, x: str | None = None, y: str | None = None, *, ax: Any = None) -> SearchDisplay:
        """Draws a fitted search; the parameters are those of `plot_search`."""
        found = Searched.of(search)
        x, y = _two_names(found, x, y)
        columns, rows, means = found.numbers(x), found.numbers(y), found.means
        across, up = ParameterAxis.of(x, columns, found.names(x)), ParameterAxis.of(y, rows, found.names(y))
        shape = len(up.values), len(across.values)
        scores, (alike, unknown, is_cell) = np.full(shape, np.nan), np.zeros((3, *shape), dtype=bool)
        rivals, unproven = _judged(found.certificate)
        at = {
            k: (up.index_of(rows[k]), across.index_of(columns[k]))
            for k in range(len(found.cells))
            if not np.isnan(rows[k] + columns[k])
        }
        for k, place in at.items():
            scores[place] = np.fmax(scores[place], means[k])
            alike[place] |= k in rivals
            unknown[place] |= k in unproven
            is_cell[place] = True
        if np.isnan(scores).all():
            raise InputError(f"search: expected scores of cells with {x} and {y}, got none.")
        chosen = at.get(found.chosen)
        if chosen is not None:
            alike[chosen] = unknown[chosen] = False
        others = [name for name in found.varying if name not in (x, y)]
        cell = found.cells[found.chosen]
        choice = ", ".join(f"{name}={as_text(cell[name])}" for name in (x, y, *others) if name in cell)
        return cls(
            *(across, up, scores, chosen, alike, unknown & ~alike & np.isfinite(scores)),
            _title(found, others, chosen, choice),
            found.axis_name,
            choice,
            _reasons(found, at, scores, is_cell),
        ).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> SearchDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 5.6))
        # Its brightness grows evenly, in colour, in grey and to the colour-blind.
        look = {"cmap": "cividis", "edgecolors": "white", "linewidth": 0.5}
        mesh = ax.pcolormesh(self.x.edges, self.y.edges, np.ma.masked_invalid(self.scores), **look)
        title_above(ax, self.title)
        ax.figure.colorbar(mesh, ax=ax, label=self.score_name)
        self.x.show(ax, "x")
        self.y.show(ax, "y")
        self._draw_missing(ax)
        self._draw_text(ax)
        self._draw_marks(ax)
        legend_below(ax)
        self.ax_, self.figure_, self.mesh_ = ax, ax.figure, mesh
        return self

    def _draw_missing(self, ax: Any) -> None:
        from matplotlib.patches import Rectangle

        x, y, label = self.x.edges, self.y.edges, f"no score: {self.without}"
        for row, column in np.argwhere(np.isnan(self.scores)):
            corner, size = (x[column], y[row]), (x[column + 1] - x[column], y[row + 1] - y[row])
            look: dict[str, Any] = {"facecolor": "0.95", "edgecolor": "0.6", "hatch": "////", "linewidth": 0.5}
            ax.add_patch(Rectangle(corner, *size, label=label, **look))
            label = "_" + label  # once in the legend

    def _draw_text(self, ax: Any) -> None:
        """The scores as numbers, where the cells have room for them."""
        width, height = self._cell(ax)
        if width < _ROOM_FOR_TEXT[0] or height < _ROOM_FOR_TEXT[1]:
            return
        low, high = np.nanmin(self.scores), np.nanmax(self.scores)
        for row, column in np.argwhere(np.isfinite(self.scores)):
            score = self.scores[row, column]
            is_bright = score - low > _BRIGHT * (high - low)
            place, colour = (self.x.places[column], self.y.places[row]), "black" if is_bright else "white"
            how = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": 7, "color": colour}
            is_marked = self.alike[row, column] or self.unproven[row, column] or (row, column) == self.chosen
            ax.annotate(f"{score:#.4g}".rstrip("."), place, (0, -_TEXT_BELOW * is_marked), **how)

    def _draw_marks(self, ax: Any) -> None:
        room = 72 * min(self._cell(ax)) * _OF_CELL
        look = {"facecolors": "white", "edgecolors": "black", "s": min(_RING, room) ** 2}
        marks = ((self.alike, "o", "not proven worse"), (self.unproven, "d", "nothing is proven of it"))
        for where, marker, name in marks:
            rows, columns = np.nonzero(where)
            if len(rows):
                ax.scatter(self.x.places[columns], self.y.places[rows], marker=marker, label=name, **look)
        if self.chosen is not None:
            row, column = self.chosen
            # No smaller than a ring, that it is found.
            star = {**CHOICE, "s": max(_RING, min(_STAR, 2 * room)) ** 2}
            ax.scatter(self.x.places[[column]], self.y.places[[row]], label=f"chosen: {self.choice}", **star)

    def _cell(self, ax: Any) -> tuple[float, float]:
        """Width and height of a cell in inches, in the mean."""
        (width, height), (rows, columns) = inches_of(ax), self.scores.shape
        return width / columns, height / rows


def plot_search(search: Any, x: str | None = None, y: str | None = None, ax: Any = None) -> SearchDisplay:
    """A map of the scores of a grid search over two of its parameters.

    The chosen cell has a star; cells that score the same, or may, or cannot be told from it, have a ring, cells of
    which nothing is proven a diamond; cells without a score, because they were dropped or failed, are hatched.
    The certificate of the choice is the title.

    Parameters
    ----------
    search : GridSearchCV, TunedSVC or TunedSVR
        Fitted; Mercer's, or scikit-learn's, which has no certificate.
    x, y : str, optional
        Parameters of the grid, as it names them; where exactly two vary, or two of them are numbers, these. The best
        score over all others is shown.
    ax : matplotlib axes, optional

    Returns
    -------
    SearchDisplay

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, GridSearchCV
    >>> from mercer.plot import plot_search
    >>> search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.01, 0.1]}).fit(*load_iris(return_X_y=True))
    >>> display = plot_search(search)
    >>> display.x.name, display.y.name, display.scores.shape
    ('C', 'gamma', (2, 3))
    """
    return SearchDisplay.from_search(search, x, y, ax=ax)


def _two_names(found: Searched, x: str | None, y: str | None) -> tuple[str, str]:
    """The names of the two axes, found where they were not given and only two are there."""
    axes = found.numeric if len(found.numeric) == 2 else found.axes
    for argument, name in (("x", x), ("y", y)):
        if name is not None:
            found.check_axis(argument, name)
    if x is not None and x == y:
        raise ParameterError(f"x, y: expected two parameters, got {x!r} twice. Use plot_validation_curve for one.")
    if x is not None and y is not None:
        return x, y
    if len(axes) < 2:
        got = f"only {axes[0]!r}. Use plot_validation_curve" if axes else f"none among {found.varying}"
        raise ParameterError(f"search: expected two parameters that vary, numbers or names, got {got}.")
    if x is None and y is None and len(axes) == 2:
        return axes[0], axes[1]
    others = [name for name in axes if name not in (x, y)]
    if len(others) != 1:
        missing = [argument for argument, name in (("x", x), ("y", y)) if name is None]
        raise ParameterError(f"{', '.join(missing)}: expected names, of {found.axes}, which all vary, got None.")
    other = others[0]
    return (x, other) if x is not None else (other, str(y))


def _judged(certificate: Any) -> tuple[set[int], set[int]]:
    """Cells that are not proven worse than the choice; and of which nothing is proven, unless nothing is of any."""
    if certificate is None:
        return set(), set()
    alike = {*certificate.rivals, *certificate.equal, *certificate.no_better}
    return alike, set(certificate.unknown) if np.isfinite(certificate.low) else set()


def _title(found: Searched, others: list[str], chosen: tuple[int, int] | None, choice: str) -> tuple[str, ...]:
    lines = []
    if others:
        lines.append(f"The best over {', '.join(others)} is shown.")
    if chosen is None:
        lines.append(f"The choice, {choice}, is not on this map.")
    if found.certificate is not None:
        lines.append(str(found.certificate))
    return tuple(lines)


def _reasons(found: Searched, at: dict[int, tuple[int, int]], scores: Floats, is_cell: Booleans) -> str:
    """Why places have no score, in the words with which the status of their cells begins."""
    statuses = found.table.get("status")
    without = [k for k, place in at.items() if np.isnan(scores[place])]
    words = [] if statuses is None else [str(statuses[k]).partition(",")[0] for k in without]
    if statuses is None and without:
        words = ["failed"]
    return ", ".join(dict.fromkeys([*words, *([] if is_cell.all() else ["not in the grid"])]))
