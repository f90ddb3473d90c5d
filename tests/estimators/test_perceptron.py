"""The perceptron: the textbook's algorithm, the same machine in both forms, and Novikoff's bound."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles

from mercer import (
    RBF,
    SVC,
    InputError,
    KernelError,
    Linear,
    ParameterError,
    Perceptron,
    Polynomial,
    Status,
    UnsolvedWarning,
)


def separable(seed=0, n=60, d=3, margin=0.2):
    """Rows at least `margin` away from a plane that does not go through the origin."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=d), 0.5
    X = rng.normal(size=(4 * n, d))
    distance = (X @ w + b) / np.linalg.norm(w)
    far = np.abs(distance) > margin
    return X[far][:n], (distance[far][:n] > 0).astype(int)


def textbook(X, t, passes):
    """Weights by the algorithm as it stands in books, in the order of the rows."""
    w, b, mistakes, done = np.zeros(X.shape[1]), 0.0, 0, 0
    for _ in range(passes):
        wrong, done = 0, done + 1
        for x, sign in zip(X, t, strict=True):
            if sign * (x @ w + b) <= 0:
                w, b, wrong = w + sign * x, b + sign, wrong + 1
        mistakes += wrong
        if not wrong:
            break
    return w, b, mistakes, done


def test_perceptron_separates_rows_that_a_plane_separates():
    X, y = separable()
    model = Perceptron(random_state=0, tol=None).fit(X, y)
    assert model.separated_
    assert model.status_ is Status.SEPARATED
    assert model.score(X, y) == 1.0


def test_perceptron_without_shuffle_is_the_textbooks():
    X, y = separable(1)
    model = Perceptron(shuffle=False, tol=None).fit(X, y)
    w, b, mistakes, passes = textbook(X, 2.0 * y - 1, 1000)
    np.testing.assert_allclose(model.coef_, [w], rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [b])
    assert (model.n_mistakes_.tolist(), model.n_iter_) == ([mistakes], passes)


@pytest.mark.parametrize("labels", [2, 3])
def test_perceptron_has_the_weights_of_scikit_learn(labels):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < labels], y[y < labels]
    theirs = sklearn.linear_model.Perceptron(shuffle=False, max_iter=7, tol=None).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        ours = Perceptron(shuffle=False, max_iter=7, tol=None).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("labels", [2, 3])
def test_perceptron_by_weights_and_by_counts_is_the_same_machine(labels, shuffle):
    # Whole numbers, so that no rounding decides of a mistake.
    X, y = load_iris(return_X_y=True)
    X, y = np.rint(10 * X[y < labels]), y[y < labels]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        weights, counts = (
            Perceptron(kernel, shuffle=shuffle, random_state=3, max_iter=20, tol=None).fit(X, y)
            for kernel in ("linear", Linear())
        )
    np.testing.assert_array_equal(weights.n_mistakes_, counts.n_mistakes_)
    np.testing.assert_array_equal(weights.coef_, counts.dual_coef_ @ counts.support_vectors_)
    np.testing.assert_array_equal(weights.intercept_, counts.intercept_)
    np.testing.assert_allclose(weights.decision_function(X), counts.decision_function(X), rtol=1e-12)


def test_perceptron_with_a_polynomial_kernel_is_the_primal_one_on_its_features():
    X, y = make_circles(40, factor=0.4, noise=0.05, random_state=0)
    # (xᵀz)² is the dot product of these; their rounding differs, whole numbers have none.
    X = np.rint(10 * X)
    mapped = np.column_stack([X[:, 0] ** 2, X[:, 1] ** 2, X[:, 0] * X[:, 1], X[:, 0] * X[:, 1]])
    kernelised = Perceptron(Polynomial(2, 1.0, 0.0), shuffle=False, tol=None).fit(X, y)
    primal = Perceptron(shuffle=False, tol=None).fit(mapped, y)
    assert kernelised.separated_
    assert kernelised.n_mistakes_.tolist() == primal.n_mistakes_.tolist()
    np.testing.assert_allclose(kernelised.decision_function(X), primal.decision_function(mapped), rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kernel", ["linear", RBF(0.5)])
def test_perceptron_makes_no_more_mistakes_than_novikoff_allows(kernel, seed):
    X, y = separable(seed)
    model = Perceptron(kernel, random_state=seed, tol=None).fit(X, y)
    best = SVC(C=np.inf, kernel=kernel, tol=1e-8).fit(X, y)
    # The intercept is the weight of one more feature that is 1: its square counts in both norms.
    c = best.dual_coef_[0]
    K = Linear() if kernel == "linear" else kernel
    squared_norm = c @ K(best.support_vectors_) @ c + best.intercept_[0] ** 2
    squared_radius = np.diagonal(K(X)).max() + 1.0
    assert model.separated_
    assert 0 < model.n_mistakes_[0] <= squared_radius * squared_norm


def test_novikoffs_bound_is_met_by_a_pair_of_opposite_rows():
    # With the intercept's feature R² is 2, and the plane of the largest margin, x = 0, has margin 1: two mistakes.
    model = Perceptron(shuffle=False).fit(np.array([[1.0], [-1.0]]), [1, 0])
    assert (model.n_mistakes_.tolist(), model.coef_.tolist(), model.intercept_.tolist()) == ([2], [[2.0]], [0.0])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_perceptron_warns_where_no_plane_separates(kernel):
    X = np.array([[0.0], [0.0], [1.0]])
    with pytest.warns(UnsolvedWarning, match="max_iter"):
        model = Perceptron(kernel, max_iter=9, tol=None).fit(X, [0, 1, 1])
    assert not model.separated_
    assert model.n_iter_ == 9
    assert model.status_ is Status.ITERATION_LIMIT


def test_perceptron_with_a_kernel_separates_circles_that_no_plane_does():
    X, y = make_circles(100, factor=0.5, noise=0.05, random_state=0)
    assert Perceptron("rbf", gamma=1.0, random_state=0).fit(X, y).score(X, y) == 1.0
    with pytest.warns(UnsolvedWarning):
        Perceptron(random_state=0, tol=None).fit(X, y)


def test_perceptron_takes_each_class_against_the_rest():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 8.0], [7.0, -4.0], [-7.0, -4.0]])
    codes = rng.integers(0, 3, 90)
    X, y = centres[codes] + rng.normal(size=(90, 2)), np.array(["a", "b", "c"])[codes]
    model = Perceptron(shuffle=False).fit(X, y)
    alone = [Perceptron(shuffle=False).fit(X, y == label) for label in model.classes_]
    np.testing.assert_array_equal(model.coef_, np.concatenate([one.coef_ for one in alone]))
    assert model.n_iter_ == max(one.n_iter_ for one in alone)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("kernel", ["linear", Linear(), "rbf", lambda A, B: A @ B.T])
def test_perceptron_of_sparse_rows_is_that_of_dense_ones(kernel):
    X, y = separable(2)
    X = np.where(np.abs(X) > 0.3, np.rint(8 * X) / 8, 0.0)  # few binary digits: no rounding
    dense = Perceptron(kernel, gamma=0.5, random_state=1, tol=None).fit(X, y)
    sparse = clone(dense).fit(sp.csr_matrix(X), y)
    assert dense.n_mistakes_.tolist() == sparse.n_mistakes_.tolist()
    for query in (X, sp.csr_matrix(X)):
        np.testing.assert_allclose(sparse.decision_function(query), dense.decision_function(X), rtol=1e-9, atol=1e-9)


def test_perceptron_of_kernel_values_is_that_of_the_kernel():
    X, y = separable(3)
    K = RBF(0.5)(X)
    ours = Perceptron("precomputed", random_state=0).fit(K, y)
    theirs = Perceptron(RBF(0.5), random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
    np.testing.assert_allclose(ours.decision_function(K), theirs.decision_function(X), atol=1e-10)


def test_perceptron_has_the_attributes_of_its_form_only():
    X, y = separable()
    model = Perceptron().fit(X, y)
    assert hasattr(model, "coef_")
    assert not hasattr(model, "dual_coef_")
    model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")
    assert hasattr(model, "support_")
    assert not hasattr(Perceptron(), "intercept_")
    with pytest.raises(ValueError, match="read-only"):
        model.dual_coef_[0, 0] = 1.0


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("max_iter", 0), ("max_iter", 2.5), ("shuffle", "yes"), ("kernel", "auto"), ("kernel", 3), ("gamma", -1.0)],
)
def test_perceptron_refuses_parameters_it_cannot_have(parameter, value):
    X, y = separable()
    with pytest.raises(ParameterError, match=parameter):
        Perceptron().set_params(**{parameter: value}).fit(X, y)


def test_perceptron_refuses_data_it_cannot_learn_from():
    X, y = separable()
    with pytest.raises(InputError, match="one; got 1 class"):
        Perceptron().fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="NaN"):
        Perceptron().fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        Perceptron().fit(np.empty((0, 2)), np.empty(0))
    with pytest.raises(InputError, match="overflow"):
        Perceptron().fit(np.array([[1e308], [1.1e308], [1.7e308], [-1.7e308]]), [0, 1, 0, 1])
    with pytest.raises(KernelError, match="overflow"):
        Perceptron("poly", gamma=1.0).fit(1e150 * X, y)


def test_failed_fit_of_a_perceptron_keeps_the_earlier_one():
    X, y = separable()
    model = Perceptron(random_state=0).fit(X, y)
    before = model.coef_
    with pytest.raises(InputError):
        model.fit(X[:, :2], np.ones(len(X)))
    np.testing.assert_array_equal(model.coef_, before)
    assert model.n_features_in_ == 3
