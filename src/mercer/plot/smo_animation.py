"""A run of SMO on points of the plane, as a film."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.kernels import Kernel
from mercer.plot.boundary import limits_around
from mercer.plot.canvas import pyplot, several_panels
from mercer.plot.labelled_rows import check_plane
from mercer.plot.palette import CLASS_COLOURS, CLASS_MARKERS, VERMILLION
from mercer.plot.traced import steps_of, trace_of
from mercer.rows import takes_features
from mercer.solvers import Step, Trace
from mercer.typing import Floats, Integers

__all__ = ["SmoAnimation"]

_GRID = 80
# The area of a marker without a multiplier, and what the largest multiplier adds, in square points.
_LEAST_AREA, _MORE_AREA = 9.0, 110.0
_LEGEND_AREA = 40.0
# Gaps below this share of the largest are not in view: how small the last are is for rounding to say.
_LEAST_GAP = 1e-5
# More rows at work than this are not marked: a solver that moves all of them has no pair.
_FEW_ROWS = 10


@dataclass
class SmoAnimation:
    """The machine after each of some steps: boundary and margins, the pair at work, multipliers as sizes; and the gap.

    Made by `from_trace` or `from_estimator`. `plot` draws one frame and leaves the matplotlib objects in `figure_`,
    `axes_` and, the first of these, `ax_`; `save` writes all frames as a GIF.

    Attributes
    ----------
    X, signs : ndarray
        The rows of the problem, in its order, and their signs.
    kernel : Kernel
    steps : tuple of Step
        All steps.
    alphas : ndarray of shape (steps, rows)
        The multipliers after each.
    frames : ndarray of int
        The steps that are shown, more closely at the beginning, where more happens.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from mercer import SVC
    >>> from mercer.plot import SmoAnimation
    >>> X, y = make_blobs(40, centers=2, cluster_std=0.5, random_state=0)
    >>> model = SVC(solver="smo-sketch", trace=True, random_state=2, tol=0.1).fit(X, y)
    >>> film = SmoAnimation.from_estimator(model, X, frames=10)
    >>> len(film.frames) <= 10
    True
    """

    X: Floats
    signs: Floats
    kernel: Kernel
    steps: tuple[Step, ...]
    alphas: Floats
    frames: Integers

    @classmethod
    def from_trace(cls, X: Any, trace: Trace, kernel: Kernel, *, problem: int = 0, frames: int = 60) -> SmoAnimation:
        """Prepares the film of a trace.

        Parameters
        ----------
        X : array-like of shape (n, 2)
            The training data.
        trace : Trace
            Of `SVC(solver="smo-sketch", trace=True)`, or of another solver.
        kernel : Kernel
            That of the fit, with its parameters as numbers: `model.kernel_`.
        problem : int, default=0
            Which of several binary problems.
        frames : int, default=60
            How many frames there are at most.
        """
        steps, X = steps_of(trace, problem), np.asarray(X, dtype=np.float64)
        check_plane(X)
        if not isinstance(kernel, Kernel) or not takes_features(kernel):
            raise ParameterError(f"kernel: expected a kernel of points, such as model.kernel_, got {kernel!r}.")
        if frames < 2:
            raise ParameterError(f"frames: expected an integer ≥ 2, got {frames!r}.")
        rows = np.array(trace.rows[problem])
        if rows.max() >= len(X) or not np.isfinite(X).all():
            raise InputError(f"X: expected the rows of fit, {rows.max() + 1} or more and finite, got {len(X)}.")
        alphas = np.stack([np.abs(coef) for _, coef in trace.replay(problem)])
        shown = np.unique(np.geomspace(1, len(steps), min(frames, len(steps))).round().astype(int)) - 1
        return cls(X[rows], np.array(trace.signs[problem]), kernel.resolve(X), steps, alphas, shown)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, problem: int = 0, frames: int = 60) -> SmoAnimation:
        """Prepares the film of a fitted `SVC` with a trace, on its training data."""
        return cls.from_trace(X, trace_of(estimator), estimator.kernel_, problem=problem, frames=frames)

    def values_after(self, number: int, points: Floats) -> Floats:
        """f of the machine after a step: Σ a t k(x, ·) + b."""
        coef = self.alphas[number] * self.signs
        return np.asarray(self.kernel.matrix(points, self.X) @ coef + self.steps[number].intercept)

    def plot(self, number: int = -1, *, ax: Any = None) -> SmoAnimation:
        """Draws the machine after a step, by default the last, on the two given axes or on new ones."""
        if not -len(self.steps) <= number < len(self.steps):
            raise InputError(f"number: expected one of the {len(self.steps)} steps, from 0, got {number!r}.")
        number %= len(self.steps)
        axes = several_panels(ax, (1, 2), (7.6, 3.4))
        self._draw_machine(axes[0], number)
        self._draw_gap(axes[1], number)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return self

    def save(self, path: str | Path, *, frames_per_second: int = 6, dpi: int = 80) -> None:
        """Writes the frames as a GIF."""
        axes = several_panels(None, (1, 2), (7.6, 3.4))
        from matplotlib.animation import PillowWriter

        figure, writer = axes[0].figure, PillowWriter(fps=frames_per_second)
        with writer.saving(figure, str(path), dpi):
            for number in self.frames:
                for panel in axes:
                    panel.clear()
                self.plot(int(number), ax=axes)
                writer.grab_frame()
                # The places of the panels are found once, so that frames do not jump.
                figure.set_layout_engine("none")
        pyplot().close(figure)

    def _draw_machine(self, ax: Any, number: int) -> None:
        (left, right), (low, high) = limits_around(self.X)
        xx, yy = np.meshgrid(np.linspace(left, right, _GRID), np.linspace(low, high, _GRID))
        values = self.values_after(number, np.column_stack([xx.ravel(), yy.ravel()])).reshape(xx.shape)
        for level, style, width in ((0.0, "-", 2.0), (1.0, "--", 1.0), (-1.0, ":", 1.3)):
            if values.min() < level < values.max():
                ax.contour(xx, yy, values, levels=[level], colors="black", linestyles=[style], linewidths=[width])
        alpha, largest = self.alphas[number], float(self.alphas.max()) or 1.0
        for sign, colour, marker in zip((-1, 1), CLASS_COLOURS, CLASS_MARKERS, strict=True):
            some = self.signs == sign
            areas = _LEAST_AREA + _MORE_AREA * alpha[some] / largest
            look = {"color": colour, "edgecolors": "black", "linewidths": 0.4, "alpha": 0.8}
            ax.scatter(*self.X[some].T, s=areas, marker=marker, label=f"t = {sign:+d}", **look)
        moved = list(self.steps[number].rows)
        if len(moved) <= _FEW_ROWS:
            ring = {"facecolors": "none", "edgecolors": VERMILLION, "linewidths": 1.6}
            ax.scatter(*self.X[moved].T, s=230, marker="o", label="moved", **ring)
        ax.set(xlabel="x₁", ylabel="x₂", xlim=(left, right), ylim=(low, high))
        ax.set_title(f"after step {number + 1} of {len(self.steps)}; marker area: multiplier", fontsize=9)
        legend = ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, frameon=False)
        for handle in legend.legend_handles:
            handle.set_sizes([_LEGEND_AREA])

    def _draw_gap(self, ax: Any, number: int) -> None:
        gaps = np.array([step.gap for step in self.steps])
        gaps[~(np.isfinite(gaps) & (gaps > 0))] = np.nan
        places = np.arange(1, len(gaps) + 1)
        ax.plot(places[: number + 1], gaps[: number + 1], color="black", linewidth=1.2)
        if np.isfinite(gaps).any():
            largest = float(np.nanmax(gaps))
            bottom = max(0.5 * float(np.nanmin(gaps)), _LEAST_GAP * largest)
            ax.set_yscale("log")
            ax.set_ylim(bottom, 2 * largest)
            now, is_seen = gaps[number], gaps[number] > bottom
            # An arrow at the edge: the gap is below it, or nothing at all.
            mark, place = ("o", now) if is_seen else ("v", 1.3 * bottom)
            ax.plot(number + 1, place, mark, color=VERMILLION)
        ax.set(xlabel="step", ylabel="gap, primal − dual", xlim=(0, len(gaps) + 1))
