"""Neighbours among rows with missing values: those of all distances in NumPy and of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances

from mercer.neighbours.masked import MaskedIndex

THREADS = 2


def exact_distances(Q, X):
    """By the differences of features that both have; NaN where there are none."""
    found = np.full((len(Q), len(X)), np.nan)
    for i, query in enumerate(Q):
        apart = X - query
        shared = (~np.isnan(apart)).sum(axis=1)
        some = shared > 0
        found[i, some] = np.sqrt(np.nansum(apart[some] ** 2, axis=1) * X.shape[1] / shared[some])
    return found


def with_holes(random, shape, share):
    X = random.normal(size=shape)
    X[random.random(shape) < share] = np.nan
    return X


def check_nearest(Q, X, k, found, excluded=None):
    apart = exact_distances(Q, X)
    if excluded is not None:
        apart[np.arange(len(Q)), excluded] = np.inf
    expected = np.argsort(apart, axis=1, kind="stable")[:, :k]
    np.testing.assert_allclose(found.distances, np.take_along_axis(apart, expected, axis=1), rtol=1e-13)
    own = np.take_along_axis(apart, found.rows, axis=1)
    np.testing.assert_allclose(own, found.distances, rtol=1e-13)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("d", [1, 3, 8, 30, 300])
def test_nearest_rows_are_those_of_all_distances(random, d, share):
    X, Q = with_holes(random, (700, d), share), with_holes(random, (60, d), share)
    for k in (1, 6):
        check_nearest(Q, X, k, MaskedIndex(X).nearest(Q, k, THREADS))


def test_distances_are_scikit_learns(random):
    X, Q = with_holes(random, (5000, 8), 0.2), with_holes(random, (40, 8), 0.2)
    found = MaskedIndex(X).nearest(Q, 9, THREADS)
    theirs = np.sort(nan_euclidean_distances(Q, X), axis=1)[:, :9]
    np.testing.assert_allclose(found.distances, theirs, atol=1e-7)  # that of norms and products near zero
    assert found.exactness.settled < 0.2 * found.exactness.pairs


@pytest.mark.parametrize("offset", [1e4, -3e12])
def test_offsets_do_not_drown_distances(random, offset):
    X, Q = with_holes(random, (900, 6), 0.1) + offset, with_holes(random, (30, 6), 0.1) + offset
    check_nearest(Q, X, 5, MaskedIndex(X).nearest(Q, 5, THREADS))


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_sizes_do_not_matter(random, scale):
    X, Q = with_holes(random, (600, 7), 0.2), with_holes(random, (20, 7), 0.2)
    found, scaled = (MaskedIndex(factor * X).nearest(factor * Q, 5, 1) for factor in (1.0, scale))
    np.testing.assert_array_equal(found.rows, scaled.rows)
    np.testing.assert_allclose(scaled.distances, scale * found.distances, rtol=1e-12)


def test_queries_may_be_far_from_all_rows(random):
    X = with_holes(random, (600, 5), 0.2)
    for size in (1e6, 1e20, 1e100):
        Q = size * with_holes(random, (10, 5), 0.2)
        check_nearest(Q, X, 5, MaskedIndex(X).nearest(Q, 5, THREADS))


def test_an_outlier_among_the_rows_spoils_nothing(random):
    X, Q = with_holes(random, (5000, 5), 0.2), with_holes(random, (20, 5), 0.2)
    X[17] = 1e9
    check_nearest(Q, X, 5, MaskedIndex(X).nearest(Q, 5, THREADS))


def test_equal_rows_come_in_the_order_of_their_numbers():
    X = np.repeat([[0.0, np.nan], [1.0, 1.0]], 5, axis=0)
    found = MaskedIndex(X).nearest(np.array([[0.0, 3.0]]), 3, 1)
    assert found.rows.tolist() == [[0, 1, 2]]


def test_rows_that_share_no_feature_come_last_without_a_distance():
    X = np.array([[np.nan, 1.0], [5.0, np.nan], [np.nan, 2.0], [1.0, 7.0]])
    found = MaskedIndex(X).nearest(np.array([[0.0, np.nan], [np.nan, np.nan]]), 3, 1)
    assert found.rows.tolist() == [[3, 1, 0], [0, 1, 2]]
    np.testing.assert_allclose(found.distances[0], [np.sqrt(2), 5 * np.sqrt(2), np.nan])
    assert np.isnan(found.distances[1]).all()


def test_a_row_is_left_out_by_its_number(random):
    X = with_holes(random, (300, 6), 0.1)
    numbers = np.arange(300)
    check_nearest(X, X, 3, MaskedIndex(X).nearest(X, 3, THREADS, numbers), numbers)


@pytest.mark.parametrize("radius", [0.0, 1.0, 3.0, np.inf])
def test_rows_within_a_radius(random, radius):
    X, Q = with_holes(random, (400, 5), 0.3), with_holes(random, (30, 5), 0.3)
    found, apart = MaskedIndex(X).within(Q, radius, THREADS), exact_distances(Q, X)
    for query, (first, last) in enumerate(zip(found.begins, found.begins[1:], strict=False)):
        np.testing.assert_array_equal(found.rows[first:last], np.flatnonzero(apart[query] <= radius))


def test_donors_have_the_feature_that_is_wanted(random):
    X, Q = with_holes(random, (2500, 6), 0.3), with_holes(random, (40, 6), 0.5)
    X[:, 4] = np.nan
    X[:3, 4] = 1.0
    is_wanted = np.isnan(Q)
    found, apart = MaskedIndex(X).donors(Q, is_wanted, 5, THREADS), exact_distances(Q, X)
    for place, (query, column) in enumerate(zip(*np.nonzero(is_wanted), strict=True)):
        own = np.where(np.isnan(X[:, column]) | np.isnan(apart[query]), np.inf, apart[query])
        expected = np.sort(own)[:5]
        np.testing.assert_allclose(found.distances[place], expected, rtol=1e-13)
        rows = found.rows[place][found.rows[place] >= 0]
        assert len(rows) == np.isfinite(expected).sum()
        assert not np.isnan(X[rows, column]).any()


def test_threads_change_nothing(random):
    X, Q = with_holes(random, (6000, 8), 0.1), with_holes(random, (100, 8), 0.1)
    one, two = (MaskedIndex(X).nearest(Q, 5, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.distances, two.distances)
