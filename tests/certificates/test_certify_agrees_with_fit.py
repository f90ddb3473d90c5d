"""`certify` judges a machine by the problem that its fit posed: both certificates are the same up to rounding."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, UnsolvedWarning
from mercer.solvers import METHODS, CoordinateAscent

# Both sum the same products, in another order and after the machine was put together from its support vectors.
ROUNDING = 1e-9


def data(classes):
    X, y = load_iris(return_X_y=True)
    chosen = np.flatnonzero((y > 0) | (classes == 3))[::2]  # the last two classes overlap
    return StandardScaler().fit_transform(X)[chosen], np.array(["setosa", "versicolor", "virginica"])[y[chosen]]


def targets(X):
    return np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * np.cos(40 * X[:, 2])


def weights(count):
    return np.where(np.arange(count) % 7 == 0, 0.0, np.linspace(0.5, 2.0, count))


def assert_same(model, X, y, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)  # a machine that is not optimal has a certificate, too
        model.fit(X, y, sample_weight=sample_weight)
    of_fit, anew = model.certificate_, mercer.certify(model, X, y, sample_weight)
    assert len(of_fit.parts) == len(anew.parts)
    for a, b in zip((of_fit, *of_fit.parts), (anew, *anew.parts), strict=True):
        size = max(1.0, abs(a.primal))
        assert (a.problem, a.rows, a.convex) == (b.problem, b.rows, b.convex)
        np.testing.assert_allclose([b.primal, b.dual], [a.primal, a.dual], rtol=0, atol=ROUNDING * size)
        np.testing.assert_allclose(b.violation, a.violation, rtol=0, atol=ROUNDING)
    if model.status_.is_within_tolerance:
        assert anew.holds(1.02 * model.tol)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("solver", ["auto", *METHODS])
def test_certify_agrees_with_the_fit_of_every_solver(solver, kernel, multi_class, classes):
    if METHODS.get(solver) is not None and METHODS[solver].needs_map and kernel == "rbf":
        kernel = "poly"
    model = SVC(solver=solver, kernel=kernel, gamma=0.3, multi_class=multi_class, random_state=3)
    assert_same(model, *data(classes))


@pytest.mark.parametrize("class_weight", ["balanced", {"versicolor": 3.0, "virginica": 0.5}])
@pytest.mark.parametrize("solver", ["auto", "smo-sketch", "coordinate-ascent"])
def test_certify_agrees_with_the_fit_where_rows_and_classes_have_weights(solver, class_weight):
    X, y = data(3)
    assert_same(SVC(solver=solver, class_weight=class_weight), X, y, weights(len(y)))


def test_certify_agrees_with_the_fit_of_a_solver_that_is_an_object():
    assert_same(SVC(solver=CoordinateAscent(), kernel="linear"), *data(2))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("random_state", [None, 5])
@pytest.mark.parametrize(
    "model",
    [
        SVC(C=10.0),
        NuSVC(nu=0.2),
        NuSVC(nu=0.2, multi_class="ovr", class_weight="balanced"),
        SVR(C=2.0, epsilon=0.05),
        SVR(kernel="linear", formulation="primal"),
        NuSVR(nu=0.3),
        NuSVR(nu=1.0, C=0.1),
        OneClassSVM(nu=0.2),
    ],
    ids=str,
)
def test_certify_agrees_with_the_fit_of_every_estimator(model, random_state, weighted):
    X, y = data(3)
    if isinstance(model, (SVR, NuSVR, OneClassSVM)):
        y = targets(X)
    assert_same(model.set_params(random_state=random_state), X, y, weights(len(y)) if weighted else None)


def test_hard_margin_is_certified_as_such():
    X, y = load_iris(return_X_y=True)
    assert_same(SVC(C=np.inf, kernel="linear"), X[y < 2], y[y < 2])


def test_certify_leaves_the_random_state_of_a_model_alone():
    X, y = data(2)
    random = np.random.RandomState(0)
    model = SVC(random_state=random).fit(X, y)
    before = random.get_state()[2]
    mercer.certify(model, X, y)
    assert random.get_state()[2] == before
