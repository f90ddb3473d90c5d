"""Kernel values of a few points of a line with all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.kernels import Kernel
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.palette import LINE_STYLES, SERIES_COLOURS
from mercer.rows import takes_features
from mercer.typing import Floats

__all__ = ["KernelValuesDisplay"]

_GRID = 400
# The line reaches beyond the points by this share of their spread.
_ROOM = 0.5


@dataclass
class KernelValuesDisplay:
    """k(x, ·) of points x on a line, for several kernels: how far a point is heard.

    Made by `from_kernel`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    grid : ndarray of shape (m,)
    points : ndarray of shape (n,)
    values : ndarray of shape (kernels, m, n)
    names : tuple of str

    Examples
    --------
    >>> from mercer import RBF
    >>> from mercer.plot import KernelValuesDisplay
    >>> display = KernelValuesDisplay.from_kernel([RBF(0.5), RBF(5.0)], [0.0, 2.0])
    >>> display.names
    ('RBF(gamma=0.5)', 'RBF(gamma=5.0)')
    """

    grid: Floats
    points: Floats
    values: Floats
    names: tuple[str, ...]

    @classmethod
    def from_kernel(
        cls,
        kernels: Kernel | Sequence[Kernel],
        points: Any,
        *,
        limits: tuple[float, float] | None = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> KernelValuesDisplay:
        """Evaluates kernels on a line.

        Parameters
        ----------
        kernels : Kernel or sequence of Kernel
            Parameters "scale" and "auto" are taken from the points.
        points : array-like of shape (n,)
        limits : (float, float), optional
            Ends of the line.
        names : sequence of str, optional
            What the kernels are called.
        ax : matplotlib axes, optional
        """
        several = [kernels] if isinstance(kernels, Kernel) else list(kernels)
        if not 0 < len(several) <= len(LINE_STYLES) or not all(_takes_points(kernel) for kernel in several):
            raise ParameterError(
                f"kernels: expected one to {len(LINE_STYLES)} kernel objects such as RBF(0.5), got {kernels!r}."
            )
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 1 or len(points) == 0 or not np.isfinite(points).all():
            raise InputError(f"points: expected finite numbers in a row, got shape {points.shape}.")
        if names is not None and len(names) != len(several):
            raise ParameterError(f"names: expected one for each of {len(several)} kernels, got {len(names)}.")
        room = _ROOM * (float(np.ptp(points)) or 2.0)
        low, high = (points.min() - room, points.max() + room) if limits is None else limits
        if not low < high:
            raise ParameterError(f"limits: expected (low, high) with low < high, got {limits!r}.")
        grid = np.linspace(low, high, _GRID)
        resolved = [kernel.resolve(points[:, None]) for kernel in several]
        values = np.stack([kernel.matrix(grid[:, None], points[:, None]) for kernel in resolved])
        return cls(grid, points, values, tuple(map(str, resolved if names is None else names))).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> KernelValuesDisplay:
        """Draws on the given axes, or on new ones: the curves of a kernel share colour and line style."""
        ax = one_panel(ax, (8, 3))
        looks = zip(self.names, self.values, SERIES_COLOURS, LINE_STYLES, strict=False)
        for name, curves, colour, style in looks:
            lines = ax.plot(self.grid, curves, color=colour, linestyle=style, linewidth=1.5)
            lines[0].set_label(name)
        at = ax.get_xaxis_transform()
        look = {"linestyle": "", "marker": "^", "color": "black", "clip_on": False, "label": "points x"}
        ax.plot(self.points, np.zeros(len(self.points)), transform=at, **look)
        ax.set(xlabel="z", ylabel="k(x, z)", xlim=self.grid[[0, -1]])
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _takes_points(kernel: Any) -> bool:
    return isinstance(kernel, Kernel) and takes_features(kernel)
