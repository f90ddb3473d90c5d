"""The cells of a grid: what each asks for, and which of them stand on the same kernel values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.typing import Integers

__all__ = ["Cell", "Family", "Split", "are_same", "families_of"]


@dataclass(frozen=True)
class Cell:
    """One point of a grid.

    Attributes
    ----------
    number : int
        Its place among all cells.
    params : mapping
        As the user named them.
    own : mapping
        Those of the machine, by its own names.
    before : mapping
        Those of what comes before the machine, by the names of the whole estimator.
    """

    number: int
    params: Mapping[str, Any]
    own: Mapping[str, Any]
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Split:
    """Rows that a machine is fitted on, and rows that are held out from it."""

    number: int
    train: Integers
    test: Integers


@dataclass(frozen=True)
class Family:
    """Cells that differ in one number alone, which grows; `params` are those of the machine that they share."""

    along: str
    params: Mapping[str, Any]
    cells: Sequence[Cell]
    values: Sequence[float]


def families_of(cells: Sequence[Cell], along: str, default: float) -> list[Family]:
    """The cells put together by all that they share but one number, which is the default where a cell has none."""
    found: list[tuple[dict[str, Any], list[tuple[float, Cell]]]] = []
    for cell in cells:
        params = {name: value for name, value in cell.own.items() if name != along}
        value = float(cell.own.get(along, default))
        for known, members in found:
            if are_same(known, params):
                members.append((value, cell))
                break
        else:
            found.append((params, [(value, cell)]))
    families = []
    for params, members in found:
        members.sort(key=lambda one: one[0])
        families.append(Family(along, params, [cell for _, cell in members], [value for value, _ in members]))
    return families


def are_same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether parameters are the same objects or equal; arrays are compared as a whole."""
    if a.keys() != b.keys():
        return False
    return all(_is_same(a[name], b[name]) for name in a)


def _is_same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, Mapping):
        return are_same(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_is_same, a, b))
    try:
        return bool(a == b)
    except ValueError:  # of what is compared element by element: not known to be the same
        return False
