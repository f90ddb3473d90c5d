"""The record keeps what was measured, and the report tells of it what it says."""

from dataclasses import replace

import pytest

from benchmarks import record
from benchmarks.__main__ import main
from benchmarks.judge import Verdict
from benchmarks.machine import Origin
from benchmarks.record import Conditions, Entry, Facts
from benchmarks.report import render
from benchmarks.results import Results, fit, predict
from benchmarks.targets import TARGETS

FACTS = Facts("letter", "standard", "", 15_000, 16, 5_000, 26, "dense", {"C": 16, "gamma": 8}, "as given", 200.0)
TERMS = Conditions("a machine", threads=2, tol=1e-3, cache_mb=200.0)
RACE = Origin("2001-01-01 12:00:00", "abc1234", "Python")


def entry(library, *fits, problem=FACTS, violation=5e-4, **more):
    """An entry with fits and, of half their length, predictions."""
    verdict = Verdict(objective=-1.0, violation=violation, infeasibility=0.0, vectors=10)
    halves = [seconds / 2 for seconds in fits]
    return Entry(
        *(problem, library, "1.0", TERMS, RACE, 300.0, list(fits), halves),
        **{"verdict": verdict if fits else None} | more,
    )


def finding(promise, *entries):
    """Reached figure and word of the one target whose promise begins so."""
    (target,) = (target for target in TARGETS if target.promise.startswith(promise))
    return target.row(Results(entries))[2:]


def test_record_returns_what_was_written(tmp_path):
    entries = [entry("mercer", 2.0, 1.0, evaluations=[0.5]), entry("sklearn", killed_at="fit", remarks=["killed"])]
    record.write(tmp_path / "results.json", entries)
    assert record.read(tmp_path / "results.json") == entries


def test_measuring_again_replaces_only_the_same_problem_library_and_conditions():
    old = [entry("mercer", 1.0), entry("sklearn", 9.0), entry("mercer", 3.0, problem=replace(FACTS, name="a9a"))]
    elsewhere = replace(entry("mercer", 7.0), conditions=replace(TERMS, machine="another machine"))
    again = entry("mercer", 0.5)
    assert record.merged([*old, elsewhere], [again]) == [again, *old[1:], elsewhere]


def test_time_is_the_median_of_the_warm_repetitions():
    assert entry("mercer", 9.0, 1.0, 2.0, 6.0).fit == record.Timing(2.0)
    assert entry("mercer", 9.0).fit == record.Timing(9.0)


def test_each_peer_is_compared_with_mercer_on_the_same_floats():
    results = Results([entry("mercer", 1.0), entry("mercer32", 0.5), entry("skex64", 6.0), entry("skex32", 4.0)])
    assert results.ratio("letter", "skex64", fit).value == 6.0
    assert results.ratio("letter", "skex32", fit).value == 8.0
    assert results.ratio("letter", "skex32", predict).value == 8.0
    assert results.ratio("letter", "libsvm", fit) is None


def test_killed_peer_counts_with_the_limit_as_a_lower_bound():
    small = replace(FACTS, name="a9a")
    entries = [entry("mercer", 1.0), entry("sklearn", killed_at="fit")]
    entries += [entry("mercer", 1.0, problem=small), entry("sklearn", 3.0, problem=small)]
    mean = Results(entries).mean(Results(entries).large, "sklearn", fit)
    assert (mean.value, mean.count, mean.is_bound) == (pytest.approx((300 * 3) ** 0.5), 2, True)
    assert "| > 300 |" in render(entries)


def test_means_leave_other_groups_out():
    other = replace(FACTS, name="bounded", group="extreme")
    entries = [entry(name, 1.0, problem=facts) for name in ("mercer", "sklearn") for facts in (FACTS, other)]
    assert Results(entries).mean(Results(entries).large, "sklearn", fit).count == 1
    assert "| *bounded* |" in render(entries)


def test_ratio_of_two_races_is_marked():
    later = replace(RACE, time="2001-01-02 12:00:00")
    assert "| 3.00‡ |" in render([entry("mercer", 1.0), replace(entry("sklearn", 3.0), origin=later)])


def test_growth_tells_the_exponent():
    sizes = [replace(FACTS, name=f"grown-{rows}", group="growth", series="grown", rows=rows) for rows in (10, 100)]
    entries = [entry("mercer", (facts.rows / 10) ** 1.5, problem=facts) for facts in sizes]
    assert "power 1.50" in render(entries)


def test_targets_list_every_figure_that_misses():
    fast, slow = entry("mercer", 1.0), entry("sklearn", 0.5)
    assert finding("no peer faster", fast, slow) == [
        "0.500 (fit of letter by sklearn), 0.500 (predict of letter by sklearn)",
        "missed",
    ]
    assert finding("letter", fast, entry("sklearn", 20.0)) == ["20.0 (fit of letter by sklearn)", "met"]
    assert finding("letter", fast) == ["—", "not measured"]
    assert finding("violation", fast, entry("mercer32", 1.0, violation=2e-3)) == ["2.00 (mercer32 on letter)", "missed"]
    assert finding("fit over the limit", fast, entry("mercer32", 1.0, evaluations=[1.0, 0.25])) == [
        "4.00 (problems: 1)",
        "met",
    ]
    assert finding("violation", entry("mercer", killed_at="fit")) == ["inf (mercer on letter)", "missed"]
    assert finding("first fit", entry("mercer", 3.0, 1.0)) == ["3.00 (letter)", "missed"]


@pytest.mark.slow
def test_race_adds_to_the_record_and_writes_the_report(tmp_path):
    kept, output = tmp_path / "results.json", tmp_path / "RESULTS.md"
    record.write(kept, [entry("mercer", 1.0)])
    files = ["--record", str(kept), "--output", str(output)]
    assert main(["--problems", "iris", "--libraries", "mercer32,sklearn", "--repeat", "2", *files]) == 0
    old, ours, theirs = record.read(kept)
    assert (old.problem.name, ours.library, theirs.library) == ("letter", "mercer32", "sklearn")
    assert len(ours.fits) == len(ours.predictions) == len(ours.evaluations) == 2
    assert ours.verdict.objective == pytest.approx(theirs.verdict.objective, rel=1e-4)
    assert "| iris |" in output.read_text()
    # Those of another machine are kept, but not in this one's report.
    assert "| letter |" not in output.read_text()
