"""Ways through a grid: what is left out and why, when a search ends, and how it goes on from a file."""

import pickle
import sys

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mercer import RBF, SVC, SVR, GridSearchCV
from mercer.errors import InputError, ParameterError

GRID = {"C": [0.01, 0.1, 1, 10, 100], "gamma": [0.001, 0.01, 0.1, 1, 10]}
CELLS, FOLDS = 25, 5
# Means of the same numbers in another order.
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def points():
    """Two classes that a narrow kernel parts well, and a wide one badly."""
    return make_moons(150, noise=0.2, random_state=1)


@pytest.fixture(scope="module")
def whole_grid(points):
    return GridSearchCV(SVC(), GRID).fit(*points)


def is_known(search):
    """Cells by folds: whether there is a score."""
    return np.stack([np.isfinite(search.cv_results_[f"split{k}_test_score"]) for k in range(search.n_splits_)], axis=1)


def check_cells_that_were_left(search, status):
    """Cells without all scores have none in the mean, rank last, and say why; the others are whole."""
    results, complete = search.cv_results_, is_known(search).all(axis=1)
    assert complete.any()
    assert not complete.all(), "no cell was left: the test would prove nothing"
    assert np.all(np.isnan(results["mean_test_score"][~complete]))
    assert np.all(np.isfinite(results["mean_test_score"][complete]))
    assert results["rank_test_score"][~complete].min() > results["rank_test_score"][complete].max()
    assert set(results["status"][~complete]) <= set(status)
    assert set(results["status"][complete]) <= {"solved", "copied"}
    assert complete[search.best_index_]
    assert search.best_score_ == np.nanmax(results["mean_test_score"])


def check_known_scores(search, whole_grid):
    """Scores that are there are those of the whole grid."""
    for k in range(search.n_splits_):
        own, others = (one.cv_results_[f"split{k}_test_score"] for one in (search, whole_grid))
        # Machines are within tol, from other starts; a held-out row in fifty may be between two of them.
        np.testing.assert_allclose(own[np.isfinite(own)], others[np.isfinite(own)], rtol=0, atol=0.04)


# ---------------------------------------------------------------- race


def test_race_makes_the_choice_of_the_whole_grid(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="race").fit(*points)
    assert search.best_params_ == whole_grid.best_params_
    assert search.best_score_ == pytest.approx(whole_grid.best_score_, rel=0, abs=ROUNDING)
    np.testing.assert_array_equal(search.predict(points[0]), whole_grid.predict(points[0]))
    check_known_scores(search, whole_grid)


def test_race_drops_cells_that_cannot_be_the_best(points):
    search = GridSearchCV(SVC(), GRID, strategy="race").fit(*points)
    check_cells_that_were_left(search, ["dropped, proven worse", "dropped, worse whatever the other folds say"])


def test_race_drops_no_cell_that_the_whole_grid_has_as_the_best(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="race").fit(*points)
    best = np.flatnonzero(whole_grid.cv_results_["mean_test_score"] >= whole_grid.best_score_ - ROUNDING)
    assert np.all(np.isfinite(search.cv_results_["mean_test_score"][best]))


@pytest.mark.parametrize("settle", [False, 3])
def test_race_solves_less_than_the_whole_grid(points, settle):
    race, grid = (
        GridSearchCV(SVC(), GRID, strategy=strategy, settle=settle).fit(*points) for strategy in ("race", "grid")
    )
    fits = [np.count_nonzero(search.all_cv_results_["split"] >= 0) for search in (race, grid)]
    assert fits[0] < 0.8 * fits[1]


RACES = {
    "two classes": (SVC(tol=1e-6), {"C": [0.01, 1, 100], "gamma": [0.01, 1, 100]}, None),
    "area under the curve": (SVC(tol=1e-6), {"C": [0.01, 1, 100], "gamma": [0.01, 1, 100]}, "roc_auc"),
    "pipeline": (
        make_pipeline(StandardScaler(), SVC(tol=1e-6)),
        {"svc__C": [0.01, 1, 100], "svc__gamma": [0.01, 1, 100]},
        None,
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", RACES)
def test_race_makes_the_same_choice_on_all_data(name, seed):
    estimator, grid, scoring = RACES[name]
    X, y = make_classification(90, 4, n_informative=3, n_redundant=0, flip_y=0.1, random_state=seed)
    race, grid = (
        GridSearchCV(estimator, grid, scoring=scoring, strategy=strategy).fit(X, y) for strategy in ("race", "grid")
    )
    assert race.best_index_ == grid.best_index_


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error"])
def test_race_makes_the_same_choice_in_regression(scoring, random):
    X = random.uniform(-2, 2, size=(80, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=80)
    race, grid = (
        GridSearchCV(SVR(), {"C": [0.01, 1, 100], "gamma": [0.01, 1, 100]}, scoring=scoring, strategy=strategy).fit(
            X, y
        )
        for strategy in ("race", "grid")
    )
    assert race.best_index_ == grid.best_index_
    assert race.best_score_ == pytest.approx(grid.best_score_, abs=1e-4)


def test_race_bounds_what_it_dropped(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="race").fit(*points)
    dropped = search.cv_results_["status"] == "dropped, proven worse"
    high = search.cv_results_["test_score_high"]
    assert np.all(high[dropped] <= search.certificate_.high + ROUNDING)
    assert np.all(whole_grid.cv_results_["test_score_low"] <= high + ROUNDING)


# ---------------------------------------------------------------- wilcoxon


def test_wilcoxon_drops_cells_that_are_unlikely_the_best(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="wilcoxon").fit(*points)
    check_cells_that_were_left(search, ["dropped, unlikely"])
    check_known_scores(search, whole_grid)


def test_wilcoxon_finds_the_best_where_cells_differ_clearly(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="wilcoxon").fit(*points)
    assert search.best_params_ == whole_grid.best_params_


def test_wilcoxon_keeps_cells_that_are_as_good():
    X, y = make_moons(100, noise=0.2, random_state=2)
    search = GridSearchCV(SVC(), {"C": [10, 10.5, 11], "gamma": [1]}, strategy="wilcoxon").fit(X, y)
    assert is_known(search).all()


@pytest.mark.parametrize("scoring", ["f1", "roc_auc"])
def test_wilcoxon_takes_scores_that_are_not_made_of_rows(points, scoring):
    grid = {"C": [0.01, 1, 100], "gamma": [0.01, 1]}
    search = GridSearchCV(SVC(), grid, strategy="wilcoxon", scoring=scoring).fit(*points)
    whole = GridSearchCV(SVC(), grid, scoring=scoring).fit(*points)
    assert search.best_score_ == pytest.approx(whole.best_score_, abs=0.02)


def test_wilcoxon_takes_errors_of_regression(random):
    X = random.uniform(-2, 2, size=(80, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=80)
    search = GridSearchCV(SVR(), {"C": [1e-3, 1, 100], "gamma": [1]}, strategy="wilcoxon").fit(X, y)
    assert search.cv_results_["status"][0] == "dropped, unlikely"
    assert search.best_params_["C"] > 1e-3


# ---------------------------------------------------------------- refine


def test_refine_leaves_out_what_is_away_from_the_best(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="refine").fit(*points)
    check_cells_that_were_left(search, ["left out, away from the best"])
    check_known_scores(search, whole_grid)
    known = is_known(search)
    assert np.all(known.all(axis=1) == known.any(axis=1))


def test_refine_finds_the_best_of_a_grid_with_one_peak(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, strategy="refine").fit(*points)
    assert search.best_params_ == whole_grid.best_params_


def test_refine_begins_with_every_second_value_and_looks_around_the_best(points):
    search = GridSearchCV(SVC(), GRID, strategy="refine").fit(*points)
    known = is_known(search).all(axis=1)
    places = [(GRID["C"].index(one["C"]), GRID["gamma"].index(one["gamma"])) for one in search.cv_results_["params"]]
    best = places[search.best_index_]
    for place, is_there in zip(places, known, strict=True):
        is_coarse = all(k % 2 == 0 for k in place)
        is_near = all(abs(a - b) <= 1 for a, b in zip(place, best, strict=True))
        assert is_there or not (is_coarse or is_near)


def test_refine_looks_at_every_value_that_is_no_number(points):
    grid = {"C": [0.1, 1, 10], "kernel": ["linear", "rbf", RBF(2.0)]}
    search = GridSearchCV(SVC(), grid, strategy="refine").fit(*points)
    seen = {
        str(one["kernel"])
        for one, is_there in zip(search.cv_results_["params"], is_known(search), strict=True)
        if is_there.all()
    }
    assert len(seen) == 3


# ---------------------------------------------------------------- what was found when


@pytest.mark.parametrize("strategy", ["grid", "race", "wilcoxon", "refine"])
def test_history_tells_every_result_and_every_decision(points, strategy):
    search = GridSearchCV(SVC(), GRID, strategy=strategy, settle=False).fit(*points)
    history = search.all_cv_results_
    assert set(history) == {"seconds", "params", "split", "status"}
    assert len({len(column) for column in history.values()}) == 1
    assert np.all(np.diff(history["seconds"]) >= 0)
    assert np.count_nonzero(history["split"] >= 0) == np.count_nonzero(is_known(search))
    decisions = history["split"] == -1
    assert np.count_nonzero(decisions) == np.count_nonzero(~is_known(search).all(axis=1))
    assert all(status.startswith(("dropped", "left out")) for status in history["status"][decisions])


# ---------------------------------------------------------------- time


class Clock:
    """Stands still until somebody waits."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock that searches look at."""
    found = Clock()
    for name, module in list(sys.modules.items()):
        if name.startswith("mercer.tune.") and hasattr(module, "perf_counter"):
            monkeypatch.setattr(module, "perf_counter", found)
    return found


def slow_pipeline(clock):
    """A machine behind a step that takes as many seconds as its parameter says."""

    def wait(X, seconds=0.0):
        clock.now += seconds
        return X

    return make_pipeline(FunctionTransformer(wait), SVC())


def slow_grid(*seconds):
    return {"functiontransformer__kw_args": [{"seconds": s} for s in seconds], "svc__C": [0.1, 1]}


def test_time_limit_ends_a_search_with_the_best_so_far(points, clock):
    search = GridSearchCV(slow_pipeline(clock), slow_grid(0, 100, 1), time_limit=50).fit(*points)
    assert list(search.cv_results_["status"]) == ["solved"] * 2 + ["time"] * 4
    check_cells_that_were_left(search, ["time"])
    assert search.best_params_["functiontransformer__kw_args"] == {"seconds": 0}
    assert search.predict(points[0]).shape == points[1].shape


@pytest.mark.parametrize(("strategy", "in_time"), [("grid", 2), ("refine", 1)])
def test_time_limit_is_why_cells_were_not_looked_at(points, clock, strategy, in_time):
    search = GridSearchCV(slow_pipeline(clock), slow_grid(0, 100), time_limit=50, strategy=strategy).fit(*points)
    assert list(search.cv_results_["status"]) == ["solved"] * in_time + ["time"] * (4 - in_time)


def test_time_limit_is_not_felt_where_there_is_enough(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, time_limit=1e6).fit(*points)
    assert "time" not in search.cv_results_["status"]
    assert search.best_params_ == whole_grid.best_params_


@pytest.mark.parametrize("strategy", ["grid", "race", "wilcoxon", "refine"])
def test_time_limit_that_is_too_short_is_named(points, strategy):
    with pytest.raises(ParameterError, match=r"time_limit: expected .* got 1e-09"):
        GridSearchCV(SVC(), GRID, time_limit=1e-9, strategy=strategy).fit(*points)


# ---------------------------------------------------------------- good enough, and callbacks


def test_stop_at_ends_a_search_once_a_cell_is_good_enough(points, whole_grid):
    kernels = [RBF(gamma) for gamma in (0.01, 1.0, 10.0)]
    search = GridSearchCV(SVC(), {"kernel": kernels, "C": [1, 10]}, stop_at=0.9).fit(*points)
    assert search.best_score_ >= 0.9
    assert search.best_params_["kernel"] == RBF(1.0)
    assert not is_known(search).all()
    is_last = np.array([one["kernel"] == RBF(10.0) for one in search.cv_results_["params"]])
    assert np.all(np.isnan(search.cv_results_["mean_test_score"][is_last]))
    assert not np.any(is_known(search)[is_last])


def test_stop_at_a_score_that_none_has_ends_nothing(points, whole_grid):
    search = GridSearchCV(SVC(), GRID, stop_at=1.1).fit(*points)
    assert is_known(search).all()
    assert search.best_params_ == whole_grid.best_params_


def test_callback_hears_how_a_search_goes_on(points, clock):
    heard = []
    search = GridSearchCV(slow_pipeline(clock), slow_grid(1, 2, 3), callback=heard.append).fit(*points)
    assert len(heard) >= 3
    assert [one.done for one in heard] == sorted(one.done for one in heard)
    assert all(one.total == 6 * FOLDS for one in heard)
    assert heard[-1].done == heard[-1].total
    assert heard[-1].best_score == search.best_score_
    assert heard[-1].seconds_left == 0
    assert np.all(np.diff([one.seconds for one in heard]) >= 0)


def test_callback_hears_the_end_of_a_short_search(points):
    heard = []
    GridSearchCV(SVC(), {"C": [1]}, callback=heard.append).fit(*points)
    assert heard[-1].done == FOLDS


def test_callback_ends_a_search_with_what_is_known(points, clock):
    def has_a_score(progress):
        return np.isfinite(progress.best_score)

    search = GridSearchCV(slow_pipeline(clock), slow_grid(1, 2, 3), callback=has_a_score).fit(*points)
    check_cells_that_were_left(search, search.cv_results_["status"][-1:])
    assert search.predict(points[0]).shape == points[1].shape


@pytest.mark.parametrize("strategy", ["race", "wilcoxon"])
def test_callback_that_ends_a_search_too_early_is_named(points, strategy):
    with pytest.raises(ParameterError, match="callback"):
        GridSearchCV(SVC(), GRID, strategy=strategy, callback=lambda progress: True).fit(*points)


def test_callback_may_raise(points):
    def fail(progress):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        GridSearchCV(SVC(), GRID, callback=fail).fit(*points)


# ---------------------------------------------------------------- checkpoints


def solved_now(search):
    """How many fits were done, and not read: those begin at zero seconds."""
    history = search.all_cv_results_
    return int(np.count_nonzero((history["split"] >= 0) & (history["seconds"] > 0)))


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_checkpoint_is_read_instead_of_solving_again(points, whole_grid, tmp_path):
    path = tmp_path / "search.jsonl"
    first = GridSearchCV(SVC(), GRID, checkpoint=path).fit(*points)
    second = GridSearchCV(SVC(), GRID, checkpoint=str(path)).fit(*points)
    for search in (first, second):
        assert search.best_params_ == whole_grid.best_params_
        np.testing.assert_array_equal(search.cv_results_["mean_test_score"], first.cv_results_["mean_test_score"])
    assert solved_now(second) == 0


def test_checkpoint_is_read_where_nothing_is_settled(points, tmp_path):
    path = tmp_path / "search.jsonl"
    first = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    written = lines_of(path)
    second = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    assert solved_now(first) == CELLS * FOLDS
    assert solved_now(second) == 0
    assert lines_of(path) == written
    for column in ("mean_test_score", "test_score_low", "test_score_high", "labels_proven", "gap", "n_support"):
        np.testing.assert_array_equal(first.cv_results_[column], second.cv_results_[column])
    assert str(first.certificate_) == str(second.certificate_)


def test_checkpoint_of_a_search_that_was_cut_off_goes_on(points, tmp_path):
    path = tmp_path / "search.jsonl"
    whole = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")  # in the midst of a line
    again = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    assert 0 < solved_now(again) < CELLS * FOLDS
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])
    third = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    assert solved_now(third) == 0
    assert len(third.all_cv_results_["split"]) == CELLS * FOLDS


def test_checkpoint_is_of_use_to_a_finer_grid(points, tmp_path):
    path = tmp_path / "search.jsonl"
    GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    finer = {"C": np.logspace(-2, 2, 9), "gamma": GRID["gamma"]}
    search = GridSearchCV(SVC(), finer, checkpoint=path, settle=False).fit(*points)
    assert solved_now(search) == 4 * 5 * FOLDS
    alone = GridSearchCV(SVC(), finer, settle=False).fit(*points)
    assert search.best_params_ == alone.best_params_


def test_checkpoint_is_of_use_after_the_time_was_up(points, tmp_path, clock):
    path = tmp_path / "search.jsonl"
    estimator, grid = slow_pipeline(clock), slow_grid(0, 100)
    cut_off = GridSearchCV(estimator, grid, checkpoint=path, time_limit=50, settle=False).fit(*points)
    assert "time" in cut_off.cv_results_["status"]
    whole = GridSearchCV(estimator, grid, checkpoint=path, settle=False).fit(*points)
    assert list(whole.cv_results_["status"]) == ["solved"] * 4
    assert solved_now(whole) == 2 * FOLDS


@pytest.mark.parametrize("strategy", ["race", "wilcoxon", "refine"])
def test_checkpoint_serves_all_strategies(points, whole_grid, tmp_path, strategy):
    path = tmp_path / "search.jsonl"
    GridSearchCV(SVC(), GRID, checkpoint=path, settle=False).fit(*points)
    search = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False, strategy=strategy).fit(*points)
    assert search.best_params_ == whole_grid.best_params_
    assert solved_now(search) == 0


def test_paired_tests_go_on_from_a_file_as_if_nothing_had_happened(points, tmp_path):
    path = tmp_path / "search.jsonl"
    whole = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False, strategy="wilcoxon").fit(*points)
    lines = lines_of(path)
    path.write_text("\n".join(lines[: len(lines) // 2]) + "\n", encoding="utf-8")
    again = GridSearchCV(SVC(), GRID, checkpoint=path, settle=False, strategy="wilcoxon").fit(*points)
    assert 0 < solved_now(again) < solved_now(whole)
    assert list(again.cv_results_["status"]) == list(whole.cv_results_["status"])
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])


def test_an_interrupt_is_raised_and_what_is_known_stays(points, clock):
    class Interrupting(FunctionTransformer):
        """Steps are fitted fold by fold; at the third value somebody presses Ctrl-C."""

        def fit(self, X, y=None):
            if self.kw_args["seconds"] == 3:
                raise KeyboardInterrupt
            return super().fit(X, y)

    step = Interrupting(lambda X, seconds: X, kw_args={"seconds": 0})
    search = GridSearchCV(make_pipeline(step, SVC()), {"interrupting__kw_args": [{"seconds": k} for k in (1, 2, 3, 4)]})
    with pytest.raises(KeyboardInterrupt):
        search.fit(*points)
    assert list(search.cv_results_["status"]) == ["solved", "solved", "not reached", "not reached"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).tolist() == [True, True, False, False]
    assert search.best_params_ in search.cv_results_["params"][:2]
    assert not hasattr(search, "best_estimator_")
    assert search.certificate_.unknown == (2, 3)


@pytest.mark.skipif(not hasattr(BaseSearchCV, "set_callbacks"), reason="callbacks came with scikit-learn 1.9")
def test_callbacks_of_scikit_learn_hear_every_fit(points):
    class Heard:
        """Counts the tasks that end, by their names."""

        def __init__(self):
            self.ended = []

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **more):
            pass

        def on_fit_task_end(self, estimator, context, **more):
            self.ended.append(context.task_name)

    own, others = Heard(), Heard()
    for module, heard in ((GridSearchCV, own), (model_selection.GridSearchCV, others)):
        module(SVC(), {"C": [1, 10]}, cv=3).set_callbacks(heard).fit(*points)
    assert own.ended.count("candidate-split-evaluation") == 6
    assert sorted(own.ended) == sorted(others.ended)


def test_checkpoint_knows_several_scores(points, tmp_path):
    path = tmp_path / "search.jsonl"
    first, second = (
        GridSearchCV(SVC(), {"C": [1, 10]}, scoring=["accuracy", "f1"], refit="f1", checkpoint=path, settle=False).fit(
            *points
        )
        for _ in range(2)
    )
    for name in ("accuracy", "f1"):
        np.testing.assert_array_equal(first.cv_results_[f"mean_test_{name}"], second.cv_results_[f"mean_test_{name}"])


def test_checkpoint_without_scores_of_training_rows_serves_a_search_with_them(points, tmp_path):
    path = tmp_path / "search.jsonl"
    GridSearchCV(SVC(), {"C": [1, 10]}, checkpoint=path).fit(*points)
    search = GridSearchCV(SVC(), {"C": [1, 10]}, checkpoint=path, return_train_score=True).fit(*points)
    alone = GridSearchCV(SVC(), {"C": [1, 10]}, return_train_score=True).fit(*points)
    np.testing.assert_array_equal(search.cv_results_["mean_train_score"], alone.cv_results_["mean_train_score"])


OTHER_SEARCHES = {
    "data": (SVC(), {}, lambda X, y: (X + 1, y)),
    "targets": (SVC(), {}, lambda X, y: (X, 1 - y)),
    "folds": (SVC(), {"cv": StratifiedKFold(5, shuffle=True, random_state=0)}, lambda X, y: (X, y)),
    "estimator": (SVC(tol=0.1), {}, lambda X, y: (X, y)),
    "scoring": (SVC(), {"scoring": "f1"}, lambda X, y: (X, y)),
}


@pytest.mark.parametrize("name", OTHER_SEARCHES)
def test_checkpoint_of_another_search_is_refused(points, tmp_path, name):
    path = tmp_path / "search.jsonl"
    GridSearchCV(SVC(), {"C": [1]}, checkpoint=path).fit(*points)
    before = lines_of(path)
    estimator, options, changed = OTHER_SEARCHES[name]
    with pytest.raises(InputError, match="checkpoint: expected"):
        GridSearchCV(estimator, {"C": [1]}, checkpoint=path, **options).fit(*changed(*points))
    assert lines_of(path) == before


def test_checkpoint_of_an_estimator_that_differs_in_one_of_many_numbers_is_refused(points, tmp_path):
    def scaled(X, factors):
        return X * factors[-1]

    def estimator(last):
        return make_pipeline(FunctionTransformer(scaled, kw_args={"factors": [1.0] * 40 + [last]}), SVC(gamma=1))

    path = tmp_path / "search.jsonl"
    GridSearchCV(estimator(1.0), {"svc__C": [1]}, checkpoint=path).fit(*points)
    with pytest.raises(InputError, match="checkpoint: expected"):
        GridSearchCV(estimator(1e-3), {"svc__C": [1]}, checkpoint=path).fit(*points)


@pytest.mark.parametrize(
    "content",
    [b"some notes\nof mine\n", b"\n\n", b"[1, 2]\n", b'{"format": "another"}\n', bytes(range(256))],
    ids=["text", "empty lines", "a list", "another format", "binary"],
)
def test_checkpoint_that_is_another_file_is_refused_and_kept(points, tmp_path, content):
    path = tmp_path / "notes"
    path.write_bytes(content)
    with pytest.raises(InputError, match="checkpoint: expected"):
        GridSearchCV(SVC(), {"C": [1]}, checkpoint=path).fit(*points)
    assert path.read_bytes() == content


# ---------------------------------------------------------------- one standard error


def test_one_se_takes_the_simplest_machine_within_one_standard_error(points):
    search = GridSearchCV(SVC(), GRID, refit="one_se").fit(*points)
    results, means = search.cv_results_, search.cv_results_["mean_test_score"]
    best = int(np.argmax(means))
    scores = [results[f"split{k}_test_score"][best] for k in range(FOLDS)]
    error = np.std(scores, ddof=1) / np.sqrt(FOLDS)
    near = np.flatnonzero(means >= means[best] - error)
    smallest = min(results["params"][k]["C"] for k in near)
    few = min(results["n_support"][k] for k in near if results["params"][k]["C"] == smallest)
    assert search.best_index_ in near
    assert search.best_params_["C"] == smallest
    assert results["n_support"][search.best_index_] == few
    assert search.best_score_ == means[search.best_index_]
    assert search.best_estimator_.get_params()["C"] == smallest


def test_one_se_takes_the_c_of_a_pipeline(points):
    pipeline = make_pipeline(StandardScaler(), SVC())
    search = GridSearchCV(pipeline, {"svc__C": [1000, 100, 10]}, refit="one_se").fit(*points)
    assert search.best_params_["svc__C"] == 10


def test_one_se_of_several_scores_is_refused(points):
    with pytest.raises(ParameterError, match=r"refit: expected .* 'one_se'"):
        GridSearchCV(SVC(), {"C": [1]}, refit="one_se", scoring=["accuracy", "f1"]).fit(*points)


# ---------------------------------------------------------------- edges


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([0.01, 0.1, 1], "C=1 is the largest of its values: try 10"),
        ([10, 1e3, 1e5], "C=10 is the least of its values: try 0.1"),
    ],
)
def test_choice_on_the_edge_of_the_grid_is_named(points, costs, said):
    search = GridSearchCV(SVC(gamma=1), {"C": costs}).fit(*points)
    assert said in str(search.certificate_)
    assert any(said in one for one in search.certificate_.advice)


def test_choice_within_the_grid_has_no_advice(points):
    search = GridSearchCV(SVC(), {"C": [1e-3, 10, 1e5], "gamma": [1e-4, 3, 1e3]}).fit(*points)
    assert search.best_params_ == {"C": 10, "gamma": 3}
    assert search.certificate_.advice == ()


def test_two_values_have_no_edge(points):
    assert GridSearchCV(SVC(), {"C": [1, 10], "kernel": ["rbf"]}).fit(*points).certificate_.advice == ()


# ---------------------------------------------------------------- among scikit-learn's


def test_search_is_one_of_scikit_learns(whole_grid):
    assert isinstance(whole_grid, BaseSearchCV)
    assert isinstance(whole_grid, model_selection.GridSearchCV)


def test_pickled_search_predicts_the_same(points, whole_grid):
    other = pickle.loads(pickle.dumps(whole_grid))
    np.testing.assert_array_equal(other.predict(points[0]), whole_grid.predict(points[0]))
    assert other.certificate_ == whole_grid.certificate_
    assert other.plan_ == whole_grid.plan_
    np.testing.assert_array_equal(other.cv_results_["status"], whole_grid.cv_results_["status"])


def test_pickled_search_that_is_not_fitted_can_be(points, whole_grid):
    other = pickle.loads(pickle.dumps(GridSearchCV(SVC(), GRID, strategy="race", settle=False)))
    assert other.strategy == "race"
    assert other.fit(*points).best_params_ == whole_grid.best_params_


@pytest.mark.parametrize("is_fitted", [False, True])
def test_clone_carries_parameters_and_no_results(points, is_fitted, tmp_path):
    search = GridSearchCV(
        SVC(C=3.0),
        {"C": [1, 10]},
        strategy="wilcoxon",
        settle=True,
        time_limit=100.0,
        stop_at=2.0,
        checkpoint=tmp_path / "search",
        memory=50,
        callback=print if not is_fitted else None,
    )
    if is_fitted:
        search.fit(*points)
    other = clone(search)
    for name, value in search.get_params(deep=False).items():
        assert repr(getattr(other, name)) == repr(value), name
    assert not hasattr(other, "cv_results_")


@pytest.mark.parametrize("strategy", ["grid", "race"])
def test_nested_search_scores_as_scikit_learns(strategy):
    X, y = load_iris(return_X_y=True)
    grid = {"C": [0.1, 1, 10], "gamma": [0.1, 1]}
    ours = cross_val_score(GridSearchCV(SVC(tol=1e-6), grid, cv=3, strategy=strategy), X, y, cv=3)
    theirs = cross_val_score(model_selection.GridSearchCV(SVC(tol=1e-6), grid, cv=3), X, y, cv=3)
    np.testing.assert_array_equal(ours, theirs)


def test_search_can_be_fitted_again_to_other_data(points):
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}).fit(*load_iris(return_X_y=True))
    search.fit(*points)
    alone = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}).fit(*points)
    assert search.best_params_ == alone.best_params_
    np.testing.assert_array_equal(search.classes_, [0, 1])
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
