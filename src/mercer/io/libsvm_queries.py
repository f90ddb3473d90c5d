"""Rows as LIBSVM takes them: any number of features, those that are missing being zero.

A machine knows the features that its support vectors have. What a row has beyond them counts in the distance of RBF as
one feature more, whose value is the length of all that is left over; in dot products it does not count.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.data import core_ready, is_sparse
from mercer.errors import InputError
from mercer.kernels import RBF, Precomputed
from mercer.machines import KernelMachine
from mercer.typing import Floats

__all__ = ["Evaluation"]

# Dense rows are quicker to compute with unless most numbers are zero.
_SHARE_OF_DENSE = 0.25
# Beyond so many features only those are numbered that some support vector has: the others would take memory.
_MANY_FEATURES = 100_000


class Evaluation:
    """Values of a machine at rows of any number of features."""

    def __init__(self, machine: KernelMachine) -> None:
        self.machine = machine

    def __call__(self, X: Any, threads: int | None) -> Floats:
        X = _as_matrix(X)
        if isinstance(self.machine.kernel, Precomputed):
            return self._of_kernel_values(X, threads)
        plain = self._narrow
        if self._columns is None and X.shape[1] == plain.n_features:
            return plain.values(X, threads)
        rows, left_over = self._restricted(sp.csr_matrix(X))
        if left_over is None or not left_over.any() or not isinstance(plain.kernel, RBF):
            return plain.values(rows, threads)
        rows = core_ready(sp.hstack([rows, sp.csr_matrix(left_over[:, None])], format="csr"))
        return self._with_one_more.values(rows, threads)

    def _of_kernel_values(self, X: Any, threads: int | None) -> Floats:
        machine = self.machine
        if X.shape[1] < machine.n_features:
            raise InputError(
                f"Precomputed kernel: expected a kernel value with each of the first {machine.n_features} training "
                f"rows, got {X.shape[1]} columns. Write all columns, 0:serial 1:value 2:value and so on."
            )
        chosen = X[:, machine.support]
        count = len(machine.support)
        own = replace(machine, support=np.arange(count, dtype=np.int32), n_features=count)
        return own.values(core_ready(chosen.toarray() if is_sparse(chosen) else chosen), threads)

    @cached_property
    def _columns(self) -> Any:
        """The features that some support vector has, where there are many others; None for all."""
        vectors = self.machine.support_vectors
        if self.machine.n_features <= _MANY_FEATURES or not is_sparse(vectors):
            return None
        return np.unique(vectors.indices)

    @cached_property
    def _narrow(self) -> KernelMachine:
        """The machine on the features that are numbered."""
        vectors, columns = self.machine.support_vectors, self._columns
        if columns is not None:
            parts = (vectors.data, np.searchsorted(columns, vectors.indices), vectors.indptr)
            vectors = sp.csr_matrix(parts, shape=(vectors.shape[0], len(columns)))
        features = vectors.shape[1]
        if is_sparse(vectors) and vectors.nnz >= _SHARE_OF_DENSE * vectors.shape[0] * features:
            vectors = vectors.toarray()
        return replace(self.machine, support_vectors=core_ready(vectors), n_features=features)

    @cached_property
    def _with_one_more(self) -> KernelMachine:
        """The same with a feature more, which no support vector has."""
        machine = self._narrow
        vectors: Any = machine.support_vectors
        if is_sparse(vectors):
            shape = (vectors.shape[0], vectors.shape[1] + 1)
            vectors = sp.csr_matrix((vectors.data, vectors.indices, vectors.indptr), shape=shape)
        else:
            vectors = np.concatenate([vectors, np.zeros((len(vectors), 1))], axis=1)
        return replace(machine, support_vectors=vectors, n_features=machine.n_features + 1)

    def _restricted(self, X: Any) -> tuple[Any, Floats | None]:
        """The rows in the features that are numbered, and the length of what each has beyond; None where nothing."""
        features, columns = self._narrow.n_features, self._columns
        if columns is None:
            place = X.indices
            is_known = place < features
        else:
            place = np.searchsorted(columns, X.indices)
            is_known = columns[np.minimum(place, len(columns) - 1)] == X.indices if len(columns) else place < 0
        if is_known.all():
            return sp.csr_matrix((X.data, place, X.indptr), shape=(X.shape[0], features)), None
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        kept = np.bincount(rows[is_known], minlength=X.shape[0])
        ends = np.concatenate([[0], np.cumsum(kept)])
        known = sp.csr_matrix((X.data[is_known], place[is_known], ends), shape=(X.shape[0], features))
        beyond = X.data[~is_known]
        return known, np.sqrt(np.bincount(rows[~is_known], beyond**2, minlength=X.shape[0]))


def _as_matrix(X: Any) -> Any:
    """Finite numbers in float64, dense or CSR."""
    if is_sparse(X):
        X = core_ready(X.tocsr().astype(np.float64))
    else:
        X = core_ready(np.asarray(X, dtype=np.float64))
        if X.ndim != 2:
            raise InputError(f"X: expected a matrix, one line a row, got {X.ndim} dimensions. Use X.reshape(1, -1).")
    if not np.isfinite(X.data if is_sparse(X) else X).all():
        raise InputError("X: expected finite numbers, got NaN or infinity.")
    return X
