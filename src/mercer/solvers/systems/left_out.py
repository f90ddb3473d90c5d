"""What machines say of rows that they were fitted without, from one machine of all rows.

With M the matrix of the system, bordered by √v where there is an intercept, the machine without row i misses it by

    y_i − f₋ᵢ(x_i) = d_i / (√v_i (M⁻¹)_ii),    (M⁻¹)_ii = (A⁻¹)_ii − z_i² / (√v)ᵀz,    z = A⁻¹ √v,

the last term with an intercept only. The diagonal of A⁻¹ is known from a factor, from eigenvalues (`spectrum`), or is
estimated (`estimate`).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtri

from mercer.errors import InputError
from mercer.solvers.systems.cholesky import factored
from mercer.solvers.systems.system import System
from mercer.typing import Floats

__all__ = ["left_out_errors", "missed_by"]

# Numbers whose squares are summed at a time.
_NUMBERS_PER_BLOCK = 4_000_000


def missed_by(d: Floats, diagonal: Floats, border: Floats | None, roots: Floats) -> Floats:
    """The errors at rows left out, one column a function; `border` is z where there is an intercept."""
    if border is not None:
        diagonal = diagonal - border**2 / float(roots @ border)
    return np.asarray(d / (roots * diagonal)[:, None])


def left_out_errors(system: System, d: Floats, has_intercept: bool) -> Floats:
    """The errors of machines with these d, from a factor in float64 and its inverse."""
    factor = factored(system, np.float64)
    if factor is None:
        raise InputError("Expected K + alpha to be positive definite, got one that is not. Raise alpha.")
    border = factor(system.roots[:, None])[:, 0] if has_intercept else None
    inverse, _ = dtrtri(factor.L, lower=1, overwrite_c=1)
    diagonal, step = np.empty(len(system)), max(1, _NUMBERS_PER_BLOCK // len(system))
    for first in range(0, len(system), step):
        # Above its diagonal, the factor has kept the matrix.
        columns = np.tril(inverse[:, first : first + step], -first)
        diagonal[first : first + step] = np.einsum("ij,ij->j", columns, columns)
    return missed_by(d, diagonal, border, system.roots)
