"""A constrained problem in the plane: level sets, constraints, the optimum, and the gradients that balance there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer.plot.canvas import one_panel
from mercer.plot.plane import Limits, check_plane, grid_of, limits_around, values_on
from mercer.typing import Booleans, Floats

__all__ = ["DualityDisplay"]

_OBJECTIVE, _CONSTRAINT = "#0072b2", "#d55e00"
_LEVELS = 8
# The longest arrow, as a share of the picture's width; the others are to scale.
_ARROW = 0.2


class Function(Protocol):
    def __call__(self, x: Floats) -> float: ...
    def gradient(self, x: Floats) -> Floats: ...


class Problem(Protocol):
    @property
    def objective(self) -> Function: ...
    @property
    def equalities(self) -> Sequence[Function]: ...
    @property
    def inequalities(self) -> Sequence[Function]: ...


class Found(Protocol):
    @property
    def x(self) -> Floats: ...
    @property
    def lam(self) -> Floats: ...
    @property
    def mu(self) -> Floats: ...
    @property
    def active(self) -> Booleans: ...


@dataclass
class DualityDisplay:
    """The functions of a problem on a grid, its optimum, and the gradients there, each times its multiplier.

    Made by `from_optimum`; `plot` draws it and leaves the matplotlib objects in `figure_` and `ax_`. The arrows of the
    constraints together are as long as that of the objective and point against it: that is stationarity.
    """

    xx: Floats
    yy: Floats
    objective: Floats
    equalities: Sequence[Floats]
    inequalities: Sequence[Floats]
    x: Floats
    active: Booleans
    #: ∇J at the optimum.
    slope: Floats
    #: λ ∇h of every equality and μ ∇g of every active inequality, by name.
    pulls: dict[str, Floats]

    @classmethod
    def from_optimum(
        cls, problem: Problem, optimum: Found, *, limits: Limits | None = None, ax: Any = None
    ) -> DualityDisplay:
        """Evaluates and draws a problem of two variables around its optimum.

        Parameters
        ----------
        problem : mercer.lectures.ConstrainedProblem
            Two variables.
        optimum : mercer.lectures.Optimum
            What `problem.solve` returned.
        limits : ((left, right), (bottom, top)), optional
            What to show; three to each side of the optimum where not given.
        ax : matplotlib axes, optional
            Where to draw; new ones where not given.
        """
        x = np.asarray(optimum.x)
        check_plane(x)
        xx, yy = grid_of(limits_around(x[None], margin=2.0) if limits is None else limits)
        priced = [
            *(
                (f"λ{_small(j)}∇h{_small(j)}", price, h)
                for j, (price, h) in enumerate(_pairs(optimum.lam, problem.equalities))
            ),
            *(
                (f"μ{_small(i)}∇g{_small(i)}", price, g)
                for i, (price, g) in enumerate(_pairs(optimum.mu, problem.inequalities))
                if optimum.active[i]
            ),
        ]
        display = cls(
            xx,
            yy,
            objective=values_on(xx, yy, problem.objective),
            equalities=[values_on(xx, yy, one) for one in problem.equalities],
            inequalities=[values_on(xx, yy, one) for one in problem.inequalities],
            x=x,
            active=np.asarray(optimum.active),
            slope=problem.objective.gradient(x),
            pulls={name: price * one.gradient(x) for name, price, one in priced},
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> DualityDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (6, 5.5))
        if self.inequalities:
            worst = np.max(self.inequalities, axis=0)
            ax.contourf(self.xx, self.yy, worst, levels=[0.0, np.inf], colors="0.9")
        levels = ax.contour(self.xx, self.yy, self.objective, levels=_LEVELS, colors="0.55", linewidths=0.8)
        ax.clabel(levels, fontsize=7, fmt="%.3g")
        for values, is_active in zip(self.inequalities, self.active, strict=True):
            style = "-" if is_active else "--"
            ax.contour(self.xx, self.yy, values, levels=[0.0], colors=_CONSTRAINT, linewidths=1.8, linestyles=style)
        for values in self.equalities:
            ax.contour(self.xx, self.yy, values, levels=[0.0], colors=_CONSTRAINT, linewidths=1.8)
        self._draw_arrows(ax)
        ax.plot(*self.x, marker="o", color="black", markersize=7, zorder=5)
        ax.set(aspect="equal", xlabel="x₁", ylabel="x₂")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_arrows(self, ax: Any) -> None:
        arrows = [("∇J", self.slope, _OBJECTIVE, "-"), *((n, p, _CONSTRAINT, "--") for n, p in self.pulls.items())]
        longest = max(float(np.linalg.norm(arrow)) for _, arrow, _, _ in arrows)
        if longest == 0:
            return
        unit = _ARROW * float(np.ptp(self.xx)) / longest
        for name, arrow, colour, style in arrows:
            if np.linalg.norm(arrow) < 1e-3 * longest:
                continue  # too short to have a direction
            tip = self.x + unit * arrow
            shape = {
                "arrowstyle": "-|>",
                "color": colour,
                "linewidth": 2,
                "linestyle": style,
                "shrinkA": 0,
                "shrinkB": 0,
            }
            ax.annotate("", tip, self.x, arrowprops=shape, zorder=4)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8}
            ax.annotate(
                name,
                tip,
                xytext=12 * arrow / np.linalg.norm(arrow),
                textcoords="offset points",
                ha="center",
                va="center",
                color=colour,
                fontsize=11,
                bbox=box,
                zorder=6,
            )


def _pairs(prices: Floats, functions: Sequence[Function]) -> list[tuple[float, Function]]:
    return list(zip(np.asarray(prices).tolist(), functions, strict=True))


def _small(number: int) -> str:
    """The number, from one on, as a subscript."""
    return str(number + 1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
