"""Every estimator within scikit-learn: pipelines, searches, wrappers, frames, metadata and callbacks."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    SVR,
    KernelRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    SGDOneClassSVM,
    Status,
    UnsolvedWarning,
)

CLASSIFIERS = [SVC(), NuSVC(nu=0.2)]
REGRESSORS = [SVR(C=100.0), NuSVR(C=100.0)]
# Of these, what takes a kernel is certified.
CERTIFIED = [*CLASSIFIERS, *REGRESSORS, OneClassSVM(nu=0.2)]
ALL = [*CERTIFIED, SGDOneClassSVM(nu=0.2, random_state=0)]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def data_for(model, iris, diabetes):
    return diabetes if is_regressor(model) else iris


def name(model):
    return type(model).__name__


@pytest.mark.parametrize("model", ALL, ids=name)
def test_kind_of_the_estimator_is_scikit_learns(model):
    kinds = [is_classifier(model), is_regressor(model), is_outlier_detector(model)]
    assert kinds.index(True) == {"C": 0, "R": 1, "M": 2}[name(model)[-1]]
    assert sum(kinds) == 1


@pytest.mark.parametrize("model", ALL, ids=name)
def test_pipeline_and_search_work(model, iris, diabetes):
    X, y = data_for(model, iris, diabetes)
    pipeline = make_pipeline(StandardScaler(), model).set_output(transform="pandas")
    step, scoring = name(model).lower(), None if hasattr(model, "score") else "accuracy"
    target = np.ones(len(y)) if is_outlier_detector(model) else y
    grid = {f"{step}__gamma": [0.01, 0.1]} if hasattr(model, "gamma") else {f"{step}__nu": [0.1, 0.2]}
    search = GridSearchCV(pipeline, grid, scoring=scoring, cv=3).fit(X, target)
    assert np.isfinite(search.best_score_)
    assert search.best_estimator_[-1].status_ is (Status.SOLVED if hasattr(model, "gamma") else Status.STEADY)
    assert search.best_estimator_[-1].feature_names_in_.tolist() == [f"x{k}" for k in range(X.shape[1])]
    assert name(model) in search._repr_html_()


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
def test_wrappers_of_classifiers_work(model, iris):
    X, y = iris
    for wrapper in (
        CalibratedClassifierCV(model),
        BaggingClassifier(model, n_estimators=4, random_state=0),
        OneVsRestClassifier(model),
        OneVsOneClassifier(model),
        StackingClassifier([("machine", model)], LogisticRegression()),
    ):
        assert wrapper.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_wrappers_of_regressors_work(model, diabetes):
    X, y = diabetes
    alone = model.fit(X, y).score(X, y)
    for wrapper in (
        BaggingRegressor(model, n_estimators=4, random_state=0),
        StackingRegressor([("machine", model)], LinearRegression()),
    ):
        assert wrapper.fit(X, y).score(X, y) > alone - 0.1


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("model", ALL, ids=name)
def test_frames_are_taken_with_their_names(model, library, iris, diabetes):
    frames = pytest.importorskip(library)
    X, y = data_for(model, iris, diabetes)
    columns = [f"column {k}" for k in range(X.shape[1])]
    frame = frames.DataFrame(dict(zip(columns, X.T, strict=True)))
    fitted = model.fit(frame, frames.Series(y))
    assert fitted.feature_names_in_.tolist() == columns
    np.testing.assert_array_equal(fitted.predict(frame), type(model)(**model.get_params()).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.rename(columns=str.upper) if library == "pandas" else frame.rename(str.upper))


@pytest.mark.parametrize("model", ALL, ids=name)
def test_weights_are_routed_as_metadata(model, iris, diabetes):
    X, y = data_for(model, iris, diabetes)
    weights = np.linspace(0.5, 1.5, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        machine = type(model)(**model.get_params()).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), machine)
        routed = pipeline.fit(X, y, sample_weight=weights)
    direct = type(model)(**model.get_params()).fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    found = "dual_coef_" if hasattr(direct, "dual_coef_") else "coef_"
    np.testing.assert_array_equal(getattr(routed[-1], found), getattr(direct, found))


def test_scores_of_several_metrics_agree_with_scikit_learn(diabetes):
    ours, theirs = (
        cross_validate(model(C=100.0, tol=1e-6), *diabetes, scoring=("r2", "neg_mean_absolute_error"))
        for model in (SVR, sklearn.svm.SVR)
    )
    for key in ("test_r2", "test_neg_mean_absolute_error"):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-4)


# ---------------------------------------------------------------- scikit-learn's callbacks


class Listener:
    """Writes down the tasks it hears of."""

    max_propagation_depth = None

    def __init__(self, stops=False):
        self.heard = []
        self.stops = stops

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, metadata, fitted_estimator):
        self.heard.append(f"end {context.task_name}")
        if context.task_name == "progress":
            assert metadata["steps"] >= 0
            return self.stops
        return False

    def teardown(self, estimator, context):
        self.heard.append("teardown")


needs_callbacks = pytest.mark.skipif(not hasattr(SVC, "set_callbacks"), reason="scikit-learn before 1.9")


@needs_callbacks
@pytest.mark.parametrize("model", [*ALL, Perceptron(), Perceptron("rbf"), KernelRegression()], ids=str)
def test_callbacks_hear_of_the_fit(model, iris, diabetes):
    listener = Listener()
    type(model)(**model.get_params()).set_callbacks(listener).fit(*data_for(model, iris, diabetes))
    assert listener.heard[:2] == ["setup", "begin fit"]
    assert listener.heard[-2:] == ["end fit", "teardown"]


@needs_callbacks
def test_callbacks_hear_of_progress_and_stop_a_long_fit():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((8000, 20)), rng.integers(0, 2, 8000)
    listener = Listener(stops=True)
    with pytest.warns(UnsolvedWarning, match="callback"):
        model = SVC(C=1000.0, gamma=0.05).set_callbacks(listener).fit(X, y)
    assert model.status_ is Status.INTERRUPTED
    assert listener.heard == ["setup", "begin fit", "begin progress", "end progress", "end fit", "teardown"]


@needs_callbacks
def test_callbacks_are_torn_down_where_the_fit_fails(iris):
    listener = Listener()
    with pytest.raises(ValueError, match="C"):
        SVC(C=-1).set_callbacks(listener).fit(*iris)
    assert listener.heard == ["setup", "begin fit", "teardown"]


@needs_callbacks
def test_callbacks_of_a_search_reach_the_machine_in_its_pipeline(iris):
    listener = Listener()
    pipeline = make_pipeline(StandardScaler(), SVC())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GridSearchCV(pipeline, {"svc__C": [1, 10]}, cv=2).set_callbacks(listener).fit(*iris)
    assert listener.heard.count("setup") == listener.heard.count("teardown") == 1
