"""The solution of least norm where the system is singular, or as good as: by its eigenvectors.

With an intercept the system is solved among the d with (√v)ᵀd = 0, and b is what is left on average.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["LeastNorm", "least_norm"]


class LeastNorm:
    """A call gives the d of least norm that comes nearest to A d = r, of those that the intercept allows."""

    def __init__(self, vectors: Floats, values: Floats) -> None:
        self.vectors = vectors
        self.values = values

    def __call__(self, r: Floats) -> Floats:
        return np.asarray(self.vectors @ ((self.vectors.T @ r) / self.values[:, None]))


def least_norm(system: System, has_intercept: bool) -> tuple[LeastNorm, int]:
    """The pseudo-inverse, and how many directions it leaves out."""
    A = system.matrix(np.float64)
    if has_intercept:
        unit = system.roots / np.linalg.norm(system.roots)
        across = A @ unit
        A -= np.outer(unit, across) + np.outer(across, unit)
        A += np.outer(unit, unit) * (unit @ across)
    values, vectors = eigh(A, overwrite_a=True, check_finite=False)
    sizes = np.abs(values)
    # What an eigenvalue can be by rounding alone.
    kept = sizes > len(A) * np.finfo(np.float64).eps * float(sizes.max(initial=0.0))
    missing = int(np.count_nonzero(~kept)) - int(has_intercept)
    return LeastNorm(vectors[:, kept], values[kept]), max(missing, 0)
