"""The losses of binary classification, in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.palette import LINE_STYLES, SERIES_COLOURS
from mercer.problems import LOSSES
from mercer.typing import Floats

__all__ = ["BinaryLossesDisplay"]

_GRID = 601

_NAMES = {
    "zero_one": "zero-one: 1 where ty ≤ 0",
    "squared": "squared: (ty − 1)²",
    "logistic": "logistic: −log σ(ty)",
    "hinge": "hinge: max(0, 1 − ty)",
    "squared_hinge": "squared hinge",
    "modified_huber": "modified Huber",
    "perceptron": "perceptron: max(0, −ty)",
}
# Those of the lecture; more curves hide one another.
_DEFAULT = ("zero_one", "squared", "logistic", "hinge", "squared_hinge")


@dataclass
class BinaryLossesDisplay:
    """What a value y costs where the sign is t = ±1: each loss as a function of ty.

    Made by `from_losses`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    ty : ndarray
    values : dict of ndarray
        By loss: "zero_one", "squared", "logistic", "hinge", "squared_hinge", "modified_huber", "perceptron".
    base_two : bool
        Whether the logistic loss has its logarithm to the base 2.

    Examples
    --------
    >>> from mercer.plot import BinaryLossesDisplay
    >>> display = BinaryLossesDisplay.from_losses(["hinge", "logistic"], base_two=True)
    >>> sorted(display.values)
    ['hinge', 'logistic']
    """

    ty: Floats
    values: dict[str, Floats]
    base_two: bool = False

    @classmethod
    def from_losses(
        cls,
        losses: Sequence[str] = _DEFAULT,
        *,
        limits: tuple[float, float] = (-2.0, 3.0),
        base_two: bool = False,
        ax: Any = None,
    ) -> BinaryLossesDisplay:
        """Evaluates losses.

        Parameters
        ----------
        losses : sequence of str
            Of "zero_one", "squared", "logistic", "hinge", "squared_hinge", "modified_huber", "perceptron"; by
            default the first five.
        limits : (float, float), default=(-2, 3)
            From where to where ty goes.
        base_two : bool, default=False
            Whether to divide the logistic loss by ln 2, so that it goes through (0, 1) and bounds the zero-one loss
            from above, as the hinge does.
        ax : matplotlib axes, optional
        """
        wrong = [name for name in losses if name not in _NAMES]
        if wrong or not losses:
            raise ParameterError(f"losses: expected some of {', '.join(map(repr, _NAMES))}, got {wrong or losses!r}.")
        low, high = limits
        if not low < high:
            raise ParameterError(f"limits: expected (low, high) with low < high, got {limits!r}.")
        ty = np.linspace(low, high, _GRID)
        return cls(ty, {name: _loss(name, ty, base_two) for name in losses}, base_two).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> BinaryLossesDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (8, 3.6))
        looks = dict(zip(_NAMES, zip(SERIES_COLOURS, LINE_STYLES, strict=True), strict=False))
        for name, values in self.values.items():
            colour, style = looks[name]
            label = _NAMES[name].replace("−log", "−log₂") if name == "logistic" and self.base_two else _NAMES[name]
            # A jump is no slope.
            drawn = np.where(np.diff(values, prepend=values[0]) == -1, np.nan, values) if name == "zero_one" else values
            ax.plot(self.ty, drawn, color=colour, linestyle=style, linewidth=2, label=label)
        ax.axvline(0, color="black", linewidth=0.5)
        ax.set(xlabel="ty", ylabel="loss", xlim=self.ty[[0, -1]], ylim=(-0.1, 4))
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _loss(name: str, ty: Floats, base_two: bool) -> Floats:
    """The loss of t = 1 and y = ty."""
    t, no_tube = np.ones_like(ty), 0.0
    if name == "zero_one":
        return np.where(ty > 0, 0.0, 1.0)
    if name == "squared":
        return 2 * LOSSES["squared_error"](t, ty, no_tube)
    if name == "logistic":
        return LOSSES["log_loss"](t, ty, no_tube) / (np.log(2) if base_two else 1.0)
    return LOSSES[name](t, ty, no_tube)
