"""The tree of boxes against SciPy's tree, all distances, and itself among many rows."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mercer.neighbours import EuclideanIndex, TreeIndex

NORMS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
# Sums of at most some dozen features in another order.
ROUNDING = 1e-14


def nearest_by_all(Q, X, k, norm):
    apart = cdist(Q, X, NORMS[norm])
    rows = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(apart, rows, axis=1)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("d", [1, 2, 3, 8, 17])
def test_nearest_rows_are_those_of_all_distances(norm, d):
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(700, d)), rng.normal(size=(90, d))
    found = TreeIndex(X, norm).nearest(Q, 7, 2)
    rows, distances = nearest_by_all(Q, X, 7, norm)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, rtol=ROUNDING)


@pytest.mark.parametrize("norm", NORMS)
def test_equal_distances_are_in_the_order_of_rows(norm):
    rng = np.random.default_rng(1)
    X, Q = rng.integers(0, 4, (400, 3)).astype(float), rng.integers(0, 4, (50, 3)).astype(float)
    np.testing.assert_array_equal(TreeIndex(X, norm).nearest(Q, 9, 1).rows, nearest_by_all(Q, X, 9, norm)[0])


@pytest.mark.parametrize("norm", NORMS)
def test_rows_within_a_radius_are_those_of_all_distances(norm):
    rng = np.random.default_rng(2)
    X, Q = rng.integers(0, 5, (300, 2)).astype(float), rng.integers(-1, 6, (40, 2)).astype(float)
    found = TreeIndex(X, norm).within(Q, 2.0, 2)
    queries, rows = np.nonzero(cdist(Q, X, NORMS[norm]) <= 2.0)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(np.diff(found.begins), np.bincount(queries, minlength=len(Q)))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 1000])
def test_any_number_of_rows(n):
    X = np.random.default_rng(3).normal(size=(n, 2))
    k = min(n, 5)
    found = TreeIndex(X, "euclidean").nearest(X, k, 1)
    np.testing.assert_array_equal(found.rows, nearest_by_all(X, X, k, "euclidean")[0])


def test_equal_rows_are_found_by_their_numbers():
    X = np.zeros((100, 3))
    found = TreeIndex(X, "euclidean").nearest(X[:2], 4, 1, excluded=np.array([1, -1]))
    np.testing.assert_array_equal(found.rows, [[0, 2, 3, 4], [0, 1, 2, 3]])


def test_forgotten_rows_are_not_found():
    X = np.arange(50.0)[:, None]
    forgotten = np.zeros(50, dtype=np.uint8)
    forgotten[[10, 11]] = 1
    found = TreeIndex(X, "euclidean").nearest(X[10:11], 2, 1, None, forgotten)
    np.testing.assert_array_equal(found.rows, [[9, 8]])


def test_threads_change_nothing():
    rng = np.random.default_rng(4)
    X, Q = rng.normal(size=(5000, 3)), rng.normal(size=(500, 3))
    one, two = (TreeIndex(X, "euclidean").nearest(Q, 6, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_few_rows_of_many_are_looked_at():
    rng = np.random.default_rng(5)
    X, Q = rng.normal(size=(20_000, 2)), rng.normal(size=(100, 2))
    exactness = TreeIndex(X, "euclidean").nearest(Q, 5, 2).exactness
    assert exactness.settled < 0.02 * exactness.pairs


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_far_from_the_origin_are_told_apart(dtype):
    rng = np.random.default_rng(6)
    offset = dtype(1e8 if dtype is np.float64 else 1e3)
    X = (rng.normal(size=(500, 4)) + offset).astype(dtype)
    tree, bounds = TreeIndex(X, "euclidean"), EuclideanIndex(X)
    np.testing.assert_array_equal(tree.nearest(X[:50], 5, 1).rows, bounds.nearest(X[:50], 5, 1).rows)
