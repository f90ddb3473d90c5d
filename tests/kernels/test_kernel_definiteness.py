"""Definite kernels have Gram matrices without negative eigenvalues, on whatever rows hypothesis comes up with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mercer import RBF, Laplacian, Linear, Periodic, Polynomial, Sigmoid
from tests.contracts.kernel_registry import DEFINITE, named

# Eigenvalues of an n × n matrix are off by about n roundings of the largest.
EIGENVALUE_ROUNDING = 1e-12

ROWS = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8),
    elements=st.floats(-5, 5, allow_subnormal=False),
)


def assert_semidefinite(K):
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -EIGENVALUE_ROUNDING * len(K) * max(values[-1], 1e-300)


@pytest.mark.parametrize("entry", DEFINITE, ids=named)
@given(X=ROWS)
def test_definite_kernel_has_no_negative_eigenvalue(entry, X):
    assert_semidefinite(entry.kernel(X))


@pytest.mark.parametrize("entry", DEFINITE, ids=named)
@given(X=ROWS)
def test_definite_kernel_is_symmetric_to_rounding(entry, X):
    K = entry.kernel(X)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=EIGENVALUE_ROUNDING * np.abs(K).max())


@given(X=ROWS, gamma=st.floats(0, 10), kind=st.sampled_from([RBF, Laplacian]))
def test_distance_kernel_is_definite_for_every_gamma(X, gamma, kind):
    assert_semidefinite(kind(gamma)(X))


@given(X=ROWS, degree=st.integers(0, 6), gamma=st.floats(0, 3), coef0=st.floats(0, 3))
def test_polynomial_with_positive_constants_is_definite(X, degree, gamma, coef0):
    kernel = Polynomial(degree, gamma, coef0)
    assert kernel.is_definite is True
    assert_semidefinite(kernel(X))


@given(X=ROWS, factor=st.floats(1e-3, 1e3), value=st.floats(0, 1e3), gamma=st.floats(0, 10))
def test_compound_of_definite_kernels_is_definite(X, factor, value, gamma):
    kernel = (factor * RBF(gamma) + value) * (Linear() + Polynomial(2, 0.5, 1.0))
    assert kernel.is_definite is True
    assert_semidefinite(kernel(X))


@given(
    X=arrays(np.float64, st.tuples(st.integers(1, 12), st.just(1)), elements=st.floats(-5, 5, allow_subnormal=False)),
    period=st.floats(0.1, 10),
    length_scale=st.floats(0.1, 10),
)
def test_periodic_kernel_is_definite_on_one_feature(X, period, length_scale):
    assert_semidefinite(Periodic(period, length_scale)(X))


@given(X=ROWS, gamma=st.floats(0, 10), offset=st.floats(-100, 100))
def test_distance_kernel_does_not_see_a_translation(X, gamma, offset):
    for kernel in (RBF(gamma), Laplacian(gamma)):
        np.testing.assert_allclose(kernel(X + offset), kernel(X), atol=1e-8)


@pytest.mark.parametrize("kernel", [Sigmoid(1.0, -1.0), Polynomial(2, 1.0, -1.0)])
def test_indefinite_kernel_has_a_negative_eigenvalue_and_says_so(kernel):
    X = np.array([[0.0], [0.5], [1.0], [2.0]])
    assert kernel.is_definite is False
    assert np.linalg.eigvalsh(kernel(X))[0] < -1e-3
