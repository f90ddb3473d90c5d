"""Searches take turns, the record keeps what they found, and the report tells of it what it says."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from benchmarks.dataset import Dataset
from benchmarks.machine import Origin
from benchmarks.tune import record
from benchmarks.tune.__main__ import main
from benchmarks.tune.compare import Choice, choice, errors_below, largest_difference, outside, width_at_choice
from benchmarks.tune.mixture import mixture, width
from benchmarks.tune.race import Terms, race, wants_more
from benchmarks.tune.record import Conditions, Entry, Facts, Found, Showing, found_by
from benchmarks.tune.report import render
from benchmarks.tune.searches import ALONE, OURS, PEER, SETTLED, UNSETTLED, by_mercer, one_by_one
from benchmarks.tune.sections import SECTIONS, extras, strategies
from benchmarks.tune.sections.published import PUBLISHED_ROWS, published_seconds
from benchmarks.tune.tasks import GRID_PY, Task, five_by_five, many_rows, practical_guide, ten_by_ten, torchkm

CONDITIONS = Conditions("a machine", threads=2)
RACE = Origin("2001-01-01 12:00:00", "abc1234", "Python")
FOUND = Found([0.7, 0.9, 0.9], [0.6, 0.9, 0.85], [0.8, 0.9, 0.95], 1, {"C": 1.0, "gamma": 0.1}, 0.05, 15, 1)
# Rounding of a mean.
SUMMATION = 1e-12


def entry(section, *showings, name="letter", classes=2):
    facts = Facts(section, name, 100, 4, classes, 3, 5, "standardised")
    return Entry(facts, CONDITIONS, RACE, "mercer 1, scikit-learn 2", showings)


def showing(way, *seconds, found=FOUND, **figures):
    return Showing(way, list(seconds), found, figures)


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(60, random_state=0)
    return Dataset(X, y, X[:20], y[:20])


@pytest.fixture
def task(rows):
    return Task("made", lambda: rows, {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}, folds=3)


class Instant:
    """A search that takes no time and finds nothing."""

    def fit(self, X, y):
        return self


# ---------------------------------------------------------------- tasks


def test_grids_are_those_of_the_peers(tmp_path):
    assert {name: (values[0], values[-1], len(values)) for name, values in GRID_PY.items()} == {
        "C": (2**-5, 2**15, 11),
        "gamma": (2**-15, 2**3, 10),
    }
    assert [task.cells for task in practical_guide(tmp_path, None)] == [110]
    assert {task.cells for task in five_by_five(tmp_path, None)} == {25}
    assert {task.cells for task in ten_by_ten(tmp_path, None)} == {100}
    (C,) = {tuple(task.grid["C"]) for task in torchkm(tmp_path, None)}
    assert len(C) == 50
    np.testing.assert_allclose([C[0], C[-1]], [5e-8, 0.05])


def test_rows_are_taken_from_all_over_a_set_and_scaled_then(tmp_path):
    (tmp_path / "a9a").mkdir()
    X, y = np.arange(20.0).reshape(10, 2), np.repeat([0, 1], 5)
    np.savez(tmp_path / "a9a" / "a9a.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    (task,) = (task for task in many_rows(tmp_path, 4) if task.name == "a9a")
    found = task.load()
    assert found.X_train[:, 0].tolist() == [0, 6, 12, 18]
    assert found.y_train.tolist() == [0, 0, 1, 1]
    assert len(found.X_test) == 10


def test_mixtures_are_standardised_and_can_be_told_apart():
    data = mixture(400, 10)()
    assert data.X_train.shape == (400, 10)
    assert data.X_test.shape == (40, 10)
    np.testing.assert_allclose(data.X_train.std(axis=0), 1.0)
    assert 0.4 < data.y_train.mean() < 0.6
    assert SVC(gamma=width(data.X_train)).fit(data.X_train, data.y_train).score(data.X_test, data.y_test) > 0.7


def test_width_is_twice_the_mean_of_inverse_quantiles():
    # All pairs that differ are as far from each other.
    assert width(np.eye(50)) == pytest.approx(2 * 1 / 2)


# ---------------------------------------------------------------- race


def test_way_is_repeated_until_it_was_often_or_took_long(tmp_path):
    terms = Terms(tmp_path, repetitions=3, budget=10.0)
    assert wants_more([], terms)
    assert wants_more([1.0, 1.0], terms)
    assert not wants_more([1.0, 1.0, 1.0], terms)
    assert not wants_more([11.0], terms)


def test_ways_take_turns(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.tune.race.found_by", lambda search: FOUND)
    order = []

    def maker(way):
        def make():
            order.append(way)
            return Instant()

        return make

    found = race({"a": maker("a"), "b": maker("b")}, None, None, Terms(tmp_path, repetitions=2))
    assert order == ["a", "b", "a", "b"]
    assert [(one.way, len(one.seconds)) for one in found] == [("a", 2), ("b", 2)]


def test_what_is_found_is_what_the_search_says(rows, task):
    ours = by_mercer(task, 1).fit(rows.X_train, rows.y_train)
    peer = one_by_one(task).fit(rows.X_train, rows.y_train)
    found, other = found_by(ours), found_by(peer)
    assert found.scores == ours.cv_results_["mean_test_score"].tolist()
    assert found.params == ours.best_params_
    assert found.fits == 18
    assert (found.rivals == 0) == bool(ours.certificate_)
    assert (other.rivals, other.low) == (None, [None] * 6)
    assert outside(found, found) == 0


# ---------------------------------------------------------------- comparisons


def test_choices_are_the_same_as_good_or_others():
    assert choice(FOUND, FOUND) is Choice.SAME
    assert choice(replace(FOUND, best=2), FOUND) is Choice.AS_GOOD
    assert choice(replace(FOUND, best=0), FOUND) is Choice.OTHER


def test_score_below_is_told_in_standard_errors_of_the_judge():
    assert errors_below(replace(FOUND, best=2), FOUND) == 0
    assert errors_below(replace(FOUND, best=0), FOUND) == pytest.approx(4.0)
    assert errors_below(replace(FOUND, best=0), replace(FOUND, error=0.0)) == np.inf


def test_cells_outside_the_bounds_are_counted_where_there_are_bounds():
    other = replace(FOUND, scores=[0.5, 0.9 + SUMMATION / 2, 0.9])
    assert outside(other, FOUND) == 1
    assert outside(other, replace(FOUND, low=[None] * 3, high=[None] * 3)) == 0
    assert largest_difference(other, FOUND) == pytest.approx(0.2)
    assert largest_difference(replace(other, scores=[None, 0.8, None]), FOUND) == pytest.approx(0.1)
    assert width_at_choice(FOUND) == 0


# ---------------------------------------------------------------- record and report


def test_record_returns_what_was_written(tmp_path):
    entries = [
        entry("A", showing(OURS, 1.0, 2.0, accuracy=0.9)),
        entry("F", showing("time_limit 0.5", 1.0, found=None)),
    ]
    record.write(tmp_path / "tune.json", entries)
    assert record.read(tmp_path / "tune.json") == entries


def test_measuring_again_replaces_only_the_same_problem_of_a_section():
    old = [entry("A", showing(OURS, 1.0)), entry("E", showing("grid", 1.0)), entry("A", name="a9a")]
    again = entry("A", showing(OURS, 2.0))
    assert record.merged(old, again) == [again, *old[1:]]


def test_ratios_are_of_medians():
    found = entry("A", showing(OURS, 1.0, 9.0, 2.0), showing(PEER, 30.0))
    assert found.ratio(PEER, OURS) == 15.0
    assert found.ratio(ALONE, OURS) is None


def all_ways(section, **more):
    ways = (OURS, UNSETTLED, SETTLED, PEER, ALONE)
    return entry(section, *(showing(way, 2.0 + k, accuracy=0.96875) for k, way in enumerate(ways)), **more)


def test_report_tells_what_was_measured_and_what_was_not_run():
    few = entry("B", *all_ways("B").showings[:3], name="covtype-5k")
    text = render([all_ways("A"), all_ways("A", name="ijcnn1"), few, all_ways("C")])
    assert "- Machine: a machine\n- Threads: 2" in text
    assert "Mercer at abc1234" in text
    assert "| letter | 100 × 4 | 2.00 s | 3.00 s | 4.00 s | 5.00 s | 2.50 | 1.67 | 6.00 s | 3.00 | 2.00 |" in text
    assert "| **geometric mean** |  |  |  |  |  | **2.50** |" in text
    assert "| letter | C=1, gamma=0.1 | 0.9000 | 0 | no, 1 rival |" in text
    assert "| covtype-5k | 100 × 4 | 2.00 s | 3.00 s | 4.00 s | not run | not run |" in text
    assert "| the guide | — | — | C=2, gamma=2 | — | — | 96.875 % |" in text
    assert "## D." not in text
    assert "2001" not in text


def test_report_tells_of_strategies_limits_memory_and_published_times():
    ways = [showing(way, 1.0) for way in (strategies.WHOLE, *strategies.OTHERS)]
    limits = [showing(f"time_limit {share}", 3.0, asked=2.0, found=None) for share in extras.SHARES]
    bare = [showing(way, 1.0) for way in (extras.BARE, extras.PIPELINE, extras.WRITTEN, extras.RESUMED)]
    memory = [showing(way, 1.0, peak_mb=12.0, data_mb=3.0) for way in ("memory=500", ALONE)]
    text = render([entry("D", showing(OURS, 2.0)), entry("E", *ways), entry("F", *bare, *limits), entry("G", *memory)])
    assert "| letter | race | 1.00 s | 1.00 | 15 | C=1, gamma=0.1 | same | 0.00 | no, 1 rival |" in text
    assert "| letter | 1.00 s | 1.00 | 1.00 | 1.00 | 2.00 s | 1.50 | 0 of 3 | 2.00 s | 1.50 | 0 of 3 |" in text
    assert "| 3 MB | 12 MB | 12 MB |" in text
    assert "| 2.00 s | — | — |" in text


def test_published_times_stand_only_beside_the_same_size():
    assert published_seconds(PUBLISHED_ROWS, 10) == 23.3
    assert published_seconds(600, 10) is None
    assert published_seconds(PUBLISHED_ROWS, 11) is None


def test_every_section_of_mercer_alone_runs_on_a_few_rows(tmp_path, rows, task):
    terms = Terms(tmp_path, threads=1, repetitions=1)
    entries = [
        record.entry_of(letter, task, rows, CONDITIONS, SECTIONS[letter].run(task, rows, terms)) for letter in "DEF"
    ]
    record.write(tmp_path / "tune.json", entries)
    assert record.read(tmp_path / "tune.json") == entries
    assert [line[:5] for line in render(entries).splitlines() if line.startswith("## ")] == ["## D.", "## E.", "## F."]


# ---------------------------------------------------------------- command line


def test_figures_of_few_rows_are_not_mixed_with_those_that_are_kept(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--rows", "100"])
    assert "--record" in capsys.readouterr().err


def test_rendering_without_figures_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--render", "--record", str(tmp_path / "none.json"), "--output", str(tmp_path / "TUNE.md")])
    assert "no entries" in capsys.readouterr().err
