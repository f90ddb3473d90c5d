"""The ξα bound against the errors that leaving each row out really makes."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs, make_moons
from sklearn.preprocessing import scale

from mercer import RBF, SVC, InputError, NuSVC
from mercer.inspection import xi_alpha_bound


def blobs():
    return make_blobs(50, centers=2, cluster_std=2.0, random_state=2)


def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:60], y[:60]


def two_irises():
    X, y = load_iris(return_X_y=True)
    return scale(X[50::2]), y[50::2]


def noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 3)), rng.integers(0, 2, 40)


DATA = [blobs, tumours, two_irises, noise, lambda: make_moons(60, noise=0.25, random_state=0)]
MODELS = [
    SVC(kernel="linear", C=0.1),
    SVC(kernel="linear", C=10.0),
    SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0, C=0.1),
    SVC(gamma=0.1),
    SVC(gamma=2.0, C=5.0),
    sklearn.svm.SVC(gamma=0.5),
]


def errors_of_refits(model, X, y):
    wrong = []
    for i in range(len(y)):
        others = np.delete(np.arange(len(y)), i)
        wrong.append(clone(model).fit(X[others], y[others]).predict(X[[i]])[0] != y[i])
    return np.flatnonzero(wrong)


@pytest.mark.parametrize("data", DATA, ids=["blobs", "tumours", "irises", "noise", "moons"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_error_of_leave_one_out_is_among_the_rows_counted(model, data):
    X, y = data()
    bound = xi_alpha_bound(clone(model).set_params(tol=1e-6).fit(X, y), X, y)
    assert bound.has_free
    assert set(errors_of_refits(model, X, y)) <= set(bound.rows)
    assert bound.errors == len(bound.rows)
    assert bound.share == pytest.approx(bound.errors / len(y))


def test_bound_is_useful_where_few_rows_matter():
    X, y = make_blobs(60, centers=[[-4, 0], [4, 0]], random_state=0)
    assert xi_alpha_bound(SVC(kernel="linear", C=np.inf).fit(X, y), X, y).share < 0.2


def test_counted_rows_are_those_of_the_formula():
    X, y = blobs()
    model = SVC(gamma=0.3).fit(X, y)
    K = RBF(0.3)(X)
    alpha = np.zeros(50)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    slack = np.maximum(0, 1 - (2 * y - 1) * model.decision_function(X))
    expected = np.flatnonzero(2 * alpha * (1 - K.min()) + slack >= 1 - model.tol)
    bound = xi_alpha_bound(model, X, y)
    np.testing.assert_array_equal(bound.rows, expected)
    assert bound.squared_radius == pytest.approx(1 - K.min())
    by_values = xi_alpha_bound(SVC(kernel="precomputed").fit(K, y), K, y)
    np.testing.assert_array_equal(by_values.rows, expected)


def test_other_models_and_other_rows_are_refused():
    X, y = blobs()
    with pytest.raises(InputError, match="expected a fitted SVC, got NuSVC"):
        xi_alpha_bound(NuSVC().fit(X, y), X, y)
    model = SVC().fit(X, y)
    with pytest.raises(InputError, match="training rows"):
        xi_alpha_bound(model, X[:20], y[:20])
    with pytest.raises(InputError, match="fitted on"):
        xi_alpha_bound(model, X[::-1], y)
    iris = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="one of the 3 functions"):
        xi_alpha_bound(SVC().fit(*iris), *iris)
