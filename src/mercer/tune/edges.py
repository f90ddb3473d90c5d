"""Choices on the edge of a grid: there may be better ones beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.tune.cells import Cell

__all__ = ["advice_for_edges", "beyond"]

# An axis of fewer values has edges only.
_FEWEST = 3


def advice_for_edges(cells: Sequence[Cell], chosen: int) -> tuple[str, ...]:
    """A sentence for each parameter whose chosen value is the least or the largest of three or more."""
    found = []
    for name, value in cells[chosen].params.items():
        values = values_of(cells, name)
        if len(values) < _FEWEST or not _is_number(value):
            continue
        if value not in (values[0], values[-1]):
            continue
        end, further = "least" if value == values[0] else "largest", beyond(values, value)
        if np.isfinite(further) and (further > 0 or values[0] <= 0):  # else there are no such numbers
            found.append(f"{name}={value:g} is the {end} of its values: try {further:g} as well.")
    return tuple(found)


def values_of(cells: Sequence[Cell], name: str) -> list[Any]:
    """The numbers that a parameter has in the grid, in order."""
    given = {cell.params[name] for cell in cells if name in cell.params and _is_number(cell.params[name])}
    return sorted(given)


def beyond(values: Sequence[float], end: float) -> float:
    """The next value beyond an end, at the same ratio, or the same distance where the values are not all positive."""
    first, second = (values[0], values[1]) if end == values[0] else (values[-1], values[-2])
    return float(first * first / second if values[0] > 0 else 2 * first - second)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
