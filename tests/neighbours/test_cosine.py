"""Neighbours by the cosine, against fractions: rows of whole numbers have an order that no rounding can blur."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from mercer import NearestNeighbors

FORMS = {"dense": np.asarray, "sparse": sp.csr_matrix}


def signed_square(q, x):
    """cos |cos|, which orders as the cosine does; that of a row of zeros is zero."""
    product = sum(int(a) * int(b) for a, b in zip(q, x, strict=True))
    norms = sum(int(a) ** 2 for a in q) * sum(int(b) ** 2 for b in x)
    return Fraction(product * abs(product), norms) if norms else Fraction(0)


def are_parallel(q, x):
    return any(q) and any(x) and signed_square(q, x) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_order_is_that_of_exact_arithmetic(form, has_zeros, d):
    rng = np.random.default_rng(d)
    X, Q = rng.integers(-4, 5, (90, d)).astype(float), rng.integers(-4, 5, (25, d)).astype(float)
    if not has_zeros:
        X[~X.any(axis=1), 0] = 1
        Q[~Q.any(axis=1), 0] = 1
    else:
        X[[3, 50]] = 0
        Q[7] = 0
    distances, rows = NearestNeighbors(n_neighbors=90, metric="cosine").fit(FORMS[form](X)).kneighbors(FORMS[form](Q))
    np.testing.assert_allclose(distances, np.sort(pairwise_distances(Q, X, metric="cosine"), axis=1), atol=1e-15 * d)
    for i, query in enumerate(Q):
        exact = [signed_square(query, X[row]) for row in rows[i]]
        assert exact == sorted(exact, reverse=True)
        parallel = [are_parallel(query, X[row]) for row in rows[i]]
        assert np.all(distances[i, parallel] == 0)
        for a, b in zip(rows[i], rows[i][1:], strict=False):
            if are_parallel(X[a], X[b]):
                assert a < b
    assert distances.max() <= 2


@pytest.mark.parametrize("form", FORMS)
def test_multiples_of_a_row_are_at_the_same_distance(form):
    rng = np.random.default_rng(0)
    row, query = rng.normal(size=(2, 7))
    X = np.stack([row * 2.0**power for power in (0, 5, -3, 900, -900, 1)])
    distances, rows = (
        NearestNeighbors(n_neighbors=6, metric="cosine")
        .fit(FORMS[form](X))
        .kneighbors(FORMS[form](np.stack([query, row * 4])))
    )
    np.testing.assert_array_equal(rows, [np.arange(6), np.arange(6)])
    assert np.ptp(distances[0]) == 0
    assert np.all(distances[1] == 0)


@pytest.mark.parametrize("form", FORMS)
def test_zeros_are_at_distance_one_from_all(form):
    X = FORMS[form](np.array([[1.0, 0.1], [0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]))
    own = NearestNeighbors(metric="cosine").fit(X)
    distances, rows = own.kneighbors(FORMS[form](np.zeros((1, 2))), 4)
    np.testing.assert_array_equal(rows, [[0, 1, 2, 3]])
    np.testing.assert_array_equal(distances, [[1, 1, 1, 1]])
    assert [len(found) for found in own.radius_neighbors(FORMS[form](np.zeros((1, 2))), 0.9)[1]] == [0]
    assert [len(found) for found in own.radius_neighbors(FORMS[form](np.zeros((1, 2))), 1.0)[1]] == [4]
    assert own.radius_neighbors(FORMS[form](np.array([[2.0, 0.0]])), 0.0)[1][0].tolist() == [2]


def test_a_query_of_zeros_beside_others_among_dense_rows():
    X = np.random.default_rng(1).normal(size=(30, 3))
    own = NearestNeighbors(n_neighbors=3, metric="cosine").fit(X)
    distances, rows = own.kneighbors(np.stack([X[4], np.zeros(3)]))
    np.testing.assert_array_equal(rows[1], [0, 1, 2])
    np.testing.assert_array_equal(distances[1], [1, 1, 1])
    assert rows[0, 0] == 4
    assert distances[0, 0] == 0
    counts = [len(found) for found in own.radius_neighbors(np.stack([X[4], np.zeros(3)]), 0.99)[1]]
    assert counts == [int(np.sum(pairwise_distances(X[4:5], X, metric="cosine") <= 0.99)), 0]
