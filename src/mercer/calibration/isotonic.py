"""Isotonic regression: the non-decreasing step function that fits best, one a function of the machine.

See   Zadrozny, Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.calibration.calibration import LEAST, Calibration, HeldOutValues
from mercer.errors import InputError
from mercer.typing import Floats, Integers

__all__ = ["IsotonicCalibration"]


@dataclass(frozen=True, eq=False)
class IsotonicCalibration(Calibration):
    """Knots between which probabilities are straight lines; those of all functions one after the other.

    The knots of function k are those from `starts[k]` to `starts[k + 1]`.
    """

    kind: ClassVar[str] = "isotonic"

    knots: Floats
    levels: Floats
    starts: Integers

    @classmethod
    def learn(cls, held_out: HeldOutValues, classes: int, against_rest: bool) -> Self:
        parts = [_fitted(held_out.of(function)) for function in range(held_out.functions)]
        knots, levels = (np.concatenate(numbers) for numbers in zip(*parts, strict=True))
        starts = np.cumsum([0, *(len(one[0]) for one in parts)])
        return cls(classes, against_rest, knots, levels, starts)

    def of_functions(self, values: Floats) -> Floats:
        columns = []
        for k, (first, last) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            columns.append(np.interp(values[:, k], self.knots[first:last], self.levels[first:last]))
        return np.clip(np.stack(columns, axis=1), LEAST, 1 - LEAST)

    def check(self) -> None:
        super().check()
        starts = self.starts
        fits = isinstance(starts, np.ndarray) and starts.shape == (self.functions + 1,) and starts.dtype.kind == "i"
        if not fits or starts[0] != 0 or np.any(np.diff(starts) < 1):
            raise InputError(f"{self.kind}: expected `starts` to part the knots of {self.functions} functions.")
        for name in ("knots", "levels"):
            self._check_numbers(name, int(starts[-1]))
        is_within = np.ones(len(self.knots) - 1, dtype=bool)
        is_within[starts[1:-1] - 1] = False  # from one function to the next
        for name in ("knots", "levels"):
            if np.any(np.diff(getattr(self, name))[is_within] < 0):
                raise InputError(f"{self.kind}: expected the `{name}` of each function in order, got others.")


def _fitted(held_out: HeldOutValues) -> tuple[Floats, Floats]:
    """The knots and levels of one function; a level of one half where no row speaks of it."""
    from sklearn.isotonic import isotonic_regression  # which imports more than all of Mercer

    if not len(held_out.values):
        return np.zeros(1), np.full(1, 0.5)
    values, place = np.unique(held_out.values, return_inverse=True)
    weights = np.bincount(place, held_out.weights)
    positive = np.bincount(place, held_out.weights * held_out.is_positive)
    levels = isotonic_regression(positive / weights, sample_weight=weights)
    # A step of rows that are all of one class is no surer than their number allows.
    targets = held_out.targets()
    levels = np.asarray(np.clip(levels, targets.min(), targets.max()), dtype=np.float64)
    is_end = np.ones(len(levels), dtype=bool)  # of a step: what lies between its ends tells nothing more
    is_end[1:-1] = (levels[1:-1] != levels[:-2]) | (levels[1:-1] != levels[2:])
    return values[is_end], levels[is_end]
