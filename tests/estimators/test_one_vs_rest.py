"""One machine for each class against the rest: as scikit-learn's wrapper has it, on shared support vectors."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_digits, load_iris
from sklearn.multiclass import OneVsRestClassifier

from mercer import SVC, NuSVC, ParameterError, Status, certify

TOL = 1e-8

MACHINES = [(SVC, {"C": 5.0}), (NuSVC, {"nu": 0.1})]


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16, y[:400]


DATA = {"iris": lambda: load_iris(return_X_y=True), "digits": digits}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(("machine", "parameters"), MACHINES, ids=["SVC", "NuSVC"])
def test_one_vs_rest_is_scikit_learns_wrapper(machine, parameters, kernel, data):
    X, y = DATA[data]()
    if machine is NuSVC and kernel == "linear" and data == "iris":
        pytest.skip("no hyperplane tells the middle class from the other two")
    ours = machine(kernel=kernel, gamma=0.2, tol=TOL, multi_class="ovr", **parameters).fit(X, y)
    twin = getattr(sklearn.svm, machine.__name__)(kernel=kernel, gamma=0.2, tol=TOL, **parameters)
    theirs = OneVsRestClassifier(twin).fit(X, y)
    assert ours.status_ is Status.SOLVED
    ours_values, theirs_values = ours.decision_function(X), theirs.decision_function(X)
    # Where a machine has no free support vector its intercept may lie anywhere in an interval.
    unique = [part.counts["free"] > 0 for part in ours.certificate_.parts]
    scale = np.abs(theirs_values[:, unique]).max(initial=1.0)
    np.testing.assert_allclose(ours_values[:, unique], theirs_values[:, unique], atol=1e-4 * scale)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[ours_values.argmax(axis=1)])
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.99


@pytest.mark.parametrize(("machine", "parameters"), MACHINES, ids=["SVC", "NuSVC"])
def test_one_vs_rest_of_two_classes_is_the_one_pair(machine, parameters):
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    pair, rest = (machine(multi_class=way, **parameters).fit(X, y) for way in ("ovo", "ovr"))
    np.testing.assert_array_equal(pair.decision_function(X), rest.decision_function(X))
    np.testing.assert_array_equal(pair.dual_coef_, rest.dual_coef_)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("machine", "parameters"), MACHINES, ids=["SVC", "NuSVC"])
def test_one_vs_rest_has_a_row_a_class_and_is_certified(machine, parameters, kind):
    X, y = load_iris(return_X_y=True)
    weights = np.linspace(0.5, 1.5, len(y))
    weights[::9] = 0
    model = machine(multi_class="ovr", tol=1e-6, **parameters).fit(kind(X), y, sample_weight=weights)
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert model.intercept_.shape == (3,)
    assert model.decision_function(X).shape == (len(y), 3)
    assert model.n_support_.sum() == len(model.support_)
    assert len(model.certificate_.parts) == 3
    assert certify(model, kind(X), y, sample_weight=weights).holds(1.01e-6)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    again = model.set_params(warm_start=True).fit(kind(X), y, sample_weight=weights)
    assert again.status_ is Status.SOLVED


def test_warm_start_from_the_other_way_starts_anew():
    X, y = load_digits(n_class=4, return_X_y=True)  # six pairs, four classes
    model = SVC(warm_start=True).fit(X, y).set_params(multi_class="ovr").fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, SVC(multi_class="ovr").fit(X, y).dual_coef_)


def test_coef_of_the_linear_kernel_has_a_row_a_class():
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", multi_class="ovr").fit(X, y)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), atol=1e-10)


def test_unknown_way_is_refused():
    with pytest.raises(ParameterError, match="multi_class"):
        SVC(multi_class="all").fit([[0.0], [1.0]], [0, 1])
