"""LinearSVC and LinearSVR among their neighbours: copies, pipelines, searches, calibration, and rows of every form to
predict."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LinearSVC, LinearSVR, Status

# What float32 keeps of rows of size ten.
SINGLE = 1e-4
# Products of a row in another order.
SUMMATION_ORDER = 1e-12

MODELS = {
    "squared hinge": LinearSVC(C=0.5),
    "hinge, coordinates": LinearSVC(loss="hinge", solver="coordinate-descent", random_state=3),
    "hinge, free intercept": LinearSVC(loss="hinge", regularize_intercept=False, class_weight="balanced"),
    "tube": LinearSVR(epsilon=0.1),
    "squared tube": LinearSVR(loss="squared_epsilon_insensitive", fit_intercept=False),
}


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


def data(model):
    X, y = load_iris(return_X_y=True) if isinstance(model, LinearSVC) else load_diabetes(return_X_y=True)
    return (X, y) if isinstance(model, LinearSVC) else (X * 10, y / 100)


def test_pickled_and_copied_models_are_the_same_machine(model):
    X, y = data(model)
    model.fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        np.testing.assert_array_equal(twin.coef_, model.coef_)
        assert twin.certificate_ == model.certificate_
        assert twin.status_ is Status.SOLVED
        assert str(twin.certificate_) == str(model.certificate_)


def test_pickled_model_can_be_fitted_again_from_where_it_was(model):
    X, y = data(model)
    twin = pickle.loads(pickle.dumps(model.set_params(warm_start=True, tol=1e-3).fit(X, y)))
    assert twin.fit(X, y).status_ is Status.SOLVED


def test_clone_is_unfitted_with_the_same_parameters(model):
    X, y = data(model)
    twin = clone(model.fit(X, y))
    assert not hasattr(twin, "coef_")
    assert twin.get_params() == model.get_params()
    np.testing.assert_array_equal(twin.fit(X, y).coef_, model.coef_)


def test_fit_leaves_the_parameters_alone(model):
    before = model.get_params()
    X, y = data(model)
    model.fit(X, y, sample_weight=np.ones(len(y)))
    assert model.get_params() == before


def test_predictions_are_those_of_the_weights(model):
    X, y = data(model)
    model.fit(X, y)
    values = X @ model.coef_.T + model.intercept_
    if isinstance(model, LinearSVC):
        np.testing.assert_allclose(model.decision_function(X), values, atol=SUMMATION_ORDER)
        np.testing.assert_array_equal(model.predict(X), model.classes_[values.argmax(axis=1)])
    else:
        np.testing.assert_allclose(model.predict(X), values, atol=SUMMATION_ORDER)


@pytest.mark.parametrize("classes", [2, 3])
def test_two_classes_have_one_value_a_row_and_more_have_a_column_each(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    values = LinearSVC().fit(X, y).decision_function(X)
    assert values.shape == ((len(y),) if classes == 2 else (len(y), 3))
    labels = (values > 0).astype(int) if classes == 2 else values.argmax(axis=1)
    np.testing.assert_array_equal(LinearSVC().fit(X, y).predict(X), labels)


@pytest.mark.parametrize("trained", [np.asarray, sp.csr_matrix, np.float32], ids=["dense", "sparse", "float32"])
def test_predictions_agree_on_every_form_of_the_rows(model, trained):
    X, y = data(model)
    model.fit(trained(X), y)
    values = model.predict if isinstance(model, LinearSVR) else model.decision_function
    exact = values(X)
    np.testing.assert_allclose(values(sp.csr_matrix(X)), exact, atol=SUMMATION_ORDER)
    np.testing.assert_allclose(values(sp.csc_array(X)), exact, atol=SUMMATION_ORDER)
    np.testing.assert_allclose(values(np.asfortranarray(X)), exact, atol=SUMMATION_ORDER)
    np.testing.assert_allclose(values(X.astype(np.float32)), exact, atol=SINGLE)
    np.testing.assert_allclose(values(sp.csr_matrix(X.astype(np.float32))), exact, atol=SINGLE)
    np.testing.assert_allclose(
        np.concatenate([values(X[i : i + 1]) for i in range(5)]), exact[:5], atol=SUMMATION_ORDER
    )


def test_pipeline_scores_as_with_scikit_learns_machine(model):
    X, y = data(model)
    twin = getattr(sklearn.svm, type(model).__name__)
    shared = {name: value for name, value in model.get_params().items() if name in twin().get_params()}
    free = not model.regularize_intercept
    theirs = twin(**shared | {"dual": model.loss in ("hinge", "epsilon_insensitive"), "max_iter": 100_000})
    scores = [cross_val_score(make_pipeline(StandardScaler(), each), X, y).mean() for each in (model, theirs)]
    assert scores[0] == pytest.approx(scores[1], abs=0.05 if free else 0.02)


def test_grid_search_finds_the_best_C(model):
    X, y = data(model)
    search = GridSearchCV(make_pipeline(StandardScaler(), model), {f"{type(model).__name__.lower()}__C": [1e-4, 1.0]})
    search.fit(X, y)
    assert search.best_params_[f"{type(model).__name__.lower()}__C"] == 1.0
    assert search.best_estimator_[-1].status_ is Status.SOLVED


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_classifier_gives_probabilities(method):
    X, y = load_iris(return_X_y=True)
    calibrated = CalibratedClassifierCV(LinearSVC(), method=method).fit(X, y)
    chances = calibrated.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.9


def test_several_classes_are_scikit_learns_one_vs_rest_wrapper():
    X, y = load_iris(return_X_y=True)
    whole = LinearSVC(tol=1e-9).fit(X, y)
    wrapped = OneVsRestClassifier(LinearSVC(tol=1e-9)).fit(X, y)
    np.testing.assert_allclose(whole.decision_function(X), wrapped.decision_function(X), atol=1e-3)


def test_features_are_selected_by_their_weights():
    X, y = load_iris(return_X_y=True)
    chosen = SelectFromModel(LinearSVC()).fit(X, y).get_support()
    assert 1 <= chosen.sum() < 4


def test_names_of_features_are_kept():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = LinearSVC().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize("kind", [LinearSVC, LinearSVR])
def test_every_parameter_of_scikit_learn_is_taken_with_its_default(kind):
    ours = inspect.signature(kind).parameters
    theirs = inspect.signature(getattr(sklearn.svm, kind.__name__)).parameters
    # −1 is no limit; False is quiet.
    for name in theirs:
        assert name in ours
        if name not in {"max_iter", "verbose", "intercept_scaling"}:
            assert ours[name].default == theirs[name].default, name
        assert ours[name].kind is theirs[name].kind, name


@pytest.mark.parametrize("classes", [2, 3])
def test_fitted_attributes_have_scikit_learns_shapes(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    pairs = [
        (LinearSVC().fit(X, y), sklearn.svm.LinearSVC().fit(X, y)),
        (LinearSVR().fit(X, y), sklearn.svm.LinearSVR(max_iter=100_000).fit(X, y)),
    ]
    for ours, theirs in pairs:
        for name in ("coef_", "intercept_", "n_iter_", "n_features_in_"):
            assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name
            assert np.asarray(getattr(ours, name)).dtype.kind == np.asarray(getattr(theirs, name)).dtype.kind, name
