"""Sums, products and factors of kernels obey the laws of the numbers they stand for."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, Constant, Kernel, Laplacian, Linear, ParameterError, Polynomial, Precomputed
from mercer.kernels import CallableKernel, Product, Scaled, Sum
from tests.names import plain
from tests.reference import kernels as twin

# Both sides of a law round differently.
ROUNDING = 1e-13


def plain_rbf(X, Z):
    return np.exp(-0.4 * np.square(X[:, None] - Z[None]).sum(axis=2))


A, B, C = RBF(0.3), Polynomial(2, 0.5, 1.0), Laplacian(0.2)
TRIPLES = [
    pytest.param(A, B, C, id="lowered"),
    pytest.param(Linear(), Linear(), Linear(), id="the same thrice"),
    pytest.param(A, CallableKernel(plain_rbf), C, id="with a callable"),
    pytest.param(A + B, C * A, B, id="compound"),
]


@pytest.fixture
def X(random):
    return random.normal(size=(17, 4))


@pytest.fixture
def Z():
    return np.random.default_rng(9).normal(size=(6, 4))


def assert_same(left, right):
    np.testing.assert_allclose(left, right, rtol=ROUNDING, atol=ROUNDING * np.abs(right).max())


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_sum_and_product_are_those_of_the_matrices(a, b, c, X, Z):
    assert_same((a + b)(X, Z), a(X, Z) + b(X, Z))
    assert_same((a * b)(X, Z), a(X, Z) * b(X, Z))
    assert_same((a + b * c)(X, Z), a(X, Z) + b(X, Z) * c(X, Z))


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_product_distributes_over_the_sum(a, b, c, X, Z):
    assert_same(((a + b) * c)(X, Z), (a * c + b * c)(X, Z))
    assert_same((c * (a + b))(X, Z), (c * a + c * b)(X, Z))
    assert np.abs(((a + b) * c)(X, Z) - (a * b * c)(X, Z)).max() > 1e-3


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_sum_and_product_commute_and_associate(a, b, c, X, Z):
    assert_same((a + b)(X, Z), (b + a)(X, Z))
    assert_same((a * b)(X, Z), (b * a)(X, Z))
    assert_same(((a + b) + c)(X, Z), (a + (b + c))(X, Z))
    assert_same(((a * b) * c)(X, Z), (a * (b * c))(X, Z))


@pytest.mark.parametrize("a", [A, B, C, Linear(), CallableKernel(plain_rbf), A + B, A * B])
def test_factor_scales_the_matrix(a, X, Z):
    assert_same((2.5 * a)(X, Z), 2.5 * a(X, Z))
    assert_same((a * 2.5)(X, Z), 2.5 * a(X, Z))
    assert_same((2 * (3 * a))(X, Z), 6 * a(X, Z))
    assert_same((a + a)(X, Z), (2 * a)(X, Z))


POWERED = [A, B, C, Linear(), CallableKernel(plain_rbf), A + B, A * B, 2 * A]


@pytest.mark.parametrize("power", [0, 1, 2, 3, 5, np.int64(2)])
@pytest.mark.parametrize("a", POWERED, ids=plain)
def test_power_is_that_of_every_value(a, power, X, Z):
    assert_same((a**power)(X, Z), a(X, Z) ** int(power))


@pytest.mark.parametrize("a", POWERED, ids=plain)
def test_powers_add_and_multiply(a, X, Z):
    assert_same((a**2 * a**3)(X, Z), (a**5)(X, Z))
    assert_same(((a**2) ** 2)(X, Z), (a**4)(X, Z))
    assert_same(((a * B) ** 2)(X, Z), (a**2 * B**2)(X, Z))
    assert_same(((a + B) ** 2)(X, Z), (a**2 + 2 * a * B + B**2)(X, Z))
    assert a**1 is a
    assert a**2 == a * a
    assert a**0 == Constant(1.0)


def test_power_of_rbf_multiplies_its_gamma_and_that_of_one_plus_linear_is_the_polynomial(X, Z):
    assert_same((RBF(0.1) ** 4)(X, Z), RBF(0.4)(X, Z))
    assert_same(((Linear() + 1) ** 3)(X, Z), Polynomial(3)(X, Z))
    assert_same((RBF(0.01) ** 64)(X, Z), RBF(0.64)(X, Z))


@pytest.mark.parametrize("power", [-1, 0.5, 2.0, True, None, "2", 65, np.nan, A])
def test_power_that_makes_no_kernel_is_refused(power):
    with pytest.raises(ParameterError, match="power that is an integer from 0 to 64"):
        A**power


@pytest.mark.parametrize("a", [A, B, CallableKernel(plain_rbf), A + B], ids=plain)
def test_quotient_is_a_multiple(a, X, Z):
    assert_same((a / 2)(X, Z), a(X, Z) / 2)
    assert_same((a / 0.3)(X, Z), a(X, Z) / 0.3)
    assert a / 2 == 0.5 * a
    assert_same((4 * a / 4)(X, Z), a(X, Z))


@pytest.mark.parametrize("divisor", [0, 0.0, -2.0, np.nan, np.inf, 1e-320, None, "2", True, B])
def test_quotient_that_makes_no_kernel_is_refused(divisor):
    with pytest.raises(ParameterError, match="finite number > 0"):
        A / divisor


def test_number_by_a_kernel_is_refused():
    with pytest.raises(TypeError):
        2 / A


@pytest.mark.parametrize("make", [lambda k: k**0, lambda k: k**2, lambda k: k / 2])
def test_powers_and_quotients_of_precomputed_values_are_refused(make):
    with pytest.raises(ParameterError, match="precomputed"):
        make(Precomputed())


def test_powers_have_the_feature_map_of_a_product(X):
    kernel = (Linear() + 1) ** 2 / 4
    mapped = kernel.feature_map().fit_transform(X)
    assert_same(mapped @ mapped.T, kernel(X))


@pytest.mark.parametrize("a", [A, B, Linear(), CallableKernel(plain_rbf)])
def test_number_added_is_a_constant_kernel(a, X, Z):
    assert_same((a + 1.5)(X, Z), a(X, Z) + 1.5)
    assert_same((1.5 + a)(X, Z), a(X, Z) + 1.5)
    assert_same((a * Constant(1.5))(X, Z), (1.5 * a)(X, Z))


def test_polynomial_of_a_kernel_is_the_polynomial_of_its_values(X, Z):
    """1 + s + s² + s³ with s the dot product, built of sums and products alone."""
    s = Linear()
    series = 1 + s + s * s + s * s * s
    products = twin.gram(twin.linear(), X, Z)
    assert_same(series(X, Z), 1 + products + products**2 + products**3)


def test_binomial_builds_the_inhomogeneous_polynomial(X, Z):
    s = Linear()
    assert_same((s * s + 2 * s + 1)(X, Z), Polynomial(2, 1.0, 1.0)(X, Z))
    assert_same(((s + 1) * (s + 1) * (s + 1))(X, Z), Polynomial(3, 1.0, 1.0)(X, Z))


def test_product_of_rbf_kernels_adds_their_gammas(X, Z):
    assert_same((RBF(0.1) * RBF(0.4))(X, Z), RBF(0.5)(X, Z))
    assert_same((Laplacian(0.1) * Laplacian(0.4))(X, Z), Laplacian(0.5)(X, Z))


@pytest.mark.parametrize("kernel", [A + B, A * B, (A + B) * C, 2 * A + 1])
def test_compound_is_the_same_on_sparse_rows(kernel, X, Z):
    assert_same(kernel(sp.csr_matrix(X), sp.csr_matrix(Z)), kernel(X, Z))


def test_compound_resolves_its_parts(X):
    kernel = (RBF() + Polynomial(2, "auto")) * Laplacian("auto")
    resolved = kernel.resolve(X)
    gamma = 1 / (X.shape[1] * X.var())
    expected = (twin.gram(twin.rbf(gamma), X) + twin.gram(twin.polynomial(2, 0.25, 1.0), X)) * twin.gram(
        twin.laplacian(0.25), X
    )
    assert_same(resolved(X), expected)
    assert_same(kernel(X), expected)


def test_compounds_keep_their_own_type():
    assert isinstance(A + B, Sum)
    assert isinstance(A * B, Product)
    assert isinstance(2 * A, Scaled)
    assert (A + B) * C != A * B * C


@pytest.mark.parametrize("other", ["rbf", None, [1.0], np.ones((2, 2))])
def test_compound_with_anything_else_is_refused(other):
    with pytest.raises((ParameterError, TypeError)):
        A + other
    with pytest.raises((ParameterError, TypeError)):
        A * other


@pytest.mark.parametrize("factor", [-1.0, 0.0, np.nan, np.inf])
def test_factor_that_makes_no_kernel_is_refused(factor):
    with pytest.raises(ParameterError, match="factor"):
        factor * A


@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf])
def test_added_number_that_makes_no_kernel_is_refused(number):
    with pytest.raises(ParameterError, match="value"):
        A + number


def test_compound_with_precomputed_values_is_refused():
    with pytest.raises(ParameterError, match="precomputed"):
        RBF(1.0) + Precomputed()


def test_compound_is_definite_where_its_parts_are():
    assert (A + B * C).is_definite is True
    assert (2 * A).is_definite is True
    assert (A + Polynomial(2, 1.0, -1.0)).is_definite is None
    assert (A * CallableKernel(plain_rbf)).is_definite is None
    assert isinstance(A + B, Kernel)
