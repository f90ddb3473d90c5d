"""Ladders are climbed as far as they tell something, and their runs give the times and ratios of the report."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.linear import record
from benchmarks.linear.__main__ import main
from benchmarks.linear.heat import repetitions
from benchmarks.linear.judge import primal
from benchmarks.linear.ladders import LEAST_LIMIT, ladder, limit_of, next_rung
from benchmarks.linear.libraries.base import Weights
from benchmarks.linear.record import Bound, Conditions, Entry, Facts, Run, Showing
from benchmarks.linear.report import render
from benchmarks.linear.results import at_default, at_level, of_kernel_machines, time_to
from benchmarks.linear.targets import TARGETS
from benchmarks.linear.tasks import Rung, Task
from benchmarks.machine import Origin
from benchmarks.record import Timing

HINGE = Task("LinearSVC", "hinge", 1.0)
SQUARED = Task("LinearSVC", "squared_hinge", 1.0)
FACTS = Facts("a9a-hinge-1", "a9a", 32_561, 123, 2, "CSR", "as given", HINGE)
RACE = Origin("2001-01-01 12:00:00", "abc1234", "Python")
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
