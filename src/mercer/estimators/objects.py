"""Kernels of objects that are no numbers: texts, graphs, sequences.

Their function is asked as scikit-learn asks it: for the values between all training objects in fit, and between new
objects and all training objects afterwards. What it returns is a matrix of kernel values, and the rest is as it is with
kernel="precomputed".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.data import is_sparse
from mercer.kernels import CallableKernel, Kernel
from mercer.typing import Floats

__all__ = ["TrainingObjects", "training_objects"]


class TrainingObjects(NamedTuple):
    """A function of objects, and those of the fit."""

    kernel: CallableKernel
    objects: Any

    def values(self, X: Any) -> Floats:
        """The kernel values between objects and those of the fit."""
        return self.kernel.matrix(X, self.objects)


def training_objects(kernel: Kernel, X: Any) -> TrainingObjects | None:
    """The objects, where the kernel is a function and X holds things that are no rows of numbers; else None."""
    return TrainingObjects(kernel, X) if isinstance(kernel, CallableKernel) and _holds_objects(X) else None


def _holds_objects(X: Any) -> bool:
    if is_sparse(X):
        return False
    try:
        given = np.asarray(X)
    except ValueError:  # sequences of different lengths
        return True
    if given.ndim == 0 or given.size == 0:
        return False  # nothing to learn from, whatever it is
    return given.ndim != 2 or given.dtype.kind in "US" or (given.dtype.kind == "O" and not _are_numbers(given))


def _are_numbers(given: Any) -> bool:
    try:
        given.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True
