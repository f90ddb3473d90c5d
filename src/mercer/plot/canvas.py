"""Axes to draw on: those of the user, or new ones on a figure that keeps its texts apart."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer.errors import ParameterError, missing_package

__all__ = [
    "in_lines",
    "inches_of",
    "legend_below",
    "legend_beside",
    "one_panel",
    "panel_below",
    "pyplot",
    "several_panels",
    "title_above",
]

# Points of titles that are sentences, and of legends.
_SMALL, _LEGEND = 9, 8
# How wide a character is in the mean, as a share of its points; lines are of so many at least.
_WIDTH, _FEWEST = 0.55, 20
# Inches of a legend that marks take, left of the text.
_MARKS = 0.5
# Points from the axes down to a legend: ticks, their labels and the name of the axis are between.
_BELOW_LABELS = 36


def pyplot() -> Any:
    """matplotlib's, which is no dependency of Mercer's but of its extra `app`."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise missing_package("mercer.plot", "matplotlib", "app") from error
    return plt


def one_panel(ax: Any, size: tuple[float, float]) -> Any:
    """The given axes, or new ones on a figure of this size in inches."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=size, layout="constrained")
    return ax


def several_panels(ax: Any, shape: tuple[int, int], size: tuple[float, float], *, same_axes: bool = False) -> Any:
    """The given axes as a vector, or new ones in rows and columns; as many as the display has panels."""
    expected = shape[0] * shape[1]
    if ax is None:
        _, axes = pyplot().subplots(
            *shape, figsize=size, layout="constrained", squeeze=False, sharex=same_axes, sharey=same_axes
        )
        return axes.ravel()
    axes = np.asarray(ax, dtype=object).ravel()
    if len(axes) != expected:
        raise ParameterError(f"ax: expected {expected} axes, one a panel, got {len(axes)}. Leave it out for new ones.")
    return axes


def inches_of(ax: Any) -> tuple[float, float]:
    """Width and height of the axes."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def legend_beside(ax: Any, **options: Any) -> Any:
    """The legend to the right of the axes, where it covers no data."""
    return ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=_LEGEND, frameon=False, **options)


def legend_below(ax: Any, **options: Any) -> Any:
    """The legend below the axes and their labels, where a colour bar is beside; no wider than the axes."""
    from matplotlib.transforms import ScaledTranslation

    below = ax.transAxes + ScaledTranslation(0, -_BELOW_LABELS / 72, ax.figure.dpi_scale_trans)
    handles, labels = ax.get_legend_handles_labels()
    labels = [in_lines(label, inches_of(ax)[0] - _MARKS, _LEGEND) for label in labels]
    place = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": below, "borderaxespad": 0}
    return ax.legend(handles, labels, fontsize=_LEGEND, frameon=False, **place, **options)


def panel_below(ax: Any, share: float = 0.3) -> Any:
    """New axes with the same x, for which the given ones give up this share of their height."""
    spec, figure = ax.get_subplotspec(), ax.figure
    if spec is None:
        box = ax.get_position()
        ax.set_position([box.x0, box.y0 + share * box.height, box.width, (1 - share) * box.height])
        # A tenth of its height parts them.
        below = figure.add_axes([box.x0, box.y0, box.width, 0.9 * share * box.height], sharex=ax)
    else:
        rows = spec.subgridspec(2, 1, height_ratios=(1 - share, share), hspace=0.05)
        ax.set_subplotspec(rows[0])
        below = figure.add_subplot(rows[1], sharex=ax)
    ax.tick_params(axis="x", which="both", labelbottom=False)
    return below


def title_above(ax: Any, sentences: Iterable[str]) -> Any:
    """Sentences as a title, one below the other, in lines as long as the axes are wide."""
    lines = [in_lines(sentence, inches_of(ax)[0], _SMALL) for sentence in sentences]
    return ax.set_title("\n".join(lines), fontsize=_SMALL, loc="left")


def in_lines(text: str, inches: float, points: float) -> str:
    """The text in lines of at most this length, in letters of this size."""
    return textwrap.fill(text, max(_FEWEST, int(72 * inches / (_WIDTH * points))), break_long_words=False)
