"""Kernel values in twice the precision of float64, against sixty decimal digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, CallableKernel, Constant, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from mercer.rows import TwofoldGram, dense_rows, fits_twofold, rows_of
from tests.reference import decimals

# Of a value, or of the largest where values are sums of terms of any sign.
PRECISION = 1e-30

KERNELS = {
    "linear": (Linear(), {}),
    "poly": (Polynomial(3, 0.3, 1.0), {"gamma": 0.3, "coef0": 1.0, "degree": 3}),
    "rbf": (RBF(0.7), {"gamma": 0.7}),
    "laplacian": (Laplacian(0.2), {"gamma": 0.2}),
    "sigmoid": (Sigmoid(0.1, -0.3), {"gamma": 0.1, "coef0": -0.3}),
}
BY_NAME = pytest.mark.parametrize("name", KERNELS)


def rows(n=7, d=3, offset=0.0, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) + offset


def of(kernel, X, chosen=None, threads=1):
    chosen = np.arange(X.shape[0], dtype=np.int32) if chosen is None else chosen
    return TwofoldGram.of(rows_of(kernel, X).subset(chosen), threads)


def distance(high, low, wanted):
    """The largest difference from a matrix of decimals, relative to its largest value."""
    with localcontext(prec=decimals.DIGITS):
        differences = [
            abs(a + b - c) for a, b, c in zip(decimals.exact(high), decimals.exact(low), np.ravel(wanted), strict=True)
        ]
        return float(max(differences) / max(map(abs, np.ravel(wanted))))


@BY_NAME
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_values_have_twice_the_digits(name, offset):
    kernel, parameters = KERNELS[name]
    X = rows(offset=offset)
    gram = of(kernel, X)
    assert len(gram) == 7
    assert distance(gram.high, gram.low, decimals.matrix(name, X, **parameters)) <= PRECISION
    np.testing.assert_array_equal(gram.high + gram.low, gram.high)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_values_of_polynomials_far_from_the_origin_are_those_of_fractions(degree):
    X = rows(5, 4, offset=1e6)
    gram = of(Polynomial(degree, 0.5, 1.0), X)
    for i, j in np.ndindex(5, 5):
        dot = sum(Fraction(a) * Fraction(b) for a, b in zip(X[i].tolist(), X[j].tolist(), strict=True))
        wanted = (Fraction(0.5) * dot + 1) ** degree
        found = Fraction(float(gram.high[i, j])) + Fraction(float(gram.low[i, j]))
        assert abs(found - wanted) <= Fraction(PRECISION) * wanted


def test_values_of_sums_and_products_are_those_of_their_parts():
    X = rows()
    gram = of(2.0 * RBF(0.7) + Linear() * Laplacian(0.2) + Constant(3.0), X)
    parts = [np.array(decimals.matrix(name, X, **KERNELS[name][1])) for name in ("rbf", "linear", "laplacian")]
    with localcontext(prec=decimals.DIGITS):
        wanted = 2 * parts[0] + parts[1] * parts[2] + Decimal(3)
    assert distance(gram.high, gram.low, wanted) <= PRECISION


@BY_NAME
def test_sparse_rows_have_the_same_values(name):
    X = rows(9, 40, seed=1)
    X[np.random.default_rng(2).random(X.shape) < 0.9] = 0.0
    X[3] = 0.0
    kernel = KERNELS[name][0]
    chosen = np.array([0, 3, 5, 8], dtype=np.int32)
    dense, sparse = of(kernel, X, chosen), of(kernel, sp.csr_matrix(X), chosen)
    # Columns that none of the rows has are left out, and zeros add nothing.
    np.testing.assert_array_equal(sparse.high, dense.high)
    np.testing.assert_array_equal(sparse.low, dense.low)


def test_rows_are_laid_out_with_the_columns_that_occur():
    X = sp.csr_matrix(([1.0, 2.0, 3.0], ([0, 1, 2], [10, 700_000, 3])), shape=(3, 1_000_000))
    own, columns = dense_rows(X, np.array([0, 1], dtype=np.int32))
    np.testing.assert_array_equal(columns, [10, 700_000])
    np.testing.assert_array_equal(own, [[1.0, 0.0], [0.0, 2.0]])
    dense, all_columns = dense_rows(rows(), np.array([2, 1], dtype=np.int32))
    np.testing.assert_array_equal(dense, rows()[[2, 1]])
    np.testing.assert_array_equal(all_columns, [0, 1, 2])


def test_values_from_elsewhere_are_exact_as_they_are():
    X, chosen = rows(6), np.array([4, 0, 2], dtype=np.int32)
    K = RBF(0.7).matrix(X, X)
    stored = of(Precomputed(), K, chosen)
    np.testing.assert_array_equal(stored.high, K[np.ix_(chosen, chosen)])
    called = of(CallableKernel(lambda A, B: A @ B.T), X, chosen)
    np.testing.assert_array_equal(called.high, X[chosen] @ X[chosen].T)
    assert not stored.low.any()
    assert not called.low.any()


@BY_NAME
@pytest.mark.parametrize("threads", [1, 2])
def test_products_of_large_coefficients_keep_their_digits(name, threads):
    kernel, parameters = KERNELS[name]
    X = rows(12, seed=3)
    coef = 1e12 * np.random.default_rng(4).normal(size=12)
    coef[-1] -= coef.sum()
    coef[3] = 0.0
    high, low = of(kernel, X, threads=threads).products(coef)
    K = decimals.matrix(name, X, **parameters)
    with localcontext(prec=decimals.DIGITS):
        size = max(map(abs, np.ravel(K))) * sum(map(abs, decimals.exact(coef)))
        for a, b, wanted in zip(decimals.exact(high), decimals.exact(low), decimals.products(K, coef), strict=True):
            assert abs(a + b - wanted) <= Decimal(PRECISION) * size


def test_products_with_float64_alone_would_be_wrong():
    """What the precision is for: of 1e12 (k(x, z) − k(x, z')) with γ = 1e-9 float64 leaves eight digits."""
    X, coef = rows(3, seed=5), np.array([1e12, -1e12, 0.0])
    high, low = of(RBF(1e-9), X).products(coef)
    wanted = decimals.rounded(decimals.products(decimals.matrix("rbf", X, gamma=1e-9), coef))
    np.testing.assert_allclose(high + low, wanted, rtol=1e-15)
    assert np.abs(RBF(1e-9).matrix(X, X) @ coef - wanted).max() > 1e-9 * np.abs(wanted).max()


def centred(K):
    """Decimals, with the means of rows and of columns taken off and that of all put back."""
    K = np.array(K)
    with localcontext(prec=decimals.DIGITS):
        means = K.sum(axis=1) / len(K)
        return K - means - means[:, None] + means.sum() / len(K)


@BY_NAME
def test_centred_values_are_those_around_the_mean(name):
    kernel, parameters = KERNELS[name]
    X = rows(8, offset=30.0 if name == "linear" else 0.0)
    wanted = centred(decimals.matrix(name, X, **parameters))
    found = of(kernel, X).centred
    np.testing.assert_allclose(found, decimals.rounded(np.ravel(wanted)).reshape(8, 8), rtol=1e-12, atol=1e-15)


def test_centred_values_of_far_rows_are_those_of_near_ones():
    X = rows(10)
    far = X + 1e6
    near = far - 1e6  # without rounding
    np.testing.assert_allclose(of(Linear(), far).centred, of(Linear(), near).centred, rtol=1e-13, atol=1e-15)


@BY_NAME
def test_lift_is_what_centring_took_off(name):
    gram = of(KERNELS[name][0], rows(8, seed=6))
    lifted = gram.centred + gram.lift + gram.lift[:, None]
    np.testing.assert_allclose(lifted, gram.high, rtol=1e-13, atol=1e-14)


def graded_distance(Z, K):
    """|Z Zᵀ − K| against the sizes of rows, in decimals."""
    wanted = np.array(K)
    with localcontext(prec=decimals.DIGITS):
        D = np.array([decimals.exact(row) for row in Z])
        sizes = np.array([abs(x).sqrt() + Decimal("1e-40") for x in wanted.diagonal()])
        return float(np.max(np.abs((D @ D.T - wanted) / sizes / sizes[:, None])))


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian"])
def test_factor_makes_up_the_centred_matrix(name):
    kernel, parameters = KERNELS[name]
    X = rows(12, seed=7)
    Z = of(kernel, X).factor
    assert Z.shape == (12, 3 if name == "linear" else 11)  # centring takes one off
    assert graded_distance(Z, centred(decimals.matrix(name, X, **parameters))) <= 1e-15


@pytest.mark.parametrize("constant", [0.0, 1e-3, 1.0, 1e4, 1e8])
def test_shifted_factor_makes_up_the_matrix_and_the_constant(constant):
    X = rows(9, seed=8)
    Z = of(Linear(), X).shifted_factor(constant)
    assert Z.shape[1] == (4 if constant else 3)
    with localcontext(prec=decimals.DIGITS):
        wanted = np.array(decimals.matrix("linear", X)) + Decimal(constant)
    assert graded_distance(Z, wanted) <= 1e-15
    # The features are as accurate beside a large constant as without: what is left of Z Zᵀ around its mean.
    deviations = Z - Z.mean(axis=0)
    around = X - X.mean(axis=0)
    np.testing.assert_allclose(deviations @ deviations.T, around @ around.T, atol=1e-15 * max(1.0, constant) * 30)


def test_factor_tells_small_directions_from_noise():
    """RBF with a small γ is of full rank, though its smallest pivots are far below what float64 tells of its values."""
    X = rows(8, 1, seed=9)
    Z = of(RBF(0.01), X).factor
    assert Z.shape[1] == 7
    pivots = np.square(Z).max(axis=0)
    assert pivots[0] > 1e-2
    assert pivots[-1] < 1e-20
    assert np.all(np.diff(pivots) < 0)


def test_factor_is_given_up_where_it_has_too_many_columns(monkeypatch):
    monkeypatch.setattr("mercer.rows.twofold._MOST_PRODUCTS", 12 * 5**2)
    gram = of(RBF(1.0), rows(12))
    assert gram.factor is None
    assert gram.shifted_factor(1.0) is None
    assert of(Linear(), rows(12)).factor.shape == (12, 3)


def test_factor_of_nothing_has_no_columns():
    assert of(Linear(), np.zeros((4, 2))).factor.shape == (4, 0)


def test_few_rows_fit_and_many_do_not():
    def training(n, d=2, sparse=False, stored=0):
        X = sp.csr_matrix((np.ones(stored), np.arange(stored), [0, stored, *[stored] * (n - 1)]), (n, d))
        chosen = np.arange(n, dtype=np.int32)
        return rows_of(Linear(), X if sparse else np.zeros((n, d))).subset(chosen)

    assert fits_twofold(training(3000))
    assert not fits_twofold(training(3001))
    assert not fits_twofold(training(100), budget=100_000)
    assert fits_twofold(training(100), budget=1_000_000)
    assert fits_twofold(training(1000, 10**6, sparse=True, stored=20_000))
    assert not fits_twofold(training(1000, 10**6, sparse=True, stored=20_001))
