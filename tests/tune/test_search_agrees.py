"""GridSearchCV finds what scikit-learn's finds around the same machine: every score, the choice and its predictions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.svm
from sklearn import model_selection
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_classification, make_moons
from sklearn.decomposition import PCA
from sklearn.exceptions import DataConversionWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler, scale

from mercer import RBF, SVC, SVR, GridSearchCV, Linear, LinearSVC, NuSVC, NuSVR
from tests.reference.datasets import load

# So near to the optimum, no held-out row of these sets is between the machines of the two searches: labels are equal.
TOL = 1e-6
# Means of the same numbers.
ROUNDING = 1e-12
# Values of two machines differ by a few times what each may violate; errors of about one are squared.
SCORES_FROM_VIOLATION = 20 * TOL

COSTS = [0.1, 1, 10, 100]


@dataclass(frozen=True)
class Case:
    """A search: what is fitted, to what data, and how."""

    estimator: Any
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]
    data: Callable[[], tuple[Any, Any]]
    options: Mapping[str, Any] = field(default_factory=dict)
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_tolerance: float = ROUNDING
    is_shared: bool = True  # whether the documentation promises that its cells are solved together


def moons(n=120):
    return make_moons(n, noise=0.3, random_state=1)


def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


def named(data):
    X, y = data()
    return X, np.array(["barbera", "grignolino", "nebbiolo"])[y]


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300] / 16, y[:300]


def imbalanced():
    return make_classification(150, 6, n_informative=4, weights=[0.85], flip_y=0.05, random_state=5)


def sparse_rows():
    X, y, _ = load("sparse text")
    return X, y


def waves(n=120):
    """Targets of about unit size, on a curved surface with noise."""
    random = np.random.default_rng(3)
    X = random.uniform(-2, 2, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * random.normal(size=n)


def positive_waves():
    X, y = waves()
    return X, np.exp(0.3 * y)


def frames():
    X, y = named(wine)
    return pd.DataFrame(X, columns=[f"measured {k}" for k in range(X.shape[1])]), pd.Series(y, index=range(500, 678))


def frames_of_numbers_and_words():
    X, y = load_wine(return_X_y=True)
    frame = pd.DataFrame(X[:, :4], columns=["alcohol", "acid", "ash", "alkalinity"])
    return frame.assign(colour=np.where(X[:, 9] > 4, "dark", "light")), y


def texts():
    random = np.random.default_rng(5)
    words, topics = ["red", "white", "dry", "sweet", "old"], [[0.4, 0.1, 0.2, 0.2, 0.1], [0.1, 0.4, 0.2, 0.1, 0.2]]
    y = np.arange(90) % 2
    return [" ".join(random.choice(words, size=8, p=topics[topic])) for topic in y], y


def incomplete():
    X, y = load_wine(return_X_y=True)
    X[::7, 3] = np.nan
    return X, y


def one_telling_column():
    """Of sixty columns, one tells the class."""
    X = np.random.default_rng(2).normal(size=(100, 60))
    return X, (X[:, 50] > 0).astype(int)


def columns(*numbers):
    return ColumnTransformer([("kept", "passthrough", list(numbers))])


def scaled(X, factors):
    return X * factors


def kernel_values():
    X, y = moons()
    return rbf_kernel(X, gamma=0.7), y


def three_blobs():
    return make_blobs(120, centers=3, cluster_std=3.0, random_state=4)


def some_rows_of(labels, count, seed):
    """Rows of the blobs with these labels, in no order."""
    _, y = three_blobs()
    return np.random.default_rng(seed).permutation(np.flatnonzero(np.isin(y, labels)))[:count]


def folds_of_which_some_lack_a_class(first):
    few = some_rows_of([0, 2], 50, 1), some_rows_of([0, 1, 2], 40, 2)
    all_three = [(some_rows_of([0, 1, 2], 80, seed), some_rows_of([0, 1, 2], 40, seed + 10)) for seed in (3, 4)]
    return [few, *all_three] if first else [*all_three, few]


def bootstrap_folds(n, count=3):
    """Rows drawn with repetition; those that were not drawn are held out."""
    random = np.random.default_rng(6)
    drawn = [random.integers(n, size=n) for _ in range(count)]
    return [(rows, np.setdiff1d(np.arange(n), rows)) for rows in drawn]


def linear_values(X, Z):
    return X @ Z.T


def second(results):
    return 1


def mean_of_rows(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


def two_scores_of_rows(estimator, X, y):
    return {"right": mean_of_rows(estimator, X, y), "size": float(len(y))}


WEIGHTS = np.random.default_rng(0).uniform(0.1, 3, size=120)
LABEL_SCORES = ["accuracy", "balanced_accuracy", "f1", "roc_auc", "average_precision"]
ERROR_SCORES = ["r2", "neg_mean_squared_error", "neg_mean_absolute_error", "neg_max_error"]
C_AND_GAMMA = {"C": COSTS, "gamma": [0.1, 1, 10]}
C_ONLY = {"C": COSTS}

CASES = {
    "two classes": Case(SVC(), C_AND_GAMMA, moons),
    "three classes": Case(SVC(), C_AND_GAMMA, wine),
    "three classes by name": Case(SVC(), C_AND_GAMMA, lambda: named(wine)),
    "ten classes": Case(SVC(), {"C": COSTS, "gamma": [0.05]}, digits, {"cv": 3}),
    "three noisy classes": Case(SVC(), C_AND_GAMMA, three_blobs),
    "values of pairs": Case(SVC(decision_function_shape="ovo"), C_ONLY, three_blobs),
    "ties broken by values": Case(SVC(break_ties=True), C_ONLY, three_blobs),
    "one against the rest": Case(SVC(multi_class="ovr"), C_AND_GAMMA, three_blobs),
    "regression": Case(
        SVR(), {"C": [0.1, 1, 10], "epsilon": [0.05, 0.5]}, waves, score_tolerance=SCORES_FROM_VIOLATION
    ),
    "errors of regression": Case(
        SVR(), C_ONLY, waves, {"scoring": ERROR_SCORES, "refit": "r2"}, score_tolerance=SCORES_FROM_VIOLATION
    ),
    "sparse rows": Case(SVC(kernel="linear"), C_ONLY, sparse_rows),
    "sparse rows under a Gaussian": Case(SVC(), {"C": COSTS, "gamma": [0.5]}, sparse_rows),
    "weights": Case(SVC(), C_AND_GAMMA, moons, fit_params={"sample_weight": WEIGHTS}),
    "weights of which some are zero": Case(
        SVC(), C_ONLY, moons, fit_params={"sample_weight": np.where(WEIGHTS < 1, 0, WEIGHTS)}
    ),
    "weights in regression": Case(
        SVR(), C_ONLY, waves, fit_params={"sample_weight": WEIGHTS}, score_tolerance=SCORES_FROM_VIOLATION
    ),
    "balanced classes": Case(SVC(class_weight="balanced"), C_AND_GAMMA, imbalanced),
    "weights of classes in the grid": Case(SVC(), {"C": COSTS, "class_weight": [None, {1: 4.0}]}, imbalanced),
    "pipeline": Case(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__C": COSTS, "svc__gamma": ["scale", 0.1]},
        lambda: load_wine(return_X_y=True),
    ),
    "pipeline with weights": Case(
        make_pipeline(StandardScaler(), SVC()), {"svc__C": COSTS}, moons, fit_params={"svc__sample_weight": WEIGHTS}
    ),
    "pipeline whose steps are in the grid": Case(
        make_pipeline(StandardScaler(), PCA(), SVC()),
        {"standardscaler": ["passthrough", StandardScaler()], "pca__n_components": [2, 5], "svc__C": [1, 10]},
        lambda: load_wine(return_X_y=True),
    ),
    "pipeline of columns by name": Case(
        make_pipeline(
            ColumnTransformer(
                [("numbers", StandardScaler(), ["alcohol", "ash"]), ("words", OneHotEncoder(), ["colour"])]
            ),
            SVC(),
        ),
        {"svc__C": COSTS},
        frames_of_numbers_and_words,
    ),
    "pipeline from texts": Case(
        make_pipeline(TfidfVectorizer(), SVC()),
        {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)], "svc__C": [1, 10]},
        texts,
    ),
    "pipeline that fills in": Case(
        make_pipeline(SimpleImputer(), StandardScaler(), SVC()), {"svc__C": COSTS}, incomplete
    ),
    "pipeline whose steps differ in one of many columns": Case(
        make_pipeline(columns(*range(40), 55), SVC(kernel="linear")),
        {"columntransformer": [columns(*range(40), 55), columns(*range(40), 50)], "svc__C": [0.01, 0.1]},
        one_telling_column,
    ),
    "pipeline whose steps have arrays in the grid": Case(
        make_pipeline(FunctionTransformer(scaled), SVC(gamma=1)),
        {
            "functiontransformer__kw_args": [{"factors": np.array([1.0, 0.01])}, {"factors": np.array([1.0, 1.0])}],
            "svc__C": [1, 10],
        },
        moons,
    ),
    "transformed targets": Case(
        TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()),
        {"regressor__svr__C": COSTS, "regressor__svr__epsilon": [0.05, 0.2]},
        waves,
        score_tolerance=SCORES_FROM_VIOLATION,
    ),
    "targets transformed by functions": Case(
        TransformedTargetRegressor(SVR(), func=np.log, inverse_func=np.exp),
        {"regressor__C": COSTS},
        positive_waves,
        score_tolerance=SCORES_FROM_VIOLATION,
    ),
    "gamma from the rows": Case(SVC(), {"C": COSTS, "gamma": ["scale", "auto"]}, wine),
    "precomputed kernel": Case(SVC(kernel="precomputed"), C_ONLY, kernel_values),
    "callable kernel": Case(SVC(kernel=linear_values), C_ONLY, moons),
    "linear and polynomial kernels": Case(
        SVC(),
        [
            {"kernel": ["linear"], "C": COSTS},
            {"kernel": ["poly"], "degree": [2, 3], "coef0": [1.0], "gamma": [0.5], "C": [0.1, 1]},
        ],
        moons,
    ),
    "kernel objects": Case(SVC(), {"C": COSTS, "kernel": [RBF(1.0), RBF(0.5) + Linear()]}, moons),
    "named columns": Case(SVC(), C_ONLY, frames),
    "lists": Case(SVC(), C_ONLY, lambda: tuple(part.tolist() for part in moons())),
    "float32 rows": Case(SVC(), C_ONLY, lambda: (moons()[0].astype(np.float32), moons()[1])),
    "groups": Case(SVC(), C_ONLY, moons, {"cv": model_selection.GroupKFold(4)}, {"groups": np.arange(120) // 8}),
    "folds in time": Case(SVC(), C_AND_GAMMA, moons, {"cv": model_selection.TimeSeriesSplit(4)}),
    "folds again and again": Case(
        SVC(),
        C_AND_GAMMA,
        moons,
        {"cv": model_selection.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)},
    ),
    "every row held out once": Case(SVC(), C_ONLY, lambda: moons(24), {"cv": model_selection.LeaveOneOut()}),
    "first fold lacks a class": Case(SVC(), C_AND_GAMMA, three_blobs, {"cv": folds_of_which_some_lack_a_class(True)}),
    "last fold lacks a class": Case(SVC(), C_AND_GAMMA, three_blobs, {"cv": folds_of_which_some_lack_a_class(False)}),
    "first fold lacks a class, one against the rest": Case(
        SVC(multi_class="ovr"), C_AND_GAMMA, three_blobs, {"cv": folds_of_which_some_lack_a_class(True)}
    ),
    "rows drawn with repetition": Case(SVC(), C_AND_GAMMA, moons, {"cv": bootstrap_folds(120)}, is_shared=False),
    "rows drawn with repetition in a pipeline": Case(
        make_pipeline(StandardScaler(), SVC()), {"svc__C": COSTS}, moons, {"cv": bootstrap_folds(120)}, is_shared=False
    ),
    "scores of training rows": Case(SVC(), C_AND_GAMMA, moons, {"return_train_score": True}),
    "scores of training rows of three classes": Case(SVC(), C_ONLY, three_blobs, {"return_train_score": True}),
    "several scores": Case(SVC(), C_ONLY, moons, {"scoring": LABEL_SCORES, "refit": "roc_auc"}),
    "several scores of three classes": Case(
        SVC(), C_ONLY, three_blobs, {"scoring": ["accuracy", "f1_macro", "balanced_accuracy"], "refit": "f1_macro"}
    ),
    "choice by a function": Case(SVC(), C_AND_GAMMA, moons, {"refit": second}),
    "values of C in no order": Case(SVC(), {"C": [100, 0.1, 10, 1, 10]}, moons),
    "tolerance in the grid": Case(SVC(), {"C": [1, 10], "tol": [TOL, TOL / 10]}, moons),
    "a thousand rows": Case(SVC(), {"C": [0.1, 1, 10], "gamma": [1, 10]}, lambda: moons(1000), {"cv": 3}),
    "a thousand rows of regression": Case(
        SVR(), {"C": [1, 10], "epsilon": [0.1]}, lambda: waves(1000), {"cv": 3}, score_tolerance=SCORES_FROM_VIOLATION
    ),
    "score that is a function of the machine": Case(SVC(), C_ONLY, moons, {"scoring": mean_of_rows}, is_shared=False),
    "scores that are a function of the machine": Case(
        SVC(), C_ONLY, moons, {"scoring": two_scores_of_rows, "refit": "right"}, is_shared=False
    ),
    "indefinite kernel": Case(SVC(kernel="sigmoid", gamma=0.1), C_ONLY, moons, is_shared=False),
    "linear machine": Case(LinearSVC(), C_ONLY, moons, is_shared=False),
    "nu in classification": Case(NuSVC(), {"nu": [0.4, 0.6], "gamma": [1, 3]}, moons, is_shared=False),
    "nu in regression": Case(
        NuSVR(),
        {"nu": [0.2, 0.5], "C": [1]},
        waves,
        score_tolerance=SCORES_FROM_VIOLATION,
        is_shared=False,
    ),
}
SHARED = [name for name, case in CASES.items() if case.is_shared]


def precise(estimator):
    """With all machines in it solved to the tolerance of these tests."""
    names = [
        name for name in estimator.get_params() if name == "tol" or name.endswith(("sv__tol", "svc__tol", "svr__tol"))
    ]
    names += [name for name in estimator.get_params() if name == "regressor__tol"]
    return clone(estimator).set_params(**dict.fromkeys(names, TOL))


@pytest.fixture(scope="module")
def searched():
    """Both searches, done once a case."""
    cache = {}

    def search(name):
        if name not in cache:
            case = CASES[name]
            X, y = case.data()
            both = [
                kind(precise(case.estimator), case.grid, **case.options).fit(X, y, **case.fit_params)
                for kind in (GridSearchCV, model_selection.GridSearchCV)
            ]
            cache[name] = X, y, *both
        return cache[name]

    return search


def score_columns(results):
    return [name for name in results if name.startswith("split") and ("_test_" in name or "_train_" in name)]


@pytest.mark.parametrize("name", CASES)
def test_scores_of_all_cells_agree_on_all_folds(name, searched):
    _, _, ours, theirs = searched(name)
    columns = score_columns(theirs.cv_results_)
    assert set(score_columns(ours.cv_results_)) == set(columns)
    for column in columns:
        np.testing.assert_allclose(
            ours.cv_results_[column], theirs.cv_results_[column], rtol=0, atol=CASES[name].score_tolerance
        )


@pytest.mark.parametrize("name", CASES)
def test_choice_agrees(name, searched):
    _, _, ours, theirs = searched(name)
    assert ours.best_index_ == theirs.best_index_
    assert repr(ours.best_params_) == repr(theirs.best_params_)
    assert hasattr(ours, "best_score_") == hasattr(theirs, "best_score_")
    if hasattr(theirs, "best_score_"):
        assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=0, abs=CASES[name].score_tolerance)


@pytest.mark.parametrize("name", CASES)
def test_refitted_machine_predicts_the_same(name, searched):
    X, y, ours, theirs = searched(name)
    if hasattr(theirs, "classes_"):
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    else:
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=SCORES_FROM_VIOLATION)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=0, abs=SCORES_FROM_VIOLATION)


@pytest.mark.parametrize("name", CASES)
def test_results_have_scikit_learns_columns(name, searched):
    _, _, ours, theirs = searched(name)
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    assert repr(ours.cv_results_["params"]) == repr(theirs.cv_results_["params"])
    for column, values in theirs.cv_results_.items():
        assert len(ours.cv_results_[column]) == len(values)
        if column.startswith("rank_"):
            np.testing.assert_array_equal(ours.cv_results_[column], values)
        if column.startswith("param_"):
            assert ours.cv_results_[column].dtype == values.dtype
            np.testing.assert_array_equal(ours.cv_results_[column].mask, values.mask)
    assert ours.n_splits_ == theirs.n_splits_
    assert ours.multimetric_ == theirs.multimetric_
    assert ours.refit_time_ >= 0


@pytest.mark.parametrize("name", SHARED)
def test_cells_are_solved_together(name, searched):
    _, _, ours, _ = searched(name)
    assert "together" in ours.plan_
    assert "alone" not in ours.plan_


def test_feature_names_are_those_of_the_frame(searched):
    X, _, ours, theirs = searched("named columns")
    np.testing.assert_array_equal(ours.feature_names_in_, theirs.feature_names_in_)
    np.testing.assert_array_equal(ours.feature_names_in_, X.columns)
    assert ours.n_features_in_ == theirs.n_features_in_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_targets_in_a_column_are_read_as_scikit_learn_reads_them():
    X, y = moons()
    with pytest.warns(DataConversionWarning):
        ours = GridSearchCV(SVC(tol=TOL), C_ONLY).fit(X, y[:, None])
    theirs = model_selection.GridSearchCV(SVC(tol=TOL), C_ONLY).fit(X, y)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.parametrize("data", [moons, lambda: load_iris(return_X_y=True)], ids=["moons", "iris"])
def test_search_finds_what_scikit_learn_finds_around_its_own_machine(data):
    X, y = data()
    ours = GridSearchCV(SVC(tol=TOL), C_AND_GAMMA).fit(X, y)
    theirs = model_selection.GridSearchCV(sklearn.svm.SVC(tol=TOL), C_AND_GAMMA).fit(X, y)
    for column in score_columns(theirs.cv_results_):
        np.testing.assert_allclose(ours.cv_results_[column], theirs.cv_results_[column], rtol=0, atol=ROUNDING)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=0, abs=ROUNDING)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", ["two classes", "ten classes", "one against the rest", "pipeline", "a thousand rows"])
def test_scores_do_not_depend_on_the_number_of_threads(name):
    case = CASES[name]
    one, two = (
        GridSearchCV(precise(case.estimator), case.grid, n_jobs=n_jobs, **case.options).fit(*case.data())
        for n_jobs in (1, 2)
    )
    for column in score_columns(one.cv_results_):
        np.testing.assert_array_equal(one.cv_results_[column], two.cv_results_[column])


@pytest.mark.parametrize("name", ["two classes", "three noisy classes", "regression", "pipeline"])
def test_scores_do_not_depend_on_the_memory(name, searched):
    case = CASES[name]
    _, _, plenty, _ = searched(name)
    little = GridSearchCV(precise(case.estimator), case.grid, memory=0.01, **case.options).fit(*case.data())
    assert "together" not in little.plan_
    for column in score_columns(plenty.cv_results_):
        np.testing.assert_allclose(
            little.cv_results_[column], plenty.cv_results_[column], rtol=0, atol=case.score_tolerance
        )


@pytest.mark.parametrize("scoring", [None, ["accuracy", "f1"]])
def test_search_without_refit_has_the_attributes_of_scikit_learns(scoring):
    ours, theirs = (
        kind(SVC(tol=TOL), C_ONLY, refit=False, scoring=scoring).fit(*moons())
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    for name in ("best_index_", "best_params_", "best_score_", "best_estimator_", "refit_time_"):
        assert hasattr(ours, name) == hasattr(theirs, name), name


def test_search_changes_neither_the_estimator_nor_the_grid():
    estimator, grid = make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 10], "svc__gamma": ["scale"]}
    search = GridSearchCV(estimator, grid)
    before = {name: repr(value) for name, value in search.get_params().items()}
    search.fit(*moons())
    assert {name: repr(value) for name, value in search.get_params().items()} == before
    assert not hasattr(estimator[0], "mean_")
    assert not hasattr(estimator[-1], "support_")
