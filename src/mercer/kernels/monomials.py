"""The explicit map of polynomial kernels.

(γ xᵀz + c)^p = Σ over |a| = p of p! / Π a_j! · Π (γ x_j z_j)^a_j · c^a_0, so that the monomials x^a, each times the
square root of its factor, have the kernel as their dot product. The constant c stands for one more feature, √c.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.typing import Floats

__all__ = ["count_monomials", "monomials"]


def count_monomials(variables: int, degree: int) -> int:
    """Monomials of exactly this degree."""
    return math.comb(variables + degree - 1, degree) if variables else int(degree == 0)


def monomials(X: Any, degree: int, gamma: float, coef0: float) -> Floats:
    """The map of (γ xᵀz + coef0)^degree at every row, shape (rows, `count_monomials`)."""
    dense = X.toarray() if sp.issparse(X) else X
    columns = list(math.sqrt(gamma) * np.asarray(dense, dtype=np.float64).T)
    if coef0 != 0:
        columns.append(np.full(X.shape[0], math.sqrt(coef0)))
    powers = list(combinations_with_replacement(range(len(columns)), degree))
    found = np.empty((X.shape[0], len(powers)))
    for k, power in enumerate(powers):
        repeats = math.prod(math.factorial(count) for count in Counter(power).values())
        value: Any = math.sqrt(math.factorial(degree) / repeats)
        for variable in power:
            value = value * columns[variable]
        found[:, k] = value
    return found
