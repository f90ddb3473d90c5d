"""`metric_params` that a metric does not know are refused by `fit`, which tells what it takes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric

from mercer import RBF, KNeighborsClassifier, NearestNeighbors
from mercer.errors import ParameterError

X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize(
    ("metric", "takes"),
    [
        ("euclidean", r"some of \['w'\]"),
        ("l2", r"some of \['w'\]"),
        ("manhattan", r"some of \['w'\]"),
        ("cosine", "none"),
        ("precomputed", "none"),
        ("minkowski", r"some of \['p', 'w'\]"),
        ("seuclidean", r"some of \['V'\]"),
        ("canberra", r"some of \['w'\]"),
        ("haversine", "none"),
    ],
)
def test_unknown_names_are_refused_by_fit(metric, takes):
    rows = X @ X.T if metric == "precomputed" else X
    with pytest.raises(ParameterError, match=rf"metric_params: .* takes {takes}, got \['foo'\]"):
        NearestNeighbors(metric=metric, metric_params={"foo": 1}).fit(rows)
    with pytest.raises(ParameterError, match="foo"):
        KNeighborsClassifier(metric=metric, metric_params={"foo": 1}).fit(rows, np.arange(20) % 2)


@pytest.mark.parametrize("metric", [RBF(0.1), DistanceMetric.get_metric("manhattan")], ids=["kernel", "object"])
def test_what_has_its_own_parameters_takes_no_others(metric):
    with pytest.raises(ParameterError, match="own parameters"):
        NearestNeighbors(metric=metric, metric_params={"gamma": 1}).fit(X)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_what_is_needed_is_asked_for(metric):
    with pytest.raises(ParameterError, match="needs"):
        NearestNeighbors(metric=metric).fit(X)


@pytest.mark.parametrize("w", [[1.0, 2.0], [1.0, -1.0, 2.0], [1.0, np.nan, 2.0], [0, 0, 0], "abc", None])
def test_weights_of_features_are_checked(w):
    with pytest.raises(ParameterError, match="3 finite weights ≥ 0"):
        NearestNeighbors(metric_params={"w": w}).fit(X)


@pytest.mark.parametrize("p", [0, -1, np.nan, "two", None])
@pytest.mark.filterwarnings("ignore:p. expected as a parameter")
def test_powers_are_checked(p):
    with pytest.raises(ParameterError, match="expected p"):
        NearestNeighbors(metric_params={"p": p}).fit(X)


@pytest.mark.parametrize("metric", [3, None, ["euclidean"], "euclid", {}])
def test_what_is_no_metric_is_refused(metric):
    with pytest.raises(ParameterError, match="metric: expected one of"):
        NearestNeighbors(metric=metric).fit(X)


@pytest.mark.parametrize(
    ("metric", "name", "params"),
    [
        ("minkowski", "minkowski", {"w": [1.0, 0.5, 2.0]}),
        ("manhattan", "cityblock", {"w": [1.0, 0.5, 2.0]}),
        ("l2", "euclidean", {"w": [1.0, 0.5, 2.0]}),
        ("seuclidean", "seuclidean", {"V": [1.0, 0.5, 2.0]}),
        ("mahalanobis", "mahalanobis", {"VI": np.diag([1.0, 0.5, 2.0])}),
    ],
)
def test_known_ones_are_those_of_scipy(metric, name, params):
    found = NearestNeighbors(n_neighbors=4, metric=metric, metric_params=params).fit(X).kneighbors(X)[0]
    given = {"p": 2} if metric == "minkowski" else {}
    np.testing.assert_allclose(found, np.sort(cdist(X, X, name, **params, **given), axis=1)[:, :4], rtol=1e-12)


def test_those_of_a_function_are_its_own_affair():
    def distance(q, x, power):
        return float(np.sum(np.abs(q - x) ** power))

    own = NearestNeighbors(metric=distance, metric_params={"power": 1}).fit(X)
    np.testing.assert_array_equal(own.kneighbors()[1], NearestNeighbors(p=1).fit(X).kneighbors()[1])
