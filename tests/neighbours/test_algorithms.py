"""Every way to search gives the same neighbours; the cheaper one is taken and told."""

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.metrics import DistanceMetric

from mercer import KNeighborsClassifier, NearestNeighbors
from mercer.errors import NumericsWarning, ParameterError

ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("d", [2, 9])
def test_all_algorithms_find_the_same_neighbours(metric, d):
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(3000, d)), rng.normal(size=(200, d))
    expected = neighbors.NearestNeighbors(n_neighbors=4, metric=metric, algorithm="brute").fit(X).kneighbors(Q)[1]
    for algorithm in ALGORITHMS:
        own = NearestNeighbors(n_neighbors=4, metric=metric, algorithm=algorithm).fit(X)
        np.testing.assert_array_equal(own.kneighbors(Q)[1], expected)


@pytest.mark.parametrize(("d", "is_tree"), [(2, True), (18, False)])
def test_auto_takes_a_tree_of_few_features_and_bounds_of_many(d, is_tree):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, d))
    own = NearestNeighbors().fit(X)
    own.kneighbors(X)
    assert own.plan_.startswith("A tree of boxes") == is_tree


def test_few_queries_do_not_wait_for_a_tree():
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    own = NearestNeighbors().fit(X)
    own.kneighbors(X[:1])
    assert "Or, where queries are few" in own.plan_
    own.kneighbors(X)
    assert own.plan_.startswith("A tree of boxes, euclidean distances in float64.")


def test_no_tree_for_what_is_no_metric_of_one():
    X = np.random.default_rng(0).random((20, 3))
    with pytest.raises(ParameterError, match="not valid with algorithm='kd_tree'"):
        NearestNeighbors(metric="correlation", algorithm="kd_tree").fit(X)
    with pytest.raises(ParameterError, match="does not support 0 < p < 1"):
        NearestNeighbors(p=0.5, algorithm="kd_tree").fit(X)
    with pytest.warns(NumericsWarning, match="not distance metrics"):
        NearestNeighbors(p=0.5).fit(X)


def test_rows_may_be_those_of_an_estimator_or_a_tree():
    X = np.random.default_rng(0).normal(size=(40, 2))
    expected = NearestNeighbors().fit(X).kneighbors(X)[1]
    for rows in (NearestNeighbors().fit(X), neighbors.KDTree(X), neighbors.NearestNeighbors().fit(X)):
        np.testing.assert_array_equal(NearestNeighbors().fit(rows).kneighbors(X)[1], expected)


def test_scikit_learns_metric_objects_are_metrics():
    X = np.random.default_rng(0).normal(size=(40, 2))
    own = NearestNeighbors(metric=DistanceMetric.get_metric("manhattan")).fit(X)
    expected = NearestNeighbors(metric="manhattan").fit(X).kneighbors(X)[1]
    np.testing.assert_array_equal(own.kneighbors(X)[1], expected)


def test_votes_that_all_count_nothing_are_refused():
    model = KNeighborsClassifier(2, weights=lambda d: np.zeros_like(d)).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="zero weights"):
        model.predict([[0.5]])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_query_may_have_a_radius_of_its_own(algorithm):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(80, 3)), rng.normal(size=(6, 3))
    radii = np.array([0.0, 0.5, 1.0, 1.5, 2.0, np.inf])
    own = NearestNeighbors(algorithm=algorithm).fit(X)
    distances, rows = own.radius_neighbors(Q, radii)
    graph = own.radius_neighbors_graph(Q, radii)
    for i, radius in enumerate(radii):
        alone = own.radius_neighbors(Q[i : i + 1], float(radius))
        np.testing.assert_array_equal(rows[i], alone[1][0])
        np.testing.assert_array_equal(distances[i], alone[0][0])
        np.testing.assert_array_equal(graph[i].indices, alone[1][0])
    for wrong in ([1.0, 2.0], [-1.0] * 6, ["a"] * 6, [[1.0]] * 6, [np.nan] * 6):
        with pytest.raises(ParameterError, match="one for each of 6 queries"):
            own.radius_neighbors(Q, wrong)
