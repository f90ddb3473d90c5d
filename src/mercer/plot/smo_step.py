"""One step of SMO in the plane of its two multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.labelled_rows import LabelledRows
from mercer.plot.palette import BLUE, GREEN, GREY, ORANGE, VERMILLION
from mercer.plot.traced import steps_of, trace_of
from mercer.solvers import Step, Trace
from mercer.typing import Floats

__all__ = ["PairObjective", "SmoStepDisplay"]

_GRID = 81
# The view reaches beyond the box by this share of its sides, and to an unclipped optimum that is up to a side away.
_ROOM = 0.15
_FARTHEST = 1.0
# Multipliers may exceed their bounds by this share of them, from rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class PairObjective:
    """The dual as a function of two multipliers, the others as they are: D(a) = D(old) + gᵀδ − ½ δᵀG δ, δ = a − old."""

    old: tuple[float, float]
    slope: tuple[float, float]
    G: Floats

    @classmethod
    def of(cls, K: Floats, alpha: Floats, signs: Floats, pair: tuple[int, int]) -> PairObjective:
        """Of the rows of a pair with all rows (2, n), the multipliers before the step and the signs of all rows."""
        rows, t = list(pair), signs[list(pair)]
        values = K @ (alpha * signs)
        first, second = (1.0 - t * values).tolist()
        return cls((float(alpha[pair[0]]), float(alpha[pair[1]])), (first, second), np.outer(t, t) * K[:, rows])

    def gain(self, first: Floats, second: Floats) -> Floats:
        """D − D(old) at many points."""
        p, q = first - self.old[0], second - self.old[1]
        G = self.G
        bend = G[0, 0] * p**2 + 2 * G[0, 1] * p * q + G[1, 1] * q**2
        return np.asarray(self.slope[0] * p + self.slope[1] * q - 0.5 * bend)

    def best_second(self, signs: tuple[float, float]) -> float:
        """a_j at the top of the parabola along a_i t_i + a_j t_j = const; not a number where there is no top."""
        # Along the line δ_i = −t_i t_j δ_j.
        way = np.array([-signs[0] * signs[1], 1.0])
        curvature = float(way @ self.G @ way)
        return self.old[1] + float(way @ np.array(self.slope)) / curvature if curvature > 0 else float("nan")


@dataclass
class SmoStepDisplay:
    """The box of two multipliers, the line that they stay on, its part within the box, and the step along it.

    Made by `from_estimator`, which also shows the dual as contours and where its maximum on the line would be without
    the box, or by `from_trace`, which has the steps alone. `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    step : Step
    signs : (float, float)
        t_i and t_j.
    upper : (float, float)
        The bounds of a_i and a_j.
    names : (int, int)
        Training rows of the two.
    title : str
    objective : PairObjective or None
        The dual around the step, where kernel values are known.
    """

    step: Step
    signs: tuple[float, float]
    upper: tuple[float, float]
    names: tuple[int, int]
    title: str
    objective: PairObjective | None = None

    @classmethod
    def from_trace(
        cls, trace: Trace, number: int, *, C: float | tuple[float, float], problem: int = 0, ax: Any = None
    ) -> SmoStepDisplay:
        """Draws a step of two multipliers.

        Parameters
        ----------
        trace : Trace
            Of `SVC(solver="smo-sketch", trace=True)`.
        number : int
            Place of the step among those of its problem, from 0; −1 is the last.
        C : float or pair of floats
            The bound of both multipliers, or of each.
        problem : int, default=0
        ax : matplotlib axes, optional
        """
        return cls._of(trace, number, C, problem, None).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, number: int, *, ax: Any = None) -> SmoStepDisplay:
        """Draws a step of a machine for two classes, fitted without sample weights and with `trace=True`."""
        trace, rows = trace_of(estimator), LabelledRows.of(estimator, X, y)
        steps_of(trace, 0)
        places, signs = np.array(trace.rows[0]), np.array(trace.signs[0])
        if len(places) != len(rows.X) or not np.array_equal(signs, rows.signs[places]):
            raise InputError(f"Expected the {len(places)} rows and labels of fit, got {len(rows.X)} rows or others.")
        negative, positive = (float(estimator.C) * np.asarray(estimator.class_weight_)).tolist()
        step = _pair_step(trace, number, 0)
        i, j = step.rows
        bounds = tuple(positive if signs[row] > 0 else negative for row in (i, j))
        alpha = np.zeros(len(places))
        for earlier, after in trace.replay():
            if earlier is step:
                break
            alpha = np.abs(after)
        K = estimator.kernel_.matrix(rows.X[places[[i, j]]], rows.X[places])
        objective = PairObjective.of(K, alpha, signs, (i, j))
        return cls._of(trace, number, (bounds[0], bounds[1]), 0, objective).plot(ax=ax)

    @classmethod
    def _of(cls, trace: Trace, number: int, C: Any, problem: int, objective: PairObjective | None) -> SmoStepDisplay:
        step = _pair_step(trace, number, problem)
        upper = np.broadcast_to(np.asarray(C, dtype=np.float64), 2).tolist() if np.size(C) in (1, 2) else []
        values = np.maximum(*step.multipliers)
        if not upper or min(upper) <= 0 or np.any(values > np.multiply(upper, 1 + _ROUNDING)):
            raise ParameterError(
                f"C: expected bounds > 0 that {values.tolist()} keep to, got {C!r}. Pass the C of the fit."
            )
        (i, j), signs, rows = step.rows, trace.signs[problem], trace.rows[problem]
        total = len(trace.of_problem(problem))
        title = f"step {number % total + 1} of {total}"
        return cls(step, (signs[i], signs[j]), (upper[0], upper[1]), (rows[i], rows[j]), title, objective)

    @property
    def unclipped(self) -> tuple[float, float] | None:
        """The maximum of the dual on the line without the box, where it is known."""
        best = float("nan") if self.objective is None else self.objective.best_second(self.signs)
        return None if np.isnan(best) else (self._first_at(best), best)

    def _first_at(self, second: float) -> float:
        """a_i where a_j is given: on the line a_i t_i + a_j t_j stays."""
        before, _ = self.step.multipliers
        return before[0] - self.signs[0] * self.signs[1] * (second - before[1])

    def plot(self, *, ax: Any = None) -> SmoStepDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (6.5, 4.2))
        (left, right), (bottom, top) = self._view()
        if self.objective is not None:
            first, second = np.meshgrid(np.linspace(left, right, _GRID), np.linspace(bottom, top, _GRID))
            gain = self.objective.gain(first, second)
            ax.contour(first, second, gain, levels=12, colors=GREY, linewidths=0.6, linestyles="solid", alpha=0.7)
            ax.plot([], [], color=GREY, linewidth=0.6, label="the dual (contours)")
        sides = [min(self.upper[0], right), min(self.upper[1], top)]
        ax.plot([0, sides[0], sides[0], 0, 0], [0, 0, sides[1], sides[1], 0], color="black", label="the box")
        ends = np.array([bottom, top])
        ax.plot([self._first_at(end) for end in ends], ends, ":", color="black", label="$a_i t_i + a_j t_j$ stays")
        low, high = max(self.step.low, bottom), min(self.step.high, top)
        segment = [(self._first_at(end), end) for end in (low, high)]
        ax.plot(*np.transpose(segment), color=BLUE, linewidth=4, alpha=0.5, label="from L to H")
        for name, point, end in zip("LH", segment, (self.step.low, self.step.high), strict=True):
            if np.isfinite(end):
                self._draw_end(ax, f"{name} = {end:.3g}", point, is_low=name == "L", middle=0.5 * (left + right))
        self._draw_points(ax)
        (i, j), (t_i, t_j) = self.names, self.signs
        ax.set(xlabel=f"$a_i$ of row {i}, t = {t_i:+.0f}", ylabel=f"$a_j$ of row {j}, t = {t_j:+.0f}", title=self.title)
        ax.set(xlim=(left, right), ylim=(bottom, top))
        ax.set_aspect("equal", adjustable="box")
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @staticmethod
    def _draw_end(ax: Any, text: str, point: tuple[float, float], *, is_low: bool, middle: float) -> None:
        """Names an end of the segment: towards the middle, L below it and H above it, off the lines."""
        on_the_right = point[0] > middle
        offset = (-7 if on_the_right else 7, -14 if is_low else 7)
        place = {"textcoords": "offset points", "xytext": offset, "ha": "right" if on_the_right else "left"}
        ax.annotate(text, point, fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1}, **place)

    def _draw_points(self, ax: Any) -> None:
        best, hollow = self.unclipped, {"markerfacecolor": "none", "linestyle": "", "markersize": 15}
        if best is not None:
            ax.plot(*best, "D", color=GREEN, label=f"top of the parabola, $a_j$ = {best[1]:.3g}", **hollow)
        before, after = self.step.multipliers
        ax.plot(*before, "o", color=ORANGE, markeredgecolor="black", label="before", linestyle="")
        ax.plot(*after, "*", color=VERMILLION, markersize=13, label="after", linestyle="")

    def _view(self) -> tuple[tuple[float, float], tuple[float, float]]:
        points = np.array([(0.0, 0.0), *self.step.multipliers])
        # An infinite box is shown as far as the step goes, and some more.
        reach = 1.5 * max(float(points.max()), np.finfo(float).tiny)
        side = max(upper if np.isfinite(upper) else reach for upper in self.upper)
        points = np.vstack([points, [upper if np.isfinite(upper) else side for upper in self.upper]])
        if self.unclipped is not None:
            points = np.vstack([points, np.clip(self.unclipped, -_FARTHEST * side, (1 + _FARTHEST) * side)])
        low, high = points.min(axis=0) - _ROOM * side, points.max(axis=0) + _ROOM * side
        return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def _pair_step(trace: Any, number: int, problem: int) -> Step:
    steps = steps_of(trace, problem)
    if not -len(steps) <= number < len(steps):
        raise InputError(f"number: expected one of the {len(steps)} steps, from 0, got {number!r}.")
    step = steps[number]
    if step.kind != "pair":
        raise InputError(
            f"number: expected a step of SMO, with two multipliers, got one of kind {step.kind!r} with "
            f"{len(step.rows)}. Fit with solver='smo-sketch'."
        )
    return step
