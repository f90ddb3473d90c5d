"""Ways take turns, wrong neighbours are counted, and every section runs on a few rows and tells what it found."""

from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KernelDensity, NearestNeighbors

from benchmarks.machine import Origin
from benchmarks.remember import searches
from benchmarks.remember.book import MEMORY
from benchmarks.remember.judge import largest_difference, log_densities, wrong_neighbours
from benchmarks.remember.searches import BRUTE, FAISS, PYKDTREE, Question, all_ways
from benchmarks.remember.sections import SECTIONS
from benchmarks.remember.sections.changes import FORGOTTEN, LEARNT, QUERY, REFIT
from benchmarks.remember.sections.exact import EXACT
from benchmarks.ways import record
from benchmarks.ways.bars import at_least, at_most, figure_at_most, within_seconds
from benchmarks.ways.command import main
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.record import Conditions, Entry, Seconds, Showing
from benchmarks.ways.report import render
from benchmarks.ways.rows import white, with_holes

CONDITIONS = Conditions("a machine", threads=2)
RACE = Origin("2001-01-01 12:00:00", "abc1234", "Python")
# As few as determine the quadratics of eight features in two thirds of them.
ROWS = 200


def entry(section, problem, *showings):
    return Entry(section, problem, "9 × 2", CONDITIONS, RACE, "mercer 1, scikit-learn 2", showings)


def showing(way, *seconds, share=1.0, **figures):
    return Showing(way, [Seconds(0.0, one) for one in seconds], share, figures)


# ---------------------------------------------------------------- race


def test_ways_take_turns_and_those_that_took_long_are_not_repeated(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("benchmarks.ways.race.perf_counter", lambda: now[0])
    order = []

    def way(name, seconds):
        def ask(memory):
            order.append(name)
            now[0] += seconds

        return Way(name, ask=ask)

    found = race([way("quick", 1.0), way("slow", 9.0)], Terms(tmp_path, repetitions=3, budget=5.0))
    assert order == ["quick", "slow", "quick", "quick"]
    assert [one.time for one in found] == [1.0, 9.0]


def test_what_takes_milliseconds_is_repeated_more_often(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("benchmarks.ways.race.perf_counter", lambda: now[0])

    def ask(memory):
        now[0] += 0.05

    (found,) = race([Way("short", ask=ask)], Terms(tmp_path, repetitions=3))
    assert len(found.seconds) == 6


def test_first_answer_is_judged(tmp_path):
    answers = count()
    ways = [Way("a", lambda: "memory", lambda memory: next(answers))]
    (found,) = race(ways, Terms(tmp_path, repetitions=2), lambda way, memory, answer: {memory: answer})
    assert found.figures == {"memory": 0}


def test_time_is_of_all_queries_and_without_the_cold_repetition():
    found = Showing("peer", [Seconds(9.0, 9.0), Seconds(1.0, 2.0), Seconds(1.0, 2.0)], share=0.1)
    assert found.time == pytest.approx(21.0)


# ---------------------------------------------------------------- judge


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_neighbours_by_differences_are_right_and_others_wrong(offset):
    random = np.random.default_rng(0)
    X, Q = random.normal(size=(300, 3)) + offset, random.normal(size=(20, 3)) + offset
    rows = np.argsort(((Q[:, None] - X) ** 2).sum(axis=2), axis=1)
    assert wrong_neighbours(X, Q, rows[:, :5]) == 0
    assert wrong_neighbours(X, Q, rows[:, 1:6]) == 20
    assert wrong_neighbours(X, Q, np.repeat(rows[:, :1], 5, axis=1)) == 80
    assert wrong_neighbours(X, Q, np.full((20, 5), -1)) == 100


def test_of_equal_distances_either_neighbour_is_right():
    X = np.array([[0.0], [1.0], [-1.0], [5.0]])
    for other in (1, 2):
        assert wrong_neighbours(X, np.zeros((1, 1)), np.array([[0, other]])) == 0


def test_neighbours_of_scikit_learn_are_wrong_far_from_the_origin():
    random = np.random.default_rng(0)
    X, Q = random.normal(size=(300, 3)) + 1e8, random.normal(size=(20, 3)) + 1e8
    found = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors(Q)[1]
    assert wrong_neighbours(X, Q, found) > 0


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_densities_are_those_of_scikit_learn(kernel, columns):
    random = np.random.default_rng(0)
    X, Q = random.normal(size=(50, columns)), random.normal(size=(9, columns))
    theirs = KernelDensity(bandwidth=4.0, kernel=kernel).fit(X).score_samples(Q)
    np.testing.assert_allclose(log_densities(X, Q, kernel, 4.0), theirs, rtol=1e-9)


def test_density_is_zero_where_no_window_reaches():
    assert log_densities(np.zeros((3, 1)), np.array([[9.0]]), "epanechnikov", 1.0).tolist() == [-np.inf]


def test_difference_takes_equal_infinities_for_equal_and_nan_for_different():
    assert largest_difference([1.0, -np.inf], [1.5, -np.inf]) == 0.5
    assert largest_difference([np.nan], [np.nan]) == 0
    assert largest_difference([np.nan, 1.0], [0.0, 1.0]) == np.inf


# ---------------------------------------------------------------- rows


def test_white_rows_have_the_identity_as_covariance():
    np.testing.assert_allclose(np.cov(white(100, 3).T), np.eye(3), atol=1e-12)


def test_holes_are_the_share_that_was_asked():
    assert np.isnan(with_holes(np.zeros((1000, 10)), 0.1)).mean() == pytest.approx(0.1, abs=0.01)


# ---------------------------------------------------------------- peers


def test_peers_that_are_not_installed_are_left_out(monkeypatch):
    monkeypatch.setattr(searches, "module_of", lambda package: None)
    X = np.random.default_rng(0).normal(size=(50, 2))
    names = [way.name for way in all_ways(Question(X, X, 3, 1, 10, 50))]
    assert names[0] == OURS
    assert BRUTE in names
    assert not {PYKDTREE, FAISS} & set(names)


def test_all_ways_find_the_same_neighbours_and_slow_ones_of_fewer_queries():
    random = np.random.default_rng(0)
    X, Q = random.normal(size=(400, 4)), random.normal(size=(30, 4))
    ways = all_ways(Question(X, Q, 3, 1, 10, 20))
    found = {way.name: (way.ask(way.prepare()), way.share) for way in ways}
    for rows, share in found.values():
        assert len(rows) == pytest.approx(30 * share)
        np.testing.assert_array_equal(rows, found[OURS][0][: len(rows)])
    assert found[BRUTE][1] == pytest.approx(1 / 3)


# ---------------------------------------------------------------- bars, record and report


def test_bars_say_whether_they_are_met():
    found = entry("A", "letter", showing(OURS, 2.0, wrong=1.0), showing(BRUTE, 10.0))
    bars = [
        (at_least("letter", 5, BRUTE, OURS), 5.0, True),
        (at_least("letter", 6, BRUTE, OURS), 5.0, False),
        (at_most("letter", 0.2, OURS, BRUTE), 0.2, True),
        (within_seconds("letter", 1, OURS), 2.0, False),
        (figure_at_most("letter", 0, OURS, "wrong"), 1.0, False),
    ]
    for bar, value, is_met in bars:
        assert bar.figure(found) == pytest.approx(value)
        assert bar.is_met(value) == is_met
    assert at_least("letter", 5, FAISS, OURS).figure(found) is None


def test_every_bar_is_of_a_problem_of_its_section():
    for section in SECTIONS.values():
        assert {bar.problem for bar in section.bars} <= set(section.problems)


def test_choice_is_compared_with_the_best_of_all_others():
    (bar,) = (bar for bar in EXACT.bars if bar.problem == "letter" and "best" in bar.words)
    found = entry("A", "letter", showing(OURS, 3.0), showing("mercer kd_tree", 2.0), showing(BRUTE, 10.0))
    assert bar.figure(found) == pytest.approx(1.5)


def test_a_row_costs_what_it_takes_beyond_the_query():
    ways = [showing(REFIT, 11.0), showing(QUERY, 1.0), showing(LEARNT, 1.5), showing(FORGOTTEN, 1.1)]
    bars = [bar for bar in SECTIONS["D"].bars if bar.problem == "a row, letter"]
    assert [bar.figure(entry("D", "a row, letter", *ways)) for bar in bars] == pytest.approx([0.05, 0.01])


def test_record_returns_what_was_written_and_replaces_what_is_measured_again(tmp_path):
    entries = [entry("A", "letter", showing(OURS, 1.0, plan="a tree")), entry("A", "cadata", showing(OURS, 1.0))]
    record.write(tmp_path / "memory.json", entries)
    assert record.read(tmp_path / "memory.json") == entries
    again = entry("A", "letter", showing(OURS, 2.0))
    assert record.merged(entries, again) == [again, entries[1]]


def test_report_tells_times_shares_figures_and_bars():
    found = entry("A", "letter", showing(OURS, 2.0, wrong=0, plan="A tree."), showing(BRUTE, 1.0, share=0.05))
    text = render(MEMORY, [found])
    assert "- Machine: a machine\n- Threads: 2" in text
    assert "Mercer at abc1234" in text
    assert "| letter: 9 × 2 | mercer | all | 2.00 s | 1.00 | 0 | A tree. |" in text
    assert "|  | scikit-learn brute | 0.05 | 20.0 s | 10.0 | — | — |" in text
    assert "| letter | scikit-learn brute ÷ mercer | ≥ 5 | 10 | yes |" in text
    assert "| letter | faiss IndexFlatL2 ÷ mercer | ≥ 3 | — | not run |" in text
    assert "## B." not in text


# ---------------------------------------------------------------- command line


@pytest.fixture
def folder(tmp_path):
    """Sets of a few rows under the names of those that are measured."""
    random = np.random.default_rng(0)
    for name in ("fashion-mnist", "covtype", "letter", "cadata"):
        X = random.normal(size=(ROWS + 40, 6))
        y = X[:, 0] if name == "cadata" else random.integers(3, size=len(X))
        _save(tmp_path, name, y, X_train=X[:ROWS], X_test=X[ROWS:])
    words = sp.random(ROWS + 40, 30, 0.3, format="csr", random_state=0) + sp.csr_matrix(np.eye(ROWS + 40, 30))
    words = sp.csr_matrix(words + sp.csr_matrix(np.ones((ROWS + 40, 1))) @ sp.csr_matrix(np.eye(1, 30)))
    parts = {}
    for part, rows in (("train", words[:ROWS]), ("test", words[ROWS:])):
        parts |= {f"X_{part}_{of}": getattr(rows, of) for of in ("data", "indices", "indptr", "shape")}
    _save(tmp_path, "20newsgroups", random.integers(3, size=ROWS + 40), **parts)
    return tmp_path


def _save(folder, name, y, **arrays):
    (folder / name).mkdir()
    np.savez(folder / name / f"{name}.npz", y_train=y[:ROWS], y_test=y[ROWS:], **arrays)


def test_every_section_runs_on_a_few_rows_and_writes_its_tables(folder, monkeypatch):
    monkeypatch.setattr("benchmarks.ways.command.keep_to_cores", lambda threads: None)
    kept, output = folder / "memory.json", folder / "MEMORY.md"
    files = ["--record", str(kept), "--output", str(output)]
    few = ["--rows", str(ROWS), "--repetitions", "1", "--threads", "1"]
    assert main(MEMORY, ["--data", str(folder), *few, *files]) == 0
    text = output.read_text()
    for letter, section in SECTIONS.items():
        assert f"## {letter}. {section.title}" in text
        for problem in section.problems:
            assert f"| {problem}: " in text
    entries = {(one.section, one.problem): one for one in record.read(kept)}
    assert entries["A", "letter"].of(OURS).figures["wrong"] == 0
    assert entries["B", "offset"].of(OURS).figures["wrong"] == 0
    for problem in ("regressor", "imputer"):
        assert entries["C", problem].of(OURS).figures["largest difference"] < 1e-9
    for problem in ("eight features", "two features, bounded"):
        assert entries["E", problem].of(OURS).figures["difference of logs"] < 1e-9
    smooth = {problem: one for (section, problem), one in entries.items() if section == "F"}
    for problem in ("lowess, δ = 0, 2,000", "two features"):
        for peer in smooth[problem].showings[1:]:
            assert peer.figures["largest difference"] < 1e-9
    output.unlink()
    assert main(MEMORY, ["--render", "--threads", "1", *files]) == 0
    assert output.read_text() == text


def test_figures_of_few_rows_are_not_mixed_with_those_that_are_kept(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(MEMORY, ["--data", str(tmp_path), "--rows", "100"])
    assert "--record" in capsys.readouterr().err


def test_rendering_without_figures_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(MEMORY, ["--render", "--record", str(tmp_path / "none.json"), "--output", str(tmp_path / "MEMORY.md")])
    assert "no entries" in capsys.readouterr().err
