"""One temperature for all functions: a single number, learnt from all held-out rows.

Model   P(positive | f) = 1 / (1 + exp(−inverse f)) of one or several pairs; of classes against the rest, the softmax of
        inverse · f
See     Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.calibration.calibration import LEAST, UNINFORMED, Calibration, HeldOutValues
from mercer.calibration.combining import normalised
from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["TemperatureCalibration"]

# The inverse is looked for between e^-k and e^k over the largest value.
_RANGE = 12.0


@dataclass(frozen=True, eq=False)
class TemperatureCalibration(Calibration):
    """`inverse` is one over the temperature."""

    kind: ClassVar[str] = "temperature"

    inverse: float

    @classmethod
    def learn(cls, held_out: HeldOutValues, classes: int, against_rest: bool) -> Self:
        is_softmax = against_rest and classes > 2
        loss = _softmax_loss(held_out) if is_softmax else _sigmoid_loss(held_out)
        if not len(held_out.values):
            return cls(classes, against_rest, UNINFORMED)
        unit = float(np.abs(held_out.values).max()) or 1.0
        from scipy.optimize import minimize_scalar  # it takes long to import

        best = minimize_scalar(lambda x: loss(np.exp(x) / unit), bounds=(-_RANGE, _RANGE), method="bounded").x
        return cls(classes, against_rest, float(np.exp(best)) / unit)

    def of_functions(self, values: Floats) -> Floats:
        from scipy.special import expit  # it takes long to import

        return np.asarray(np.clip(expit(self.inverse * values), LEAST, 1 - LEAST))

    def __call__(self, values: Floats) -> Floats:
        if self.against_rest and self.classes > 2:
            from scipy.special import softmax  # it takes long to import

            return normalised(np.maximum(softmax(self.inverse * values, axis=1), LEAST))
        return super().__call__(values)

    def check(self) -> None:
        super().check()
        if not isinstance(self.inverse, float) or not 0 < self.inverse < np.inf:
            raise InputError(f"{self.kind}: expected `inverse` to be a finite number > 0, got {self.inverse!r}.")


def _sigmoid_loss(held_out: HeldOutValues) -> Callable[[float], float]:
    values, targets, weights = held_out.values, held_out.targets(), held_out.weights

    def loss(inverse: float) -> float:
        z = inverse * values
        return float(weights @ (np.logaddexp(0.0, z) - targets * z))

    return loss


def _softmax_loss(held_out: HeldOutValues) -> Callable[[float], float]:
    """Of functions each of which says something of every row."""
    from scipy.special import log_softmax  # it takes long to import

    order = np.lexsort((held_out.function, held_out.row))
    values, is_own = (one[order].reshape(-1, held_out.functions) for one in (held_out.values, held_out.is_positive))
    weights = held_out.weights[order][:: held_out.functions]

    def loss(inverse: float) -> float:
        return -float(weights @ log_softmax(inverse * values, axis=1)[is_own])

    return loss
