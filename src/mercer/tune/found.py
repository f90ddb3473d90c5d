"""Machines that a search has found, as far as there is memory for them: exact ones begin from these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.tune.cells import are_same
from mercer.tune.groups import Solved
from mercer.typing import Floats, Integers

__all__ = ["FoundMachines", "Place"]


@dataclass(frozen=True)
class Place:
    """What machines were fitted on: targets, splits by their numbers, parameters that all cells share."""

    y: Any
    splits: tuple[int, ...]
    params: Mapping[str, Any]

    def is_that_of(self, other: Place) -> bool:
        return self.y is other.y and self.splits == other.splits and are_same(self.params, other.params)


@dataclass(frozen=True)
class _Coefficients:
    """Those of one group, without the zeros."""

    shape: tuple[int, ...]
    places: Integers
    values: Floats

    def of_scales(self, numbers: Sequence[int]) -> Floats:
        whole = np.zeros(int(np.prod(self.shape)))
        whole[self.places] = self.values
        return np.ascontiguousarray(whole.reshape(self.shape)[list(numbers)]).ravel()


class FoundMachines:
    """Keeps coefficients until their bytes are `most_bytes`."""

    def __init__(self, most_bytes: float) -> None:
        self.most_bytes, self.bytes = most_bytes, 0
        self._kept: list[tuple[Place, list[float], list[_Coefficients]]] = []

    def keep(self, place: Place, scales: Sequence[float], solved: Sequence[Solved]) -> None:
        """The machines of all groups of a place, one for each scale of the bounds and split."""
        kept = []
        for one in solved:
            flat = one.coef.ravel()
            places = np.flatnonzero(flat)
            kept.append(_Coefficients(one.coef.shape, places, flat[places]))
            self.bytes += 2 * places.nbytes
            if self.bytes > self.most_bytes:
                self.bytes -= sum(2 * one.places.nbytes for one in kept)
                return
        self._kept.append((place, [float(scale) for scale in scales], kept))

    def begin(self, place: Place, scales: Sequence[float], group: int) -> Floats:
        """Coefficients for the machines of a group to begin with; empty where they are not known."""
        for known, known_scales, kept in self._kept:
            if known.is_that_of(place) and set(map(float, scales)) <= set(known_scales):
                return kept[group].of_scales([known_scales.index(float(scale)) for scale in scales])
        return np.empty(0)
