"""All rows by norms of differences in the core, against SciPy's distances and the tree."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mercer import NearestNeighbors
from mercer.neighbours import TreeIndex
from mercer.neighbours.panels import PanelIndex

NORMS = {"manhattan": "cityblock", "euclidean": "euclidean", "chebyshev": "chebyshev"}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("d", [1, 9, 40])
@pytest.mark.parametrize("queries", [1, 50])
@pytest.mark.parametrize("threads", [1, 2])
def test_nearest_rows_are_those_of_all_distances(norm, d, queries, threads):
    rng = np.random.default_rng(d)
    X, Q = rng.integers(0, 5, (3000, d)).astype(float), rng.integers(0, 5, (queries, d)).astype(float)
    apart = cdist(Q, X, NORMS[norm])
    found = PanelIndex(X, norm).nearest(Q, 7, threads)
    np.testing.assert_array_equal(found.rows, np.argsort(apart, axis=1, kind="stable")[:, :7])
    np.testing.assert_array_equal(found.distances, np.sort(apart, axis=1)[:, :7])
    within = PanelIndex(X, norm).within(Q, 4.0, threads)
    asked, rows = np.nonzero(apart <= 4.0)
    np.testing.assert_array_equal(within.rows, rows)
    np.testing.assert_array_equal(within.distances, apart[asked, rows])


@pytest.mark.parametrize("norm", ["manhattan", "chebyshev"])
def test_distances_are_those_of_the_tree_to_the_last_bit(norm):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(500, 12)), rng.normal(size=(40, 12))
    panels, tree = PanelIndex(X, norm).nearest(Q, 9, 2), TreeIndex(X, norm).nearest(Q, 9, 2)
    np.testing.assert_array_equal(panels.rows, tree.rows)
    np.testing.assert_array_equal(panels.distances, tree.distances)


def test_queries_may_be_of_another_precision():
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(100, 30)).astype(np.float32), rng.normal(size=(10, 30))
    found = PanelIndex(X, "manhattan").nearest(Q, 3, 1)
    np.testing.assert_array_equal(found.rows, np.argsort(cdist(Q, X, "cityblock"), axis=1)[:, :3])


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_rows_of_many_features_are_searched_in_the_core(metric):
    X = np.random.default_rng(2).normal(size=(60, 30))
    own = NearestNeighbors(metric=metric).fit(X)
    own.kneighbors()
    assert own.plan_ == f"All rows, {metric} distances in float64."
    assert own.exact_.pairs == 60 * 60


def test_rows_are_left_out():
    X = np.zeros((20, 30))
    forgotten = np.zeros(20, dtype=np.uint8)
    forgotten[0] = 1
    found = PanelIndex(X, "manhattan").nearest(X[:2], 3, 1, np.array([1, -1]), forgotten)
    np.testing.assert_array_equal(found.rows, [[2, 3, 4], [1, 2, 3]])


def test_fewer_rows_than_are_asked_for():
    X = np.array([[0.0], [np.finfo(float).max]])
    found = PanelIndex(X, "manhattan").nearest(-X, 3, 1)
    np.testing.assert_array_equal(found.rows, [[0, 1, -1], [0, 1, -1]])  # the second is infinitely far, yet a row
    assert np.isinf(found.distances[1, 1])
