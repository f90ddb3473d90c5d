"""Columns that nearly reach the score alone."""

import numpy as np
import pytest

from mercer.tables import read_table
from mercer.training import TrainingOptions, train
from mercer.training.leaks import find_leaks
from mercer.training.outliers import far_values
from mercer.training.prepared import encode_parts
from mercer.training.split import split_rows
from mercer.training.target import read_target
from tests.training.tables import date, number, prices, table, text


def leaks_of(made, target, reached):
    options = TrainingOptions()
    goal = read_target(made[target], options)
    return find_leaks(encode_parts(split_rows(made, goal, 0.25, options), goal), reached, 0)


def noisy(random, rows=400):
    return number("noise", random.normal(size=rows)), number("more", random.normal(size=rows))


@pytest.mark.parametrize("kind", ["number", "text", "date", "missing"])
def test_the_target_in_other_words_is_likely_to_be_a_leak(random, kind):
    codes = random.integers(0, 2, 400)
    columns = {
        "number": lambda: number("told", 10.0 * codes + random.normal(size=400)),
        "text": lambda: text("told", [f"{'paid' if code else 'open'} {k % 9}" for k, code in enumerate(codes)]),
        "date": lambda: date("told", np.datetime64("2024-01-01") + 100 * codes),
        "missing": lambda: number("told", np.where(codes == 1, random.normal(size=400), np.nan)),
    }
    made = table(*noisy(random), columns[kind](), text("y", np.where(codes, "yes", "no").tolist()))
    (leak,) = leaks_of(made, "y", 1.0)
    assert leak.column == "told"
    assert leak.is_likely
    assert leak.score > 0.97


def test_a_part_of_a_sum_leaks_it():
    made = prices(400)
    price = made["price"].values
    leaking = table(*made.columns, number("net", 0.8 * price + 5))
    found = leaks_of(leaking, "price", 0.99)
    assert found[0].column == "net"
    assert [leak.column for leak in found if leak.is_likely] == ["net"]


def test_columns_that_add_up_leak_nothing(random):
    x, z = random.normal(size=(2, 400))
    made = table(number("x", x), number("z", z), text("y", np.where(x + z > 0, "yes", "no").tolist()))
    assert leaks_of(made, "y", 0.98) == []


def test_a_strong_column_among_strong_ones_is_a_note():
    iris = read_table("iris")
    found = leaks_of(iris, iris.names[-1], 0.97)
    assert found
    assert all("petal" in leak.column and not leak.is_likely for leak in found)


def test_where_nothing_is_learnt_nothing_leaks(random):
    made = table(*noisy(random), text("y", random.choice(["a", "b"], 400).tolist()))
    assert leaks_of(made, "y", 0.52) == []


def with_a_sentinel(random):
    """What one column says is nearly all, and one of its values stands for a missing one."""
    a, b = random.normal(size=(2, 120))
    labels = np.where(a + 0.3 * random.normal(size=120) > 0, "yes", "no").tolist()
    a[7] = -999.0
    return table(number("a", a), number("b", b), text("y", labels))


def test_a_column_that_beats_all_together_is_no_leak(random):
    found = leaks_of(with_a_sentinel(random), "y", 0.65)
    assert found[0].column == "a"
    assert found[0].is_ahead
    assert not any(leak.is_likely for leak in found)


def test_a_column_that_reaches_little_is_no_leak(random):
    codes = random.integers(0, 2, 400)
    told = np.where(random.random(400) < 0.2, 1 - codes, codes).astype(float)
    made = table(*noisy(random), number("told", told), text("y", np.where(codes, "yes", "no").tolist()))
    (leak,) = leaks_of(made, "y", 0.81)
    assert (leak.column, leak.is_likely, leak.is_ahead) == ("told", False, False)


def test_a_sentinel_is_told_and_how_to_name_it(random):
    checks = {check.code: check for check in train(with_a_sentinel(random), "y").findings.checks}
    assert checks["M110"].level == "warning"
    assert "a (1 row, such as -999)" in checks["M110"].words
    assert "--null -999" in checks["M110"].todo
    assert "nearly reaches" not in checks["M201"].words


@pytest.mark.parametrize("tail", ["normal", "exponential", "lognormal", "standard_t"])
def test_long_tails_are_no_outliers(random, tail):
    values = random.standard_t(4, 400) if tail == "standard_t" else getattr(random, tail)(size=400)
    assert far_values(number("x", values)) is None


def test_a_number_that_comes_again_at_an_end_may_stand_for_none(random):
    values = random.uniform(0, 1000, 200)
    values[:5] = -999.0
    far = far_values(number("x", values))
    assert (far.value, far.rows, far.is_code, far.is_outlier) == (-999.0, 5, True, False)
    assert far_values(number("x", np.arange(30.0) + 970)) is None
    assert far_values(text("x", ["-999"] * 30)) is None
