"""What a search takes and what it refuses: every refusal names what was wrong, and failing cells end no search."""

import numpy as np
import pytest
import sklearn.svm
from sklearn import model_selection
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_moons
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, GridSearchCV, LinearSVC, NuSVC
from mercer.errors import ParameterError

COSTS = {"C": [0.1, 1, 10]}


@pytest.fixture(scope="module")
def points():
    return make_moons(80, noise=0.2, random_state=1)


def pipeline():
    return make_pipeline(StandardScaler(), SVC())


# ---------------------------------------------------------------- the grid

MISSPELT = {
    "a letter missing": (SVC(), "gama", "gamma"),
    "another case": (pipeline(), "svc__c", "svc__C"),
    "another step": (pipeline(), "svm__gamma", "svc__gamma"),
    "step of a regressor": (
        TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR())),
        "regressor__svr__epsilom",
        "regressor__svr__epsilon",
    ),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_unknown_parameter_is_refused_with_the_nearest_name(points, name):
    estimator, given, meant = MISSPELT[name]
    with pytest.raises(ParameterError, match=f"(?s){given!r}.*Did you mean {meant!r}"):
        GridSearchCV(estimator, {given: [1.0]}).fit(*points)


def test_unknown_parameter_is_refused_before_anything_is_fitted(points):
    called = []
    with pytest.raises(ParameterError, match="Invalid parameter 'gama'"):
        GridSearchCV(SVC(), [COSTS, {"gama": [1]}], callback=called.append).fit(*points)
    assert not called


def test_parameters_of_a_step_that_the_grid_puts_in_are_known(points):
    grid = {"svc": [SVC(), NuSVC()], "svc__gamma": [0.1, 1.0]}
    assert GridSearchCV(pipeline(), grid).fit(*points).best_score_ > 0.8


@pytest.mark.parametrize("values", [[], np.array([])], ids=["list", "array"])
def test_empty_list_of_values_is_refused(points, values):
    with pytest.raises(ValueError, match=r"'C'.*non-empty"):
        GridSearchCV(SVC(), {"C": values}).fit(*points)


def test_grid_without_any_cell_is_refused(points):
    with pytest.raises(ValueError, match=r"param_grid|candidates"):
        GridSearchCV(SVC(), []).fit(*points)


def test_grid_without_parameters_is_one_cell(points):
    search = GridSearchCV(SVC(), {}).fit(*points)
    assert search.best_params_ == {}
    assert len(search.cv_results_["params"]) == 1


@pytest.mark.parametrize("values", ["rbf", 1.0], ids=["a string", "a number"])
def test_values_that_are_no_list_are_refused(points, values):
    with pytest.raises(TypeError, match="needs to be a list"):
        GridSearchCV(SVC(), {"kernel": values}).fit(*points)


BAD_PARAMETERS = {
    "strategy unknown": ({"strategy": "greedy"}, r"strategy: expected one of 'grid', 'race'.*got 'greedy'"),
    "strategy no string": ({"strategy": None}, r"strategy: expected .*None"),
    "settle a string": ({"settle": "all"}, r"settle: expected .*'all'"),
    "settle negative": ({"settle": -1}, r"settle: expected .*-1"),
    "time_limit negative": ({"time_limit": -1}, r"time_limit: expected .*-1"),
    "time_limit zero": ({"time_limit": 0}, r"time_limit: expected .*0"),
    "time_limit a string": ({"time_limit": "soon"}, r"time_limit: expected .*'soon'"),
    "stop_at a string": ({"stop_at": "good"}, r"stop_at: expected .*'good'"),
    "memory zero": ({"memory": 0}, r"memory: expected .*0"),
    "n_jobs zero": ({"n_jobs": 0}, r"n_jobs: expected .*0"),
    "callback no callable": ({"callback": 3}, r"callback: expected .*3"),
    "error_score unknown": ({"error_score": "ignore"}, r"error_score"),
    "scoring unknown": ({"scoring": "acuracy"}, r"scoring"),
    "cv of one fold": ({"cv": 1}, r"cv|n_splits"),
    "refit of several scores": ({"scoring": ["accuracy", "f1"]}, r"refit"),
    "refit by an unknown score": ({"scoring": ["accuracy", "f1"], "refit": "recall"}, r"refit"),
    "param_grid a number": ({"param_grid": 5}, r"param_grid"),
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter_is_refused_by_name(points, name):
    options, message = BAD_PARAMETERS[name]
    with pytest.raises(ValueError, match=message):
        GridSearchCV(SVC(), **{"param_grid": COSTS, **options}).fit(*points)


# ---------------------------------------------------------------- data


@pytest.mark.parametrize("error_score", [np.nan, "raise"])
@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), NuSVC()], ids=repr)
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.FitFailedWarning", "ignore:Scoring failed", "ignore:One or more"
)
def test_rows_that_are_no_numbers_are_refused(points, estimator, error_score):
    X, y = points
    X = X.copy()
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        GridSearchCV(estimator, {"tol": [1e-3]}, error_score=error_score).fit(X, y)


BAD_DATA = {
    "fewer targets than rows": lambda X, y: ((X, y[:-1]), {}, "inconsistent numbers of samples"),
    "numbers for labels": lambda X, y: ((X, X[:, 0]), {}, "continuous|labels|classes"),
    "one class": lambda X, y: ((X, np.zeros_like(y)), {}, "class"),
    "fewer weights than rows": lambda X, y: ((X, y), {"sample_weight": np.ones(3)}, "sample_weight|weights"),
    "weights below zero": lambda X, y: ((X, y), {"sample_weight": -np.ones(len(y))}, "weight"),
    "no rows": lambda X, y: ((X[:0], y[:0]), {}, "0 sample"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_are_refused(points, name):
    data, fit_params, message = BAD_DATA[name](*points)
    with pytest.raises(ValueError, match=message):
        GridSearchCV(SVC(), COSTS, error_score="raise").fit(*data, **fit_params)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_fold_of_one_class_fails_alone(points):
    X, y = points
    folds = [(np.flatnonzero(y == 0)[:30], np.arange(40)), (np.arange(40), np.arange(40, 80))]
    searches = []
    for kind in (GridSearchCV, model_selection.GridSearchCV):
        with pytest.warns(FitFailedWarning, match="3 fits failed out of a total of 6"):
            searches.append(kind(SVC(), COSTS, cv=folds).fit(X, y))
    for column in ("split0_test_score", "split1_test_score", "mean_test_score"):
        np.testing.assert_array_equal(*(search.cv_results_[column] for search in searches))
    assert set(searches[0].cv_results_["status"]) == {"failed"}


def test_folds_of_one_class_only_are_refused(points):
    X, y = points
    order = np.argsort(y)
    with pytest.raises(ValueError, match=r"(?s)All the 6 fits failed.*class"):
        GridSearchCV(SVC(), COSTS, cv=KFold(2)).fit(X[order], y[order])
    with pytest.raises(ValueError, match="greater than one"):
        GridSearchCV(SVC(), COSTS, cv=KFold(2), error_score="raise").fit(X[order], y[order])


def test_more_folds_than_rows_of_a_class_warn_as_scikit_learn_does(points):
    X, y = points[0], np.r_[np.zeros(76, dtype=int), np.ones(4, dtype=int)]
    searches = []
    for kind in (GridSearchCV, model_selection.GridSearchCV):
        with pytest.warns(UserWarning, match="least populated class"):
            searches.append(kind(SVC(tol=1e-6), COSTS, cv=5).fit(X, y))
    np.testing.assert_array_equal(*(search.cv_results_["mean_test_score"] for search in searches))


def test_more_folds_than_rows_of_any_class_are_refused(points):
    with pytest.raises(ValueError, match="n_splits=50 cannot be greater"):
        GridSearchCV(SVC(), COSTS, cv=StratifiedKFold(50)).fit(*points)


# ---------------------------------------------------------------- cells and scorers that fail


def compared(points, estimator=None, grid=None, **options):
    """Our search and scikit-learn's, both with the warnings they must have."""
    estimator, grid = SVC() if estimator is None else estimator, COSTS if grid is None else grid
    return [kind(estimator, grid, **options).fit(*points) for kind in (GridSearchCV, model_selection.GridSearchCV)]


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize("error_score", [np.nan, 0.0, -1.0])
def test_cell_with_a_parameter_it_cannot_have_fails_alone(points, error_score):
    with pytest.warns(FitFailedWarning, match="C: expected a number > 0"):
        ours, theirs = compared(points, grid={"C": [-1, 1, 10]}, error_score=error_score)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.cv_results_["status"][0] == "failed"
    assert ours.best_params_ == theirs.best_params_


def test_cell_with_a_parameter_it_cannot_have_raises_where_that_is_asked(points):
    with pytest.raises(ParameterError, match="C: expected a number > 0"):
        GridSearchCV(SVC(), {"C": [-1, 1]}, error_score="raise").fit(*points)


def fail(y, predicted):
    raise RuntimeError("no score today")


def fail_with_a_value(y, predicted):
    raise ValueError("no score today")


def fail_by_machine(estimator, X, y):
    raise RuntimeError("no score today")


FAILING = {
    "of labels": make_scorer(fail),
    "of labels, for their values": make_scorer(fail_with_a_value),
    "of the machine": fail_by_machine,
}


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("name", FAILING)
def test_scorer_that_raises_gives_the_error_score(points, name, error_score):
    with pytest.warns(UserWarning, match="Scoring failed"):
        ours, theirs = compared(points, scoring=FAILING[name], error_score=error_score)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], np.full(3, error_score))


@pytest.mark.parametrize("name", FAILING)
def test_scorer_that_raises_is_heard_where_that_is_asked(points, name):
    with pytest.raises((RuntimeError, ValueError), match="no score today"):
        GridSearchCV(SVC(), COSTS, scoring=FAILING[name], error_score="raise").fit(*points)


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_one_of_several_scorers_may_raise(points):
    scoring = {"failing": make_scorer(fail), "accuracy": "accuracy"}
    with pytest.warns(UserWarning, match="Scoring failed"):
        ours, theirs = compared(points, scoring=scoring, refit="accuracy")
    assert np.all(np.isnan(ours.cv_results_["mean_test_failing"]))
    np.testing.assert_array_equal(ours.cv_results_["mean_test_accuracy"], theirs.cv_results_["mean_test_accuracy"])
    assert ours.best_index_ == theirs.best_index_


@pytest.mark.parametrize("strategy", ["grid", "race", "wilcoxon", "refine"])
def test_scorer_that_gives_no_number_ends_nothing(points, strategy):
    def no_number(y, predicted):
        return np.nan

    with pytest.warns(UserWarning, match="non-finite"):
        search = GridSearchCV(SVC(), COSTS, scoring=make_scorer(no_number), strategy=strategy).fit(*points)
    assert search.best_index_ == 0
    assert np.all(np.isnan(search.cv_results_["mean_test_score"]))
    assert not search.certificate_


def test_scorer_that_gives_no_number_of_some_cells_leaves_these_out(points):
    def unknown_where_all_are_the_same(y, predicted):
        return np.nan if len(np.unique(predicted)) == 1 else accuracy_score(y, predicted)

    X, y = points[0], (points[0][:, 0] > 1).astype(int)
    grid, scorer = {"C": [1e-4, 1, 10]}, make_scorer(unknown_where_all_are_the_same)
    with pytest.warns(UserWarning, match="non-finite"):
        ours, theirs = compared((X, y), grid=grid, scoring=scorer)
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], theirs.cv_results_["rank_test_score"])
    assert ours.best_index_ == theirs.best_index_ != 0


def test_scorer_that_gives_a_word_is_refused(points):
    with pytest.raises(ValueError, match="scoring must return a number"):
        GridSearchCV(SVC(), COSTS, scoring=make_scorer(lambda y, predicted: "good")).fit(*points)


# ---------------------------------------------------------------- estimators


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), sklearn.svm.SVC(), make_pipeline(StandardScaler(), LogisticRegression())],
    ids=repr,
)
def test_other_estimators_are_left_to_scikit_learn(points, estimator):
    name = next(name for name in estimator.get_params() if name == "C" or name.endswith("__C"))
    ours, theirs = compared(points, estimator, {name: [0.1, 1, 10]})
    assert "scikit-learn" in ours.plan_
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(ours.predict(points[0]), theirs.predict(points[0]))


@pytest.mark.parametrize(
    ("name", "value"), [("strategy", "race"), ("time_limit", 10.0), ("stop_at", 0.5), ("checkpoint", "search.jsonl")]
)
def test_other_estimators_are_refused_what_scikit_learn_cannot(points, tmp_path, name, value):
    value = tmp_path / value if name == "checkpoint" else value
    with pytest.raises(ParameterError, match=name):
        GridSearchCV(LogisticRegression(), COSTS, **{name: value}).fit(*points)


def test_linear_machine_scores_as_in_scikit_learns_search(points):
    ours, theirs = compared(points, LinearSVC(tol=1e-8))
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.best_params_ == theirs.best_params_
    assert ours.plan_


def test_probabilities_are_scored_by_fits_of_their_own(points):
    ours, theirs = compared(points, SVC(probability=True, random_state=0), scoring="neg_log_loss")
    assert "probabilities" in ours.plan_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-6)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.predict_proba(points[0]), theirs.predict_proba(points[0]), rtol=1e-6)


ALONE = {
    "infinite C": (SVC(), {"C": [1, np.inf]}, "infinite"),
    "indefinite kernel": (SVC(kernel="sigmoid", gamma=0.1), COSTS, "semi-definite"),
    "limit on steps": (SVC(max_iter=10**6), COSTS, "max_iter"),
    "primal formulation": (SVC(kernel="linear", formulation="primal"), COSTS, "primal"),
}


@pytest.mark.parametrize("name", ALONE)
def test_plan_says_why_cells_were_fitted_alone(points, name):
    estimator, grid, reason = ALONE[name]
    search = GridSearchCV(estimator, grid).fit(*points)
    assert "alone" in search.plan_
    assert reason in search.plan_
    assert set(search.cv_results_["status"]) == {"solved"}


def test_plan_says_that_the_memory_is_too_small(points):
    search = GridSearchCV(SVC(), COSTS, memory=1e-3).fit(*points)
    assert "together" not in search.plan_
    assert "more than" in search.plan_


def test_search_that_is_not_fitted_says_so(points):
    with pytest.raises(NotFittedError):
        GridSearchCV(SVC(), COSTS).predict(points[0])
