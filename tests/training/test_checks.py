"""What the checks say, and when."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mercer.cli.summary import summary_of
from mercer.training import TrainingOptions, train
from mercer.training.baselines import Rival, verdict_of
from mercer.training.checks_of_machine import checks_of_machine
from mercer.training.findings import Baseline, ChoiceFound
from mercer.training.same_rows import count_seen
from mercer.training.search import Choice
from tests.training.tables import boolean, number, people, table, text

FILES = dict.fromkeys(("model", "html"), Path("made"))
QUICK = TrainingOptions(quick=True)


def checks_of(trained):
    return {check.code: check for check in trained.findings.checks}


# ---------------------------------------------------------------- edges of the grid


def edge(chosen, **more):
    values = [0.5, 2.0, 8.0]
    cells = [[0.8] * 3] * 3
    params = {"C": values[chosen[0]], "gamma": values[chosen[1]]}
    found = ChoiceFound(params, "accuracy", 0.8, 0.0, 5, 1.0, values, values, cells, cells, chosen, "Proven.", True)
    choice = Choice(params, found, 100, np.full(5, 0.8), **more)
    return next(checks_of_machine(SimpleNamespace(choice=choice)))


def test_a_choice_inside_the_grid_is_said_to_be_inside():
    assert edge((1, 1)).words == "The choice lies within the values that were looked at."


def test_a_choice_at_an_edge_is_said_to_be_there_whether_or_not_there_is_advice():
    by_chance = edge((0, 1))
    assert by_chance.level == "fine"
    assert "C = 0.5 is the least of 3" in by_chance.words
    assert "by more than chance" in by_chance.words
    limited = edge((2, 1), better_ends=("C",))
    assert limited.level == "note"
    assert "largest" in limited.words
    assert "chance" not in limited.words
    advised = edge((1, 2), advice=("Try larger gamma.",), better_ends=("gamma",))
    assert (advised.level, advised.todo) == ("note", "Try larger gamma.")


def test_what_a_run_says_of_the_edges_is_what_its_grid_shows():
    for seed in range(3):
        found = train(people(120, seed=seed), "buys", options=QUICK).findings
        check = next(check for check in found.checks if check.code == "M301")
        places = zip(found.choice.chosen, (found.choice.C, found.choice.gamma), strict=True)
        is_inside = all(0 < place < len(values) - 1 for place, values in places)
        assert ("lies within" in check.words) == is_inside


# ---------------------------------------------------------------- rows in both parts


def test_rows_are_the_same_where_every_value_is():
    train_table = table(number("x", [0.0, 1.0, np.nan, 4.0]), text("y", ["a", "b", None, "a"]))
    test_table = table(text("y", ["b", None, "a", "b"]), number("x", [1.0, np.nan, -0.0, 4.0]))
    assert count_seen(train_table, test_table) == 3


def test_booleans_are_compared_by_their_words():
    assert count_seen(table(boolean("b", [0, 1])), table(boolean("b", [1, 1], ("false", "true")))) == 0
    assert count_seen(table(boolean("b", [0, 1])), table(text("b", ["yes", "maybe"]))) == 1


def test_a_score_on_training_rows_is_said_not_to_be_one_of_unseen_rows():
    found = train(people(120), "buys", test=people(120), options=QUICK).findings
    first = found.checks[0]
    assert (first.code, first.level) == ("M202", "warning")
    assert "not one of unseen rows" in found.verdict
    assert found.evaluation.seen_rows == 120
    assert "100 % of the test rows" in found.verdict
    assert "(100 %)" in first.words
    assert "rows it has not seen" not in summary_of(found, FILES)


def test_rows_that_differ_in_a_column_that_is_left_out_are_not_the_same(random):
    x = random.integers(0, 2, 120).astype(float)
    names = [f"person {k}" for k in range(120)]
    made = table(number("x", x), text("name", names), text("y", np.where(x > 0, "a", "b").tolist()))
    found = train(made, "y", options=QUICK)
    assert found.findings.evaluation.seen_rows == 0
    assert checks_of(found)["M202"].level == "fine"
    assert "rows it has not seen" in summary_of(found.findings, FILES)


# ---------------------------------------------------------------- beside others


def rival(key, ahead, error):
    return Rival(key, Baseline(key, 0.8, 0.02, 1.0, ""), ahead, error)


def told(*rivals, constant=(-0.3, 0.02)):
    fit = SimpleNamespace(choice=SimpleNamespace(found=SimpleNamespace(score_name="accuracy")), is_linear=False)
    return verdict_of([rival("constant", *constant), *rivals], fit)


@pytest.mark.parametrize("error", [0.026, 0.044])
def test_differences_within_two_standard_errors_are_no_reason(error):
    assert not rival("tree", 0.05, error).is_better
    assert not rival("tree", -0.05, error).is_worse
    words = told(rival("tree", 0.05, error), rival("linear", -0.05, error))
    assert "take it" not in words
    assert "better by" not in words
    assert f"0.050 ± {error}" in words


def test_differences_beyond_two_standard_errors_are():
    assert "Gradient boosting is better by 0.050 ± 0.024" in told(rival("tree", 0.05, 0.024))
    assert "better than gradient boosting by 0.050 ± 0.024" in told(rival("tree", -0.05, 0.024))


@pytest.mark.parametrize("error", [0.0, None, 1e-5])
def test_nobody_is_better_by_nothing(error):
    words = told(rival("tree", 1e-4, error), rival("linear", -1e-4, error))
    assert "better by" not in words
    assert "0.000 ± 0.000" not in words


def test_a_guess_that_may_be_as_good_is_told_as_such():
    assert "by more than chance (0.050 ± 0.040)" in told(constant=(-0.05, 0.04))


# ---------------------------------------------------------------- columns and rows that are told


def test_columns_used_in_part_are_not_said_to_be_left_out(random):
    cabins = [f"C {k}" if k % 3 == 0 else None for k in range(150)]
    made = people(150)
    checks = checks_of(train(table(*made.columns, text("cabin", cabins)), "buys", options=QUICK))
    before, after = checks["M103"].words.split("Used in part: ")
    assert "name (" in before
    assert "cabin" not in before
    assert after.startswith("cabin (")


def test_rows_kept_apart_are_told():
    found = train(people(200), "buys", options=replace(QUICK, sets=True)).findings
    data = found.data
    assert data.apart_rows == 30
    assert data.train_rows + data.apart_rows + data.test_rows == 200
    assert "30 kept apart" in " ".join(summary_of(found, FILES).split())
