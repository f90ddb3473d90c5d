"""Estimators that choose their own parameters."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from mercer import SVC, SVR, ParameterError, TunedSVC, TunedSVR
from mercer.errors import InputError

SMALL = {"C": [1.0, 10.0], "gamma": [0.05, 0.5], "cv": 3}

# Rows that are left out or repeated come into other folds than rows with weights.
OTHER_FOLDS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}


def checks_of(estimator):
    return [
        pytest.param(one, check, id=f"{type(estimator).__name__}-{check.func.__name__}")
        for one, check in estimator_checks_generator(estimator)
        if check.func.__name__ not in OTHER_FOLDS
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "check"), [*checks_of(TunedSVC(**SMALL)), *checks_of(TunedSVR(**SMALL, epsilon=[0.1]))]
)
def test_tuned_estimators_pass_scikit_learns_checks(estimator, check):
    check(estimator)


def test_tuned_svc_scales_tunes_and_certifies():
    X, y = load_wine(return_X_y=True)
    model = TunedSVC().fit(X, y)
    assert model.best_score_ > 0.97
    assert set(model.best_params_) == {"C", "gamma"}
    assert model.choice_
    assert model.certificate_.holds(model.machine_.tol)
    assert model.score(X, y) > 0.98


def test_tuned_svc_is_the_search_over_its_pipeline():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(**SMALL).fit(X, y)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for params, score in zip(model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True):
        plain = make_pipeline(StandardScaler(), SVC(C=params["machine__C"], gamma=params["machine__gamma"]))
        assert score == pytest.approx(cross_val_score(plain, X, y, cv=folds).mean(), abs=1e-12)


def test_tuned_svr_scores_as_well_as_the_best_of_a_wide_grid():
    X, y = load_diabetes(return_X_y=True)
    assert TunedSVR(cv=3).fit(X, y).best_score_ > 0.47


def test_a_choice_at_the_end_of_its_own_range_extends_it():
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC(gamma=[1e-3]).fit(X, y)
    values = sorted({params["machine__C"] for params in model.cv_results_["params"]})
    assert model.n_extensions_ == (len(values) - 6) // 2
    assert model.best_params_["C"] < values[-1] or model.n_extensions_ == 4


def test_values_that_are_given_are_not_extended():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(C=[0.01, 0.02, 0.04], gamma=0.1).fit(X, y)
    assert model.n_extensions_ == 0
    assert {params["machine__C"] for params in model.cv_results_["params"]} == {0.01, 0.02, 0.04}


def test_sparse_rows_are_scaled_without_being_centred():
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC(**SMALL).fit(sp.csr_matrix(X), y)
    assert not model.best_estimator_[0].with_mean
    assert model.score(sp.csr_matrix(X), y) > 0.9


def test_a_class_with_a_single_row_is_refused():
    with pytest.raises(InputError, match="two rows or more of each class"):
        TunedSVC().fit([[0.0], [1.0], [2.0]], [0, 0, 1])


@pytest.mark.parametrize("conformal", ["split", "cv+", "cv"])
def test_sets_have_the_true_class_about_as_often_as_asked(conformal):
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    model = TunedSVC(**SMALL, conformal=conformal).fit(X, y)
    for level in (0.8, 0.95):
        sets = model.predict_set(X_test, level)
        assert sets.shape == (len(y_test), 2)
        covered = sets[np.arange(len(y_test)), y_test].mean()
        assert covered > level - 3 * np.sqrt(level * (1 - level) / len(y_test))


@pytest.mark.parametrize("conformal", ["split", "cv+", "cv"])
def test_intervals_have_the_target_about_as_often_as_asked(conformal):
    X, y = load_diabetes(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    model = TunedSVR(C=[100.0], gamma=[0.02], epsilon=[1.0], cv=5, conformal=conformal).fit(X, y)
    ends = model.predict_interval(X_test, 0.9)
    covered = np.mean((ends[:, 0] <= y_test) & (y_test <= ends[:, 1]))
    assert covered > 0.9 - 3 * np.sqrt(0.09 / len(y_test))


def test_split_conformal_sets_keep_their_level_over_many_splits():
    X, y = load_breast_cancer(return_X_y=True)
    covered = []
    for seed in range(20):
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed, stratify=y)
        model = TunedSVC(C=1.0, gamma=0.03, cv=2, conformal="split", random_state=seed, settle=False)
        sets = model.fit(X_train, y_train).predict_set(X_test, 0.9)
        covered.append(sets[np.arange(len(y_test)), y_test].mean())
    assert 0.89 < np.mean(covered) < 0.94


def test_sets_that_were_not_asked_for_are_refused():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(**SMALL).fit(X, y)
    with pytest.raises(NotFittedError, match="conformal='split', 'cv\\+' or 'cv'"):
        model.predict_set(X)


def test_unknown_conformal_methods_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="conformal"):
        TunedSVC(conformal="jackknife").fit(X, y)


def test_tuned_svr_without_scaling_is_a_plain_machine():
    X, y = load_diabetes(return_X_y=True)
    model = TunedSVR(C=100.0, gamma=1.0, epsilon=1.0, scale=False, cv=2).fit(X, y)
    plain = SVR(C=100.0, gamma=1.0, epsilon=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-12)


def test_probabilities_where_they_are_asked_for():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC(**SMALL, probability=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert not hasattr(clone(model).set_params(probability=False), "predict_proba")


def test_groups_are_kept_together():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(len(y)) % 10
    model = TunedSVC(C=[1, 10], gamma=[0.1], cv=GroupKFold(5)).fit(X, y, groups=groups)
    assert len(model.search_.cv) == 5
    for train, test in model.search_.cv:
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ParameterError, match="expected 'cv\\+' or 'cv' where rows come in groups"):
        TunedSVC(cv=GroupKFold(5), conformal="split").fit(X, y, groups=groups)
