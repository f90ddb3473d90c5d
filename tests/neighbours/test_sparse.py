"""Neighbours among sparse rows: those of the same rows as dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from mercer.neighbours.sparse import SparseIndex

THREADS = 2


def counts(random, rows, columns, density=0.05):
    """As of words: few of them are everywhere."""
    often = np.minimum(1.0, 20 * density / (1 + np.arange(columns)) + density / 2)
    return sp.csr_matrix(np.where(random.random((rows, columns)) < often, random.uniform(0.2, 1.0, (rows, columns)), 0))


def distances(metric, Q, X):
    Q, X = Q.toarray().astype(np.float64), X.toarray().astype(np.float64)
    if metric == "cosine":
        return pairwise_distances(Q, X, metric="cosine")
    return np.sqrt(np.stack([((X - query) ** 2).sum(axis=1) for query in Q]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("columns", [1, 12, 300])
def test_nearest_rows_are_those_of_all_distances(random, metric, columns, dtype):
    X, Q = counts(random, 500, columns).astype(dtype), counts(random, 40, columns).astype(dtype)
    index, apart = SparseIndex(X, metric == "cosine"), distances(metric, Q, X)
    for k in (1, 7, 500):
        found = index.nearest(Q, k, THREADS)
        np.testing.assert_allclose(found.distances, np.sort(apart, axis=1)[:, :k], rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(np.take_along_axis(apart, found.rows, 1), found.distances, rtol=1e-9, atol=1e-14)
        assert all(len(set(row)) == k for row in found.rows.tolist())


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rows_of_more_than_a_block(random, metric):
    X = sp.random(20_000, 60, 0.05, format="csr", random_state=0)
    Q = X[[3, 17_000, 19_999]]
    found = SparseIndex(X, metric == "cosine").nearest(Q, 4, THREADS)
    apart = distances(metric, Q, X)
    np.testing.assert_allclose(found.distances, np.sort(apart, axis=1)[:, :4], atol=1e-14)


def test_rows_of_zeros_are_at_distance_one_by_the_cosine():
    X = sp.csr_matrix([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]])
    found = SparseIndex(X, True).nearest(sp.csr_matrix([[3.0, 0.0], [0.0, 0.0]]), 4, 1)
    np.testing.assert_allclose(found.distances, [[0, 0, 1, 2], [1, 1, 1, 1]])
    assert found.rows.tolist() == [[1, 3, 0, 2], [0, 1, 2, 3]]


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("by_cosine", [False, True])
def test_sizes_do_not_matter(random, scale, by_cosine):
    X, Q = counts(random, 200, 80), counts(random, 10, 80)
    found, scaled = (SparseIndex(factor * X, by_cosine).nearest(factor * Q, 5, 1) for factor in (1.0, scale))
    np.testing.assert_array_equal(found.rows, scaled.rows)
    np.testing.assert_allclose(scaled.distances, (1 if by_cosine else scale) * found.distances, rtol=1e-9, atol=1e-15)


def test_equal_rows_are_at_distance_zero_and_in_order(random):
    X = sp.vstack([counts(random, 30, 50)] * 3).tocsr()
    for by_cosine in (False, True):
        found = SparseIndex(X, by_cosine).nearest(X[:30], 3, THREADS)
        np.testing.assert_array_equal(found.rows, np.arange(30)[:, None] + [0, 30, 60])
        assert np.all(found.distances == 0)


def test_a_row_is_left_out_by_its_number(random):
    X = counts(random, 200, 80)
    found = SparseIndex(X, False).nearest(X, 2, THREADS, np.arange(200))
    apart = distances("euclidean", X, X)
    np.fill_diagonal(apart, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(apart, axis=1)[:, :2])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("radius", [0.0, 0.6, 2.5, np.inf])
def test_rows_within_a_radius(random, metric, radius):
    X, Q = counts(random, 300, 60), counts(random, 20, 60)
    found, apart = SparseIndex(X, metric == "cosine").within(Q, radius, THREADS), distances(metric, Q, X)
    for query, (first, last) in enumerate(zip(found.begins, found.begins[1:], strict=False)):
        np.testing.assert_array_equal(found.rows[first:last], np.flatnonzero(apart[query] <= radius))


def test_frequent_columns_rule_out_most_rows_unread(random):
    X = counts(random, 3000, 2000, 0.01)
    exactness = SparseIndex(X, True).nearest(X[:50], 5, THREADS).exactness
    assert exactness.settled < 0.02 * exactness.pairs
    one, two = (SparseIndex(X, True).nearest(X[:50], 5, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
