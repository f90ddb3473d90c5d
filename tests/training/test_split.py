"""Which rows are held out."""

import numpy as np
import pytest

from mercer.errors import InputError
from mercer.training import TrainingOptions
from mercer.training.split import split_rows, stratified_sample
from mercer.training.target import read_target
from tests.training.tables import number, people, table, text

DEFAULTS = TrainingOptions()


def parts_of(made, target, test=0.25, options=DEFAULTS):
    return split_rows(made, read_target(made[target], options), test, options)


def test_a_quarter_of_each_class_is_held_out():
    labels = ["a"] * 100 + ["b"] * 20
    parts = parts_of(table(number("x", np.arange(120)), text("y", labels)), "y")
    assert np.bincount(parts.test.y).tolist() == [25, 5]
    assert np.bincount(parts.train.y).tolist() == [75, 15]
    assert sorted([*parts.train.numbers, *parts.test.numbers]) == list(range(1, 121))
    assert parts.train.table.names == ("x",)
    np.testing.assert_array_equal(parts.test.table["x"].values, parts.test.numbers - 1)
    assert "25 %" in parts.words
    assert "seed 0" in parts.words


def test_the_seed_decides_which():
    made = people()
    one, same = (parts_of(made, "buys") for _ in range(2))
    other = parts_of(made, "buys", options=TrainingOptions(seed=1))
    assert np.array_equal(one.test.numbers, same.test.numbers)
    assert not np.array_equal(one.test.numbers, other.test.numbers)


def test_columns_that_are_ignored_are_left_out():
    options = TrainingOptions(ignore=("name", "income"))
    assert parts_of(people(), "buys", options=options).train.table.names == ("age", "town")
    with pytest.raises(InputError, match="nam"):
        parts_of(people(), "buys", options=TrainingOptions(ignore=("nam",)))


def test_rows_apart_are_in_neither_part():
    parts = parts_of(people(), "buys", options=TrainingOptions(sets=True))
    numbers = [set(part.numbers) for part in (parts.train, parts.apart, parts.test)]
    assert sum(map(len, numbers)) == len(set.union(*numbers)) == 240
    assert len(parts.apart) == pytest.approx(0.2 * 180, abs=2)


def test_a_given_test_table_is_taken_as_it_is():
    parts = parts_of(people(), "buys", test=people(60, seed=1))
    assert len(parts.train) == 240
    assert len(parts.test) == 60
    assert "made.csv" in parts.words


def test_a_test_table_of_other_columns_is_refused():
    with pytest.raises(InputError, match="got none of them"):
        parts_of(people(), "buys", test=table(number("0", np.zeros(9)), text("buys", ["yes"] * 9)))
    with pytest.raises(InputError, match="buys"):
        parts_of(people(), "buys", test=people().without("buys"))


def test_too_few_rows_are_refused():
    made = table(number("x", np.arange(10)), text("y", ["a", "b"] * 5))
    with pytest.raises(InputError, match=r"10 rows or more to learn from, got"):
        parts_of(made, "y")


def test_a_table_of_the_target_alone_is_refused():
    with pytest.raises(InputError, match="columns to learn from"):
        parts_of(table(text("y", ["a", "b"] * 20)), "y")


def test_a_sample_has_rows_of_each_stratum_but_never_all_of_one():
    strata = np.array([0] * 90 + [1] * 2)
    chosen = stratified_sample(92, 10, strata, np.random.default_rng(0))
    assert 1 <= np.count_nonzero(strata[chosen] == 1) < 2
    assert len(chosen) == 11
