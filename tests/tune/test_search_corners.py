"""Searches in the corners where they went wrong once: odd folds and weights, steps, files and kernels."""

import numpy as np
import pytest
import sklearn.svm
from sklearn import config_context, model_selection
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import accuracy_score, fbeta_score, make_scorer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mercer import SVC, SVR, GridSearchCV, InputError, TunedSVC
from mercer.plot import plot_validation_curve

IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def noisy():
    X, y = load_breast_cancer(return_X_y=True)
    random = np.random.default_rng(0)
    return StandardScaler().fit_transform(X), np.where(random.random(len(y)) < 0.2, 1 - y, y)


def check_scores(own, grid, X, y, peer=None, atol=0.02, **fit):
    """Scores are scikit-learn's within a held-out row or two, and within their own bounds."""
    peer = sklearn.svm.SVC() if peer is None else peer
    theirs = model_selection.GridSearchCV(peer, grid, cv=own.cv, return_train_score=own.return_train_score).fit(
        X, y, **fit
    )
    for column in ("mean_test_score", *(["mean_train_score"] if own.return_train_score else [])):
        np.testing.assert_allclose(own.cv_results_[column], theirs.cv_results_[column], rtol=0, atol=atol)


@pytest.mark.parametrize("zeros", [slice(None, None, 7), slice(149, 150)])
def test_several_classes_with_weights_of_zero(zeros):
    weights = np.ones(150)
    weights[zeros] = 0
    grid = {"C": [0.1, 1, 10]}
    search = GridSearchCV(SVC(), grid).fit(*IRIS, sample_weight=weights)
    check_scores(search, grid, *IRIS, sample_weight=weights)
    assert "together" in search.plan_


def test_several_classes_with_rows_that_a_fold_has_several_times():
    random = np.random.default_rng(0)
    cv = [(random.integers(0, 150, 150), random.choice(150, 40, replace=False)) for _ in range(4)]
    grid = {"C": [0.01, 0.1, 1, 10], "gamma": [0.01, 0.1]}
    check_scores(GridSearchCV(SVC(), grid, cv=cv).fit(*IRIS), grid, *IRIS)


def test_a_fold_with_two_of_three_classes_before_one_with_all():
    cv = [(np.r_[0:30, 50:80], np.r_[100:110]), (np.r_[0:50, 60:100, 120:150], np.r_[30:40])]
    grid = {"C": [1], "gamma": [0.05, 0.5]}
    check_scores(GridSearchCV(SVC(), grid, cv=cv, return_train_score=True).fit(*IRIS), grid, *IRIS)


@pytest.mark.parametrize("first", ["grid", "race", "wilcoxon", "refine"])
@pytest.mark.parametrize("second", ["race", "wilcoxon"])
def test_every_strategy_goes_on_from_the_file_of_every_other(noisy, tmp_path, first, second):
    grid = {"C": [0.01, 0.1, 1, 10, 100], "gamma": [0.001, 0.01, 0.1, 1]}
    path = tmp_path / "search.jsonl"
    for strategy in (first, second):
        search = GridSearchCV(SVC(), grid, strategy=strategy, checkpoint=path, settle=False, time_limit=60)
        search.fit(*noisy)
    whole = GridSearchCV(SVC(), grid, settle=False).fit(*noisy)
    assert search.best_score_ >= whole.best_score_ - 0.01


def test_a_file_is_of_its_closures(noisy, tmp_path):
    def scorer(beta):
        return make_scorer(lambda y, predicted: fbeta_score(y, predicted, beta=beta))

    def scaler(factor):
        return FunctionTransformer(lambda X: X * factor)

    path, grid = tmp_path / "search.jsonl", {"C": [1]}
    GridSearchCV(SVC(), grid, scoring=scorer(0.1), checkpoint=path).fit(*noisy)
    GridSearchCV(SVC(), grid, scoring=scorer(0.1), checkpoint=path).fit(*noisy)
    with pytest.raises(InputError, match="another scoring"):
        GridSearchCV(SVC(), grid, scoring=scorer(10), checkpoint=path).fit(*noisy)
    path = tmp_path / "other.jsonl"
    GridSearchCV(make_pipeline(scaler(1), SVC()), {"svc__C": [1]}, checkpoint=path).fit(*noisy)
    with pytest.raises(InputError, match="another estimator"):
        GridSearchCV(make_pipeline(scaler(100), SVC()), {"svc__C": [1]}, checkpoint=path).fit(*noisy)


def test_a_file_is_of_the_weights_of_its_scores(noisy, tmp_path):
    path = tmp_path / "search.jsonl"
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        machine = SVC().set_fit_request(sample_weight=False)
        search = GridSearchCV(machine, {"C": [1]}, scoring=scorer, checkpoint=path)
        search.fit(*noisy, sample_weight=np.ones(len(noisy[1])))
        with pytest.raises(InputError, match="another data"):
            search.fit(*noisy, sample_weight=np.where(noisy[1] == 1, 10.0, 0.1))


@pytest.mark.parametrize(("n", "offset", "C", "tol"), [(82, 9.3e4, 0.8, 0.1), (80, 1e3, 1, 1e-3), (80, 1e5, 1, 1e-3)])
def test_kernel_values_beyond_all_precision_end_and_are_told(n, offset, C, tol):
    random = np.random.default_rng(0)
    X = 0.4 * random.normal(size=(n, 1)) + offset
    y = (X[:, 0] - offset + 0.2 * random.normal(size=n) > 0).astype(int)
    machine = SVC(kernel="poly", degree=2, tol=tol)
    search = GridSearchCV(machine, {"C": [C]}, settle=False, cv=3, time_limit=20).fit(X, y)
    violation = search.cv_results_["violation"][0]
    assert np.isnan(violation) or violation <= max(0.2, 2 * tol)  # fitted alone, or known to be solved
    assert np.isfinite(search.best_score_)


class _OnlyFitAndTransform(BaseEstimator):
    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X):
        return X - self.mean_


def test_steps_without_fit_transform():
    grid = {"svc__C": [0.1, 1]}
    search = GridSearchCV(make_pipeline(_OnlyFitAndTransform(), SVC()), grid).fit(*IRIS)
    check_scores(search, grid, *IRIS, make_pipeline(_OnlyFitAndTransform(), sklearn.svm.SVC()))
    assert "together" in search.plan_


class _FailsAt(TransformerMixin, BaseEstimator):
    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y=None):
        if self.fails:
            raise RuntimeError("no")
        return self

    def transform(self, X):
        return X


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
def test_steps_may_fail_with_any_error():
    search = GridSearchCV(make_pipeline(_FailsAt(), SVC()), {"_failsat__fails": [False, True]}).fit(*IRIS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).tolist() == [True, False]
    assert search.cv_results_["status"].tolist() == ["solved", "failed"]


class _FitsOtherwise(TransformerMixin, BaseEstimator):
    """As encoders that leave a row's own target out while they are fitted."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X

    def fit_transform(self, X, y=None):
        return X[:, ::-1].copy()


def test_training_scores_behind_steps_that_fit_and_transform_otherwise():
    grid = {"svc__C": [0.1, 1]}
    search = GridSearchCV(make_pipeline(_FitsOtherwise(), SVC()), grid, return_train_score=True).fit(*IRIS)
    check_scores(search, grid, *IRIS, make_pipeline(_FitsOtherwise(), sklearn.svm.SVC()))
    assert "_fitsotherwise transforms its training rows otherwise" in search.plan_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
def test_one_standard_error_beside_cells_that_failed():
    search = GridSearchCV(SVC(), {"C": [-1, 1, 10]}, refit="one_se").fit(*IRIS)
    assert search.best_params_["C"] in (1, 10)


def test_one_standard_error_knows_the_C_that_a_cell_does_not_name():
    search = GridSearchCV(SVC(), [{"C": [0.5, 1]}, {"gamma": ["scale"]}], refit="one_se").fit(*IRIS)
    assert search.best_params_ == {"C": 0.5}


def test_tuned_machines_chosen_by_a_function():
    model = TunedSVC(refit=lambda results: 0, cv=3).fit(*IRIS)
    assert model.best_score_ == model.cv_results_["mean_test_score"][0]


@pytest.mark.parametrize("conformal", ["cv", "cv+"])
def test_sets_want_all_classes_in_all_folds(conformal):
    model = TunedSVC(conformal=conformal, C=[1], gamma=[0.1], cv=KFold(4, shuffle=True, random_state=0))
    with pytest.raises(InputError, match=r"expects folds with all classes.*without \[2\]"):
        model.fit(IRIS[0][:101], IRIS[1][:101])


def test_a_curve_of_no_scores_is_refused():
    search = GridSearchCV(SVC(), {"C": [1, 10]}, scoring=lambda *_: np.nan)
    with pytest.warns(UserWarning, match="non-finite"):
        search.fit(*IRIS)
    with pytest.raises(InputError, match="expected a cell with a score"):
        plot_validation_curve(search, "C")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
def test_refining_passes_over_what_is_no_number():
    search = GridSearchCV(SVC(), {"gamma": [0.1, np.ones(4), "scale"]}, strategy="refine").fit(*IRIS)
    assert np.isfinite(search.best_score_)


def test_what_a_file_knows_may_be_good_enough(tmp_path):
    path, grid = tmp_path / "search.jsonl", {"C": [0.5, 1, 2], "gamma": [0.1, 0.2]}
    GridSearchCV(SVC(), grid, checkpoint=path, settle=False).fit(*IRIS)
    grid["C"] = [0.5, 1, 2, 3]
    search = GridSearchCV(SVC(), grid, checkpoint=path, settle=False, stop_at=0.5).fit(*IRIS)
    assert np.count_nonzero(search.all_cv_results_["seconds"] > 0) == 0


def test_regression_is_told_in_float64_where_float32_would_hide_it():
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 2))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=200)
    search = GridSearchCV(SVR(gamma=0.01), {"C": [1e4, 1e6]}, cv=3, settle=False).fit(X, y)
    violation = search.cv_results_["violation"]
    assert np.all(np.isnan(violation) | (violation <= 0.2 * np.std(y)))
    assert violation[0] < 1e-6
