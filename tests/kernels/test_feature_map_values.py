"""Explicit maps against kernel values, over kernels, degrees, dimensions and nested sums and products."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import PolynomialFeatures

from mercer import RBF, Constant, Linear, Polynomial

# Sums of some thousand products, relative to the product of the lengths of both maps.
OF_ROUNDING = 1e-12

NUMBERS = st.one_of(st.just(0.0), st.floats(1e-3, 2))
FINITE = st.one_of(
    st.just(Linear()),
    st.builds(Constant, NUMBERS),
    st.builds(Polynomial, st.integers(0, 3), NUMBERS, NUMBERS),
)
# Deeper products have too many features for a test.
COMPOUND = st.recursive(
    FINITE,
    lambda kernel: st.one_of(
        st.builds(lambda a, b: a + b, kernel, kernel),
        st.builds(lambda a, b: a * b, kernel, kernel),
        st.builds(lambda a, factor: factor * a, kernel, st.floats(1e-3, 5)),
    ),
    max_leaves=3,
)
GAMMAS = st.floats(0, 2)


def points(dimensions, rows=5):
    """Rows of positive and negative numbers and zeros, the first all zero."""
    filled = arrays(np.float64, (rows, dimensions), elements=st.floats(-2, 2))
    return filled.map(lambda X: np.vstack([np.zeros(dimensions), X]))


def assert_dot_products(mapped, K):
    lengths = np.sqrt(np.square(mapped).sum(axis=1))
    assert np.all(np.abs(mapped @ mapped.T - K) <= OF_ROUNDING * (1 + np.outer(lengths, lengths)))


def rbf(X, gamma):
    return np.exp(-gamma * np.square(X[:, None] - X[None]).sum(axis=2))


@given(data=st.data(), kernel=FINITE, dimensions=st.integers(1, 5))
def test_map_has_the_kernel_as_its_dot_product(data, kernel, dimensions):
    X = data.draw(points(dimensions))
    assert_dot_products(kernel.feature_map(dimensions).transform(X), kernel(X))


@given(data=st.data(), kernel=COMPOUND, dimensions=st.integers(1, 3))
def test_map_of_compound_has_the_kernel_as_its_dot_product(data, kernel, dimensions):
    X = data.draw(points(dimensions))
    assert_dot_products(kernel.feature_map(dimensions).transform(X), kernel(X))


@given(data=st.data(), kernel=COMPOUND, dimensions=st.integers(1, 3))
def test_map_has_as_many_features_as_it_says(data, kernel, dimensions):
    phi = kernel.feature_map(dimensions)
    size = phi.transform(data.draw(points(dimensions))).shape[1]
    assert size == phi.n_features_out_ == len(phi.get_feature_names_out()) == kernel.map_size(dimensions)


def test_map_of_the_first_lecture_is_that_of_its_series(random):
    """1 + s + s² + s³ by products lists x0 x1 and x1 x0, as on the slide; by powers, each monomial once."""
    X = random.normal(size=(6, 3))
    s, d = Linear(), X.shape[1]
    products = 1 + s + s * s + s * s * s
    powers = 1 + s + Polynomial(2, coef0=0) + Polynomial(3, coef0=0)
    expected = sum((X @ X.T) ** k for k in range(4))
    assert_dot_products(products.feature_map(d).transform(X), expected)
    assert_dot_products(powers.feature_map(d).transform(X), expected)
    assert products.map_size(d) == 1 + d + d**2 + d**3
    assert powers.map_size(d) == math.comb(d + 3, 3)


def test_map_of_sum_product_and_multiple_is_built_of_those_of_the_parts(random):
    X = random.normal(size=(4, 2))
    a, b = Polynomial(2), Linear() + 3
    left, right = a.map_rows(X), b.map_rows(X)
    np.testing.assert_array_equal((a + b).map_rows(X), np.hstack([left, right]))
    np.testing.assert_allclose((4 * a).map_rows(X), 2 * left)
    products = left[:, :, None] * right[:, None, :]
    np.testing.assert_allclose((a * b).map_rows(X), products.reshape(4, -1))


@pytest.mark.parametrize("dimensions", [1, 2, 4])
@pytest.mark.parametrize("degree", [0, 1, 3, 4])
@pytest.mark.parametrize("coef0", [0.0, 1.0, 0.7])
def test_polynomial_map_has_the_monomials_of_scikit_learn(dimensions, degree, coef0):
    degrees, bias = (degree, True) if coef0 else ((degree, degree), degree == 0)
    expand = PolynomialFeatures(degrees, include_bias=bias).fit(np.zeros((1, dimensions)))
    theirs = expand.get_feature_names_out()
    names = Polynomial(degree, 0.3, coef0).feature_map(dimensions).get_feature_names_out()
    ours = [" ".join(part for part in name.split() if part.startswith("x")) or "1" for name in names]
    assert ours == theirs.tolist()


@pytest.mark.parametrize("dimensions", [1, 2, 5, 30])
@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_number_of_features_is_a_binomial_coefficient(dimensions, degree):
    homogeneous, inhomogeneous = Polynomial(degree, coef0=0), Polynomial(degree, coef0=2.0)
    assert homogeneous.map_size(dimensions) == math.comb(dimensions + degree - 1, degree)
    assert inhomogeneous.map_size(dimensions) == math.comb(dimensions + degree, degree)
    assert RBF(1.0).map_size(dimensions, degree) == math.comb(dimensions + degree, degree)


def test_map_holds_where_powers_of_gamma_do_not():
    """gamma cubed is no number, the features are."""
    X = np.array([[1e150, -2e150]])
    mapped = Polynomial(3, 1e-300, 0.0).feature_map(2).transform(X)
    np.testing.assert_allclose(mapped @ mapped.T, 5.0**3)


# ---------------------------------------------------------------- RBF


@given(data=st.data(), gamma=GAMMAS, degree=st.integers(0, 12), dimensions=st.integers(1, 3))
def test_rbf_map_is_no_further_from_the_kernel_than_its_bound(data, gamma, degree, dimensions):
    X = data.draw(points(dimensions))
    phi = RBF(gamma).feature_map(dimensions, degree=degree)
    mapped, bound = phi.transform(X), phi.error_bound(X)
    missed = np.abs(rbf(X, gamma) - mapped @ mapped.T)
    assert np.all(missed <= np.sqrt(np.outer(bound, bound)) + OF_ROUNDING)
    # The bound is the error where both points are the same.
    np.testing.assert_allclose(np.diagonal(missed), bound, rtol=0, atol=OF_ROUNDING)


@given(data=st.data(), other=COMPOUND, gamma=GAMMAS, degree=st.integers(0, 4))
def test_bound_holds_for_sums_and_products_with_rbf(data, other, gamma, degree):
    X = data.draw(points(2))
    for kernel in (other + RBF(gamma), 0.5 * (RBF(gamma) * other), RBF(gamma) * RBF(2 * gamma)):
        phi = kernel.feature_map(2, degree=degree)
        mapped, bound, K = phi.transform(X), phi.error_bound(X), kernel(X)
        rounding = OF_ROUNDING * np.abs(K).max()
        missed = np.abs(K - mapped @ mapped.T)
        assert np.all(missed <= np.sqrt(np.outer(bound, bound)) + rounding)
        np.testing.assert_allclose(np.diagonal(missed), bound, rtol=0, atol=rounding)


def test_rbf_map_nears_the_kernel_as_the_degree_grows(random):
    X = random.normal(size=(20, 2))
    K = rbf(X, 0.5)
    errors, bounds = [], []
    for degree in range(0, 41, 8):
        phi = RBF(0.5).feature_map(2, degree=degree)
        mapped = phi.transform(X)
        errors.append(np.abs(K - mapped @ mapped.T).max())
        bounds.append(phi.error_bound(X).max())
    assert all(np.diff(errors) < 0)
    assert all(np.diff(bounds) < 0)
    assert errors[-1] < OF_ROUNDING
    assert bounds[-1] < OF_ROUNDING


def test_rbf_map_of_far_points_vanishes_without_a_warning():
    X = np.array([[1e3, -1e3], [1e160, 0.0]])
    phi = RBF(1.0).feature_map(2, degree=40)
    np.testing.assert_array_equal(phi.transform(X), 0)
    np.testing.assert_array_equal(phi.error_bound(X), 1)


def test_rbf_map_of_the_highest_degree_still_holds():
    X = np.array([[9.0], [-9.0], [5.0]])
    phi = RBF(0.5).feature_map(1, degree=170)
    mapped = phi.transform(X)
    np.testing.assert_allclose(mapped @ mapped.T, rbf(X, 0.5), atol=1e-8)


def test_rbf_map_in_two_dimensions_has_the_second_order_terms_of_the_exponential_series(random):
    """A slide in circulation has √(2γ/2!) before b and before squares: right are √(2γ/1!) and √((2γ)²/2!)."""
    gamma = 0.7
    X = random.uniform(-0.5, 0.5, size=(50, 2))
    a, b = X.T
    decay = np.exp(-gamma * (a**2 + b**2))
    first, second = math.sqrt(2 * gamma), math.sqrt((2 * gamma) ** 2 / 2)
    right = decay * [np.ones(50), first * a, first * b, second * a**2, math.sqrt(2) * second * a * b, second * b**2]
    np.testing.assert_allclose(RBF(gamma).feature_map(2, degree=2).transform(X), right.T)

    slip = math.sqrt(2 * gamma / 2)
    wrong = decay * [np.ones(50), first * a, slip * b, slip * a**2, 2 * math.sqrt(gamma / 2) * a * b, slip * b**2]
    bound = RBF(gamma).feature_map(2, degree=2).error_bound(X).max()
    K = rbf(X, gamma)
    assert np.abs(right.T @ right - K).max() <= bound + OF_ROUNDING
    assert np.abs(wrong.T @ wrong - K).max() > 2 * bound
