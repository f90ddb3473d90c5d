"""A kernel that is not positive semi-definite ends at a stationary point, and the fit says so without a warning."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Polynomial, Status, UnsolvedWarning

SIGMOID = {"kernel": "sigmoid", "gamma": 0.05}


def data(classes=2):
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X[y < classes]), y[y < classes]


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_fit_under_the_sigmoid_kernel_is_stationary_and_silent(kind):
    model = kind(**SIGMOID).fit(*data())
    assert model.status_ is Status.STATIONARY
    assert model.fit_status_ == 0
    assert model.certificate_.convex is False
    assert model.certificate_.holds(model.tol)
    assert model.status_.value.startswith("Stationary: the optimality conditions hold")


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_several_classes_are_stationary_where_their_parts_are(kind, multi_class):
    assert kind(multi_class=multi_class, **SIGMOID).fit(*data(3)).status_ is Status.STATIONARY
    assert kind(multi_class=multi_class).fit(*data(3)).status_ is Status.SOLVED


def test_polynomial_kernel_is_stationary_only_where_its_constant_is_negative():
    assert SVC(kernel=Polynomial(2, coef0=-0.5)).fit(*data()).status_ is Status.STATIONARY
    assert SVC(kernel=Polynomial(2, coef0=0.5)).fit(*data()).status_ is Status.SOLVED


def test_kernel_of_which_nobody_knows_is_solved():
    X, y = data()
    assert SVC(kernel=lambda X, Z: np.tanh(0.05 * X @ Z.T)).fit(X, y).status_ is Status.SOLVED
    assert SVC(kernel="precomputed").fit(np.tanh(0.05 * X @ X.T), y).status_ is Status.SOLVED


def test_limit_comes_before_stationary():
    with pytest.warns(UnsolvedWarning, match="iteration limit"):
        model = SVC(max_iter=1, **SIGMOID).fit(*data())
    assert (model.status_, model.fit_status_) == (Status.ITERATION_LIMIT, 1)


def test_solvers_end_at_other_stationary_points_as_the_guide_says():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours, theirs = SVC(kernel="sigmoid").fit(X, y), sklearn.svm.SVC(kernel="sigmoid").fit(X, y)
    points = [mercer.certify(model, X, y) for model in (ours, theirs)]
    assert ours.status_ is Status.STATIONARY
    assert all(point.violation <= 1e-3 for point in points)
    assert [round(point.primal, 1) for point in points] == [83.3, 70.3]
    assert np.count_nonzero(ours.predict(X) != theirs.predict(X)) == 37
