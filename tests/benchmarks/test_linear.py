"""Ladders are climbed as far as they tell something, and their runs give the times and ratios of the report."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.linear import record
from benchmarks.linear.__main__ import HERE, main
from benchmarks.linear.heat import repetitions
from benchmarks.linear.judge import primal
from benchmarks.linear.ladders import LEAST_LIMIT, descent_rungs, ladder, limit_of, next_rung
from benchmarks.linear.libraries.base import Weights
from benchmarks.linear.problems import name_of, problems, select
from benchmarks.linear.record import Bound, Conditions, Entry, Facts, Run, Showing
from benchmarks.linear.report import render
from benchmarks.linear.results import after_passes, at_default, at_level, of_kernel_machines, share_after, time_to
from benchmarks.linear.targets import TARGETS
from benchmarks.linear.tasks import Family, Rung, Task
from benchmarks.machine import Origin
from benchmarks.record import Timing

HINGE = Task("LinearSVC", "hinge", 1.0)
SQUARED = Task("LinearSVC", "squared_hinge", 1.0)
L1 = Task("LinearSVC", "squared_hinge", 1.0, penalty="l1")
AT_ONCE = Task("LinearSVC", "hinge", 1.0, multi_class="crammer_singer")
DESCENT = Task("SGDClassifier", "hinge", 1.0)
FACTS = Facts("a9a-hinge-1", "a9a", 32_561, 123, 2, "CSR", "as given", HINGE)
RACE = Origin("2001-01-01 12:00:00", "abc1234", "Python")
# Two ways to sum the same float64 numbers.
SUMMATION = 1e-12
BOUND = Bound(dual=100.0, gap=1e-10)


def run(tol, *seconds, above=None, solver="", is_default=False, killed_after=None):
    """A run whose machine is so far above the bound; one that did not end without ``above``."""
    value = None if above is None else BOUND.above(above)
    return Run(Rung(solver, tol, is_default=is_default), list(seconds), value, killed_after=killed_after)


def showing(library, *runs, origin=RACE):
    return Showing(library, "1.0", origin, list(runs))


def entry(*showings, problem=FACTS):
    return Entry(problem, Conditions("a machine", threads=2), BOUND, showings)


OURS = showing("mercer", run(1e-2, 1.0, above=5e-4), run(1e-4, 2.0, above=5e-5), run(1e-6, 4.0, above=5e-7))


def test_time_to_a_value_is_the_least_of_the_runs_that_reached_it():
    peer = showing("sklearn", run(1, 1.0, 9.0, 3.0, above=1e-2), run(0.1, 8.0, above=1e-5), run(0.01, 6.0, above=1e-5))
    assert time_to(peer, BOUND.above(1e-2)) == Timing(3.0)
    assert time_to(peer, BOUND.above(1e-3)) == Timing(6.0)
    assert time_to(peer, BOUND.above(1e-6)) is None
    assert time_to(None, 0.0) is None


def test_killed_run_bounds_the_time_to_what_the_others_did_not_reach():
    peer = showing("sklearn", run(1, 3.0, above=1e-2), run(0.1, killed_after=60.0))
    assert time_to(peer, BOUND.above(1e-2)) == Timing(3.0)
    assert time_to(peer, BOUND.above(1e-3)) == Timing(60.0, is_bound=True)
    assert at_level(entry(OURS, peer), "sklearn", 1e-4).ratio.value == 30.0
    assert at_level(entry(OURS, peer), "sklearn", 1e-4).ratio.is_bound


def test_ratio_needs_that_mercer_got_there_and_the_peer_tried():
    killed = showing("mercer", run(1e-2, killed_after=60.0))
    peer = showing("sklearn", run(1, 3.0, above=1e-4))
    assert at_level(entry(killed, peer), "sklearn", 1e-3).ratio is None
    assert at_level(entry(OURS, peer), "sklearn", 1e-6).ratio is None
    assert at_level(entry(OURS), "sklearn", 1e-3).ratio is None


def test_default_fit_is_compared_with_mercer_to_its_value():
    peer = showing("sklearn", run(1, 3.0, above=1e-2), run(0.1, 6.0, above=1e-4, is_default=True))
    found = at_default(entry(OURS, peer), "sklearn")
    assert (found.ours, found.theirs, found.ratio.value) == (Timing(2.0), Timing(6.0), 3.0)
    assert found.reached == pytest.approx(1e-4)


def test_default_is_that_of_the_quicker_solver():
    slow = run(0.1, 9.0, above=1e-6, solver="dual", is_default=True)
    quick = run(0.1, 5.0, above=1e-3, solver="primal", is_default=True)
    assert at_default(entry(OURS, showing("sklearn", slow, quick)), "sklearn").ratio.value == 5.0


def test_values_at_the_precision_of_the_bound_are_the_same():
    ours = showing("mercer", run(1e-9, 4.0, above=5e-10))
    peer = showing("sklearn", run(1e-4, 6.0, above=1e-12, is_default=True))
    assert at_default(entry(ours, peer), "sklearn").ratio.value == 1.5


def test_killed_default_is_set_against_the_tightest_level():
    found = at_default(entry(OURS, showing("sklearn", run(1, killed_after=60.0))), "sklearn")
    assert (found.ratio.value, found.ratio.is_bound, found.reached) == (15.0, True, None)


def test_ladders_go_from_loose_to_tight_with_the_likelier_solver_first():
    rungs = ladder("liblinear", SQUARED, is_tall=True)
    assert [rung.solver for rung in rungs] == ["primal"] * 6 + ["dual"] * 6
    assert [(rung.solver, rung.tol) for rung in rungs if rung.is_default] == [("primal", 1e-2), ("dual", 1e-1)]
    assert {rung.solver for rung in ladder("sklearn", HINGE, is_tall=True)} == {"dual"}
    assert [rung.passes for rung in ladder("sgd", HINGE, is_tall=True)] == [1, 3, 10, 30, 100]
    for library in ("mercer", "sklearn"):
        assert len([rung for rung in ladder(library, HINGE, is_tall=True) if rung.is_default]) == 1


def test_families_with_one_solver_climb_that_one():
    for task, solver, default in ((L1, "primal", 1e-2), (AT_ONCE, "dual", 1e-1)):
        rungs = ladder("liblinear", task, is_tall=True)
        assert {rung.solver for rung in rungs} == {solver}
        assert [rung.tol for rung in rungs if rung.is_default] == [default]
        assert {rung.solver for rung in ladder("sklearn", task, is_tall=True)} == {solver}


def test_descents_make_the_same_passes_at_the_same_rates():
    found = [(rung.solver, rung.passes) for rung in ladder("mercer", DESCENT, is_tall=True)]
    assert found == [("optimal", 5), ("optimal", 20), ("invscaling", 5), ("invscaling", 20)]
    assert ladder("sklearn", DESCENT, is_tall=True) == ladder("mercer", DESCENT, is_tall=True)


def test_solver_that_was_killed_climbs_no_further():
    rungs = [Rung("primal", 1.0), Rung("primal", 0.1), Rung("dual", 1.0)]
    runs = [run(1.0, solver="primal", killed_after=60.0)]
    assert next_rung(rungs, runs, BOUND.above(1e-6)) == rungs[2]


def test_solver_that_has_reached_enough_only_makes_up_for_its_default():
    rungs = [Rung("", 1.0), Rung("", 0.1), Rung("", 0.01, is_default=True), Rung("", 0.001)]
    runs = [run(1.0, 2.0, above=1e-7)]
    assert next_rung(rungs, runs, BOUND.above(1e-6)) == rungs[2]
    assert next_rung(rungs, [*runs, run(0.01, 2.0, above=1e-8, is_default=True)], BOUND.above(1e-6)) is None


def test_second_solver_is_given_as_long_as_the_first_took():
    first = [run(0.1, 10.0, above=1e-7, solver="primal"), run(0.01, 20.0, above=1e-8, solver="primal", is_default=True)]
    assert limit_of(Rung("dual", 1.0), first, BOUND.above(1e-6), 60.0) == 20.0
    assert limit_of(Rung("dual", 1.0), first[:1], BOUND.above(1e-6), 60.0) == 60.0
    assert limit_of(Rung("primal", 1e-3), first, BOUND.above(1e-6), 60.0) == 60.0
    quick = [replace(run, seconds=[0.1]) for run in first]
    assert limit_of(Rung("dual", 1.0), quick, BOUND.above(1e-6), 60.0) == LEAST_LIMIT


def test_short_fits_are_repeated():
    assert [repetitions(seconds) for seconds in (0.01, 0.5, 3.0, 30.0)] == [7, 3, 2, 1]


def test_judge_sums_the_losses_of_every_class_and_regularises_the_intercept():
    X, y = np.array([[1.0], [-1.0], [0.0]]), np.array([0, 1, 2])
    one = Weights(np.array([[2.0]]), np.array([1.0]))
    assert primal(X[:2], np.array([1, 0]), HINGE, one) == 0.5 * (4 + 1)
    assert primal(X[:2], np.array([0, 1]), SQUARED, one) == 0.5 * (4 + 1) + 16 + 4
    assert primal(X[:2], np.array([1, 0]), Task("SVC", "hinge", 1.0), one) == 0.5 * 4
    three = Weights(np.array([[2.0], [-2.0], [0.0]]), np.array([-1.0, -1.0, 1.0]))
    assert primal(X, y, HINGE, three) == 0.5 * (4 + 4 + 3) + 4
    tube = Task("LinearSVR", "epsilon_insensitive", 10.0, epsilon=0.5)
    assert primal(X[:2], np.array([2.0, -1.0]), tube, one) == 0.5 * (4 + 1) + 10 * 0.5


def naive_primal(X, y, task, weights):
    """Row by row and class by class, as the formulas are written."""
    price = sum(abs(w) for w in [*weights.coef.ravel(), *weights.intercept])
    if task.penalty == "l2":
        price = 0.5 * sum(w**2 for w in [*weights.coef.ravel(), *weights.intercept])
    losses = 0.0
    for x, own in zip(X, y, strict=True):
        f = [float(w @ x) + b for w, b in zip(weights.coef, weights.intercept, strict=True)]
        if task.multi_class == "crammer_singer":
            losses += max(0.0, max(1 + f[m] - f[own] for m in range(len(f)) if m != own))
        else:
            losses += sum(max(0.0, 1 - (1 if m == own else -1) * f[m]) ** 2 for m in range(len(f)))
    return price + task.C * losses


@pytest.mark.parametrize("task", [L1, AT_ONCE], ids=["l1", "crammer_singer"])
def test_judge_has_the_values_of_the_formulas(task):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 5)), random.integers(0, 4, 40)
    weights = Weights(random.normal(size=(4, 5)), random.normal(size=4))
    for posed in (task, replace(task, C=0.3)):
        expected = naive_primal(X, y, posed, weights)
        assert primal(X, y, posed, weights) == pytest.approx(expected, rel=SUMMATION)
        assert primal(sp.csr_matrix(X), y, posed, weights) == pytest.approx(expected, rel=SUMMATION)


def test_judge_of_two_classes_and_absolute_prices_counts_the_intercept():
    X, one = np.array([[1.0], [-1.0]]), Weights(np.array([[-2.0]]), np.array([1.0]))
    assert primal(X, np.array([0, 1]), L1, one) == 2 + 1
    assert primal(X, np.array([1, 0]), replace(L1, C=2.0), one) == 2 + 1 + 2 * (4 + 16)


def test_judge_of_a_descent_leaves_the_intercept_free():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    weights = Weights(np.array([[2.0]]), np.array([3.0]))
    assert primal(X, y, DESCENT, weights) == 0.5 * 4 + 2
    assert primal(X, y, HINGE, weights) == 0.5 * (4 + 9) + 2


@pytest.fixture
def folder(tmp_path):
    """Where every set of the problems seems to be: they are loaded only when they are run."""
    for name in ("a9a", "w8a", "susy-30k", "cadata", "20newsgroups", "reuters-r52", "covtype", "pendigits"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.npz").touch()
    return tmp_path


def test_names_begin_with_the_family_but_for_the_first():
    assert name_of("a9a", HINGE) == "a9a-hinge-1"
    assert name_of("a9a", replace(L1, C=0.1)) == "l1-a9a-0.1"
    assert name_of("pendigits", AT_ONCE) == "crammer_singer-pendigits-1"
    assert name_of("covtype", DESCENT) == "sgd-covtype"
    assert name_of("a9a", Task("SVC", "hinge", 1.0)) == "svc-a9a"


def test_problems_are_asked_for_by_how_they_begin(folder):
    available = problems(folder)
    assert len({problem.name for problem in available}) == len(available)

    def named(*names):
        return [problem.name for problem in select(available, names)]

    costs = ("0.1", "1", "10")
    assert named("a9a") == [f"a9a-{loss}-{C}" for loss in ("hinge", "squared_hinge") for C in costs]
    assert named("l1") == [f"l1-{name}-{C}" for name in ("a9a", "w8a", "reuters-r52") for C in costs]
    assert named("crammer_singer-20newsgroups") == [f"crammer_singer-20newsgroups-{C}" for C in ("0.1", "1")]
    assert named("sgd", "svc-a9a") == ["svc-a9a", "sgd-covtype"]
    assert len(named("l1", "crammer_singer")) == 14


def test_record_of_tasks_without_penalties_is_still_read():
    assert Task(estimator="LinearSVC", loss="hinge", C=1.0, epsilon=0.0).family is Family.LINEAR
    for entry in record.read(HERE / "linear.json"):
        facts = entry.problem
        assert name_of(facts.source, facts.task) == facts.name


def test_record_returns_what_was_written(tmp_path):
    entries = [entry(OURS, showing("sklearn", run(1, killed_after=60.0)))]
    record.write(tmp_path / "linear.json", entries)
    assert record.read(tmp_path / "linear.json") == entries


def test_measuring_again_replaces_only_the_libraries_that_raced():
    peer, again = showing("sklearn", run(1, 3.0, above=1e-4)), showing("mercer", run(1e-2, 0.5, above=1e-4))
    other = entry(OURS, problem=replace(FACTS, name="w8a-hinge-1"))
    assert record.merged([entry(OURS, peer), other], entry(again)) == [entry(again, peer), other]


def test_report_tells_times_ratios_and_marks():
    later = replace(RACE, time="2001-01-02 12:00:00")
    peers = [
        showing("sklearn", run(1, 3.0, above=1e-4), run(1e-4, killed_after=60.0)),
        showing("sgd", run(0, 7.0, above=1e-3), origin=later),
    ]
    lines = render([entry(OURS, *peers)]).splitlines()
    assert "| 1 | 1e-03 | 1.00 s | 3.00 s | 3.00 | — | — | 7.00 s | 7.00‡ |" in lines
    assert "| 1 | 1e-06 | 4.00 s | > 60.0 s | > 15.0 | — | — | — | — |" in lines
    assert "| 1 | sklearn's default | 4.00 s | > 60.0 s | > 15.0 |  |  |  |  |" in lines
    assert "| 1e-04 | 1.50 (1) | — | — |" in lines


def test_kernel_machines_are_compared_by_time_and_violation():
    ours, theirs = run(1e-3, 0.5, above=0.0), run(1e-3, 50.0, above=0.0)
    theirs.violation = 9e-4
    facts = replace(FACTS, name="svc-a9a", task=Task("SVC", "hinge", 1.0))
    pair = replace(entry(showing("mercer", ours), showing("sklearn", theirs), problem=facts), bound=None)
    assert of_kernel_machines(pair, "sklearn").ratio.value == 100.0
    assert "| svc-a9a | 32,561 × 123 | 1 | 0.500 s | 50.0 s | 100 | — | 9.0e-04 |" in render([pair])


def test_families_have_sections_and_means_of_their_own():
    peer = showing("sklearn", run(1, 3.0, above=1e-4))
    l1 = entry(OURS, peer, problem=replace(FACTS, name="l1-a9a-1", task=L1))
    slower = showing("sklearn", run(1, 6.0, above=1e-4))
    at_once = entry(OURS, slower, problem=replace(FACTS, name="crammer_singer-a9a-1", task=AT_ONCE))
    lines = render([entry(OURS, peer), l1, at_once]).splitlines()
    titles = [line for line in lines if line.startswith("#")]
    assert titles == [
        "# Linear machines",
        "## Geometric means",
        "## Problems",
        "### a9a, hinge",
        '## `LinearSVC(penalty="l1")`',
        "### a9a, l1",
        '## `LinearSVC(multi_class="crammer_singer")`',
        "### a9a, crammer_singer",
        "## What was missed",
    ]
    assert lines.count("| 1e-03 | 3.00 (1) | — | — |") == 2
    assert lines.count("| 1e-03 | 6.00 (1) | — | — |") == 1


def descents(*ours, theirs=8.0, above=0.005):
    """An entry of descents, of Mercer so many seconds on each rung."""
    facts = replace(FACTS, name="sgd-covtype", source="covtype", task=DESCENT)
    made = [Run(rung, [time], BOUND.above(above)) for rung, time in zip(descent_rungs(), ours, strict=False)]
    peers = [Run(rung, [theirs], BOUND.above(2 * above)) for rung in descent_rungs()]
    return entry(showing("mercer", *made), showing("sklearn", *peers), problem=facts)


def test_descents_are_compared_by_their_passes_and_by_where_they_end():
    found, (first, second, *_) = descents(2.0, 16.0), descent_rungs()
    assert after_passes(found, "sklearn", first).ratio.value == 4.0
    assert share_after(found, "mercer", second) == pytest.approx(0.005)
    assert after_passes(found, "sklearn", descent_rungs()[2]).ratio is None
    text = render([found])
    assert "## SGD" in text
    row = '| `learning_rate="optimal"` | 5 | 2.00 s | 8.00 s | 4.00 | 0.400 s | 1.60 s | 5.0e-03 | 1.0e-02 |'
    assert row in text.splitlines()
    assert "## Geometric means" not in text


def test_killed_descent_is_a_bound():
    found = descents(2.0)
    killed = showing("sklearn", Run(descent_rungs()[0], killed_after=60.0))
    ratio = after_passes(replace(found, showings=(found.of("mercer"), killed)), "sklearn", descent_rungs()[0]).ratio
    assert (ratio.value, ratio.is_bound) == (30.0, True)


def finding(promise, *entries):
    """Reached figure and word of the one target whose promise begins so."""
    (target,) = (target for target in TARGETS if target.promise.startswith(promise))
    return target.row(entries)[2:]


def test_targets_tell_what_was_met_missed_or_left_open():
    def against(seconds):
        return entry(OURS, showing("sklearn", run(1e-4, seconds, above=1e-3, is_default=True)))

    killed = entry(OURS, showing("sklearn", run(1, killed_after=8.0)))
    promise = "a9a, to the value of sklearn's default"
    assert finding(promise, against(5.0)) == ["5.00 (a9a-hinge-1)", "met"]
    assert finding(promise, against(3.0), against(5.0)) == ["3.00 (a9a-hinge-1)", "missed, in 1 of 2"]
    assert finding(promise, killed) == ["> 2.00 (a9a-hinge-1)", "open: killed before it was decided"]
    assert finding(promise) == ["—", "not measured"]


def test_targets_of_a_set_are_not_meant_of_other_families():
    peer = showing("sklearn", run(1e-4, 3.0, above=1e-3, is_default=True))
    l1 = entry(OURS, peer, problem=replace(FACTS, name="l1-a9a-1", task=L1))
    assert finding("a9a, to the value of sklearn's default", l1) == ["—", "not measured"]
    assert finding("nowhere slower than sklearn's default", l1) == ["3.00 (l1-a9a-1)", "met"]


def test_value_of_a_default_that_mercer_did_not_reach_is_a_miss():
    peer = showing("sklearn", run(1e-4, 3.0, above=1e-8, is_default=True))
    expected = ["0.00 (a9a-hinge-1, its value not reached)", "missed, in 1 of 1"]
    assert finding("nowhere slower than sklearn's default", entry(OURS, peer)) == expected
    assert finding("nowhere slower than sklearn's default", entry(peer)) == ["—", "not measured"]


def test_targets_of_descents():
    found = descents(2.0, 2.0, 2.0, 16.0)
    assert finding("SGD, sklearn's time", found) == ["0.500 (sgd-covtype, invscaling 20 passes)", "missed, in 1 of 4"]
    assert finding("SGD, share above the optimum", found) == ["0.00500 (sgd-covtype)", "met"]
    assert finding("SGD, share above the optimum", descents(1, 1, 1, 1, above=0.02))[1] == "missed, in 1 of 1"
    for other in ("nowhere slower than sklearn's default", "covtype, MB above the data"):
        assert finding(other, found) == ["—", "not measured"]


@pytest.mark.slow
def test_race_adds_to_the_record_and_writes_the_report(tmp_path):
    random = np.random.default_rng(0)
    X, noise = random.normal(size=(240, 3)), random.normal(size=240)
    (tmp_path / "cadata").mkdir()
    rows = {"X_train": X[:200], "X_test": X[200:]}
    y = X.sum(axis=1) + noise
    np.savez(tmp_path / "cadata" / "cadata.npz", **rows, y_train=y[:200], y_test=y[200:])
    kept, output = tmp_path / "linear.json", tmp_path / "LINEAR.md"
    files = ["--data", str(tmp_path), "--record", str(kept), "--output", str(output)]
    assert main([*files, "--problems", "cadata-squared_epsilon_insensitive-1", "--libraries", "mercer"]) == 0
    assert main([*files, "--problems", "cadata-squared_epsilon_insensitive-1", "--libraries", "sklearn,sgd"]) == 0
    (found,) = record.read(kept)
    assert [showing.library for showing in found.showings] == ["mercer", "sklearn", "sgd"]
    assert found.bound.gap < 1e-6
    assert at_level(found, "sklearn", 1e-6).ratio.is_split
    assert "### cadata, squared_epsilon_insensitive" in output.read_text()


@pytest.mark.slow
def test_families_are_raced_to_the_same_optimum(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 4))
    noisy = X + random.normal(size=X.shape)
    labels = {"a9a": (noisy[:, 0] > 0).astype(int), "pendigits": noisy[:, :3].argmax(axis=1)}
    labels["covtype"] = labels["a9a"]
    for name, y in labels.items():
        (tmp_path / name).mkdir()
        arrays = {"X_train": X[:300], "y_train": y[:300], "X_test": X[300:], "y_test": y[300:]}
        np.savez(tmp_path / name / f"{name}.npz", **arrays)
    kept, output = tmp_path / "linear.json", tmp_path / "LINEAR.md"
    files = ["--data", str(tmp_path), "--record", str(kept), "--output", str(output)]
    assert main([*files, "--problems", "l1-a9a-0.1,crammer_singer-pendigits-0.1,sgd"]) == 0
    l1, at_once, descent = record.read(kept)
    for found in (l1, at_once):
        assert at_level(found, "sklearn", 1e-6).ratio is not None
        assert at_level(found, "sgd", 1e-3).theirs is None
        assert not any(showing.remarks for showing in found.showings)
    assert [showing.library for showing in descent.showings] == ["mercer", "sklearn"]
    assert all(share_after(descent, "mercer", rung) > -1e-9 for rung in descent_rungs())
    assert "## SGD" in output.read_text()
