"""Kernels in plain NumPy for the judge and the yardstick, one block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.dataset import Matrix

# Elements of a block of kernel values: 64 MB in float64.
BLOCK = 2**23


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of ``rows`` such that a block has about BLOCK kernel values."""
    height = max(1, min(4096, BLOCK // max(1, columns)))
    return (slice(start, min(start + height, rows)) for start in range(0, rows, height))


def squared_norms(X: Matrix) -> NDArray[Any]:
    """Squared length of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def products(A: Matrix, B: Matrix) -> NDArray[Any]:
    """Dense A B^T in the precision of the data."""
    if sp.issparse(A):
        return np.ascontiguousarray((B @ A.T.toarray()).T)
    return np.asarray(A @ B.T)


def kernel(
    A: Matrix,
    A_norms: NDArray[Any],
    B: Matrix,
    B_norms: NDArray[Any],
    parameters: Mapping[str, float | int | str],
) -> NDArray[Any]:
    """Kernel values between the rows of A and of B."""
    K = products(A, B)
    name = parameters["kernel"]
    if name == "linear":
        return K
    gamma = float(parameters["gamma"])
    if name == "rbf":
        K *= -2
        K += A_norms[:, None]
        K += B_norms
        np.maximum(K, 0, out=K)
        K *= -gamma
        return np.asarray(np.exp(K, out=K))
    K *= gamma
    K += float(parameters.get("coef0", 0.0))
    if name == "poly":
        return np.asarray(K ** int(parameters.get("degree", 3)))
    if name == "sigmoid":
        return np.asarray(np.tanh(K, out=K))
    raise ValueError(f"no kernel {name!r}")
