"""Kernels of the distance stay accurate where a naive expansion of the square would not."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer import RBF, Laplacian
from tests.reference import kernels as twin

# An offset of 1e6 leaves ten digits of each coordinate: that much is lost before any kernel sees the data.
OFFSET = 1e6
ROUNDING_OF_OFFSET_DATA = 1e-9


@pytest.fixture
def X(random):
    return random.normal(size=(60, 5))


@pytest.mark.parametrize("kernel", [RBF(0.5), Laplacian(0.5)])
def test_distance_kernel_survives_a_common_offset(kernel, X):
    formula = twin.rbf(0.5) if isinstance(kernel, RBF) else twin.laplacian(0.5)
    moved = X + OFFSET
    K = kernel(moved)
    np.testing.assert_allclose(K, twin.gram(formula, moved), rtol=1e-9)
    np.testing.assert_allclose(K, kernel(X), rtol=10 * ROUNDING_OF_OFFSET_DATA)
    np.testing.assert_allclose(kernel(moved[:7], moved[20:]), twin.gram(formula, moved[:7], moved[20:]), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_svc_survives_a_common_offset(kernel, X):
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    here = mercer.SVC(kernel=kernel, gamma=0.5, tol=1e-6).fit(X, y)
    there = mercer.SVC(kernel=kernel, gamma=0.5, tol=1e-6).fit(X + OFFSET, y)
    assert there.certificate_.dual == pytest.approx(here.certificate_.dual, rel=1e-6)
    np.testing.assert_allclose(there.decision_function(X + OFFSET), here.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(0.7)])
def test_distance_kernel_is_exactly_one_on_the_diagonal(kernel, dtype, scale, X):
    X = (X * scale + scale).astype(dtype)
    assert np.all(np.diagonal(kernel(X)) == 1)
    assert np.all(kernel.diagonal(X) == 1)


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(0.7)])
def test_distance_kernel_is_exactly_one_on_the_diagonal_of_sparse_data(kernel, X):
    X[X < 0] = 0
    assert np.all(np.diagonal(kernel(sp.csr_matrix(X * 1e3))) == 1)


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(0.7)])
def test_distance_kernel_of_equal_rows_is_one(kernel, X):
    twice = np.vstack([X, X]) * 1e3 + 1e4
    K = kernel(twice)
    np.testing.assert_allclose(np.diagonal(K[: len(X), len(X) :]), 1, rtol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(0.7), Laplacian(0.7)])
def test_distance_kernel_never_exceeds_one(kernel, X):
    near = np.vstack([X, X + 1e-9, X - 1e-9]) + 1e3
    K = kernel(near)
    assert K.max() <= 1
    assert K.min() >= 0


@pytest.mark.parametrize("outlier", [1e4, 1e12, 1e150])
@pytest.mark.parametrize("kernel", [RBF(1.0), Laplacian(1.0)])
def test_distance_kernel_of_rows_far_apart_is_zero(kernel, outlier):
    X = np.array([[0.0], [1e3], [outlier]])
    np.testing.assert_array_equal(kernel(X), np.eye(3))


def test_rbf_at_far_outlier_leaves_the_others_accurate(X):
    """One row at 1e8 moves the mean; distances among the others must not suffer from it."""
    with_outlier = np.vstack([X, np.full((1, 5), 1e8)])
    K = RBF(0.5)(with_outlier)
    np.testing.assert_allclose(K[:-1, :-1], twin.gram(twin.rbf(0.5), X), rtol=1e-6)
