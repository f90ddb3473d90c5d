"""Neighbours by Euclidean distance: those of long doubles and a sort, however rows were screened."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import NearestNeighbors

from mercer.neighbours import EuclideanIndex

THREADS = 2


def exact_squares(X, Q):
    """Squared distances in long doubles."""
    X, Q = X.astype(np.longdouble), Q.astype(np.longdouble)
    return np.stack([((X - query) ** 2).sum(axis=1) for query in Q])


def check_nearest(X, Q, k, found, excluded=None):
    """Rows are a k-subset of the least distances; within rounding of the k-th, either may be in it."""
    squares = exact_squares(X, Q)
    if excluded is not None:
        squares[np.arange(len(Q)), excluded] = np.inf
    least = np.sort(squares, axis=1)[:, :k]
    own = np.take_along_axis(squares, found.rows, axis=1)
    rounding = 4 * X.shape[1] * np.finfo(np.float64).eps * (1 + least)
    assert np.all(np.abs(own - least) <= rounding)
    np.testing.assert_allclose(found.distances, np.sqrt(own).astype(np.float64), rtol=1e-12, atol=1e-150)
    assert all(len(set(row)) == k for row in found.rows.tolist())
    assert np.all(np.diff(found.distances, axis=1) >= 0)


CASES = {
    "one feature": (200, 30, 1, 1.0),
    "few features": (500, 40, 5, 1.0),
    "round cloud": (400, 40, 30, 1.0),
    "flat cloud": (1500, 40, 40, 0.7),
    "more features than rows": (20, 10, 60, 0.8),
    "two rows": (2, 5, 3, 1.0),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nearest_rows_are_those_of_a_sort(random, case, dtype):
    n, queries, d, decay = case
    shape = decay ** np.arange(d)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    X, Q = ((random.normal(size=(count, d)) * shape @ turn).astype(dtype) for count in (n, queries))
    for k in {1, min(7, n), n}:
        check_nearest(X, Q, k, EuclideanIndex(X).nearest(Q, k, THREADS))


@pytest.mark.parametrize("offset", [1e4, 1e8, -3e12])
def test_offsets_do_not_drown_distances(random, offset):
    X = random.normal(size=(600, 20)) * 0.8 ** np.arange(20) + offset
    Q = random.normal(size=(30, 20)) * 0.8 ** np.arange(20) + offset
    check_nearest(X, Q, 5, EuclideanIndex(X).nearest(Q, 5, THREADS))


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e140])
def test_sizes_do_not_matter(random, scale):
    X, Q = random.normal(size=(300, 15)), random.normal(size=(20, 15))
    found, scaled = (EuclideanIndex(factor * X).nearest(factor * Q, 5, 1) for factor in (1.0, scale))
    np.testing.assert_array_equal(found.rows, scaled.rows)
    np.testing.assert_allclose(scaled.distances, scale * found.distances, rtol=1e-12)


def test_queries_may_be_far_from_all_rows(random):
    X, Q = random.normal(size=(400, 16)), 1e6 * random.normal(size=(20, 16))
    check_nearest(X, Q, 5, EuclideanIndex(X).nearest(Q, 5, THREADS))


def test_an_outlier_among_the_rows_spoils_nothing(random):
    X, Q = random.normal(size=(500, 14)), random.normal(size=(20, 14))
    X[17] = 1e9
    check_nearest(X, Q, 5, EuclideanIndex(X).nearest(Q, 5, THREADS))


def test_equal_rows_come_in_the_order_of_their_numbers():
    X = np.repeat(np.eye(3), 5, axis=0)
    found = EuclideanIndex(X).nearest(np.eye(3), 5, 1)
    np.testing.assert_array_equal(found.rows, np.arange(15).reshape(3, 5))
    assert np.all(found.distances == 0)


def test_rows_that_are_all_the_same():
    X = np.full((50, 20), 3.5)
    found = EuclideanIndex(X).nearest(X[:2], 4, 1)
    np.testing.assert_array_equal(found.rows, [[0, 1, 2, 3]] * 2)


def test_a_row_is_left_out_by_its_number_and_not_by_its_distance():
    X = np.array([[0.0], [0.0], [1.0]])
    found = EuclideanIndex(X).nearest(X, 1, 1, np.arange(3))
    assert found.rows.ravel().tolist() == [1, 0, 0]


def test_leave_one_out(random):
    X = random.normal(size=(300, 25)) * 0.8 ** np.arange(25)
    numbers = np.arange(300)
    check_nearest(X, X, 3, EuclideanIndex(X).nearest(X, 3, THREADS, numbers), numbers)


def test_more_neighbours_than_rows_are_missing(random):
    found = EuclideanIndex(random.normal(size=(3, 2))).nearest(np.zeros((1, 2)), 5, 1)
    assert found.rows[0, 3:].tolist() == [-1, -1]
    assert np.all(np.isinf(found.distances[0, 3:]))


def test_no_queries(random):
    index = EuclideanIndex(random.normal(size=(10, 20)))
    assert index.nearest(np.empty((0, 20)), 3, 1).rows.shape == (0, 3)
    assert index.within(np.empty((0, 20)), 1.0, 1).begins.tolist() == [0]


@pytest.mark.parametrize("radius", [0.0, 1.5, 3.0, 1e9])
def test_rows_within_a_radius(random, radius):
    X, Q = random.normal(size=(300, 16)) * 0.8 ** np.arange(16), random.normal(size=(25, 16)) * 0.8 ** np.arange(16)
    Q[0] = X[5]
    found, squares = EuclideanIndex(X).within(Q, radius, THREADS), exact_squares(X, Q)
    for query, (first, last) in enumerate(zip(found.begins, found.begins[1:], strict=False)):
        expected = np.flatnonzero(squares[query] <= np.longdouble(radius) ** 2)
        np.testing.assert_array_equal(found.rows[first:last], expected)
        np.testing.assert_allclose(found.distances[first:last], np.sqrt(squares[query][expected]).astype(float))


@pytest.mark.parametrize("load", [load_digits, load_iris])
def test_neighbours_of_real_rows_are_scikit_learns(load):
    X = np.ascontiguousarray(load(return_X_y=True)[0])
    Q = X[::7] + 0.01
    theirs, rows = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(Q)
    found = EuclideanIndex(X).nearest(Q, 6, THREADS)
    np.testing.assert_allclose(found.distances, theirs, rtol=1e-9)
    check_nearest(X, Q, 6, found)
    has_no_ties = np.diff(theirs, axis=1).min(axis=1) > 1e-9
    np.testing.assert_array_equal(found.rows[has_no_ties][:, :-1], rows[has_no_ties][:, :-1])


def test_most_rows_are_ruled_out_and_it_is_told(random):
    X = random.normal(size=(20_000, 60)) * 0.8 ** np.arange(60)
    index = EuclideanIndex(X)
    found = index.nearest(X[:50] + 0.01, 5, THREADS)
    assert found.exactness.pairs == 20_000 * 50
    assert found.exactness.screened < 0.1 * found.exactness.pairs
    assert found.exactness.settled < 0.02 * found.exactness.pairs
    assert "were ruled out by a bound" in str(found.exactness)
    assert "principal directions" in index.plan
    assert "all 3 features" in EuclideanIndex(X[:, :3].copy()).plan


def test_threads_change_nothing(random):
    X, Q = random.normal(size=(30_000, 10)), random.normal(size=(40, 10))
    one, two = (EuclideanIndex(X).nearest(Q, 5, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.distances, two.distances)
