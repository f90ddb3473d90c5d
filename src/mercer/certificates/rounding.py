"""How far rounding can have moved the sums Σ_j c_j k(x_j, x_i) that a certificate rests on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.gram import TrainingRows
from mercer.typing import Floats

__all__ = ["accuracy_of_products"]

# Kernel values whose relative error is below this many units need no closer look.
_ORDINARY = 1e4


def accuracy_of_products(training: TrainingRows, coef: Floats, expand: Callable[[list[Floats]], list[Floats]]) -> float:
    """A bound on the rounding error of the products at the training rows.

    A kernel value k_ij is off by (r_i + r_j) eps relative to √(k_ii k_jj), and for kernels of the distance relative to
    k_ij itself: rows far out have large r but tiny values, so there the sums are taken with the values, by `expand`.
    """
    rounding = training.data.rounding[training.rows]
    size = np.abs(coef)
    of_sum = np.sqrt(np.count_nonzero(coef)) + 8
    if training.kernel.lower() is not None and np.max(rounding) > _ORDINARY:
        plain, weighted = expand([size, size * rounding])
        error = float(np.max((rounding + of_sum) * np.abs(plain) + np.abs(weighted)))
    else:
        scale = np.sqrt(np.abs(training.data.diagonal[training.rows]))
        error = float(
            np.max(scale * (rounding + of_sum)) * (size @ scale) + np.max(scale) * (size @ (scale * rounding))
        )
    return float(np.finfo(np.float64).eps) * error
