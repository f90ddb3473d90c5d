"""How a solver gets to the optimum, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.plot.canvas import legend_beside, several_panels
from mercer.plot.palette import BLUE, GREEN, VERMILLION
from mercer.plot.traced import steps_of
from mercer.typing import Floats

__all__ = ["ConvergenceDisplay"]

# With so few steps each is marked.
_FEW_STEPS = 30


@dataclass
class ConvergenceDisplay:
    """Primal and dual after each step in one panel; the gap between them and the violation, on a log scale, in another.

    Made by `from_trace`; `plot` leaves the matplotlib objects in `figure_`, `axes_` and, the first of these, `ax_`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from mercer import SVC
    >>> from mercer.plot import ConvergenceDisplay
    >>> X, y = make_blobs(40, centers=2, random_state=0)
    >>> model = SVC(solver="smo-sketch", trace=True, random_state=0).fit(X, y)
    >>> display = ConvergenceDisplay.from_trace(model.trace_)
    >>> len(display.gap) == len(model.trace_)
    True
    """

    primal: Floats
    dual: Floats
    violation: Floats
    solver: str

    @classmethod
    def from_trace(cls, trace: Any, problem: int = 0, *, ax: Any = None) -> ConvergenceDisplay:
        """Draws the steps of one binary problem of a `Trace`; `ax` are two axes."""
        steps = steps_of(trace, problem)
        numbers = ([getattr(step, name) for step in steps] for name in ("primal", "dual", "violation"))
        primal, dual, violation = (np.array(values, dtype=np.float64) for values in numbers)
        return cls(primal, dual, violation, trace.solver).plot(ax=ax)

    @property
    def gap(self) -> Floats:
        return self.primal - self.dual

    def plot(self, *, ax: Any = None) -> ConvergenceDisplay:
        """Draws on the two given axes, or on new ones, one above the other."""
        axes = several_panels(ax, (2, 1), (7, 5))
        steps = np.arange(1, len(self.dual) + 1)
        mark = "." if len(steps) <= _FEW_STEPS else ""
        axes[0].plot(steps, _finite(self.primal), "--", marker=mark, color=VERMILLION, label="primal")
        axes[0].plot(steps, self.dual, "-", marker=mark, color=BLUE, label="dual")
        axes[0].set(ylabel="objective")
        axes[1].plot(steps, _positive(self.gap), "-", marker=mark, color="black", label="gap, primal − dual")
        axes[1].plot(steps, _positive(self.violation), ":", marker=mark, color=GREEN, label="violation")
        axes[1].set(xlabel=f"steps ({self.solver})", ylabel="distance from the optimum")
        if np.isfinite(_positive(self.gap)).any() or np.isfinite(_positive(self.violation)).any():
            axes[1].set_yscale("log")
        for panel in axes:
            legend_beside(panel)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return self


def _finite(values: Floats) -> Floats:
    """Not a number, which is not drawn, where a value is infinite: under the hard margin, before rows are apart."""
    return np.where(np.isfinite(values), values, np.nan)


def _positive(values: Floats) -> Floats:
    """Not a number where a log scale has no place."""
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)
