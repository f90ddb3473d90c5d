"""What a method of the lectures is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.pace import Pace
from mercer.typing import Floats

__all__ = ["Method"]


class Method(ABC):
    """One of the lectures' methods, with its parameters."""

    name: ClassVar[str]
    takes_hard_margin: ClassVar[bool] = True
    #: Whether it works with the weights of an explicit feature map.
    needs_map: ClassVar[bool] = False
    #: Whether it takes the kernel to be positive semi-definite.
    needs_definite: ClassVar[bool] = True

    @abstractmethod
    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        """Multipliers from a feasible start."""
