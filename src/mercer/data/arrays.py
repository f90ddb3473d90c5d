"""Matrices: dense or CSR, float32 or float64, laid out as the core views them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core
from mercer.errors import InputError
from mercer.typing import Floats, Integers

__all__ = ["is_sparse", "is_small_sparse", "core_ready", "as_core_data", "asymmetry", "take_rows", "checked_gram"]

# Column numbers are kept in 32 bits once data are prepared.
_MOST_COLUMNS = 2**31 - 1

_ROWS_PER_CHUNK = 256

# 2 MB, and columns of which dense products take no longer than sparse ones of some dozen entries.
_FEW_NUMBERS = 250_000
_NARROW = 2_000

# Asymmetry that rounding can explain, relative to the largest value of the matrix.
_SYMMETRY_TOLERANCE = 1e-5


def is_sparse(X: Any) -> bool:
    """Like scipy.sparse.issparse, but free for arrays, about which a fit asks ten times."""
    return not isinstance(X, np.ndarray) and bool(sp.issparse(X))


def is_small_sparse(X: Any) -> bool:
    """Whether X is sparse, and so small and narrow that computing with it as a dense matrix costs little."""
    return is_sparse(X) and X.shape[1] <= _NARROW and X.shape[0] * X.shape[1] <= _FEW_NUMBERS


def core_ready(X: Any) -> Any:
    """The matrix itself where the core can view it, else a copy it can: native floats, C order, canonical CSR."""
    if is_sparse(X):
        return _canonical_csr(X)
    X = np.asarray(X)
    dtype = X.dtype.newbyteorder("=") if X.dtype.kind == "f" and X.dtype.itemsize in (4, 8) else np.float64
    return np.require(X, dtype=dtype, requirements=["C", "A"])


def _canonical_csr(X: Any) -> Any:
    X = X.tocsr()
    if X.shape[1] > _MOST_COLUMNS:
        raise InputError(f"Expected at most {_MOST_COLUMNS} columns, got {X.shape[1]}. Hash or select features first.")
    n, columns, nnz = X.shape[0], X.shape[1], len(X.indices)
    well_formed = (
        len(X.indptr) == n + 1
        and X.indptr[0] == 0
        and X.indptr[-1] <= min(nnz, len(X.data))
        and bool(np.all(np.diff(X.indptr) >= 0))
        and (nnz == 0 or (X.indices.min() >= 0 and X.indices.max() < columns))
    )
    if not well_formed:
        raise InputError(
            "Expected a well-formed CSR matrix, got row pointers or column numbers that do not fit its shape. "
            "Rebuild it, for instance with scipy.sparse.csr_matrix((data, indices, indptr), shape)."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    index = np.int64 if X.indices.dtype.itemsize == 8 or X.indptr.dtype.itemsize == 8 else np.int32
    parts = (core_ready(X.data), X.indices.astype(index, copy=False), X.indptr.astype(index, copy=False))
    if all(new is old for new, old in zip(parts, (X.data, X.indices, X.indptr), strict=True)):
        return X
    return type(X)(parts, shape=X.shape)


def as_core_data(X: Any) -> core.Data:
    """The core's view of a matrix that `core_ready` returned; it holds on to the arrays."""
    if is_sparse(X):
        return core.Data.csr(X.data, X.indices, X.indptr, X.shape[1])
    return core.Data.dense(X)


def take_rows(X: Any, rows: Integers) -> Any:
    """A copy of some rows of a matrix that `core_ready` returned, dense or CSR as it is."""
    return core_ready(X[rows]) if is_sparse(X) else X[rows]


def checked_gram(K: Any) -> Floats:
    """A square, symmetric matrix of kernel values between the training rows."""
    if is_sparse(K):
        raise InputError("Expected a dense matrix of kernel values, got a sparse one. Call its toarray().")
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise InputError(
            f"Precomputed kernel: expected a square matrix of shape (n_samples, n_samples), got {K.shape}. "
            "X should be a square kernel matrix: kernel(X_train, X_train)."
        )
    worst = asymmetry(K)
    if worst > 0:
        raise InputError(
            f"Precomputed kernel: expected a symmetric matrix, got values that differ from their mirror image by "
            f"{worst:.3g}. Use (K + K.T) / 2 if that is what you mean."
        )
    return core_ready(K)  # type: ignore[no-any-return]


def asymmetry(K: Floats) -> float:
    """How far values of a square matrix are from their mirror images at most; zero if rounding explains it."""
    largest = worst = 0.0
    for first in range(0, len(K), _ROWS_PER_CHUNK):  # little memory, and Ctrl-C is heard
        rows = slice(first, first + _ROWS_PER_CHUNK)
        largest = max(largest, float(np.max(np.abs(K[rows]))))
        worst = max(worst, float(np.max(np.abs(K[rows] - K[:, rows].T))))
    return worst if worst > _SYMMETRY_TOLERANCE * largest else 0.0
