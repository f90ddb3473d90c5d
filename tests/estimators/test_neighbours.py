"""Estimators that look at the nearest rows: scikit-learn's results, and what it does not have."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import neighbors
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_multilabel_classification
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    InputError,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    ParameterError,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from mercer.estimators.neighbour_weights import weights_of_neighbours

METRICS = {
    "euclidean": {"metric": "euclidean"},
    "minkowski": {},
    "manhattan": {"metric": "manhattan"},
    "by p": {"p": 1},
    "chebyshev": {"metric": "chebyshev"},
    "third power": {"p": 3},
    "weighted": {"metric_params": {"w": np.linspace(1, 2, 13)}},
    "cosine": {"metric": "cosine"},
    "hamming": {"metric": "hamming"},
    "function": {"metric": lambda a, b: float(np.abs(a - b).max())},
}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def by_inverse_square(distances):
    return 1 / (1e-6 + distances**2)


@pytest.mark.parametrize("options", METRICS.values(), ids=METRICS)
def test_neighbours_are_scikit_learns(wine, options):
    X = np.round(wine[0]) if options.get("metric") == "hamming" else wine[0]
    own, peer = (kind(n_neighbors=7, **options).fit(X[:100]) for kind in (NearestNeighbors, neighbors.NearestNeighbors))
    distances, rows = own.kneighbors(X[100:])
    theirs, their_rows = peer.kneighbors(X[100:])
    np.testing.assert_allclose(distances, theirs, rtol=1e-9, atol=1e-12)
    apart = np.diff(theirs, axis=1).min(axis=1) > 1e-9
    np.testing.assert_array_equal(rows[apart][:, :-1], their_rows[apart][:, :-1])
    radius = float(np.median(theirs))
    ours, others = own.radius_neighbors(X[100:], radius), peer.radius_neighbors(X[100:], radius)
    for a, b in zip(ours[1], others[1], strict=True):
        np.testing.assert_array_equal(a, np.sort(b))


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}, {"metric": "cosine"}], ids=str)
def test_sparse_rows_have_the_neighbours_of_dense_ones(wine, options):
    X = np.where(np.abs(wine[0]) > 0.5, wine[0], 0.0)
    dense = NearestNeighbors(**options).fit(X[:120]).kneighbors(X[120:])
    for rows, queries in ((sp.csr_matrix(X[:120]), sp.csr_matrix(X[120:])), (X[:120], sp.csr_matrix(X[120:]))):
        found = NearestNeighbors(**options).fit(rows).kneighbors(queries)
        np.testing.assert_allclose(found[0], dense[0], atol=1e-7)


def test_a_kernel_is_a_metric(wine):
    X, kernel = wine[0], RBF(0.1)
    distances, rows = NearestNeighbors(metric=kernel).fit(X[:100]).kneighbors(X[100:])
    expected = np.sqrt(np.maximum(2 - 2 * kernel.matrix(X[100:], X[:100]), 0))
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :5], atol=1e-7)
    # That of the RBF grows with the Euclidean one.
    np.testing.assert_array_equal(rows, NearestNeighbors().fit(X[:100]).kneighbors(X[100:])[1])


def test_distances_may_be_given(wine):
    X = wine[0]
    D = pairwise_distances(X)
    own = NearestNeighbors(metric="precomputed").fit(D[:100, :100])
    np.testing.assert_array_equal(
        own.kneighbors(D[100:, :100])[1], NearestNeighbors().fit(X[:100]).kneighbors(X[100:])[1]
    )
    with pytest.raises(InputError, match=r"a square matrix, got \(100, 90\)"):
        NearestNeighbors(metric="precomputed").fit(D[:100, :90])


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}], ids=str)
def test_no_row_is_its_own_neighbour(options):
    X = np.array([[0.0], [0.0], [0.0], [2.0]])
    rows = NearestNeighbors(n_neighbors=2, **options).fit(X).kneighbors(return_distance=False)
    assert rows.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    graph = NearestNeighbors(n_neighbors=1, **options).fit(X).kneighbors_graph()
    assert graph.diagonal().sum() == 0
    begins = NearestNeighbors(radius=0.0, **options).fit(X).radius_neighbors(return_distance=False)
    assert [found.tolist() for found in begins] == [[1, 2], [0, 2], [0, 1], []]


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_graphs_are_scikit_learns(wine, mode):
    X = wine[0]
    own, peer = (kind(radius=2.0).fit(X) for kind in (NearestNeighbors, neighbors.NearestNeighbors))
    for queries in (None, X[:20] + 0.1):
        for ask in ("kneighbors_graph", "radius_neighbors_graph"):
            ours, theirs = (getattr(model, ask)(queries, mode=mode) for model in (own, peer))
            np.testing.assert_allclose(ours.toarray(), theirs.toarray(), atol=1e-9)


def test_radius_neighbours_in_the_order_of_their_distances(wine):
    own = NearestNeighbors(radius=3.0).fit(wine[0])
    for distances in own.radius_neighbors(wine[0][:10], sort_results=True)[0]:
        assert np.all(np.diff(distances) >= 0)


@pytest.mark.parametrize("weights", ["uniform", "distance", None, by_inverse_square])
@pytest.mark.parametrize("k", [1, 4, 15])
def test_classes_are_scikit_learns(wine, weights, k):
    X, y = wine
    names = np.array(["red", "rosé", "white"])[y]
    own, peer = (
        kind(k, weights=weights).fit(X[::2], names[::2])
        for kind in (KNeighborsClassifier, neighbors.KNeighborsClassifier)
    )
    for queries in (X[1::2], X[::2]):
        np.testing.assert_array_equal(own.predict(queries), peer.predict(queries))
        np.testing.assert_allclose(own.predict_proba(queries), peer.predict_proba(queries), atol=1e-9)
    assert own.score(X[1::2], names[1::2]) == peer.score(X[1::2], names[1::2])
    np.testing.assert_array_equal(own.predict(None), peer.predict(None))


@pytest.mark.parametrize("weights", ["uniform", "distance", by_inverse_square])
def test_regression_is_scikit_learns(weights):
    X, y = load_diabetes(return_X_y=True)
    Y = np.stack([y, -2 * y], axis=1)
    for targets in (y, Y):
        own, peer = (
            kind(7, weights=weights).fit(X[:300], targets[:300])
            for kind in (KNeighborsRegressor, neighbors.KNeighborsRegressor)
        )
        for queries in (X[300:], X[:50], None):
            np.testing.assert_allclose(own.predict(queries), peer.predict(queries), rtol=1e-9)
        assert own.score(X[300:], targets[300:]) == pytest.approx(peer.score(X[300:], targets[300:]))


@pytest.mark.parametrize("weights", ["uniform", "distance", by_inverse_square])
def test_radius_estimators_are_scikit_learns(wine, weights):
    X, y = wine
    labels = np.array(["red", "rosé", "white"])[y]
    queries = np.vstack([X[1::2], np.full((1, 13), 50.0)])
    for label in ("red", "most_frequent"):
        kinds = RadiusNeighborsClassifier, neighbors.RadiusNeighborsClassifier
        own, peer = (kind(3.0, weights=weights, outlier_label=label).fit(X[::2], labels[::2]) for kind in kinds)
        np.testing.assert_array_equal(own.predict(queries), peer.predict(queries))
        np.testing.assert_allclose(own.predict_proba(queries), peer.predict_proba(queries), atol=1e-9)
    own, peer = (
        kind(3.0, weights=weights).fit(X[::2], X[::2, :2])
        for kind in (RadiusNeighborsRegressor, neighbors.RadiusNeighborsRegressor)
    )
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        ours = own.predict(queries)
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        theirs = peer.predict(queries)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert np.isnan(ours[-1]).all()


def test_a_query_without_neighbours_has_the_label_for_it_or_is_an_error():
    rows, labels = [[0.0], [0.5], [3.0]], ["a", "a", "b"]
    with pytest.raises(InputError, match=r"No neighbors found for test samples \[1\]"):
        RadiusNeighborsClassifier(1.0).fit(rows, labels).predict([[0.0], [9.0]])
    model = RadiusNeighborsClassifier(1.0, outlier_label="none").fit(rows, labels)
    with pytest.warns(UserWarning, match="Outlier label none is not in training classes"):
        assert model.predict([[0.0], [9.0]]).tolist() == ["a", "none"]
    with pytest.raises(ParameterError, match="inconsistent with classes"):
        RadiusNeighborsClassifier(1.0, outlier_label=3).fit(rows, labels)
    everything = RadiusNeighborsClassifier(np.inf).fit(rows, labels)
    np.testing.assert_allclose(everything.predict_proba([[100.0]]), [[2 / 3, 1 / 3]])


def test_missing_values_are_left_out_of_distances(wine):
    X = np.where(np.random.default_rng(0).random(wine[0].shape) < 0.1, np.nan, wine[0])
    kinds = NearestNeighbors, neighbors.NearestNeighbors
    own, peer = (kind(metric="nan_euclidean").fit(X[:100]).kneighbors(X[100:]) for kind in kinds)
    np.testing.assert_allclose(own[0], peer[0])
    np.testing.assert_array_equal(own[1], peer[1])
    with pytest.raises(ValueError, match="NaN"):
        NearestNeighbors().fit(X)


def test_several_outputs_of_classes():
    X, Y = make_multilabel_classification(200, random_state=0)
    X = X + np.random.default_rng(0).normal(scale=0.1, size=X.shape)  # whole numbers have ties
    own, peer = (kind().fit(X, Y) for kind in (KNeighborsClassifier, neighbors.KNeighborsClassifier))
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))
    for ours, theirs in zip(own.predict_proba(X), peer.predict_proba(X), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_weights_of_rows_are_votes(wine):
    X, y = wine
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = KNeighborsClassifier(len(y) - 1).fit(X, y, sample_weight=counts)
    votes = np.stack([(counts * (y == label)).sum() for label in range(3)])
    far = int(np.argmax(np.linalg.norm(X - X[0], axis=1)))  # the one that is left out
    votes[y[far]] -= counts[far]
    np.testing.assert_allclose(weighted.predict_proba(X[:1])[0], votes / votes.sum())
    none = KNeighborsClassifier(len(y)).fit(X, y, sample_weight=np.where(y == 0, 0.0, 1.0))
    near = none.predict_proba(X)
    assert np.all(near[:, 0] == 0)
    np.testing.assert_allclose(near.sum(axis=1), 1)


def test_classes_may_count_alike():
    X = np.arange(12.0)[:, None]
    y = np.array([0] * 9 + [1] * 3)
    plain, balanced = (KNeighborsClassifier(12, class_weight=w).fit(X, y) for w in (None, "balanced"))
    np.testing.assert_allclose(plain.predict_proba([[0.0]]), [[0.75, 0.25]])
    np.testing.assert_allclose(balanced.predict_proba([[0.0]]), [[0.5, 0.5]])
    np.testing.assert_allclose(
        KNeighborsClassifier(12, class_weight={1: 9.0}).fit(X, y).predict_proba([[0.0]]), [[0.25, 0.75]]
    )


@pytest.mark.parametrize("weights", ["uniform", "distance", by_inverse_square])
def test_the_number_of_neighbours_by_leaving_rows_out(wine, weights):
    X, y = wine
    model = KNeighborsClassifier("auto", weights=weights).fit(X, y)
    assert len(model.left_out_errors_) == 100
    for k in (1, 2, 7, 30):
        fixed = KNeighborsClassifier(k, weights=weights).fit(X, y)
        assert model.left_out_errors_[k - 1] == pytest.approx(1 - fixed.score(None, y))
    assert model.n_neighbors_ == np.argmin(model.left_out_errors_) + 1
    assert model.score(None, y) == pytest.approx(1 - model.left_out_errors_.min())
    X, y = load_diabetes(return_X_y=True)
    model = KNeighborsRegressor("auto", weights=weights).fit(X, y)
    for k in (1, 5, 40):
        fixed = KNeighborsRegressor(k, weights=weights).fit(X, y)
        assert model.left_out_errors_[k - 1] == pytest.approx(np.mean((fixed.predict(None) - y) ** 2))
    assert model.n_neighbors_ > 5


def test_the_number_of_neighbours_with_weights_of_rows(wine):
    X, y = wine
    counts = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = KNeighborsClassifier("auto").fit(X, y, sample_weight=counts)
    fixed = KNeighborsClassifier(9).fit(X, y, sample_weight=counts)
    assert model.left_out_errors_[8] == pytest.approx(1 - fixed.score(None, y))
    assert KNeighborsClassifier("auto").fit(X[:3], [0, 1, 1]).left_out_errors_.shape == (2,)
    with pytest.raises(ParameterError, match="expected an integer ≥ 1 or 'auto', got 'automatic'"):
        KNeighborsClassifier("automatic").fit(X, y)


def test_means_of_weighted_rows():
    X, y = np.arange(4.0)[:, None], np.array([1.0, 2.0, 3.0, 100.0])
    model = KNeighborsRegressor(3).fit(X, y, sample_weight=[1, 2, 1, 1])
    assert model.predict([[0.5]])[0] == pytest.approx((1 + 4 + 3) / 4)


def test_distances_too_small_to_invert_are_weighed_by_their_ratios():
    found = weights_of_neighbours("distance", np.array([[1e-310, 2e-310], [0.0, 1.0], [1.0, 2.0]]))
    np.testing.assert_allclose(found, [[1, 0.5], [1, 0], [1, 0.5]])


def test_what_was_done_is_told(wine):
    model = KNeighborsClassifier().fit(*wine)
    assert str(model.exact_) == "Nothing was asked for."
    model.predict(wine[0])
    assert model.exact_.pairs == len(wine[1]) ** 2
    assert "float64" in str(model.exact_)
    assert "principal directions" in model.plan_ or "features" in model.plan_
    assert "Python function" in NearestNeighbors(metric=lambda a, b: 0.0).fit(wine[0]).plan_


BAD = {
    "no neighbours": ({"n_neighbors": 0}, "n_neighbors"),
    "unknown metric": ({"metric": "euklidean"}, r"metric: expected one of .*'euklidean'"),
    "unknown weights": ({"weights": "distances"}, r"weights: expected 'uniform', 'distance'.*'distances'"),
    "negative power": ({"p": -1}, "p"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        KNeighborsClassifier(**options).fit(*load_iris(return_X_y=True))


def test_more_neighbours_than_rows_are_refused():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(10).fit(X[:10], y[:10])
    with pytest.raises(ValueError, match="Expected n_neighbors < n_samples_fit, but n_neighbors = 10"):
        model.kneighbors()
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit, but n_neighbors = 11"):
        model.kneighbors(X, 11)


def test_weights_must_fit_the_distances(wine):
    with pytest.raises(InputError, match="a weight for each distance"):
        KNeighborsClassifier(weights=lambda distances: distances[0]).fit(*wine).predict(wine[0])
