"""SVC within scikit-learn: copies, files, pipelines, searches and calibration, as with scikit-learn's own."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RBF, SVC, Linear, Polynomial


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def through_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


def through_a_memory_map(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib", mmap_mode="r")


COPIES = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model, folder: pickle.loads(pickle.dumps(model, protocol=2)),
    "joblib": through_joblib,
    "a memory map": through_a_memory_map,
    "deepcopy": lambda model, folder: copy.deepcopy(model),
    "copy": lambda model, folder: copy.copy(model),
}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["rbf", "linear", RBF(0.1) + 0.5 * Polynomial(2)], ids=str)
@pytest.mark.parametrize("way", COPIES)
def test_copy_of_a_fitted_model_predicts_the_same_bits(iris, tmp_path, way, kernel, kind):
    X, y = iris
    model = SVC(kernel=kernel).fit(kind(X), y)
    expected = model.decision_function(X)
    other = COPIES[way](model, tmp_path)
    np.testing.assert_array_equal(other.decision_function(X), expected)
    assert other.status_ is model.status_
    assert other.certificate_ == model.certificate_
    assert not other.intercept_.flags.writeable
    other.set_params(C=0.1).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), expected)


def test_clone_carries_parameters_and_no_fit(iris):
    model = SVC(C=3.0, kernel=RBF(0.1) + Linear(), n_jobs=2, gap_tol=1e-3, callback=print).fit(*iris)
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert not hasattr(other, "support_")
    assert is_classifier(other)


def test_parameters_are_not_changed_by_fit(iris):
    model = SVC(gamma="scale", class_weight={0: 1, 1: 2, 2: 3}, n_jobs=None, random_state=3)
    before = dict(model.get_params())
    assert model.fit(*iris).get_params() == before


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_finds_what_it_finds_with_scikit_learn(iris, n_jobs):
    grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1.0]}
    ours, theirs = (GridSearchCV(model(tol=1e-6), grid, n_jobs=n_jobs).fit(*iris) for model in (SVC, sklearn.svm.SVC))
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.007)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=0.007)


def test_grid_search_over_kernel_objects(iris):
    search = GridSearchCV(SVC(), {"kernel": [Linear(), RBF(0.1), RBF(0.1) + Polynomial(2)]}).fit(*iris)
    assert search.best_score_ > 0.95


def test_grid_search_splits_precomputed_matrices_on_both_sides(iris):
    X, y = iris
    ours = cross_val_score(SVC(kernel="precomputed"), X @ X.T, y)
    np.testing.assert_allclose(ours, cross_val_score(SVC(kernel="linear"), X, y), atol=0.04)


def test_pipeline_with_cross_validation_in_two_processes(cancer):
    pipeline = make_pipeline(StandardScaler(), SVC())
    scores = cross_val_score(pipeline, *cancer, n_jobs=2)
    theirs = cross_val_score(make_pipeline(StandardScaler(), sklearn.svm.SVC()), *cancer)
    np.testing.assert_allclose(scores, theirs, atol=0.01)


def test_cross_validation_in_two_threads(cancer):
    pipeline = make_pipeline(StandardScaler(), SVC())
    with joblib.parallel_config("threading"):
        scores = cross_val_score(pipeline, *cancer, n_jobs=2)
    np.testing.assert_array_equal(scores, cross_val_score(pipeline, *cancer))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_gives_probabilities(iris, method):
    X, y = iris
    probabilities = CalibratedClassifierCV(SVC(), method=method).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities.argmax(axis=1) == y).mean() > 0.9


def test_wrappers_pass_weights_and_labels_through(iris):
    X, y = iris
    assert BaggingClassifier(SVC(), n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.9
    assert OneVsRestClassifier(SVC()).fit(X, y).score(X, y) > 0.9


def test_pipeline_with_set_output_hands_over_named_columns(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), SVC()).set_output(transform="pandas").fit(X, y)
    assert pipeline[-1].feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    assert pipeline.score(X, y) > 0.9


def test_html_and_text_show_the_parameters(iris):
    model = SVC(C=3.5, kernel=RBF(0.25))
    assert "3.5" in model._repr_html_()
    assert repr(model) == "SVC(C=3.5, kernel=RBF(gamma=0.25))"
    assert "SVC" in model.fit(*iris)._repr_html_()


def test_routed_weights_reach_fit_and_score(iris):
    X, y = iris
    weights = np.where(y == 2, 10.0, 1.0)
    model = SVC().fit(X, y, sample_weight=weights)
    assert model.score(X, y, sample_weight=weights) >= SVC().fit(X, y).score(X, y, sample_weight=weights)
