"""Metrics of kernels that fall with a norm: against high precision, all distances, and rows far from the origin."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from mercer import RBF, Laplacian, Linear, Matern, NearestNeighbors, Polynomial, RationalQuadratic
from mercer.kernels import Constant
from mercer.neighbours.kernel_metric import norm_metric

KERNELS = [
    Linear(),
    3.0 * Linear(),
    RBF(0.3),
    RBF([0.5, 2.0, 0.0, 0.1]),
    2.0 * RBF(0.3),
    0.5 * (4.0 * Matern(0.2, 0.5)),
    Matern(0.2, 1.5),
    Matern([0.2, 0.1, 1.0, 0.5], 2.5),
    RationalQuadratic(0.3, 0.7),
    Laplacian(0.4),
    Laplacian([0.4, 0.0, 0.1, 2.0]),
]
# Values near one are subtracted from one, and the root of what is left is taken.
CANCELLED = 1e-7
# Of a few elementary functions.
ROUNDING = 1e-14
# There the metric hardly changes with the norm.
NEARLY_AT_THE_LIMIT = 1e-6


def by_values(kernel, Q, X):
    """√(k(x, x) + k(z, z) − 2 k(x, z)) as it is written."""
    squared = kernel.diagonal(Q)[:, None] + kernel.diagonal(X) - 2 * kernel.matrix(Q, X)
    return np.sqrt(np.maximum(squared, 0))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
def test_the_metric_is_that_of_the_values(kernel, algorithm):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(120, 4)), rng.normal(size=(30, 4))
    apart = by_values(kernel, Q, X)
    own = NearestNeighbors(n_neighbors=6, metric=kernel, algorithm=algorithm).fit(X)
    distances, rows = own.kneighbors(Q)
    np.testing.assert_array_equal(rows, np.argsort(apart, axis=1)[:, :6])
    np.testing.assert_allclose(distances, np.take_along_axis(apart, rows, axis=1), atol=CANCELLED)
    radius = float(np.median(apart))
    distances, rows = own.radius_neighbors(Q, radius)
    for i in range(len(Q)):
        np.testing.assert_array_equal(rows[i], np.flatnonzero(apart[i] <= radius))
        np.testing.assert_allclose(distances[i], apart[i, rows[i]], atol=CANCELLED)
    assert "grows with the" in own.plan_


@pytest.mark.parametrize(
    "kernel", [Linear(), RBF(0.5), Laplacian(0.5), Matern([0.3] * 4, 1.5), 2 * RBF([0.1] * 4)], ids=str
)
def test_rows_far_from_the_origin_are_told_apart(kernel):
    rng = np.random.default_rng(1)
    offset = 1e8
    X = np.round(rng.normal(size=(200, 4)) * 2**20) / 2**20 + offset  # so that nothing is lost by adding
    Q = np.round(rng.normal(size=(20, 4)) * 2**20) / 2**20 + offset
    far = NearestNeighbors(metric=kernel).fit(X).kneighbors(Q)
    near = NearestNeighbors(metric=kernel).fit(X - offset).kneighbors(Q - offset)
    np.testing.assert_array_equal(far[1], near[1])
    np.testing.assert_allclose(far[0], near[0], rtol=1e-13)


def lost_exactly(kernel, r):
    """2 − 2 k at a distance, by decimals."""
    getcontext().prec = 60
    r, gamma = Decimal(r), Decimal(1)
    if isinstance(kernel, Laplacian):
        value = (-gamma * r).exp()
    elif isinstance(kernel, RBF):
        value = (-gamma * r * r).exp()
    elif isinstance(kernel, RationalQuadratic):
        alpha = Decimal(kernel.alpha)
        value = (-alpha * (1 + r * r / alpha).ln()).exp()
    else:
        t = (2 * Decimal(kernel.nu)).sqrt() * r * Decimal(2).sqrt()
        value = {0.5: Decimal(1), 1.5: 1 + t, 2.5: 1 + t + t * t / 3}[kernel.nu] * (-t).exp()
    return float((2 - 2 * value).sqrt())


@pytest.mark.parametrize(
    "kernel",
    [RBF(1.0), Laplacian(1.0), Matern(1.0, 0.5), Matern(1.0, 1.5), Matern(1.0, 2.5), RationalQuadratic(1.0, 0.3)],
    ids=str,
)
def test_small_distances_keep_their_digits(kernel):
    metric = norm_metric(kernel)
    norms = np.array([1e-12, 1e-8, 1e-4, 0.01, 0.5, 1.0, 5.0, 40.0])
    expected = [lost_exactly(kernel, r) for r in norms]
    np.testing.assert_allclose(metric.of(norms), expected, rtol=ROUNDING)
    np.testing.assert_allclose(metric.of(np.array([0.0, np.inf])), [0, np.sqrt(2)], rtol=ROUNDING)
    for norm in (0.01, 0.5, 3.0):
        radius = float(metric.of(np.array([norm]))[0])
        np.testing.assert_allclose(metric.reach(radius), norm, rtol=NEARLY_AT_THE_LIMIT)
    assert metric.reach(2.0) == np.inf


def test_rows_beyond_the_limit_of_the_metric_are_in_the_order_of_the_norm():
    X = np.array([[300.0], [200.0], [100.0], [200.0]])
    distances, rows = NearestNeighbors(n_neighbors=4, metric=RBF(1.0)).fit(X).kneighbors([[0.0]])
    np.testing.assert_array_equal(rows, [[2, 1, 3, 0]])
    np.testing.assert_array_equal(distances, np.full((1, 4), np.sqrt(2)))


def test_all_rows_are_within_the_limit_and_equal_ones_within_nothing():
    X = np.array([[0.0], [1.0], [1e200], [0.0]])
    own = NearestNeighbors(metric=RBF(1.0)).fit(X)
    np.testing.assert_array_equal(own.radius_neighbors([[0.0]], 1.5)[1][0], [0, 1, 2, 3])
    np.testing.assert_array_equal(own.radius_neighbors([[0.0]], 0.0)[1][0], [0, 3])


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Matern([0.2, 0.1, 1.0, 0.5], 2.5), Laplacian(0.4)], ids=str)
def test_sparse_rows_have_the_neighbours_of_dense_ones(kernel):
    rng = np.random.default_rng(2)
    X = np.where(rng.random((60, 4)) < 0.5, rng.normal(size=(60, 4)), 0)
    dense = NearestNeighbors(metric=kernel).fit(X).kneighbors()
    sparse = NearestNeighbors(metric=kernel).fit(sp.csr_matrix(X)).kneighbors()
    np.testing.assert_array_equal(sparse[1], dense[1])
    np.testing.assert_allclose(sparse[0], dense[0], rtol=1e-12)


@pytest.mark.parametrize(
    "kernel", [Polynomial(2), RBF(0.1) + Linear(), RBF(0.1) * RBF(0.2), Constant(1.0), RBF(0.0)], ids=str
)
def test_other_kernels_take_all_distances(kernel):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    own = NearestNeighbors(n_neighbors=3, metric=kernel).fit(X)
    assert own.plan_.startswith("All distances")
    np.testing.assert_allclose(own.kneighbors(X)[0], np.sort(by_values(kernel, X, X), axis=1)[:, :3], atol=CANCELLED)


def test_a_kernel_of_ones_own_is_not_taken_for_the_one_it_derives_from():
    class Other(RBF):
        def matrix(self, X, Z):
            return 2 * super().matrix(X, Z) ** 2

        def diagonal(self, X):
            return 2 * super().diagonal(X)

    assert norm_metric(Other(0.1)) is None


def test_the_default_gamma_follows_from_the_rows():
    X = np.random.default_rng(4).normal(size=(50, 3))
    own = NearestNeighbors(n_neighbors=2, metric=RBF()).fit(X)
    gamma = 1 / (3 * X.var())
    expected = np.sqrt(-2 * np.expm1(-gamma * np.sort(cdist(X, X), axis=1)[:, 1] ** 2))
    np.testing.assert_allclose(own.kneighbors(X)[0][:, 1], expected, rtol=1e-12)
    own.partial_fit(10 * X)
    assert own.plan_ == f"{NearestNeighbors(metric=RBF()).fit(np.concatenate([X, 10 * X])).plan_}"


@pytest.mark.parametrize(
    "kernel",
    [
        2.0 * Linear() + Constant(1.0),
        RBF(0.2) + Linear(),
        0.5 * (RBF([0.5, 2.0, 0.1]) + 2.0 * Laplacian([0.4, 0.1, 1.0])),
    ],
    ids=str,
)
def test_sums_keep_their_digits_far_from_the_origin(kernel):
    rng = np.random.default_rng(0)
    # Whole numbers, which are moved without rounding.
    X, Q = rng.integers(-40, 40, (300, 3)) * 1.0, rng.integers(-40, 40, (50, 3)) * 1.0
    near = NearestNeighbors(n_neighbors=3, metric=kernel).fit(X)
    distances, rows = near.kneighbors(Q)
    np.testing.assert_allclose(
        distances, np.sort(by_values(kernel, Q, X), axis=1)[:, :3], rtol=CANCELLED, atol=CANCELLED
    )
    moved, numbers = NearestNeighbors(n_neighbors=3, metric=kernel).fit(X + 1e8).kneighbors(Q + 1e8)
    np.testing.assert_array_equal(numbers, rows)
    np.testing.assert_array_equal(moved, distances)
