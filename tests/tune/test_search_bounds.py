"""What a search says is proven: scores of exact machines lie within their bounds, and certificates claim no more."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_blobs, make_classification, make_moons
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, GridSearchCV

# Machines of this tolerance stand for the exact ones.
EXACT = 1e-8
# Scores of those are so near to the exact ones: squared errors of about one, values within some times EXACT.
OF_EXACT_SCORES = 1e-6
# Means of the same numbers in another order.
ROUNDING = 1e-9
# Far from the optimum, so that bounds are wide and mistakes in them show.
COARSE = 0.05

COSTS = [0.1, 1, 10, 100]
GRID = {"C": COSTS, "gamma": [0.3, 3]}
# With smaller ones all rows may be at their bounds; then there are many best offsets, and no score is the exact one.
ONE_OFFSET = {"C": [1, 10, 100], "gamma": [0.3, 3]}
FOLDS = StratifiedKFold(3)


def moons(n=120, seed=1):
    return make_moons(n, noise=0.3, random_state=seed)


def three_classes():
    return make_blobs(120, centers=3, cluster_std=3.0, random_state=4)


def imbalanced():
    return make_classification(150, 6, n_informative=4, weights=[0.85], flip_y=0.05, random_state=5)


def waves(n=90):
    random = np.random.default_rng(3)
    X = random.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * random.normal(size=n)


def positive_waves():
    X, y = waves()
    return X, np.exp(0.3 * y)


def at_tolerance(estimator, tol):
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "tol"]
    return clone(estimator).set_params(**dict.fromkeys(names, tol))


def exact_scores(estimator, grid, X, y, cv=FOLDS, scoring=None):
    """The mean score of each cell, by plain fits."""
    exact = at_tolerance(estimator, EXACT)
    cells = [clone(exact).set_params(**params) for params in ParameterGrid(grid)]
    return np.array([cross_val_score(cell, X, y, cv=cv, scoring=scoring).mean() for cell in cells])


def bounds_of(search, score="score"):
    return search.cv_results_[f"test_{score}_low"], search.cv_results_[f"test_{score}_high"]


def check_bounds(search, exact, slack=ROUNDING, score="score"):
    low, high = bounds_of(search, score)
    own = search.cv_results_[f"mean_test_{score}"]
    assert np.all(np.isfinite(low))
    assert np.all(np.isfinite(high))
    assert np.all(low - slack <= exact)
    assert np.all(exact <= high + slack)
    assert np.all(low - ROUNDING <= own)
    assert np.all(own <= high + ROUNDING)


@pytest.mark.parametrize("tol", [1e-3, COARSE])
@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1", "precision", "recall", "roc_auc"])
def test_bounds_hold_for_scores_of_labels(scoring, tol):
    X, y = moons(90)
    search = GridSearchCV(SVC(tol=tol), GRID, scoring=scoring, cv=FOLDS, settle=False).fit(X, y)
    check_bounds(search, exact_scores(SVC(), GRID, X, y, scoring=scoring))


@pytest.mark.parametrize("tol", [1e-3, COARSE])
@pytest.mark.parametrize(
    "scoring",
    [
        "r2",
        "neg_mean_squared_error",
        "neg_root_mean_squared_error",
        "neg_mean_absolute_error",
        "neg_median_absolute_error",
        "neg_max_error",
    ],
)
def test_bounds_hold_for_scores_of_errors(scoring, tol):
    X, y = waves()
    grid, folds = {"C": COSTS, "epsilon": [0.1, 0.5]}, KFold(3)
    search = GridSearchCV(SVR(tol=tol), grid, scoring=scoring, cv=folds, settle=False).fit(X, y)
    check_bounds(search, exact_scores(SVR(), grid, X, y, folds, scoring), OF_EXACT_SCORES)


MACHINES = {
    "three classes": (SVC(), GRID, three_classes, FOLDS),
    "one against the rest": (SVC(multi_class="ovr"), GRID, three_classes, FOLDS),
    "balanced classes": (SVC(class_weight="balanced"), GRID, imbalanced, FOLDS),
    "gamma from the rows": (SVC(), {"C": COSTS}, imbalanced, FOLDS),
    "linear kernel": (SVC(kernel="linear"), {"C": COSTS}, imbalanced, FOLDS),
    "polynomial kernel": (SVC(kernel="poly", coef0=1, gamma=0.2), {"C": COSTS}, moons, FOLDS),
    "pipeline": (make_pipeline(StandardScaler(), SVC()), {"svc__C": COSTS}, imbalanced, FOLDS),
    "regression": (SVR(), {"C": COSTS, "gamma": [0.1, 1]}, waves, KFold(3)),
    "scaled targets": (
        TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()),
        {"regressor__svr__C": COSTS},
        waves,
        KFold(3),
    ),
    "logarithms of targets": (
        TransformedTargetRegressor(SVR(), func=np.log, inverse_func=np.exp),
        {"regressor__C": COSTS},
        positive_waves,
        KFold(3),
    ),
}


@pytest.mark.parametrize("settle", [False, 3, True])
@pytest.mark.parametrize("name", MACHINES)
def test_bounds_hold_for_machines_of_all_kinds(name, settle):
    estimator, grid, data, folds = MACHINES[name]
    X, y = data()
    search = GridSearchCV(at_tolerance(estimator, COARSE), grid, cv=folds, settle=settle).fit(X, y)
    check_bounds(search, exact_scores(estimator, grid, X, y, folds), OF_EXACT_SCORES)


def test_bounds_of_several_scores_have_their_names():
    X, y = moons()
    names = ["accuracy", "balanced_accuracy", "roc_auc"]
    search = GridSearchCV(SVC(), GRID, scoring=names, refit="roc_auc", cv=FOLDS).fit(X, y)
    for name in names:
        check_bounds(search, exact_scores(SVC(), GRID, X, y, scoring=name), score=name)


def test_bounds_hold_where_rows_are_weighted():
    X, y = moons()
    weights = np.random.default_rng(0).uniform(0.1, 3, size=len(y))
    search = GridSearchCV(SVC(tol=COARSE), GRID, cv=FOLDS, settle=False).fit(X, y, sample_weight=weights)
    exact = []
    for params in ParameterGrid(GRID):
        scores = []
        for train, test in FOLDS.split(X, y):
            machine = SVC(tol=EXACT, **params).fit(X[train], y[train], sample_weight=weights[train])
            scores.append(machine.score(X[test], y[test], sample_weight=weights[test]))
        exact.append(np.mean(scores))
    check_bounds(search, np.array(exact))


def test_bounds_narrow_with_the_tolerance():
    X, y = moons(90)
    widths = []
    for tol in (0.1, 1e-3, 1e-6):
        low, high = bounds_of(GridSearchCV(SVC(tol=tol), ONE_OFFSET, cv=FOLDS, settle=False).fit(X, y))
        widths.append((high - low).max())
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1 * widths[0]


def test_bounds_are_unknown_where_nothing_is_proven():
    X, y = moons()
    kernels = {"a callable": lambda A, B: A @ B.T, "precomputed": "precomputed"}
    for kernel in kernels.values():
        rows = X @ X.T if kernel == "precomputed" else X
        search = GridSearchCV(SVC(kernel=kernel), {"C": [0.1, 1]}).fit(rows, y)
        assert np.all(np.isnan(bounds_of(search)))
        assert not search.certificate_
        assert "nothing is proven" in str(search.certificate_)


@pytest.mark.parametrize("tol", [1e-3, COARSE])
@pytest.mark.parametrize("data", [moons, three_classes])
def test_labels_that_are_proven_are_those_of_the_exact_machine(data, tol):
    X, y = data()
    search = GridSearchCV(SVC(tol=tol), GRID, cv=FOLDS, settle=False).fit(X, y)
    proven = search.cv_results_["labels_proven"]
    assert np.all((proven >= 0) & (proven <= 1))
    # A label that differs is not proven, and folds have as many rows each.
    differing = np.abs(search.cv_results_["mean_test_score"] - exact_scores(SVC(), GRID, X, y))
    assert np.all(differing <= 1 - proven + ROUNDING)


def test_labels_proven_are_all_of_them_where_machines_are_exact():
    X, y = make_blobs(90, centers=3, cluster_std=0.5, random_state=0)
    search = GridSearchCV(SVC(), {"C": [1, 10]}, settle=True).fit(X, y)
    assert search.cv_results_["labels_proven"][search.best_index_] == 1


def test_labels_proven_are_no_number_in_regression():
    search = GridSearchCV(SVR(), {"C": [1, 10]}).fit(*waves())
    assert np.all(np.isnan(search.cv_results_["labels_proven"]))


# ---------------------------------------------------------------- the choice


@pytest.mark.parametrize("settle", [1, 3, True])
@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1", "roc_auc"])
def test_score_of_the_choice_is_exact_where_it_is_settled(scoring, settle):
    X, y = moons()
    search = GridSearchCV(SVC(tol=COARSE), GRID, scoring=scoring, cv=FOLDS, settle=settle).fit(X, y)
    low, high = bounds_of(search)
    assert high[search.best_index_] - low[search.best_index_] <= ROUNDING
    exact = exact_scores(SVC(), GRID, X, y, scoring=scoring)
    assert search.best_score_ == pytest.approx(exact[search.best_index_], rel=0, abs=ROUNDING)


@pytest.mark.parametrize("refit", ["one_se", lambda results: 1], ids=["one_se", "a function"])
def test_score_of_the_choice_is_exact_however_it_is_chosen(refit):
    search = GridSearchCV(SVC(tol=COARSE), ONE_OFFSET, refit=refit, cv=FOLDS).fit(*moons())
    low, high = bounds_of(search)
    assert high[search.best_index_] - low[search.best_index_] <= ROUNDING


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error"])
def test_score_of_the_choice_is_nearly_exact_in_regression(scoring):
    X, y = waves()
    search = GridSearchCV(SVR(tol=COARSE), {"C": COSTS}, scoring=scoring, cv=KFold(3), settle=True).fit(X, y)
    low, high = bounds_of(search)
    # The gap of a machine in float64 is about 1e-14, and values are as near as its root.
    root_of_rounding = 1e-4
    assert high[search.best_index_] - low[search.best_index_] <= root_of_rounding


def test_choice_is_proven_on_easy_data():
    X, y = make_blobs(100, centers=[[-2.0, 0], [2, 0]], cluster_std=1.0, random_state=0)
    search = GridSearchCV(SVC(), ONE_OFFSET, settle=True).fit(X, y)
    assert search.certificate_
    assert search.certificate_.is_proven
    assert "proven" in str(search.certificate_)
    assert search.certificate_.to_dict()["is_proven"] is True


@pytest.mark.parametrize("seed", range(4))
def test_choice_that_is_proven_is_the_best_of_the_exact_machines(seed):
    X, y = moons(90, seed)
    search = GridSearchCV(SVC(tol=COARSE), ONE_OFFSET, cv=FOLDS, settle=True).fit(X, y)
    exact = exact_scores(SVC(), ONE_OFFSET, X, y)
    assert search.certificate_
    assert exact[search.best_index_] >= exact.max() - ROUNDING


@pytest.mark.parametrize("settle", [False, 1, 3, True])
@pytest.mark.parametrize("data", [moons, three_classes])
def test_certificate_claims_of_each_cell_what_is_true(data, settle):
    X, y = data()
    search = GridSearchCV(SVC(tol=COARSE), GRID, cv=FOLDS, settle=settle).fit(X, y)
    exact, proof = exact_scores(SVC(), GRID, X, y), search.certificate_
    assert proof.chosen == search.best_index_
    assert proof.cells == len(exact)
    told = [*proof.worse, *proof.equal, *proof.no_better, *proof.rivals, *proof.unknown]
    assert sorted([proof.chosen, *told]) == list(range(len(exact)))
    chosen = exact[proof.chosen]
    assert proof.low - ROUNDING <= chosen <= proof.high + ROUNDING
    assert all(exact[k] < chosen - ROUNDING for k in proof.worse)
    assert all(exact[k] <= chosen + ROUNDING for k in proof.no_better)
    assert all(abs(exact[k] - chosen) <= ROUNDING for k in proof.equal)


def test_certificate_says_of_no_cell_that_scores_the_same_that_it_scores_less():
    X, y = moons()
    grid = {"C": [1, 1e2, 1e4, 1e6], "gamma": [100.0]}  # from some C on, all machines are the same
    search = GridSearchCV(SVC(), grid, cv=FOLDS).fit(X, y)
    exact = exact_scores(SVC(), grid, X, y)
    assert exact[2] == exact[3]
    assert all(exact[k] < exact[search.best_index_] - ROUNDING for k in search.certificate_.worse)


def test_certificate_is_not_given_where_machines_are_coarse():
    search = GridSearchCV(SVC(tol=0.5), GRID, settle=False).fit(*moons())
    assert not search.certificate_
    assert search.certificate_.rivals


def test_certificate_of_a_worse_choice_says_no_best():
    search = GridSearchCV(SVC(), {"C": [1e-3, 1]}, refit=lambda results: 0, settle=True).fit(*imbalanced())
    results = search.cv_results_
    assert results["test_score_high"][0] < results["test_score_low"][1], "not worse: the test would prove nothing"
    assert not search.certificate_
    assert "this one scored best" not in str(search.certificate_)
    assert "this one is the best" not in str(search.certificate_)


# ---------------------------------------------------------------- copies, and numbers of machines


def test_copied_cells_have_the_scores_of_plain_fits():
    X, y = moons()
    grid = {"C": [1, 1e2, 1e4, 1e6], "gamma": [100.0]}
    search = GridSearchCV(SVC(), grid, cv=FOLDS, return_train_score=True, settle=False).fit(X, y)
    status = search.cv_results_["status"]
    assert status[0] == "solved"
    assert status[3] == "copied"
    for k, params in enumerate(ParameterGrid(grid)):
        plain = cross_validate(SVC(**params), X, y, cv=FOLDS, return_train_score=True)
        for fold in range(3):
            assert search.cv_results_[f"split{fold}_test_score"][k] == plain["test_score"][fold]
            assert search.cv_results_[f"split{fold}_train_score"][k] == plain["train_score"][fold]


def test_copied_cells_have_the_numbers_of_the_cell_before():
    search = GridSearchCV(SVR(), {"C": [10, 1000, 10000], "gamma": [50.0]}, cv=KFold(3), settle=False).fit(*waves())
    results = search.cv_results_
    assert results["status"][2] == "copied"
    for column in ("mean_test_score", "n_support", "violation"):
        assert results[column][2] == results[column][1]


def test_gap_and_violation_are_those_of_solved_machines():
    for tol in (COARSE, 1e-3, 1e-5):
        search = GridSearchCV(SVC(tol=tol), GRID, settle=False).fit(*moons())
        assert set(search.cv_results_["status"]) <= {"solved", "copied"}
        assert np.all(search.cv_results_["gap"] >= 0)
        assert np.all(search.cv_results_["violation"] <= tol)


@pytest.mark.parametrize("data", [moons, three_classes])
def test_number_of_support_vectors_is_that_of_plain_fits(data):
    X, y = data()
    search = GridSearchCV(SVC(tol=1e-6), GRID, cv=FOLDS, settle=False).fit(X, y)
    for k, params in enumerate(ParameterGrid(GRID)):
        counts = [len(SVC(tol=1e-6, **params).fit(X[train], y[train]).support_) for train, _ in FOLDS.split(X, y)]
        # A row whose multiplier is nearly zero counts in one machine and not in the other.
        assert search.cv_results_["n_support"][k] == pytest.approx(np.mean(counts), abs=1)
