"""How far rounding can have moved the sums Σ_j c_j k(x_j, x_i) that a certificate rests on."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mercer.gram import TrainingData
from mercer.problems import Groups
from mercer.typing import Floats, Integers

__all__ = ["accuracy_of_products", "accuracy_bound"]

# Kernel values whose relative error is below this many units need no closer look.
_ORDINARY = 1e4

_EPS = float(np.finfo(np.float64).eps)


def accuracy_of_products(
    data: TrainingData,
    rows: Integers,
    groups: Groups,
    coef: Floats,
    expand: Callable[[Floats], Floats],
    enough: float = 0.0,
) -> Floats:
    """A bound on the rounding error of the products at the given rows, one value a group.

    A kernel value k_ij is off by (r_i + r_j) eps relative to √(k_ii k_jj), and for kernels of the distance relative to
    k_ij itself: rows far out have large r but tiny values, so a closer look takes the sums with the values, by
    `expand`, where the first bound is above what is `enough`.
    """
    rounding = data.rounding[rows]
    size = np.abs(coef)
    of_sum = groups.spread(np.sqrt(groups.count(coef != 0)) + 8)
    scale = np.sqrt(np.abs(data.diagonal[rows]))
    error = groups.max(scale * (rounding + of_sum)) * groups.sum(size * scale)
    error += groups.max(scale) * groups.sum(size * scale * rounding)
    if data.kernel.lower() is not None and _EPS * np.max(error) > enough and np.max(rounding) > _ORDINARY:
        plain, weighted = expand(size), expand(size * rounding)
        error = groups.max((rounding + of_sum) * np.abs(plain) + np.abs(weighted))
    return _EPS * error


def accuracy_bound(data: TrainingData, terms: int, size: float) -> float:
    """No less than the accuracy of sums of so many terms with Σ |coef| ≤ `size`, and of their differences to one.

    For definite kernels. Quick, and loose: it looks at the diagonal only.
    """
    units = 2 * data.kernel.rounding_bound(data.X) + math.sqrt(terms) + 8
    return _EPS * units * (1 + size * float(data.diagonal.max()))
