"""Pivots are those of a Cholesky decomposition of the dense matrix, whatever form the rows have."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, CallableKernel, KernelError, Laplacian, Linear, Polynomial, Precomputed
from mercer.rows import rows_of
from mercer.rows.pivots import pivots


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).standard_normal((120, 5))


def dense_pivots(K, count):
    chosen, left = [], K.copy()
    for _ in range(count):
        pivot = int(np.argmax(np.diagonal(left)))
        chosen.append(pivot)
        left -= np.outer(left[pivot], left[pivot]) / left[pivot, pivot]
    return chosen


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.3), Polynomial(2) + Linear()], ids=str)
@pytest.mark.parametrize("form", ["dense", "sparse", "matrix", "function"])
def test_pivots_are_those_of_the_dense_matrix(X, kernel, form):
    K = kernel(X)
    if form == "matrix":
        rows = rows_of(Precomputed(), K)
    elif form == "function":
        rows = rows_of(CallableKernel(kernel), X)
    else:
        rows = rows_of(kernel, sp.csr_matrix(X) if form == "sparse" else X)
    assert pivots(rows, 20, threads=2).tolist() == dense_pivots(K, 20)


def test_pivots_are_as_many_as_the_rank(X):
    twice = np.vstack([X, X])
    assert len(pivots(rows_of(Linear(), twice), 50, threads=1)) == 5
    assert len(pivots(rows_of(RBF(10.0), twice), 240, threads=1)) == 120


def test_pivots_of_nothing_are_none():
    assert len(pivots(rows_of(Linear(), np.zeros((4, 2))), 3, threads=1)) == 0


def test_values_that_overflow_are_an_error():
    with pytest.raises(KernelError, match="overflow"):
        pivots(rows_of(Polynomial(3), np.array([[1.0, 0.0], [1e60, 0.0]])), 2, threads=1)
