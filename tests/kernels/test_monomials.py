"""The explicit map of polynomial kernels: its dot products are kernel values."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import RBF, KernelError, Linear, Polynomial, Sigmoid
from mercer.kernels.monomials import count_monomials

# Sums of a few hundred products of numbers of order one.
OF_ROUNDING = 1e-9


@settings(max_examples=60, deadline=None)
@given(
    degree=st.integers(0, 5),
    features=st.integers(1, 5),
    gamma=st.floats(0, 2),
    coef0=st.one_of(st.just(0.0), st.floats(1e-3, 3)),
    seed=st.integers(0, 10**6),
)
def test_map_has_the_kernel_as_its_dot_product(degree, features, gamma, coef0, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (6, features))
    kernel = Polynomial(degree, gamma, coef0)
    mapped = kernel.map_rows(X)
    assert mapped.shape == (6, kernel.map_size(features))
    expected = (gamma * X @ X.T + coef0) ** degree
    np.testing.assert_allclose(mapped @ mapped.T, expected, atol=OF_ROUNDING * (1 + np.abs(expected).max()))


def test_map_of_the_square_in_two_dimensions_is_that_of_the_textbook():
    x, y = 0.3, -0.7
    expected = [x * x, math.sqrt(2) * x * y, y * y]
    np.testing.assert_allclose(Polynomial(2, 1.0, 0.0).map_rows(np.array([[x, y]]))[0], expected)


def test_map_of_sparse_rows_is_that_of_dense_ones():
    X = np.random.default_rng(0).normal(size=(5, 3)) * (np.arange(15).reshape(5, 3) % 2)
    kernel = Polynomial(3, 0.5, 1.0)
    np.testing.assert_array_equal(kernel.map_rows(sp.csr_matrix(X)), kernel.map_rows(X))


@pytest.mark.parametrize(("variables", "degree", "count"), [(3, 2, 6), (1, 7, 1), (4, 0, 1), (5, 3, 35)])
def test_monomials_are_counted(variables, degree, count):
    assert count_monomials(variables, degree) == count


def test_kernels_without_a_finite_map_say_so():
    for kernel in (RBF(1.0), Sigmoid(1.0), RBF(1.0) + Linear()):
        assert kernel.map_size(3) is None
        with pytest.raises(KernelError, match="no finite feature map"):
            kernel.map_rows(np.ones((2, 3)))
    assert Polynomial(2, 1.0, -1.0).map_size(3) is None
