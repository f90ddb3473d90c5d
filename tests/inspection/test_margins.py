"""Margins of points and of sets, whoever fitted the model."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.linear_model import Perceptron

import mercer
from mercer import RBF, SVC, SVR, InputError, LinearSVC, OneClassSVM, Polynomial, SGDClassifier, Sigmoid
from mercer.inspection import functional_margins, geometric_margins, margin_of

# Hard margins are solved to this.
SOLVED = 1e-6


@pytest.fixture(scope="module")
def apart():
    return make_blobs(40, centers=[[-4, 0], [4, 1]], random_state=0)


@pytest.mark.parametrize("kernel", ["linear", "rbf", Polynomial(2, 0.1, 1.0)], ids=str)
def test_geometric_margin_of_the_hard_margin_machine_is_that_of_its_certificate(kernel, apart):
    X, y = apart
    model = SVC(kernel=kernel, C=np.inf, tol=1e-9).fit(X, y)
    margin = margin_of(model, X, y)
    assert margin.functional == pytest.approx(1.0, rel=SOLVED)
    assert margin.geometric == pytest.approx(model.certificate_.margin, rel=SOLVED)
    assert margin.row in model.support_


def test_scaling_changes_the_functional_margin_and_not_the_geometric_one(apart):
    X, y = apart
    model = Perceptron(random_state=0).fit(X, y)
    before = margin_of(model, X, y)
    model.coef_ *= 3.0
    model.intercept_ *= 3.0
    after = margin_of(model, X, y)
    assert after.functional == pytest.approx(3.0 * before.functional)
    assert after.geometric == pytest.approx(before.geometric)
    assert after.row == before.row


@pytest.mark.parametrize(
    "model",
    [LinearSVC(), LinearSVC(fit_intercept=False), SGDClassifier(random_state=0), Perceptron(), sklearn.svm.LinearSVC(),
     SVC(kernel="linear"), sklearn.svm.SVC(kernel="linear")], ids=str,
)  # fmt: skip
def test_margins_of_linear_models_are_distances_in_the_plane(model, apart):
    X, y = apart
    model.fit(X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    np.testing.assert_allclose(functional_margins(model, X, y), signs * (X @ w + b), rtol=1e-9, atol=1e-12)
    # The foot of each point on the boundary: x − t γ w / ‖w‖ has f = 0.
    feet = X - np.outer(signs * geometric_margins(model, X, y), w / np.linalg.norm(w))
    np.testing.assert_allclose(feet @ w + b, 0, atol=1e-9)


@pytest.mark.parametrize("kind", [SVC, sklearn.svm.SVC])
def test_margins_under_a_kernel_are_distances_among_its_features(kind):
    X, y = make_moons(50, noise=0.2, random_state=0)
    model = kind(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    mapped = Polynomial(2, 1.0, 1.0).map_rows(X)
    w = np.asarray(model.dual_coef_)[0] @ mapped[model.support_]
    expected = np.where(y == 1, 1, -1) * (mapped @ w + model.intercept_[0]) / np.linalg.norm(w)
    np.testing.assert_allclose(geometric_margins(model, X, y), expected, rtol=1e-8)


def test_precomputed_kernel_needs_its_values_between_training_rows():
    X, y = make_moons(50, noise=0.2, random_state=0)
    K = RBF(1.0)(X)
    model = SVC(kernel="precomputed", tol=1e-9).fit(K, y)
    with pytest.raises(InputError, match="gram: expected the kernel values"):
        geometric_margins(model, K[:4], y[:4])
    expected = geometric_margins(SVC(gamma=1.0, tol=1e-9).fit(X, y), X[:4], y[:4])
    np.testing.assert_allclose(geometric_margins(model, K[:4], y[:4], gram=K), expected, rtol=1e-6)
    assert len(functional_margins(model, K[:4], y[:4])) == 4


def test_pair_of_classes_takes_rows_of_these_only():
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    with pytest.raises(InputError, match="1: 0 against 2"):
        functional_margins(model, X, y)
    with pytest.raises(InputError, match="expected labels of 0 against 2, got"):
        functional_margins(model, X, y, function=1)
    both = y != 1
    signs = np.where(y[both] == 0, 1.0, -1.0)
    expected = signs * model.decision_function(X[both])[:, 1]
    np.testing.assert_allclose(functional_margins(model, X[both], y[both], function=1), expected, rtol=1e-9)


@pytest.mark.parametrize("model", [SVC(multi_class="ovr"), LinearSVC()], ids=str)
def test_class_against_the_rest_takes_all_rows(model):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    expected = np.where(y == 2, 1.0, -1.0) * model.decision_function(X)[:, 2]
    np.testing.assert_allclose(functional_margins(model, X, y, function=2), expected, rtol=1e-9, atol=1e-12)


def test_what_has_no_margin_is_refused(apart):
    X, y = apart
    with pytest.raises(InputError, match="Expected a classifier"):
        margin_of(SVR().fit(X, y), X, y)
    with pytest.raises(InputError, match="Expected a classifier"):
        margin_of(OneClassSVM().fit(X), X, y)
    with pytest.raises(InputError, match="one label for each of 40 rows"):
        margin_of(SVC().fit(X, y), X, y[:5])
    model = Perceptron().fit(X, y)
    model.coef_ *= 0.0
    with pytest.raises(InputError, match="w = 0"):
        margin_of(model, X, y)


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning")
def test_kernel_without_a_space_of_features_has_no_geometric_margin():
    X, y = make_moons(60, noise=0.2, random_state=0)
    model = SVC(kernel=Sigmoid(2.0, -3.0)).fit(X, y)
    with pytest.raises(InputError, match="positive semi-definite"):
        geometric_margins(model, X, y)


def test_margins_of_a_perceptron_with_a_kernel_are_measured_in_feature_space():
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    model = mercer.Perceptron("rbf", gamma=0.5, random_state=0).fit(X, y)
    margin = margin_of(model, X, y)
    assert margin.functional == pytest.approx(np.min(np.array([-1, -1, 1, 1]) * model.decision_function(X)))
    coef, K = np.asarray(model.dual_coef_)[0], RBF(0.5)(model.support_vectors_)
    assert margin.geometric == pytest.approx(margin.functional / np.sqrt(coef @ K @ coef))
