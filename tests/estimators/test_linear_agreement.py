"""LinearSVC and LinearSVR beside LIBLINEAR: the same objective, coefficients and predictions, on rows of every form."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler, scale

from mercer import SVC, LinearSVC, LinearSVR, Status
from tests.reference.datasets import load
from tests.reference.linear import machine_of

TOL = 1e-10
# Ways of finding the machine.
SOLVERS = ("auto", "coordinate-descent", "newton")
# Where both objectives are within TOL of the least, weights are within the root of that.
WEIGHTS = 1e-4
# LIBLINEAR's own tolerance is about violations, and it is not always reached.
LIBLINEAR = 1e-6


def iris():
    return datasets.load_iris(return_X_y=True)


def two_of_iris():
    X, y = iris()
    return X[y > 0], np.array(["", "b", "a"])[y[y > 0]]


def wine():
    X, y = datasets.load_wine(return_X_y=True)
    return scale(X), y


def cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return scale(X), y


def digits():
    X, y = datasets.load_digits(n_class=4, return_X_y=True)
    return X[:200] / 16, y[:200]


def text():
    return load("sparse text")[:2]


def made():
    return datasets.make_classification(400, 6, n_informative=4, flip_y=0.1, random_state=3)


def diabetes():
    X, y = datasets.load_diabetes(return_X_y=True)
    return scale(X), (y - y.mean()) / 50


def linnerud():
    X, Y = datasets.load_linnerud(return_X_y=True)
    return scale(X), Y[:, 0] / 10


def line():
    return datasets.make_regression(300, 8, noise=5.0, bias=3.0, random_state=2)


def sparse_line():
    X = text()[0]
    return X, 10 * X @ np.linspace(-1, 1, X.shape[1]) + 0.1 * np.random.default_rng(0).normal(size=X.shape[0])


CLASSES = {f.__name__: f for f in (two_of_iris, cancer, made, text, iris, wine, digits)}
NUMBERS = {f.__name__: f for f in (diabetes, linnerud, line, sparse_line)}
HINGES = ("squared_hinge", "hinge")
TUBES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def weights_of(n):
    weights = np.random.default_rng(5).uniform(0.2, 3.0, n)
    weights[::11] = 0
    return weights


def liblinear(model, X, y, sample_weight=None):
    """scikit-learn's machine of the same parameters, at a tight tolerance."""
    twin = getattr(sklearn.svm, type(model).__name__)()
    shared = {name: value for name, value in model.get_params().items() if name in twin.get_params()}
    by_coordinates = model.loss in ("hinge", "epsilon_insensitive")
    theirs = twin.set_params(**shared | {"tol": 1e-9, "max_iter": 200_000, "dual": by_coordinates, "random_state": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the objectives are compared with what room that needs
        return theirs.fit(X, y, sample_weight=sample_weight)


def objectives(model, X, y, sample_weight=None):
    """The objective of each class against the rest, or of the one function."""
    coef, intercept = np.atleast_2d(model.coef_), np.ravel(model.intercept_ * np.ones(1))
    intercept = np.zeros(len(coef)) if not model.fit_intercept else intercept
    positives = model.classes_ if len(coef) > 1 else [None]
    return [
        machine_of(model, X, y, sample_weight, positive).primal(w, b)
        for w, b, positive in zip(coef, intercept, positives, strict=True)
    ]


def assert_same(model, X, y, sample_weight=None):
    ours = model.fit(X, y, sample_weight=sample_weight)
    theirs = liblinear(ours, X, y, sample_weight)
    assert ours.status_ is Status.SOLVED
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == np.shape(theirs.intercept_ * np.ones(1))
    mine, other = objectives(ours, X, y, sample_weight), objectives(theirs, X, y, sample_weight)
    assert ours.certificate_.primal == pytest.approx(sum(mine), rel=1e-9)
    assert np.all(np.array(mine) <= np.array(other) * (1 + 10 * TOL)), "LIBLINEAR found a better machine"
    np.testing.assert_allclose(mine, other, rtol=LIBLINEAR)
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=10 * WEIGHTS * size)
    return ours, theirs


@pytest.mark.parametrize("data", CLASSES)
@pytest.mark.parametrize("loss", HINGES)
def test_classification_is_liblinears(data, loss):
    X, y = CLASSES[data]()
    ours, theirs = assert_same(LinearSVC(loss=loss, tol=TOL), X, y)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-2)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.995


@pytest.mark.parametrize("data", NUMBERS)
@pytest.mark.parametrize("loss", TUBES)
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_regression_is_liblinears(data, loss, epsilon):
    X, y = NUMBERS[data]()
    ours, theirs = assert_same(LinearSVR(loss=loss, epsilon=epsilon, tol=TOL), X, y)
    spread = np.abs(y - y.mean()).max()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-2 * spread)


@pytest.mark.parametrize("data", ["two_of_iris", "text", "wine"])
@pytest.mark.parametrize("loss", HINGES)
def test_weighted_classification_is_liblinears(data, loss):
    X, y = CLASSES[data]()
    assert_same(LinearSVC(loss=loss, C=0.5, tol=TOL), X, y, weights_of(X.shape[0]))


@pytest.mark.parametrize("data", ["diabetes", "sparse_line"])
@pytest.mark.parametrize("loss", TUBES)
def test_weighted_regression_is_liblinears(data, loss):
    X, y = NUMBERS[data]()
    assert_same(LinearSVR(loss=loss, C=0.5, epsilon=0.1, tol=TOL), X, y, weights_of(X.shape[0]))


@pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 1: 0.5, 2: 1.0}], ids=["balanced", "by name"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("loss", HINGES)
def test_class_weights_are_liblinears(loss, classes, weights):
    X, y = iris()
    X, y = X[20 : 50 * classes], y[20 : 50 * classes]
    ours = LinearSVC(loss=loss, class_weight=weights, tol=1e-9).fit(X, y)
    # Rounded data make hinges meet where LIBLINEAR hardly moves.
    np.testing.assert_allclose(ours.coef_, liblinear(ours, X, y).coef_, atol=1e-2)


@pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 1: 0.5}], ids=["balanced", "by name"])
def test_class_weights_are_factors_of_rows(weights):
    X, y = iris()
    X, y = X[20:100], y[20:100]
    factors = len(y) / (2 * np.bincount(y)) if weights == "balanced" else np.array([3.0, 0.5])
    named = LinearSVC(class_weight=weights, tol=TOL).fit(X, y)
    spelt = LinearSVC(tol=TOL).fit(X, y, sample_weight=factors[y])
    np.testing.assert_allclose(named.coef_, spelt.coef_, atol=WEIGHTS)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array])
@pytest.mark.parametrize("solver", ["coordinate-descent", "newton"])
def test_sparse_rows_are_the_machine_of_dense_ones(kind, solver):
    X, y = digits()
    sparse, dense = (LinearSVC(loss="hinge", tol=TOL, solver=solver).fit(form(X), y) for form in (kind, np.asarray))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=WEIGHTS)
    assert isinstance(sparse.coef_, np.ndarray)


@pytest.mark.parametrize("loss", HINGES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_float32_rows_are_the_machine_of_their_numbers(form, loss):
    X, y = cancer()
    single = X.astype(np.float32)
    narrow, wide = (LinearSVC(loss=loss, tol=1e-9).fit(form(rows), y) for rows in (single, single.astype(np.float64)))
    assert narrow.status_ is Status.SOLVED
    np.testing.assert_allclose(narrow.coef_, wide.coef_, atol=1e-3)


@pytest.mark.parametrize("scaling", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("loss", HINGES)
def test_intercept_scaling_is_liblinears(loss, scaling):
    X, y = made()
    assert_same(LinearSVC(loss=loss, intercept_scaling=scaling, tol=TOL), X + 1.0, y)


@pytest.mark.parametrize(
    "model", [LinearSVC(), LinearSVC(loss="hinge"), LinearSVR(), LinearSVR(loss=TUBES[1])], ids=str
)
def test_machine_without_intercept_is_liblinears(model):
    X, y = (made if isinstance(model, LinearSVC) else diabetes)()
    ours, _ = assert_same(model.set_params(fit_intercept=False, tol=TOL), X, y)
    assert ours.intercept_ == 0


@pytest.mark.parametrize("loss", HINGES)
@pytest.mark.parametrize("data", ["two_of_iris", "text", "wine"])
def test_ways_of_solving_give_the_same_machine(data, loss):
    X, y = CLASSES[data]()
    machines = [LinearSVC(loss=loss, solver=solver, tol=1e-8).fit(X, y) for solver in SOLVERS]
    assert all(model.status_ is Status.SOLVED for model in machines)
    assert "coordinate" in machines[1].plan_
    assert "Newton" in machines[2].plan_
    for model in machines[1:]:
        np.testing.assert_allclose(model.coef_, machines[0].coef_, atol=10 * WEIGHTS)
        np.testing.assert_allclose(model.intercept_, machines[0].intercept_, atol=10 * WEIGHTS)


@pytest.mark.parametrize("loss", TUBES)
def test_ways_of_solving_give_the_same_regression(loss):
    X, y = diabetes()
    machines = [LinearSVR(loss=loss, solver=solver, epsilon=0.2, tol=1e-8).fit(X, y) for solver in SOLVERS]
    for model in machines[1:]:
        np.testing.assert_allclose(model.predict(X), machines[0].predict(X), atol=10 * WEIGHTS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("data", ["two_of_iris", "cancer", "made", "text"])
def test_hinge_with_a_free_intercept_is_the_kernel_machine(data, weighted):
    X, y = CLASSES[data]()
    weights = weights_of(X.shape[0]) if weighted else None
    linear = LinearSVC(loss="hinge", regularize_intercept=False, tol=1e-11).fit(X, y, sample_weight=weights)
    kernel = SVC(kernel="linear", tol=1e-9).fit(X, y, sample_weight=weights)
    assert linear.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-6)
    # The objective curves by one in every direction of w, so its root bounds how far two machines are apart.
    apart = sum(np.sqrt(2 * max(model.certificate_.gap, 1e-14)) for model in (linear, kernel))
    coef = kernel.coef_.toarray() if sp.issparse(kernel.coef_) else kernel.coef_
    assert np.linalg.norm(linear.coef_ - coef) <= apart
    np.testing.assert_allclose(linear.decision_function(X), kernel.decision_function(X), atol=WEIGHTS)


def test_tube_with_a_free_intercept_is_the_kernel_machine():
    X, y = diabetes()
    linear = LinearSVR(epsilon=0.1, regularize_intercept=False, tol=1e-11).fit(X, y)
    kernel = sklearn.svm.SVR(kernel="linear", epsilon=0.1, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(linear.predict(X), kernel.predict(X), atol=WEIGHTS)


@pytest.mark.parametrize("model", [LinearSVC(tol=TOL), LinearSVC(loss="hinge", tol=TOL), LinearSVR(tol=TOL)], ids=str)
def test_weight_k_counts_a_row_k_times_and_zero_leaves_it_out(model):
    X, y = (two_of_iris if isinstance(model, LinearSVC) else linnerud)()
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = model.fit(X, y, sample_weight=counts)
    coef, primal = weighted.coef_, weighted.certificate_.primal
    repeated = model.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(coef, repeated.coef_, atol=WEIGHTS)
    assert primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)


def test_string_labels_are_predicted_as_by_liblinear():
    X, y = two_of_iris()
    X = StandardScaler().fit_transform(X)
    ours, theirs = LinearSVC(tol=TOL).fit(X, y), sklearn.svm.LinearSVC(tol=1e-9, max_iter=100_000).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.predict(X).dtype == y.dtype
