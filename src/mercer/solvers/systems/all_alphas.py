"""Which form of the kernel matrix takes all α at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from mercer.rows import Rows
from mercer.solvers.systems.band import Band
from mercer.solvers.systems.shifted import Shifted
from mercer.solvers.systems.spectrum import Spectrum
from mercer.solvers.systems.system import System
from mercer.typing import Floats

Made = TypeVar("Made")

__all__ = ["with_all_alphas", "with_all_alphas_bytes"]

# Up to so many rows eigenvectors take no longer than a band.
_FEW_ROWS = 1000


def with_all_alphas_bytes(rows: int) -> int:
    """What it takes: the matrix and its vectors, and as much again for eigenvectors, where a band does not do."""
    return 24 * rows * rows


def with_all_alphas(rows: Rows, roots: Floats, threads: int, do: Callable[[Shifted], Made]) -> Made:
    """Does it with a band; or, of few rows and where A + α is not positive definite, with eigenvectors."""
    system = System(rows, roots, 0.0, threads)
    if len(rows) > _FEW_ROWS and rows.is_definite is not False:
        try:
            return do(Band(system.matrix(np.float64), roots, threads))
        except np.linalg.LinAlgError:
            pass  # eigenvalues may have any sign
    return do(Spectrum(system.matrix(np.float64), roots, bool(rows.is_definite)))
