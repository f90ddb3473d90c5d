"""The kernel of functions that repeat."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.checks import positive
from mercer.data import is_sparse
from mercer.kernels.base import Kernel
from mercer.kernels.distance import RBF
from mercer.typing import Floats

__all__ = ["Periodic"]


@dataclass(frozen=True)
class Periodic(Kernel):
    """k(x, z) = exp(−2 sin²(π ‖x − z‖ / period) / length_scale²)

    Positive semi-definite on one feature, such as time; on more nothing is promised. scikit-learn calls it
    `ExpSineSquared`.

    Examples
    --------
    >>> from mercer import Periodic
    >>> Periodic(period=2.0)([[0.0]], [[1.0], [2.0]]).round(4).tolist()
    [[0.1353, 1.0]]
    """

    _name: ClassVar[str | None] = "periodic"

    period: float = 1.0
    length_scale: float = 1.0

    def __post_init__(self) -> None:
        positive("Periodic: period", self.period)
        positive("Periodic: length_scale", self.length_scale)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf("periodic", gamma=self.frequency**2, rate=self.rate)

    @property
    def frequency(self) -> float:
        """Repetitions in a distance of one."""
        return 1.0 / float(self.period)

    @property
    def rate(self) -> float:
        """What multiplies sin²."""
        return 2.0 / float(self.length_scale) ** 2

    def resolve(self, X: Any) -> Periodic:
        return self

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    def rounding(self, X: Any) -> Floats:
        # sin² changes by at most π for each change of one in its argument, the distance in periods, of which rounding
        # leaves the root of what it leaves of the square.
        units = RBF(self.frequency**2).rounding(X)
        error = np.sqrt(units / sys.float_info.epsilon) if is_sparse(X) else units
        return 4 + math.pi * (1 + self.rate) * error

    def rounding_bound(self, X: Any) -> float:
        if is_sparse(X):
            return math.inf
        return 4 + math.pi * (1 + self.rate) * RBF(self.frequency**2).rounding_bound(X)

    @property
    def is_definite(self) -> bool | None:
        return None
