"""Axes to draw on: those of the user, or new ones on a figure that keeps its texts apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import ParameterError, missing_package

__all__ = ["legend_beside", "one_panel", "pyplot", "several_panels"]


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


def legend_beside(ax: Any, **options: Any) -> Any:
    """The legend to the right of the axes, where it covers no data."""
    return ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False, **options)
