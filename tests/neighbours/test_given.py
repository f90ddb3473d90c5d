"""Distances that were given, all of them or as a sparse graph, against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import neighbors

from mercer import KNeighborsClassifier, NearestNeighbors
from mercer.errors import InputError, SparseMatrixError


@pytest.fixture
def graph():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return neighbors.kneighbors_graph(X, 12, mode="distance", include_self=True)


def test_a_sparse_graph_has_the_neighbours_of_scikit_learns(graph):
    own = NearestNeighbors(n_neighbors=4, metric="precomputed").fit(graph)
    peer = neighbors.NearestNeighbors(n_neighbors=4, metric="precomputed").fit(graph)
    for queries in (graph, None):
        found, expected = own.kneighbors(queries), peer.kneighbors(queries)
        np.testing.assert_array_equal(found[1], expected[1])
        np.testing.assert_array_equal(found[0], expected[0])


def test_rows_that_a_graph_does_not_hold_are_not_within_any_radius(graph):
    own = NearestNeighbors(metric="precomputed").fit(graph)
    _, rows = own.radius_neighbors(graph, radius=np.inf)
    assert [len(one) for one in rows] == [12] * 60


def test_a_sparse_query_of_all_distances_is_a_graph(graph):
    y = np.arange(60) % 2
    own = KNeighborsClassifier(3, metric="precomputed").fit(graph.toarray(), y)
    peer = neighbors.KNeighborsClassifier(3, metric="precomputed").fit(graph.toarray(), y)
    np.testing.assert_array_equal(own.predict(graph), peer.predict(graph))


def test_a_graph_of_too_few_neighbours_is_refused(graph):
    own = NearestNeighbors(metric="precomputed").fit(graph)
    with pytest.raises(InputError, match="13 neighbors per samples are required, but some samples have only 12"):
        own.kneighbors(graph, n_neighbors=13)


def test_negative_distances_are_refused(graph):
    own = NearestNeighbors(n_neighbors=2, metric="precomputed").fit(graph)
    wrong = graph.copy()
    wrong.data[3] = -1
    with pytest.raises(InputError, match="Negative values"):
        own.kneighbors(wrong)


def test_formats_that_lose_zeros_are_refused(graph):
    with pytest.raises(SparseMatrixError, match="explicit zeros"):
        NearestNeighbors(metric="precomputed").fit(sp.bsr_matrix(graph))
