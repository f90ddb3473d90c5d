"""The kernel of noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer._runtime import core
from mercer.checks import check_number
from mercer.kernels.base import Kernel
from mercer.typing import Floats

__all__ = ["White"]


@dataclass(frozen=True)
class White(Kernel):
    """k(x, z) = noise where x = z, else 0

    In a Gaussian process `noise` is the variance of what is observed around the function, and every observation has
    noise of its own: there two rows that are equal do not share it.

    Examples
    --------
    >>> from mercer import RBF, White
    >>> (RBF(0.5) + White(0.1))([[0.0], [1.0]]).round(4).tolist()
    [[1.1, 0.6065], [0.6065, 1.1]]
    """

    _name: ClassVar[str | None] = "white"

    noise: float = 1.0

    def __post_init__(self) -> None:
        check_number("White", "noise", self.noise, least=0)

    def lower(self) -> core.Kernel:
        return core.Kernel.constant(float(self.noise)) * core.Kernel.leaf("white")

    def resolve(self, X: Any) -> White:
        return self

    def diagonal(self, X: Any) -> Floats:
        return np.full(X.shape[0], float(self.noise))

    @property
    def is_definite(self) -> bool:
        return True
