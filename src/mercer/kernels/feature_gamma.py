"""A gamma of its own for each feature, in kernels of the distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.checks import check_gamma
from mercer.data import is_sparse
from mercer.errors import KernelError, ParameterError
from mercer.kernels.base import Gamma, gamma_value, number

__all__ = [
    "FeatureGamma",
    "as_feature_gamma",
    "gamma_of_length_scale",
    "lowered_gamma",
    "resolved_gamma",
    "scale_features",
]

# Any sequence is taken; it is kept as a tuple, so that kernels stay values.
FeatureGamma = Gamma | tuple[float, ...]


def as_feature_gamma(owner: str, gamma: Any) -> FeatureGamma:
    """gamma as a value: a number or a name as it is, numbers for the features as a tuple. Raises for anything else."""
    # Asking the abstract class `Sequence` takes long; most values are plain.
    if isinstance(gamma, (float, int, str)) or not isinstance(gamma, (Sequence, np.ndarray)):
        check_gamma(owner, gamma)
        return gamma  # type: ignore[return-value]
    try:
        given = np.asarray(gamma)
        values = np.array([math.nan]) if given.dtype.kind not in "fiu" else given.astype(np.float64)
    except (TypeError, ValueError):
        values = np.array([math.nan])
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values) & (values >= 0)):
        raise ParameterError(
            f"{owner}: expected gamma to be 'scale', 'auto', a finite number ≥ 0 or one such number for each feature, "
            f"got {gamma!r}."
        )
    return tuple(values.tolist())


def resolved_gamma(owner: str, gamma: FeatureGamma, X: Any) -> float | tuple[float, ...]:
    """gamma as numbers that fit the data."""
    if not isinstance(gamma, tuple):
        return gamma_value(gamma, X)
    if len(gamma) != X.shape[1]:
        raise KernelError(
            f"{owner}: expected gamma to have one number for each of the {X.shape[1]} features of X, got {len(gamma)}. "
            "Give as many, or a single number for all."
        )
    return gamma


def lowered_gamma(gamma: FeatureGamma) -> float | list[float]:
    """gamma as the core takes it."""
    return list(gamma) if isinstance(gamma, tuple) else number(gamma)


def scale_features(X: Any, scales: Any) -> Any:
    """X with each feature times its scale, in float64."""
    if is_sparse(X):
        return sp.csr_matrix(X.multiply(np.asarray(scales, dtype=np.float64)))
    return np.multiply(X, np.asarray(scales, dtype=np.float64), dtype=np.float64)


def gamma_of_length_scale(owner: str, length_scale: Any) -> Any:
    """1 / (2 ℓ²) of one length scale or of each."""
    scales = np.asarray(length_scale)
    if scales.dtype.kind not in "fiu" or scales.ndim > 1 or not np.all(np.isfinite(scales) & (scales > 0)):
        raise ParameterError(
            f"{owner}: expected length_scale to be a finite number > 0 or one such number for each feature, got "
            f"{length_scale!r}."
        )
    return (0.5 / scales.astype(np.float64) ** 2).tolist()
