"""What a method of the lectures is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from mercer.errors import ParameterError
from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.pace import Pace
from mercer.typing import Floats

__all__ = ["Method", "check_count"]


class Method(ABC):
    """One of the lectures' methods, with its parameters."""

    name: ClassVar[str]
    takes_hard_margin: ClassVar[bool] = True
    #: Whether the machine has an intercept.
    takes_intercept: ClassVar[bool] = True
    #: Whether it works with the weights of an explicit feature map.
    needs_map: ClassVar[bool] = False
    #: Whether it takes the kernel to be positive semi-definite.
    needs_definite: ClassVar[bool] = True

    @abstractmethod
    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        """Multipliers from a feasible start."""


def check_count(name: str, given: Any) -> None:
    """Raises where a parameter is no whole number ≥ 1."""
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 1:
        raise ParameterError(f"{name}: expected a whole number ≥ 1, got {given!r}.")
