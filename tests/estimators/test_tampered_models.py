"""Whoever replaces what a model learned by something that does not fit hears a sentence at the next prediction."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier, is_outlier_detector
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
    NumericsWarning,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from tests.names import plain

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
    Perceptron(dot),
    Perceptron("precomputed"),
]
LINEAR_MACHINES = [
    LinearSVC(),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVR(),
    SGDClassifier(alpha=0.01, random_state=0),
    SGDRegressor(random_state=0),
    SGDOneClassSVM(random_state=0),
    Perceptron(max_iter=5),
]
# What they learned, and one class has an offset instead of an intercept.
ARRAYS = [
    (model, name)
    for model in LINEAR_MACHINES
    for name in ("coef_", "offset_" if is_outlier_detector(model) else "intercept_", "classes_")
    if name != "classes_" or is_classifier(model)
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
    if "coef" in name or "intercept" in name or "offset" in name:
        yield np.full_like(array, np.nan)


def answers(model):
    names = ("predict", "decision_function", "predict_proba", "score_samples")
    return [getattr(model, name) for name in names if hasattr(model, name)]


@LAYOUT
@CLASSES
@pytest.mark.parametrize("asked_before", [False, True], ids=["fresh", "asked before"])
@pytest.mark.parametrize("model", KERNEL_MACHINES, ids=plain)
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


@pytest.mark.parametrize("kind", [SVC, KernelRegression, lambda **way: Perceptron("rbf", **way)])
def test_warm_start_from_a_machine_that_does_not_fit_is_refused(kind):
    model, X = fitted(kind(warm_start=True), np.asarray, 2)
    model._machine.__dict__["support"] = model.support_[:-1]
    with pytest.raises(InputError, match=ADVICE):
        model.fit(X, np.arange(len(X)) % 2)


@LAYOUT
@CLASSES
@pytest.mark.parametrize(("model", "name"), ARRAYS, ids=plain)
def test_weights_and_classes_that_do_not_fit_are_refused(model, name, classes, layout):
    model, X = fitted(model, layout, classes)
    for wrong in unfit(name, getattr(model, name)):
        other = copy.copy(model)
        setattr(other, name, wrong)
        for answer in answers(other):
            with pytest.raises(InputError, match=ADVICE):
                answer(X)
            if name == "offset_":
                with pytest.raises(InputError, match="SGDOneClassSVM: expected offset_ to be finite numbers"):
                    answer(X)


@CLASSES
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_classes_of_a_perceptron_that_do_not_fit_are_refused(kernel, classes):
    model, X = fitted(Perceptron(kernel, max_iter=5), np.asarray, classes)
    for wrong in (None, "text", np.array([1]), np.arange(5), np.arange(4).reshape(2, 2)):
        model.classes_ = wrong
        with pytest.raises(InputError, match=ADVICE):
            model.predict(X)


@pytest.mark.parametrize("kernel", [RBF(0.1), Linear()], ids=plain)
def test_arrays_of_a_perceptron_with_a_kernel_are_those_of_its_machine(kernel):
    model, X = fitted(Perceptron(kernel), np.asarray, 3)
    for one in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "kernel_"):
            assert getattr(one, name) is getattr(one._machine, name.removesuffix("_"))
            with pytest.raises(AttributeError, match=f"{name} is a result of fit and cannot be set"):
                setattr(one, name, getattr(model, name))
        expected = one.kernel_(X, one.support_vectors_) @ one.dual_coef_.T + one.intercept_
        np.testing.assert_allclose(one.decision_function(X), expected, rtol=1e-9, atol=1e-9)
    # Through weights they are its own, as those of SGDClassifier.
    model.set_params(kernel="linear", max_iter=500).fit(X, np.arange(len(X)) < 50)
    with pytest.raises(AttributeError, match=r"dual_coef_.*kernel other than 'linear'"):
        model.dual_coef_  # noqa: B018
    before = model.decision_function(X)
    model.intercept_ = model.intercept_ + 1.0
    np.testing.assert_allclose(model.decision_function(X), before + 1.0, atol=1e-9)


@pytest.mark.parametrize("offset", [0.25, [0.25], np.array([0.25], np.float32)], ids=plain)
def test_offset_that_fits_is_used(offset):
    X, _ = load_iris(return_X_y=True)
    model = SGDOneClassSVM(random_state=0).fit(X)
    model.offset_ = offset
    np.testing.assert_allclose(model.score_samples(X), X @ model.coef_, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_ - 0.25, atol=1e-12)
    model.set_params(warm_start=True, max_iter=1, tol=None, learning_rate="constant", eta0=1e-12)
    with pytest.warns(NumericsWarning, match="weights of zero"):  # with that offset these weights are no good
        model.fit(X)
    np.testing.assert_allclose(model.offset_, [0.25], atol=1e-6)


FITTING = [LinearSVC(), SGDClassifier(alpha=0.01, random_state=0), Perceptron(max_iter=5)]


@pytest.mark.parametrize("model", FITTING, ids=plain)
def test_weights_and_names_that_fit_are_used(model):
    model, X = fitted(model, np.asarray, 3)
    codes = model.decision_function(X).argmax(axis=1)
    model.classes_ = ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(X), np.array(["a", "b", "c"])[codes])
    expected = X @ (2 * model.coef_).T + model.intercept_
    model.coef_ = (2 * model.coef_).tolist()
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


@pytest.mark.parametrize("kind", [SGDClassifier, SGDRegressor, SGDOneClassSVM, Perceptron])
def test_warm_start_from_weights_that_do_not_fit_is_refused(kind):
    model, X = fitted(kind(warm_start=True, random_state=0), np.asarray, 2)
    setattr(model, "offset_" if kind is SGDOneClassSVM else "intercept_", np.zeros(5))
    with pytest.raises(InputError, match=ADVICE):
        model.fit(X, np.arange(len(X)) % 2)


@pytest.mark.parametrize("model", [*KERNEL_MACHINES, *LINEAR_MACHINES], ids=plain)
def test_another_number_of_features_is_refused(model):
    model, X = fitted(model, np.asarray, 3)
    model.n_features_in_ += 1
    with pytest.raises(InputError):
        model.predict(np.hstack([X, X[:, :1]]))
