"""A pickle, and so `joblib.hash`, tells what was fitted, not what was asked of it since; and takes no work to make."""

import copy
import inspect
import pickle
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

import mercer
from mercer import (
    RBF,
    SVC,
    SVR,
    FeatureMap,
    FeatureRelevance,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelDensity,
    KernelRegression,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    LinearSVC,
    LinearSVR,
    LocallyWeightedRegression,
    NearestNeighbors,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    ParzenClassifier,
    ParzenRegressor,
    Perceptron,
    Polynomial,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    RBFSampler,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    SparseGaussianProcessRegressor,
    SparseKernelRidge,
    SparseKernelRidgeCV,
)
from mercer.certificates import Evidence

MODELS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel="laplacian", C=1e4),
    SVC(kernel=RBF() + 2 * Polynomial(2), multi_class="ovr"),
    SVC(kernel="precomputed"),
    SVC(solver="smo-sketch", trace=True, C=0.1),
    NuSVC(nu=0.2),
    NuSVC(nu=0.2, multi_class="ovr"),
    SVR(),
    SVR(kernel="linear", warm_start=True),
    NuSVR(),
    OneClassSVM(nu=0.3),
    LinearSVC(),
    LinearSVC(multi_class="crammer_singer", warm_start=True),
    LinearSVR(),
    SGDClassifier(random_state=0),
    SGDClassifier(loss="softmax", average=True, random_state=0),
    SGDClassifier(loss="modified_huber", alpha=0.01, random_state=0),
    SGDRegressor(random_state=0),
    SGDRegressor(loss="huber", warm_start=True, random_state=0),
    SGDOneClassSVM(random_state=0),
    SGDOneClassSVM(average=True, warm_start=True, random_state=0),
    KernelRegression(random_state=0),
    KernelRegression(validation_fraction=0.2, warm_start=True, random_state=0),
    KernelRidge(kernel="rbf"),
    KernelRidge(kernel="precomputed", fit_intercept=True),
    KernelRidgeCV(kernel="rbf"),
    SparseKernelRidge(n_components=10, random_state=0),
    SparseKernelRidgeCV(kernel="precomputed", n_components=10, random_state=0),
    KernelRidgeClassifier(),
    Perceptron(),
    Perceptron(penalty="l2", warm_start=True),
    Perceptron("rbf"),
    Perceptron(RBF() + 2 * Polynomial(2), warm_start=True),
    Perceptron("precomputed"),
    FeatureMap(Polynomial(2)),
    FeatureRelevance(),
    FeatureRelevance("ridge"),
    NearestNeighbors(),
    NearestNeighbors(metric="cosine"),
    GaussianProcessClassifier(optimizer=None),
    GaussianProcessRegressor(alpha=0.1, normalize_y=True),
    SparseGaussianProcessRegressor(n_inducing=10, optimizer=None, random_state=0),
    KNeighborsClassifier(weights="distance", class_weight="balanced"),
    KNeighborsRegressor(metric="manhattan"),
    RadiusNeighborsClassifier(outlier_label="most_frequent"),
    RadiusNeighborsRegressor(3.0),
    KNNImputer(),
    Nystroem(n_components=10, random_state=0),
    RBFSampler(random_state=0),
    LocallyWeightedRegression(frac=0.9, robust_iterations=1),
    KernelDensity(),
    ParzenClassifier(bandwidth=0.5),
    ParzenRegressor(bandwidth=0.5),
]
MODEL = pytest.mark.parametrize("model", MODELS, ids=repr)
# Kernel values, rows with missing values, of windows, of processes and of scales are dense.
DENSE_ALONE = (
    *(KNNImputer, LocallyWeightedRegression, KernelDensity, ParzenClassifier, ParzenRegressor),
    *(FeatureRelevance, GaussianProcessClassifier, GaussianProcessRegressor, SparseGaussianProcessRegressor),
)


def takes_sparse(model):
    return getattr(model, "kernel", None) != "precomputed" and not isinstance(model, DENSE_ALONE)


MODEL_AND_LAYOUT = pytest.mark.parametrize(
    ("model", "layout"),
    [(model, np.asarray) for model in MODELS] + [(model, sp.csr_matrix) for model in MODELS if takes_sparse(model)],
    ids=repr,
)


def test_every_estimator_is_among_these():
    everything = [getattr(mercer, name) for name in mercer.__all__ if name not in mercer.tune.__all__]
    public = {value for value in everything if inspect.isclass(value) and hasattr(value, "fit")}
    assert {type(model) for model in MODELS} == public


def iris_for(model, layout=np.asarray):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if getattr(model, "kernel", None) == "precomputed":
        return X @ X.T, y
    return layout(X), y


def fitted(model, layout=np.asarray):
    X, y = iris_for(model, layout)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few passes and overlapping classes are not the matter here
        return copy.deepcopy(model).fit(X, y)


def ask_everything(model, X):
    """Calls what a fitted model answers, and reads all its attributes."""
    for name in ("predict", "decision_function", "predict_proba", "score_samples", "transform", "error_bound"):
        if hasattr(model, name):
            getattr(model, name)(X)
            getattr(model, name)(X[:1])
            if X.dtype == np.float64:
                getattr(model, name)(X.astype(np.float32))
    for name in dir(model):
        if not name.startswith("_") and not name.startswith("prob"):  # sigmoids, which machines without warn of
            getattr(model, name, None)
    if hasattr(model, "certificate_"):
        str(model.certificate_)
    repr(model)


@MODEL_AND_LAYOUT
def test_questions_do_not_change_the_pickle(model, layout):
    model = fitted(model, layout)
    before, named = pickle.dumps(model), joblib.hash(model)
    ask_everything(model, iris_for(model, layout)[0])
    assert pickle.dumps(model) == before
    assert joblib.hash(model) == named
    other = pickle.loads(before)
    ask_everything(other, iris_for(model, layout)[0])
    assert joblib.hash(other) == joblib.hash(pickle.loads(before))


@MODEL
def test_pickled_model_answers_as_before(model):
    model = fitted(model)
    X, _ = iris_for(model)
    other = pickle.loads(pickle.dumps(model))
    for name in ("predict", "decision_function", "transform"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(other, name)(X), getattr(model, name)(X))
    if hasattr(model, "certificate_"):
        assert other.certificate_ == model.certificate_
        assert other.certificate_ is other.certificate_


PIECES = [SGDClassifier(random_state=0), SGDRegressor(random_state=0), SGDOneClassSVM(random_state=0), Perceptron()]


@pytest.mark.parametrize("model", PIECES, ids=repr)
def test_questions_between_pieces_do_not_change_the_pickle(model):
    X, y = iris_for(model)
    classes = {"classes": np.unique(y)} if hasattr(model, "class_weight") else {}
    model = copy.deepcopy(model).partial_fit(X[::2], y[::2], **classes)
    before = pickle.dumps(model)
    ask_everything(model, X)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_pickling_works_nothing_out(kind, monkeypatch):
    model = fitted(kind(nu=0.2) if kind in (NuSVC, OneClassSVM) else kind())
    expected = copy.deepcopy(model).certificate_

    def fail(evidence):
        raise AssertionError("pickling asked for the certificates")

    with monkeypatch.context() as patched:
        patched.setattr(Evidence, "certificates", property(fail))
        pickled = pickle.dumps(model)
        other = pickle.loads(pickled)
    assert other.certificate_ == expected
