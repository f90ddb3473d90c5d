"""Kernel values equal the naive formula, whatever the layout, sparsity and precision of the data."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise

from mercer import RBF, KernelError, Laplacian, Linear, Polynomial, Sigmoid
from tests.contracts.kernel_registry import ENTRIES, named
from tests.reference import kernels as twin

# Sums of a few products in float64, then one elementary function.
ROUNDING = 1e-13


def in_csr(X):
    return sp.csr_matrix(X)


def in_csr_array(X):
    return sp.csr_array(X)


def in_64_bit_csr(X):
    out = sp.csr_matrix(X)
    out.indices, out.indptr = out.indices.astype(np.int64), out.indptr.astype(np.int64)
    return out


def in_unsorted_csr(X):
    out = sp.csr_matrix(X)
    for first, last in zip(out.indptr[:-1], out.indptr[1:], strict=True):
        out.indices[first:last] = out.indices[first:last][::-1].copy()
        out.data[first:last] = out.data[first:last][::-1].copy()
    out.has_sorted_indices = False
    return out


def in_csr_with_duplicates(X):
    """Every entry as two that add up to it."""
    rows, columns = np.nonzero(X)
    values = X[rows, columns]
    indptr = np.concatenate([[0], np.cumsum(2 * np.bincount(rows, minlength=len(X)))])
    return sp.csr_matrix((np.repeat(values / 2, 2), np.repeat(columns, 2), indptr), shape=X.shape)


def in_csc(X):
    return sp.csc_matrix(X)


LAYOUTS = [
    np.ascontiguousarray,
    np.asfortranarray,
    in_csr,
    in_csr_array,
    in_64_bit_csr,
    in_unsorted_csr,
    in_csr_with_duplicates,
    in_csc,
]


@pytest.fixture
def X(random):
    return _with_zeros(random, 23)


@pytest.fixture
def Z(random):
    return _with_zeros(np.random.default_rng(8), 9)


def _with_zeros(random, rows, features=7):
    values = random.normal(size=(rows, features)) * (random.uniform(size=(rows, features)) < 0.6)
    values[0] = 0
    return values


def assert_equal_values(K, expected):
    assert K.dtype == np.float64
    np.testing.assert_allclose(K, expected, rtol=ROUNDING, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_matrix_equals_the_formula(entry, layout, dtype, X, Z):
    X, Z = X.astype(dtype), Z.astype(dtype)
    assert_equal_values(entry.kernel(layout(X), layout(Z)), twin.gram(entry.twin, X, Z))


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_matrix_equals_the_formula_at_every_simd_level(entry, simd_level, X, Z):
    assert_equal_values(entry.kernel(X, Z), twin.gram(entry.twin, X, Z))


@pytest.mark.parametrize("features", [1, 2, 3, 8, 17, 70])
@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_matrix_equals_the_formula_in_any_dimension(entry, features, random):
    """Vector loops have remainders: rows and features that fill no register."""
    X, Z = random.normal(size=(19, features)) / features**0.5, random.normal(size=(5, features)) / features**0.5
    assert_equal_values(entry.kernel(X, Z), twin.gram(entry.twin, X, Z))


# What a function makes of a mixture is its own affair.
COMPILED = [entry for entry in ENTRIES if "callable" not in entry.name]


@pytest.mark.parametrize("entry", COMPILED, ids=named)
def test_matrix_mixes_dense_and_sparse_rows(entry, X, Z):
    assert_equal_values(entry.kernel(sp.csr_matrix(X), Z), twin.gram(entry.twin, X, Z))
    assert_equal_values(entry.kernel(X, sp.csr_matrix(Z)), twin.gram(entry.twin, X, Z))


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_matrix_mixes_float32_and_float64(entry, X, Z):
    Z = Z.astype(np.float32)
    assert_equal_values(entry.kernel(X, Z), twin.gram(entry.twin, X, Z))


def test_matrix_equals_scikit_learns(X, Z):
    assert_equal_values(Linear()(X, Z), pairwise.linear_kernel(X, Z))
    assert_equal_values(RBF(0.7)(X, Z), pairwise.rbf_kernel(X, Z, gamma=0.7))
    assert_equal_values(Laplacian(0.7)(X, Z), pairwise.laplacian_kernel(X, Z, gamma=0.7))
    assert_equal_values(Sigmoid(0.7, 0.1)(X, Z), pairwise.sigmoid_kernel(X, Z, gamma=0.7, coef0=0.1))
    assert_equal_values(Polynomial(4, 0.7, 0.1)(X, Z), pairwise.polynomial_kernel(X, Z, degree=4, gamma=0.7, coef0=0.1))


def test_matrix_takes_integers_and_lists():
    np.testing.assert_array_equal(Linear()([[1, 2], [3, 4]]), [[5, 11], [11, 25]])
    np.testing.assert_array_equal(Polynomial(2, 1.0, 1.0)(np.array([[1, 2], [3, 4]])), [[36, 144], [144, 676]])


@pytest.mark.parametrize(
    ("X", "Z", "message"),
    [
        ([[1.0, 2.0]], [[1.0]], "same number of features"),
        ([1.0, 2.0], None, "one row a point"),
        ([[np.nan, 1.0]], None, "NaN or infinity"),
        ([[np.inf, 1.0]], None, "NaN or infinity"),
        ([["a", "b"]], None, "numbers"),
    ],
)
def test_matrix_refuses_what_it_cannot_evaluate(X, Z, message):
    with pytest.raises(KernelError, match=message):
        Linear()(X, Z)


def test_matrix_that_overflows_is_refused():
    with pytest.raises(KernelError, match="overflow"):
        Polynomial(10)(np.full((2, 2), 1e50))
