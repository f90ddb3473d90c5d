"""How unlikely targets are under a Gaussian process, as far as weights of features and noise decide it.

*Returns* ½ log(tr yᵀA⁻¹y / nT) + (1/2n) log|A|: minus the logarithm of the likelihood of T targets, a row and target,
with the variance of the process at its best, up to a constant. With c = A⁻¹y its slopes by A are ½ (A⁻¹ / n − ccᵀ / tr
yᵀc). The likelihood prices weights itself: needless ones make a process that could have been anything.
See Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
"""

from __future__ import annotations

import math

import numpy as np

from mercer.scales.gram import Gram
from mercer.typing import Floats

__all__ = ["Evidence"]


class Evidence(Gram):
    """Minus the logarithm of the marginal likelihood."""

    def _judge(self, inverse: Floats, log_determinant: float) -> tuple[float, Floats]:
        n, columns = self._targets.shape
        coef = inverse @ self._targets
        fit = float(np.vdot(self._targets, coef))
        value = 0.5 * (math.log(fit / (n * columns)) + log_determinant / n)
        return value, 0.5 * (inverse / n - coef @ coef.T / fit)
