"""The noise of a regression as LIBSVM models it: errors follow Laplace's distribution around zero.

Model   p(r) = exp(−|r| / scale) / (2 scale)
See     Lin, Weng (2004), Simple probabilistic predictions for support vector regression
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.checks import inner_share
from mercer.typing import Floats

__all__ = ["LaplaceNoise"]

# Errors beyond so many standard deviations are outliers, and left out.
_OUTLYING = 5.0


@dataclass(frozen=True)
class LaplaceNoise:
    """Errors of predictions on rows that were held out: `scale` is their mean size without the outliers."""

    scale: float

    @classmethod
    def learn(cls, errors: Floats, weights: Floats) -> Self:
        """The most likely noise, of errors with weights."""
        size = np.abs(errors)
        kept = size <= _OUTLYING * math.sqrt(2) * float(np.average(size, weights=weights))
        return cls(float(np.average(size[kept], weights=weights[kept])))

    def density(self, errors: Floats) -> Floats:
        """p of each error; where the scale is zero, infinite at zero and zero elsewhere."""
        size = np.abs(np.asarray(errors, dtype=np.float64))
        if self.scale == 0:
            return np.where(size == 0, np.inf, 0.0)
        return np.asarray(np.exp(-size / self.scale) / (2 * self.scale))

    def interval(self, predicted: Floats, coverage: float = 0.9) -> tuple[Floats, Floats]:
        """From where to where such a share of the targets lies that have these predictions."""
        half = -self.scale * math.log(1 - inner_share("coverage", coverage))
        predicted = np.asarray(predicted, dtype=np.float64)
        return predicted - half, predicted + half
