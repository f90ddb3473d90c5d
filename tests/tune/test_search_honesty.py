"""What is said to be proven is said of the very scores, folds and data that were asked about."""

import numpy as np
import pytest
from sklearn import config_context, metrics, model_selection
from sklearn.datasets import load_breast_cancer, make_classification, make_regression
from sklearn.metrics import make_scorer
from sklearn.model_selection import ShuffleSplit, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from mercer import SVC, SVR, GridSearchCV, ParameterError, TunedSVC, TunedSVR
from mercer.errors import InputError

GRID = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}


@pytest.fixture(scope="module")
def rows():
    return make_classification(120, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=3)


def check_bounds_hold(search):
    """Where there are bounds, the scores of machines that were solved exactly lie within."""
    results = search.cv_results_
    low, high, mean = (results[name] for name in ("test_score_low", "test_score_high", "mean_test_score"))
    known = np.isfinite(low)
    assert np.all(low[known] <= high[known])
    assert np.all((low[known] <= mean[known] + 1e-9) & (mean[known] <= high[known] + 1e-9))


SCORERS = {
    "AUC of labels": make_scorer(metrics.roc_auc_score),
    "accuracy as a loss": make_scorer(metrics.accuracy_score, greater_is_better=False),
    "F1 as a loss": make_scorer(metrics.f1_score, greater_is_better=False),
    "number of right labels": make_scorer(metrics.accuracy_score, normalize=False),
    "F1 of the other class": make_scorer(metrics.f1_score, pos_label=0),
}


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("strategy", ["grid", "race"])
def test_scorers_that_ask_otherwise_are_taken_at_their_word(rows, name, strategy):
    ours = GridSearchCV(SVC(), GRID, scoring=SCORERS[name], strategy=strategy).fit(*rows)
    theirs = model_selection.GridSearchCV(SVC(), GRID, scoring=SCORERS[name]).fit(*rows)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-9)
    check_bounds_hold(ours)


@pytest.mark.parametrize(
    "scorer",
    [make_scorer(metrics.mean_absolute_error), make_scorer(metrics.r2_score, greater_is_better=False)],
    ids=["an error as a gain", "R² as a loss"],
)
def test_scores_of_regression_with_another_sign_have_no_bounds(scorer):
    X, y = make_regression(60, 3, noise=10, random_state=0)
    search = GridSearchCV(SVR(), {"C": [1, 100]}, scoring=scorer, strategy="race").fit(X, y)
    assert np.all(np.isnan(search.cv_results_["test_score_low"]))
    assert search.best_score_ == pytest.approx(
        model_selection.GridSearchCV(SVR(), {"C": [1, 100]}, scoring=scorer).fit(X, y).best_score_, rel=1e-3
    )


def test_weights_that_one_of_several_scores_asked_for_are_not_those_of_the_others(rows):
    X, y = rows
    weights = np.random.default_rng(0).uniform(0.1, 5, len(y))
    with config_context(enable_metadata_routing=True):
        scoring = {
            "weighted": make_scorer(metrics.accuracy_score).set_score_request(sample_weight=True),
            "plain": make_scorer(metrics.accuracy_score).set_score_request(sample_weight=False),
        }
        machine = SVC().set_fit_request(sample_weight=True)
        search = GridSearchCV(machine, GRID, scoring=scoring, refit="plain").fit(X, y, sample_weight=weights)
    low, mean = search.cv_results_["test_plain_low"], search.cv_results_["mean_test_plain"]
    assert np.all(np.isnan(low) | (low <= mean + 1e-9))


class CountedShuffles(ShuffleSplit):
    """Other folds each time."""

    def split(self, X, y=None, groups=None):
        self.times = getattr(self, "times", 0) + 1
        return ShuffleSplit(self.n_splits, test_size=0.2, random_state=self.times).split(X, y, groups)


def test_a_tuned_machine_asks_for_its_folds_once(rows):
    folds = CountedShuffles(4)
    model = TunedSVC(cv=folds).fit(*rows)
    assert folds.times == 1
    check_bounds_hold(model.search_)


def test_a_search_that_a_tuned_machine_made_forgets_its_data(rows):
    X, y = rows
    model = TunedSVC(cv=3).fit(X, y)
    others = np.random.default_rng(1).permutation(y)
    again = model.search_.fit(X, others)
    assert again.best_score_ < 0.75


@pytest.mark.parametrize("conformal", ["cv", "cv+"])
def test_folds_that_do_not_hold_out_every_row_once_make_no_sets(rows, conformal):
    with pytest.raises(InputError, match="hold out every row once"):
        TunedSVC(cv=ShuffleSplit(3, random_state=0), C=1.0, gamma=0.1, conformal=conformal).fit(*rows)
    X, y = make_regression(60, 3, random_state=0)
    with pytest.raises(InputError, match="hold out every row once"):
        TunedSVR(cv=TimeSeriesSplit(3), C=1.0, gamma=0.1, epsilon=0.1, conformal=conformal).fit(X, y)


def test_equal_scores_everywhere_extend_nothing():
    X = np.ones((60, 2))
    model = TunedSVC(cv=3).fit(X, np.arange(60) % 3 == 0)
    assert model.n_extensions_ == 0


def test_a_checkpoint_knows_scorers_by_what_they_do(rows, tmp_path):
    def right(truth, predicted):
        return np.mean(truth == predicted)

    def wrong(truth, predicted):
        return np.mean(truth != predicted)

    path = tmp_path / "search.jsonl"
    GridSearchCV(SVC(), {"C": [1]}, scoring=make_scorer(right), checkpoint=path).fit(*rows)
    GridSearchCV(SVC(), {"C": [1]}, scoring=make_scorer(right), checkpoint=path).fit(*rows)
    with pytest.raises(InputError, match="another scoring"):
        GridSearchCV(SVC(), {"C": [1]}, scoring=make_scorer(wrong), checkpoint=path).fit(*rows)


@pytest.mark.parametrize("path", [5, "no/such/folder/file"])
def test_a_checkpoint_that_cannot_be_written_is_refused_by_name(rows, path):
    with pytest.raises(InputError, match="checkpoint: expected the path"):
        GridSearchCV(SVC(), {"C": [1]}, checkpoint=path).fit(*rows)


@pytest.mark.filterwarnings("ignore")
def test_scores_that_are_no_numbers_make_no_best(rows):
    search = GridSearchCV(SVC(), {"C": [1, 10]}, scoring=lambda model, X, y: np.nan).fit(*rows)
    assert "none has a score that is a number" in str(search.certificate_)
    assert not search.certificate_


def test_a_name_without_its_step_is_found(rows):
    with pytest.raises(ParameterError, match="Did you mean 'svc__C'"):
        GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"C": [1]}).fit(*rows)
    with pytest.raises(ParameterError, match="Did you mean 'C'"):
        GridSearchCV(SVC(), {"c": [1]}).fit(*rows)


def test_cells_that_were_not_reached_are_not_said_to_be_out_of_time(rows):
    search = GridSearchCV(SVC(), GRID, stop_at=0.0).fit(*rows)
    assert "time" not in set(search.cv_results_["status"])


def test_tuned_machines_take_weights_where_metadata_are_routed(rows):
    X, y = rows
    with config_context(enable_metadata_routing=True):
        assert TunedSVC(cv=2, C=[1.0], gamma=[0.1]).fit(X, y, sample_weight=np.ones(len(y))).best_score_ > 0.5


def test_tuned_machines_refuse_what_they_cannot_do(rows):
    X, y = rows
    with pytest.raises(ParameterError, match="refit: expected True"):
        TunedSVC(refit=False).fit(X, y)
    with pytest.raises(ParameterError, match="got 'precomputed'"):
        TunedSVC(kernel="precomputed").fit(X @ X.T, y)


def test_auc_of_values_is_bounded_and_that_of_labels_is_not():
    X, y = load_breast_cancer(return_X_y=True)
    of_labels = GridSearchCV(SVC(), GRID, scoring=make_scorer(metrics.roc_auc_score)).fit(scale(X), y)
    of_values = GridSearchCV(SVC(), GRID, scoring="roc_auc").fit(scale(X), y)
    assert np.all(np.isnan(of_labels.cv_results_["test_score_low"]))
    assert of_values.certificate_
    check_bounds_hold(of_values)
