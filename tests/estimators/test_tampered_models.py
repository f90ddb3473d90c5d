"""Whoever replaces what a model learned by something that does not fit hears a sentence at the next prediction."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from mercer import (
    RBF,
    SVC,
    SVR,
    InputError,
    KernelRegression,
    Linear,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
)

ADVICE = "again instead of changing"


def dot(X, Z):
    return np.asarray((X @ Z.T).todense() if sp.issparse(X) else X @ Z.T)


KERNEL_MACHINES = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=RBF() + Linear(), multi_class="ovr"),
    SVC(kernel=dot),
    SVC(kernel="precomputed"),
    NuSVC(nu=0.2),
    SVR(),
    NuSVR(),
    OneClassSVM(nu=0.2),
    KernelRegression(max_passes=5, random_state=0),
    Perceptron("rbf"),
]
LINEAR_MACHINES = [
    LinearSVC(),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVR(),
    SGDClassifier(alpha=0.01, random_state=0),
    SGDRegressor(random_state=0),
    Perceptron(max_iter=5),
]
LAYOUT = pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
CLASSES = pytest.mark.parametrize("classes", [2, 3])


def fitted(model, layout, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X - X.mean(axis=0), np.minimum(y, classes - 1)
    X = X @ X.T if getattr(model, "kernel", None) == "precomputed" else layout(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overlapping classes and few passes are not the matter here
        return copy.deepcopy(model).fit(X, y), X


def unfit(name, array):
    """What cannot stand in for an array of a model."""
    yield from (None, "text", np.array([]), np.array([object()]))
    if sp.issparse(array):
        yield from (array[:-1], array[:, :-1], array.astype(complex))
        return
    yield from (array[:-1], np.concatenate([array, array]), array[..., None])
    if "classes" not in name:
        yield array.astype("U8") + "x"
    if "coef" in name or "intercept" in name:
        yield np.full_like(array, np.nan)


def answers(model):
    return [getattr(model, name) for name in ("predict", "decision_function", "predict_proba") if hasattr(model, name)]


@LAYOUT
@CLASSES
@pytest.mark.parametrize("asked_before", [False, True], ids=["fresh", "asked before"])
@pytest.mark.parametrize("model", KERNEL_MACHINES, ids=repr)
def test_arrays_that_do_not_fit_the_machine_are_refused(model, asked_before, classes, layout):
    model, X = fitted(model, layout, classes)
    names = ["support", "n_support", "dual_coef", "intercept"]
    names += ["classes"] if hasattr(model._machine, "classes") else []
    names += ["support_vectors"] if not model._machine.kernel.is_pairwise else []
    for name in names:
        for wrong in unfit(name, getattr(model._machine, name)):
            other = copy.deepcopy(model)
            if asked_before:
                other.predict(X)
            other._machine.__dict__[name] = wrong
            for answer in answers(other):
                with pytest.raises(InputError, match=ADVICE):
                    answer(X)


@LAYOUT
def test_coefficients_that_fit_are_used(layout):
    model, X = fitted(SVC(), layout, 3)
    before = model.decision_function(X)
    model._machine.__dict__["dual_coef"] = 2 * model._machine.dual_coef
    assert np.abs(model.decision_function(X) - before).max() > 0.1


def test_row_numbers_outside_the_kernel_matrix_are_refused():
    model, K = fitted(SVC(kernel="precomputed"), np.asarray, 2)
    for shift in (-1000, 1000):
        other = copy.deepcopy(model)
        other._machine.__dict__["support"] = model.support_ + shift
        with pytest.raises(InputError, match=ADVICE):
            other.predict(K)


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_parts_of_sparse_support_vectors_that_do_not_fit_are_refused(part):
    model, X = fitted(SVC(), sp.csr_matrix, 2)
    model.predict(X)
    setattr(model.support_vectors_, part, getattr(model.support_vectors_, part)[:-2] + 10**6)
    with pytest.raises(InputError):
        model.predict(X)


def test_warm_start_from_a_machine_that_does_not_fit_is_refused():
    model, X = fitted(SVC(warm_start=True), np.asarray, 2)
    model._machine.__dict__["support"] = model.support_[:-1]
    with pytest.raises(InputError, match=ADVICE):
        model.fit(X, np.arange(len(X)) % 2)


@LAYOUT
@CLASSES
@pytest.mark.parametrize("name", ["coef_", "intercept_", "classes_"])
@pytest.mark.parametrize("model", LINEAR_MACHINES, ids=repr)
def test_weights_and_classes_that_do_not_fit_are_refused(model, name, classes, layout):
    model, X = fitted(model, layout, classes)
    if name not in vars(model):
        pytest.skip("regression has no classes")
    for wrong in unfit(name, getattr(model, name)):
        other = copy.copy(model)
        setattr(other, name, wrong)
        for answer in answers(other):
            with pytest.raises(InputError, match=ADVICE):
                answer(X)


@CLASSES
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_classes_of_a_perceptron_that_do_not_fit_are_refused(kernel, classes):
    model, X = fitted(Perceptron(kernel, max_iter=5), np.asarray, classes)
    for wrong in (None, "text", np.array([1]), np.arange(5), np.arange(4).reshape(2, 2)):
        model.classes_ = wrong
        with pytest.raises(InputError, match=ADVICE):
            model.predict(X)


@pytest.mark.parametrize("model", [LinearSVC(), SGDClassifier(alpha=0.01, random_state=0)], ids=repr)
def test_weights_and_names_that_fit_are_used(model):
    model, X = fitted(model, np.asarray, 3)
    codes = model.decision_function(X).argmax(axis=1)
    model.classes_ = ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(X), np.array(["a", "b", "c"])[codes])
    expected = X @ (2 * model.coef_).T + model.intercept_
    model.coef_ = (2 * model.coef_).tolist()
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


def test_warm_start_from_weights_that_do_not_fit_is_refused():
    model, X = fitted(SGDClassifier(warm_start=True, alpha=0.01, random_state=0), np.asarray, 2)
    model.intercept_ = np.zeros(5)
    with pytest.raises(InputError, match=ADVICE):
        model.fit(X, np.arange(len(X)) % 2)


@pytest.mark.parametrize("model", [*KERNEL_MACHINES, *LINEAR_MACHINES], ids=repr)
def test_another_number_of_features_is_refused(model):
    model, X = fitted(model, np.asarray, 3)
    model.n_features_in_ += 1
    with pytest.raises(InputError):
        model.predict(np.hstack([X, X[:, :1]]))
