"""Nyström's features are scikit-learn's for the same seed, and their error is what the dense matrices say."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import kernel_approximation
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs, make_circles
from sklearn.metrics.pairwise import pairwise_kernels, polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    SVC,
    InputError,
    KernelError,
    Linear,
    LinearSVC,
    NumericsWarning,
    Nystroem,
    ParameterError,
    Polynomial,
)

# Features of both are products with a matrix whose condition is the root of the kernel matrix's.
ROUNDING = 1e-8


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).standard_normal((300, 6))


def by_minimum(x, z, power=1):
    return float(np.minimum(np.abs(x), np.abs(z)).sum() ** power)


def residual(K, features):
    return np.trace(K - features @ features.T) / np.trace(K)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.3},
        {"kernel": "laplacian"},
        {"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": 0.2, "n_components": 20},
        {"kernel": "polynomial", "degree": 2, "n_components": 20},
        {"kernel": "rbf", "kernel_params": {"gamma": 0.3}},
        {"kernel": "sigmoid", "gamma": 0.1, "n_components": 10},
        {"kernel": "linear", "n_components": 5},
        {"kernel": "cosine", "n_components": 5},
        {"kernel": by_minimum, "n_components": 15},
        {"kernel": by_minimum, "kernel_params": {"power": 2}, "n_components": 15},
    ],
    ids=lambda options: " ".join(f"{name}={getattr(value, '__name__', value)}" for name, value in options.items()),
)
def test_features_are_scikit_learns_for_the_same_seed(rows, options):
    options = {"n_components": 40, "random_state": 3, **options}
    own, peer = Nystroem(**options).fit(rows[:250]), kernel_approximation.Nystroem(**options).fit(rows[:250])
    np.testing.assert_array_equal(own.component_indices_, peer.component_indices_)
    np.testing.assert_array_equal(own.components_, peer.components_)
    np.testing.assert_allclose(own.normalization_, peer.normalization_, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(own.transform(rows), peer.transform(rows), rtol=ROUNDING, atol=ROUNDING)
    assert list(own.get_feature_names_out()) == list(peer.get_feature_names_out())


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_features_of_kernels_that_are_scikit_learns_alone(rows, kernel):
    own, peer = (
        kind(kernel, n_components=30, random_state=0).fit_transform(np.abs(rows))
        for kind in (Nystroem, kernel_approximation.Nystroem)
    )
    np.testing.assert_allclose(own @ own.T, peer @ peer.T, atol=1e-8 * np.abs(peer @ peer.T).max())


def test_degree_may_be_a_fraction(rows):
    X = np.abs(rows[:40])
    features = Nystroem("poly", degree=2.5, coef0=0.1, n_components=40).fit_transform(X)
    K = polynomial_kernel(X, degree=2.5, coef0=0.1)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-8 * K.max())


def test_kernel_objects_are_taken(rows):
    kernel = RBF(0.1) + Polynomial(2)
    features = Nystroem(kernel, n_components=300).fit_transform(rows)
    K = rbf_kernel(rows, gamma=0.1) + polynomial_kernel(rows, degree=2, gamma=1, coef0=1)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-8 * K.max())
    assert Nystroem(RBF(0.1)).set_params(kernel__gamma=2.0).kernel == RBF(2.0)


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky", "kmeans"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_residual_is_that_of_the_dense_matrices(rows, selection, kernel):
    K = pairwise_kernels(rows, metric=kernel, gamma=0.2)
    model = Nystroem(kernel, gamma=0.2, n_components=60, selection=selection, random_state=0)
    features = model.fit_transform(rows)
    assert 0.01 < model.residual_ < 0.9
    assert model.residual_ == pytest.approx(residual(K, features), rel=1e-9)
    fitted = Nystroem(**model.get_params()).fit(rows)
    assert fitted.residual_ == pytest.approx(model.residual_, rel=1e-9)
    np.testing.assert_allclose(fitted.transform(rows), features, atol=ROUNDING)


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky", "kmeans"])
def test_error_of_each_value_is_within_the_bound_that_the_diagonal_gives(rows, selection):
    K = rbf_kernel(rows, gamma=0.2)
    features = Nystroem(gamma=0.2, n_components=50, selection=selection, random_state=0).fit_transform(rows)
    error = K - features @ features.T
    bound = np.sqrt(np.maximum(np.diagonal(error), 0))
    assert np.all(np.abs(error) <= np.outer(bound, bound) + ROUNDING)


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
@pytest.mark.parametrize("count", [50, 150])
def test_chosen_landmarks_leave_less_than_random_ones_where_little_is_left(load, count):
    X = StandardScaler().fit_transform(load().data)
    left = {
        selection: Nystroem(gamma=0.01 / X.shape[1], n_components=count, selection=selection, random_state=0)
        .fit(X)
        .residual_
        for selection in ("random", "pivoted", "rpcholesky", "kmeans")
    }
    assert left["pivoted"] < left["random"]
    assert left["rpcholesky"] < left["random"]
    assert left["kmeans"] < left["random"]


@pytest.mark.parametrize("gamma", [0.01, 0.001, 0.0001])
@pytest.mark.parametrize("count", [50, 150])
def test_pivots_leave_less_of_the_worst_row_than_random_landmarks(gamma, count):
    X = StandardScaler().fit_transform(load_digits().data)
    pivoted, random = (
        np.square(Nystroem(gamma=gamma, n_components=count, selection=one, random_state=0).fit_transform(X))
        .sum(axis=1)
        .min()
        for one in ("pivoted", "random")
    )
    assert pivoted > random


def test_pivots_end_where_they_explain_all(rows):
    twice = np.vstack([rows, rows])
    model = Nystroem(Linear(), n_components=50, selection="pivoted")
    features = model.fit_transform(twice)
    assert features.shape == (600, 6)
    assert len(model.get_feature_names_out()) == 6
    np.testing.assert_allclose(features @ features.T, twice @ twice.T, atol=1e-10)
    assert model.residual_ < 1e-12
    assert Nystroem(Linear(), selection="pivoted", n_components=2).fit_transform(np.zeros((4, 3))).shape == (4, 1)


def test_centres_are_those_of_the_blobs():
    X, _ = make_blobs(400, centers=[[0, 0], [20, 0], [0, 20]], cluster_std=0.1, random_state=0)
    model = Nystroem(gamma=0.1, n_components=3, selection="kmeans", random_state=0).fit(X)
    assert model.component_indices_ is None
    found = model.components_[np.argsort(model.components_ @ [1, 2])]
    np.testing.assert_allclose(found, [[0, 0], [20, 0], [0, 20]], atol=0.05)


def test_many_rows_are_clustered_in_batches():
    X, _ = make_blobs(25_000, centers=[[0, 0], [20, 0], [0, 20]], cluster_std=0.1, random_state=0)
    model = Nystroem(gamma=0.1, n_components=12, selection="kmeans", random_state=0).fit(X)
    assert model.residual_ < 0.01


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky"])
def test_kernel_values_at_hand_are_as_good_as_rows(rows, selection):
    K = rbf_kernel(rows, gamma=0.2)
    options = {"n_components": 40, "selection": selection, "random_state": 0}
    given = Nystroem("precomputed", **options).fit(K[:200, :200])
    computed = Nystroem(gamma=0.2, **options).fit(rows[:200])
    np.testing.assert_array_equal(given.component_indices_, computed.component_indices_)
    np.testing.assert_allclose(given.transform(K[:, :200]), computed.transform(rows), atol=ROUNDING)
    assert given.residual_ == pytest.approx(computed.residual_, rel=1e-9)


def test_all_rows_of_a_matrix_at_hand_are_scikit_learns(rows):
    K = rbf_kernel(rows[:50], gamma=0.2)
    own, peer = (
        kind("precomputed", n_components=50, random_state=0).fit_transform(K)
        for kind in (Nystroem, kernel_approximation.Nystroem)
    )
    np.testing.assert_allclose(own, peer, atol=ROUNDING)


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky", "kmeans"])
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_sparse_rows_give_the_same(rows, selection, form):
    X = np.where(rows > 0.5, rows, 0)
    options = {"n_components": 20, "selection": selection, "random_state": 0}
    sparse, dense = Nystroem(**options).fit(form(X)), Nystroem(**options).fit(X)
    assert sp.issparse(sparse.components_)
    for model, queries in ((sparse, form(X)), (sparse, X), (dense, form(X))):
        np.testing.assert_allclose(model.transform(queries), dense.transform(X), atol=ROUNDING)


def test_float32_is_kept_and_nothing_is_lost_by_it(rows):
    # Rows that are there twice, of which scikit-learn's decomposition in float32 makes noise.
    X = np.vstack([rows, rows]).astype(np.float32)
    model = Nystroem(gamma=0.2, n_components=600, random_state=0)
    features = model.fit_transform(X)
    assert features.dtype == np.float32
    assert model.transform(X.astype(np.float64)).dtype == np.float64
    np.testing.assert_allclose(features @ features.T, rbf_kernel(X, gamma=0.2), atol=1e-4)


def test_linear_machine_on_the_features_is_the_kernel_machine():
    X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    features = Nystroem(gamma=1.0, n_components=300).fit_transform(X)
    linear = LinearSVC(loss="hinge", regularize_intercept=False, tol=1e-8).fit(features, y)
    kernel = SVC(gamma=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(linear.decision_function(features), kernel.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky", "kmeans"])
def test_pipeline_before_a_linear_machine(selection):
    X, y = load_digits(return_X_y=True)
    steps = Nystroem(gamma=0.001, n_components=300, selection=selection, random_state=0), LinearSVC()
    assert make_pipeline(*steps).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.94


def test_function_of_two_rows_is_asked_for_no_more_than_it_must(rows):
    asked = []

    def counted(x, z):
        asked.append(1)
        return float(x @ z)

    model = Nystroem(counted, n_components=4, random_state=0).fit(rows[:10])
    assert len(asked) == 4 * 5 / 2
    assert np.isnan(model.residual_)
    features = model.fit_transform(rows[:10])
    assert model.residual_ == pytest.approx(residual(rows[:10] @ rows[:10].T, features), rel=1e-9)


def test_more_landmarks_than_rows_are_all_rows(rows):
    with pytest.warns(NumericsWarning, match="at most as many as there are rows, 20, got 30"):
        features = Nystroem(n_components=30).fit_transform(rows[:20])
    np.testing.assert_allclose(features @ features.T, rbf_kernel(rows[:20]), atol=ROUNDING)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"selection": "greedy"}, ParameterError, "selection: expected one of 'random'"),
        ({"n_components": 0}, ParameterError, "n_components: expected an integer ≥ 1"),
        ({"kernel": "gauss"}, ParameterError, "kernel: expected one of"),
        ({"kernel": RBF(1.0), "gamma": 1.0}, ParameterError, "Don't pass gamma"),
        ({"kernel_params": {"power": 2}}, ParameterError, "kernel_params: expected gamma"),
        ({"kernel": "poly", "degree": 0.5}, ParameterError, "degree to be a finite number ≥ 1"),
        ({"kernel": "precomputed", "n_components": 3}, InputError, "square matrix"),
    ],
    ids=str,
)
def test_errors_say_what_was_expected(rows, options, error, message):
    with pytest.raises(error, match=message):
        Nystroem(**options).fit(rows)


def test_errors_of_selections_say_what_to_do(rows):
    with pytest.raises(ParameterError, match="Use selection='pivoted'"):
        Nystroem("precomputed", selection="kmeans", n_components=3).fit(rows @ rows.T)
    with pytest.raises(KernelError, match="Use selection='random'"):
        Nystroem("precomputed", selection="pivoted", n_components=3).fit(-rows @ rows.T)


def test_failed_fit_loses_nothing(rows):
    model = Nystroem(n_components=10, random_state=0).fit(rows)
    earlier = model.transform(rows)
    with pytest.raises(ParameterError):
        model.set_params(selection="greedy").fit(rows[:, :2])
    np.testing.assert_array_equal(model.transform(rows), earlier)


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky", "kmeans"])
def test_values_that_overflow_are_an_error(rows, selection):
    with pytest.raises(KernelError, match="overflow"):
        Nystroem(Polynomial(3), n_components=3, selection=selection, random_state=0).fit(1e60 * rows)
