"""Kernels of the distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.kernels.base import Gamma, Kernel, check_gamma, gamma_value, squared_norms
from mercer.typing import Floats

__all__ = ["RBF", "Laplacian"]


@dataclass(frozen=True)
class RBF(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖²)"""

    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        check_gamma("RBF", self.gamma)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf(core.Family.RBF, float(self.gamma))

    def resolve(self, X: Any) -> RBF:
        return replace(self, gamma=gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    @property
    def is_definite(self) -> bool:
        return True

    def rounding(self, X: Any) -> float:
        # A distance is a difference of norms: its error grows with them, and goes through the exponential unchanged.
        with np.errstate(over="ignore"):
            spread = X if sp.issparse(X) else X - X.mean(axis=0)
            largest = float(np.max(squared_norms(spread)))
        if not np.isfinite(largest):  # distances to rows that far are summed feature by feature
            return super().rounding(X)
        return super().rounding(X) * (1 + 4 * float(self.gamma) * largest)


@dataclass(frozen=True)
class Laplacian(Kernel):
    """k(x, z) = exp(−gamma · ‖x − z‖₁)"""

    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        check_gamma("Laplacian", self.gamma)

    def lower(self) -> core.Kernel:
        return core.Kernel.leaf(core.Family.LAPLACIAN, float(self.gamma))

    def resolve(self, X: Any) -> Laplacian:
        return replace(self, gamma=gamma_value(self.gamma, X))

    def diagonal(self, X: Any) -> Floats:
        return np.ones(X.shape[0])

    @property
    def is_definite(self) -> bool:
        return True
