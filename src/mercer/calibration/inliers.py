"""The probability of belonging to a distribution, as LIBSVM has it: by where the values of its training rows lie.

Ten marks part the values of the training rows, five below zero and five above, each with as many rows on its side. The
probability of a row is the share of the marks that its value is not below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.typing import Floats

__all__ = ["InlierProbability"]

_MARKS = 10
_HALF = _MARKS // 2
# What rows beyond all marks have.
_LEAST, _MOST = 0.001, 0.999


@dataclass(frozen=True, eq=False)
class InlierProbability:
    """`marks` are ten values, in order."""

    marks: Floats

    @classmethod
    def learn(cls, values: Floats) -> Self | None:
        """From the values of the training rows; None where fewer than five are on a side of zero."""
        ordered = np.sort(values)
        outside = int(np.searchsorted(ordered, 0.0))
        inside = len(ordered) - outside
        if min(outside, inside) < _HALF:
            return None
        below = [ordered[step * outside // _HALF] for step in range(_HALF)]
        above = [ordered[outside - 1 + step * inside // _HALF] for step in range(1, _HALF + 1)]
        ends = np.array([*below, 0.0, *above])
        return cls(0.5 * (ends[:-1] + ends[1:]))

    def __call__(self, values: Floats) -> Floats:
        share = np.searchsorted(self.marks, values, side="right") / _MARKS
        return np.clip(share, _LEAST, _MOST)
