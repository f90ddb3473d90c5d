"""The values of a parameter as places on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.plot.canvas import inches_of
from mercer.plot.searched import as_text
from mercer.typing import Floats

__all__ = ["ParameterAxis"]

# Inches that a label of a tick takes: along x for each character and between two labels, and along y.
_A_CHARACTER, _BETWEEN, _A_LINE = 0.085, 0.08, 0.2
# Two values alone are on a log scale from this ratio on.
_WIDE = 10.0


@dataclass(frozen=True)
class ParameterAxis:
    """Distinct values in order, on a log scale where they are spaced so.

    Attributes
    ----------
    name : str
    values : ndarray
        Growing; the last may be infinite, as C of the hard margin.
    is_log : bool
    names : list of str or None
        What the values 0, 1, … stand for, where they are no numbers.
    """

    name: str
    values: Floats
    is_log: bool
    names: list[str] | None = None

    @classmethod
    def of(cls, name: str, values: Floats, names: list[str] | None = None) -> ParameterAxis:
        """The axis of all values that are numbers, or of names that they stand for."""
        if names is not None:
            return cls(name, np.arange(len(names), dtype=np.float64), False, names)
        distinct = np.unique(values[~np.isnan(values)])
        return cls(name, distinct, _are_spaced_by_ratio(distinct[np.isfinite(distinct)]))

    @property
    def places(self) -> Floats:
        """Where the values are drawn: at themselves, infinity one step beyond the largest number."""
        finite = self._scaled(self.values[np.isfinite(self.values)])
        if len(finite) == len(self.values):
            return self.values
        step = finite[-1] - finite[-2] if len(finite) > 1 else 1.0
        return self._unscaled(np.append(finite, finite[-1] + step))

    @property
    def edges(self) -> Floats:
        """Halfway between neighbours, and as far beyond the ends."""
        places = self._scaled(self.places)
        halves = np.diff(places) / 2
        inner = places[:-1] + halves
        return self._unscaled(np.concatenate([[places[0] - halves[0]], inner, [places[-1] + halves[-1]]]))

    @property
    def labels(self) -> list[str]:
        """The values as text, with as many digits as tell them apart."""
        if self.names is not None:
            return self.names
        for digits in range(3, 17):
            labels = [as_text(value, digits) for value in self.values]
            if len(set(labels)) == len(labels):
                break
        return labels

    def index_of(self, value: float) -> int:
        """Which of the values it is."""
        return int(np.searchsorted(self.values, value))

    def show(self, ax: Any, direction: str) -> None:
        """Sets scale, limits, name and ticks of the axis "x" or "y"; ticks that would overlap are left out."""
        places, edges, labels = self.places, self.edges, self.labels
        if self.is_log:
            ax.set(**{f"{direction}scale": "log"})
        shown = self._apart(ax, direction, labels)
        axis = getattr(ax, f"{direction}axis")
        axis.set_ticks(places[shown], [labels[k] for k in shown])
        axis.set_ticks([], minor=True)
        ax.set(**{f"{direction}lim": edges[[0, -1]], f"{direction}label": self.name})

    def _apart(self, ax: Any, direction: str, labels: list[str]) -> list[int]:
        need = _BETWEEN + _A_CHARACTER * max(map(len, labels)) if direction == "x" else _A_LINE
        first, *_, last = self._scaled(self.edges)
        inches = (self._scaled(self.places) - first) / (last - first) * inches_of(ax)[0 if direction == "x" else 1]
        shown: list[int] = []
        for k, at in enumerate(inches):
            if not shown or at - inches[shown[-1]] >= need:
                shown.append(k)
        return shown

    def _scaled(self, values: Floats) -> Floats:
        return np.log10(values) if self.is_log else values

    def _unscaled(self, values: Floats) -> Floats:
        return np.power(10.0, values) if self.is_log else values


def _are_spaced_by_ratio(values: Floats) -> bool:
    """Whether ratios of neighbours are more alike than their differences."""
    if len(values) == 0 or values[0] <= 0:
        return False
    if len(values) < 3:
        return bool(len(values) == 1 or values[-1] >= _WIDE * values[0])
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(np.std(ratios) / np.mean(ratios) < np.std(steps) / np.mean(steps))
