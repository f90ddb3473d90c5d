"""Encodings of tables: by hand, beside a naive twin, and what is told of columns."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.errors import InputError
from mercer.tables import Column, ColumnKind, Encoding, Reading, Table
from mercer.tables.category_code import MOST_REMEMBERED
from tests.reference import encoding as naive
from tests.reference.tables import table_of

ROUNDING = 1e-6  # of sums in another order, of values that differ little


def learnt(columns, kinds=None, **options):
    return Encoding.learn(table_of(columns, kinds), **{"least_rows": 1, **options})


def encoded(columns, kinds=None, **options):
    return learnt(columns, kinds, **options)(table_of(columns, kinds))


def words_on(encoding, name):
    return dict(encoding.notes).get(name, "")


# ---------------------------------------------------------------- numbers


def test_numbers_have_mean_zero_and_deviation_one():
    X = encoded({"x": [1.0, 2.0, 6.0, 7.0]}).X
    np.testing.assert_allclose(X[:, 0], (np.array([1, 2, 6, 7]) - 4) / np.sqrt(6.5))


def test_missing_numbers_are_the_median_and_marked():
    encoding = learnt({"x": [0.0, 1.0, 11.0, None]})
    assert encoding.feature_names == ("x", "x (missing)")
    X = encoding(table_of({"x": [None, 1.0]})).X
    np.testing.assert_array_equal(X[0, 0], X[1, 0])
    np.testing.assert_array_equal(X[:, 1], [1.0, 0.0])


def test_missing_numbers_that_training_had_none_of_are_filled_and_counted():
    encoding = learnt({"x": [0.0, 1.0, 2.0]})
    found = encoding(table_of({"x": [None, 2.0, None]}, {"x": "number"}))
    assert found.X.shape == (3, 1)
    assert found.missing == {"x": 2}
    np.testing.assert_array_equal(found.X[[0, 2], 0], 0.0)


def test_numbers_are_never_left_out_for_being_unique():
    assert learnt({"id": [float(k) for k in range(1000)]}).n_features == 1


def test_whole_numbers_of_few_values_stay_one_number():
    assert learnt({"doors": [2, 4, 2, 4, 5]}).feature_names == ("doors",)


HOURS = [float(k % 24) for k in range(240)]


def test_many_whole_steps_have_a_feature_each_beside_the_number():
    encoding = Encoding.learn(table_of({"hour": HOURS}))
    assert encoding.feature_names == ("hour", *(f"hour = {k}" for k in range(24)))
    X = encoding(table_of({"hour": [0.0, 23.0, 24.0, -1.0, 2.5, None]})).X
    np.testing.assert_array_equal(X[:2, 1:], np.eye(24)[[0, 23]])
    np.testing.assert_array_equal(X[2:, 1:], 0.0)
    np.testing.assert_allclose(X[:2, 0], np.array([-11.5, 11.5]) / np.std(HOURS))
    assert "24 whole numbers without a gap" in words_on(encoding, "hour")


@pytest.mark.parametrize(
    "values",
    [
        [k % 12 for k in range(240)],
        [k % 41 for k in range(820)],
        [hour + 0.5 for hour in HOURS],
        [2 * hour for hour in HOURS],
        [hour for hour in HOURS if hour != 7],
        HOURS[:239],
    ],
    ids=["few", "many", "halves", "even", "gap", "few rows"],
)
def test_other_numbers_are_one_feature(values):
    assert Encoding.learn(table_of({"x": [float(value) for value in values]})).n_features == 1


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 8e307])
def test_numbers_of_any_size_become_finite_features(size):
    X = encoded({"x": [-size, size, 0.5 * size, None]}).X
    assert np.all(np.isfinite(X))
    assert X[:3, 0].mean() == pytest.approx(0.0, abs=0.01)  # numbers near the least have few digits
    assert X[:3, 0].std() == pytest.approx(1.0, abs=0.01)


def test_values_absurdly_far_from_training_stay_finite_in_float32():
    encoding = learnt({"x": [0.0, 1.0]})
    X = encoding(table_of({"x": [1e308, -1e308]})).X.astype(np.float32)
    assert np.all(np.isfinite(X**2))
    assert X[0, 0] == -X[1, 0] > 1e5


@pytest.mark.parametrize("where", ["training", "later"])
def test_infinite_numbers_are_refused_with_their_row(where):
    encoding = learnt({"x": [0.0, 1.0, 2.0]})
    table = table_of({"x": [0.0, 1.0, -np.inf]})
    with pytest.raises(InputError, match="'x': expected finite numbers, got -inf in row 3"):
        Encoding.learn(table) if where == "training" else encoding(table)


# ---------------------------------------------------------------- categories


def test_categories_have_a_feature_each_and_are_not_scaled():
    found = encoded({"c": ["b", "a", "b", "c"]})
    np.testing.assert_array_equal(found.X, [[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_two_categories_are_two_features():
    encoding = learnt({"sex": ["male", "female"] * 3})
    assert encoding.feature_names == ("sex = female", "sex = male")


def test_missing_is_a_category_where_training_missed_some():
    encoding = learnt({"c": ["a", "b", None]})
    assert encoding.feature_names == ("c = a", "c = b", "c (missing)")
    np.testing.assert_array_equal(encoding(table_of({"c": [None, "b"]})).X, [[0, 0, 1], [0, 1, 0]])


def test_missing_categories_that_training_had_none_of_are_counted():
    found = learnt({"c": ["a", "b"]})(table_of({"c": ["a", None]}))
    assert found.missing == {"c": 1}
    assert found.unseen == {}
    np.testing.assert_array_equal(found.X, [[1, 0], [0, 0]])


def test_rare_categories_share_a_feature():
    values = ["a"] * 5 + ["b"] * 5 + ["c", "d", "d"]
    encoding = learnt({"c": values}, least_rows=3)
    assert encoding.feature_names == ("c = a", "c = b", "c (rare)")
    found = encoding(table_of({"c": ["c", "d", "a", "new"]}))
    np.testing.assert_array_equal(found.X, [[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 0, 1]])
    assert found.unseen == {"c": 1}
    assert words_on(encoding, "c") == "the 2 commonest values have a feature each, the other 2 (3 of 13 rows) share one"


def test_one_rare_category_is_no_pool():
    assert learnt({"c": ["a"] * 5 + ["b"] * 5 + ["c"]}, least_rows=3).feature_names == ("c = a", "c = b", "c = c")


def test_unseen_categories_without_a_pool_are_zeros_and_counted():
    found = learnt({"c": ["a", "b"]})(table_of({"c": ["new", "a", "newer", "new"]}))
    np.testing.assert_array_equal(found.X, [[0, 0], [1, 0], [0, 0], [0, 0]])
    assert found.unseen == {"c": 3}


def test_no_more_than_the_commonest_categories_have_a_feature():
    values = [f"v{k:02}" for k in range(60) for _ in range(1 + k % 7 + k)]
    encoding = learnt({"c": values}, most_categories=10)
    assert encoding.n_features == 11
    assert "c = v59" in encoding.feature_names
    assert "c = v00" not in encoding.feature_names


def test_categories_as_common_are_kept_in_the_order_of_words_whatever_their_codes():
    words = ["d", "b", "a", "c"]
    assert learnt({"c": words * 3}, most_categories=2).feature_names == ("c = a", "c = b", "c (rare)")
    assert learnt({"c": words[::-1] * 3}, most_categories=2) == learnt({"c": words * 3}, most_categories=2)


def test_words_that_no_row_has_do_not_count():
    table = table_of({"c": ["a", "b", "gone"] * 4}).take([0, 1, 3, 4])
    assert Encoding.learn(table, least_rows=1).feature_names == ("c = a", "c = b")


def test_many_rare_categories_are_not_remembered_by_name():
    values = ["common"] * 3000 + [f"v{k % (MOST_REMEMBERED + 1)}" for k in range(2 * (MOST_REMEMBERED + 1))]
    encoding = learnt({"c": values}, least_rows=10)
    assert encoding.columns[0].pooled == ()
    found = encoding(table_of({"c": ["v1", "new", "common"]}))
    np.testing.assert_array_equal(found.X, [[0, 1], [0, 1], [1, 0]])
    assert found.unseen == {}  # which cannot be told
    assert "new in later tables are taken for such" in words_on(encoding, "c")


def test_free_text_has_a_feature_for_each_common_word():
    names = [f"{title} Number{k}, ({'Ann' if k % 3 else 'ANN B2'})" for k in range(50) for title in ("Mr.", "Mrs.")]
    encoding = Encoding.learn(table_of({"name": names}))
    assert encoding.feature_names == ("name has 'mr'", "name has 'mrs'")  # all have Ann, none another's number
    found = encoding(table_of({"name": ["MRS Jones", "mr. and mrs. Roe", "Mrs.Jones", None]}))
    np.testing.assert_array_equal(found.X, [[0, 1], [1, 1], [0, 0], [0, 0]])
    assert found.missing == {"name": 1}
    assert found.unseen == {}
    told = "100 different values in 100 rows, as of free text: its 2 commonest words have a feature each"
    assert words_on(encoding, "name") == told


def test_missing_free_text_is_marked():
    names = [f"{title} {k}" for k in range(30) for title in ("Mr.", "Mrs.")] + [None]
    encoding = Encoding.learn(table_of({"name": names}))
    np.testing.assert_array_equal(encoding(table_of({"name": ["Mr. X", None]})).X, [[1, 0, 0], [0, 0, 1]])


def test_no_more_than_the_commonest_words_have_a_feature():
    names = [f"{'ab' * (k % 2)} {'cd' * (k % 3 == 0)} {'ef' * (k % 4 == 0)} {k}" for k in range(240)]
    assert learnt({"t": names}, most_categories=2, least_rows=10).feature_names == ("t has 'ab'", "t has 'cd'")


IDS = ["3f2a-be-7{}", "user{}@example.com", "https://a.be/c{}", "ab-{}", "{}x"]


@pytest.mark.parametrize("form", IDS)
def test_ids_have_no_words(form):
    encoding = Encoding.learn(
        table_of({"id": [form.format(k) for k in range(500)], "x": [float(k) for k in range(500)]})
    )
    assert encoding.feature_names == ("x",)


# ---------------------------------------------------------------- booleans and dates


def test_booleans_are_zero_and_one():
    encoding = learnt({"b": [True, False, True, None]})
    assert encoding.feature_names == ("b = true", "b (missing)")
    found = encoding(table_of({"b": [True, False, None]}))
    np.testing.assert_allclose(found.X, [[1, 0], [0, 0], [2 / 3, 1]])


def test_dates_are_days_and_places_in_cycles():
    start = datetime(2024, 1, 1)
    values = [start + timedelta(days=k) for k in range(730)]
    encoding = learnt({"d": values})
    assert encoding.feature_names == (
        "d (days)",
        "d (sine of the year)",
        "d (cosine of the year)",
        "d (sine of the week)",
        "d (cosine of the week)",
    )
    X = encoding(table_of({"d": values})).X
    assert X[:, 0].std() == pytest.approx(1.0)
    assert np.linalg.norm(X[365, 1:3] - X[0, 1:3]) < 0.05  # a year later, two days off the mean year at most
    assert np.linalg.norm(X[182, 1:3] - X[0, 1:3]) > 1.99
    np.testing.assert_allclose(X[7, 3:], X[0, 3:], atol=ROUNDING)
    np.testing.assert_allclose(np.hypot(X[:, 1], X[:, 2]), 1.0)


def test_times_of_day_are_a_cycle_where_they_differ():
    values = [datetime(2024, 5, 6) + timedelta(hours=k) for k in range(24)]
    encoding = learnt({"d": values})
    assert "d (sine of the day)" in encoding.feature_names
    assert "d (sine of the year)" not in encoding.feature_names
    X = encoding(table_of({"d": values})).X
    np.testing.assert_allclose(X[6, 1:], [1.0, 0.0], atol=ROUNDING)


def test_dates_before_1970_go_on_the_same_cycles():
    values = [datetime(1969, 12, 22) + timedelta(days=k) for k in range(21)]
    X = learnt({"d": values})(table_of({"d": values})).X
    np.testing.assert_allclose(X[:7, -2:], X[7:14, -2:], atol=ROUNDING)
    np.testing.assert_allclose(X[:7, -2:], X[14:, -2:], atol=ROUNDING)


def test_dates_too_near_to_each_other_for_a_number_tell_nothing():
    dates = np.array([0, 1], dtype=np.int64) + 6 * 10**18
    far = Column("d", ColumnKind.DATE, dates.astype("datetime64[us]"))
    other = table_of({"x": [1.0, 2.0]}).columns[0]
    encoding = Encoding.learn(Table((far, other), Reading("far", "data frame")))
    assert encoding.feature_names == ("x",)


def test_missing_dates_are_zeros_and_marked():
    values = [datetime(2024, 1, 1), datetime(2024, 7, 2), None]
    encoding = learnt({"d": values})
    X = encoding(table_of({"d": [None, values[1]]}, {"d": "date"})).X
    np.testing.assert_array_equal(X[0, :-1], 0.0)
    np.testing.assert_array_equal(X[:, -1], [1.0, 0.0])


# ---------------------------------------------------------------- what is left out


def with_number(**columns):
    rows = len(next(iter(columns.values())))
    return {"x": [float(k) for k in range(rows)], **columns}


@pytest.mark.parametrize(
    ("values", "kind", "why"),
    [
        ([None] * 30, "number", "no row has a value"),
        ([None] * 30, "text", "no row has a value"),
        ([7.0] * 30, None, "always the same value ('7')"),
        (["a"] * 30, None, "always the same value ('a')"),
        ([True] * 30, None, "always the same value ('true')"),
        ([datetime(2024, 1, 1)] * 30, None, "always the same value ('2024-01-01')"),
        ([f"id{k}" for k in range(100)], None, "100 different values in 100 rows, as of an id"),
        ([f"id{k}" for k in range(30)], None, "30 different values in 30 rows, as of an id"),
    ],
)
def test_columns_that_tell_nothing_are_left_out_with_a_word(values, kind, why):
    columns = with_number(c=values)
    encoding = Encoding.learn(table_of(columns, {"c": kind} if kind else None))
    assert why in words_on(encoding, "c")
    assert encoding.feature_names == ("x",)
    assert encoding.features_of("c") == slice(1, 1)
    assert [name for name, _ in encoding.schema] == ["x"]
    # New tables need not have the column.
    assert encoding(table_of({"x": [1.0]})).X.shape == (1, 1)


@pytest.mark.parametrize("values", [[7.0], ["a"], [f"cabin {k}" for k in range(60)]], ids=["number", "word", "ids"])
def test_whether_a_value_is_there_is_kept_of_columns_that_tell_nothing_else(values):
    values = (values * 60)[:60] + [None] * 40
    encoding = Encoding.learn(table_of(with_number(c=values)))
    assert encoding.feature_names == ("x", "c (missing)")
    X = encoding(table_of(with_number(c=values))).X
    np.testing.assert_array_equal(X[:, 1], [0.0] * 60 + [1.0] * 40)
    assert "only whether there is a value is used" in words_on(encoding, "c")


def test_a_few_missing_values_of_a_constant_column_tell_nothing():
    encoding = Encoding.learn(table_of(with_number(c=[7.0] * 95 + [None] * 5)))
    assert encoding.feature_names == ("x",)


def test_text_of_many_values_that_repeat_is_no_id():
    encoding = Encoding.learn(table_of({"c": [f"v{k % 50}" for k in range(1000)]}))
    assert encoding.n_features == 41


def test_a_table_that_tells_nothing_is_refused_with_the_reasons():
    with pytest.raises(InputError, match=r"every column is left out \('c': left out: always the same value"):
        learnt({"c": ["a", "a"]})
    with pytest.raises(InputError, match="Expected rows to learn from"):
        Encoding.learn(table_of({"x": [1.0]}).take([]))


# ---------------------------------------------------------------- all of it


MIXED = {
    "age": [22.0, None, 35.0, 41.0, 58.0],
    "job": ["clerk", "smith", None, "smith", "clerk"],
    "member": [True, False, True, None, True],
    "since": [datetime(2020, 1, 5, 8), datetime(2021, 6, 7, 20), None, datetime(2022, 3, 1, 1), datetime(2020, 9, 9)],
    "name": ["Ann", "Bob", "Cid", "Dan", "Eve"],
}


def test_features_of_a_column_are_found_by_its_name():
    encoding = learnt(MIXED, most_categories=3)
    assert encoding.features_of("age") == slice(0, 2)
    assert encoding.features_of("job") == slice(2, 5)
    assert encoding.feature_names[encoding.features_of("member")] == ("member = true", "member (missing)")
    with pytest.raises(InputError, match=r"Expected a column 'agee' in the training table.*'age'"):
        encoding.features_of("agee")


def test_columns_are_found_by_name_whatever_their_order():
    encoding, table = learnt(MIXED), table_of(MIXED)
    shuffled = table.select(["since", "name", "job", "age", "member"])
    np.testing.assert_array_equal(encoding(shuffled).X, encoding(table).X)


def test_rows_are_encoded_one_by_one_as_together():
    encoding, table = learnt(MIXED), table_of(MIXED)
    together = encoding(table).X
    assert together.flags.c_contiguous
    assert together.dtype == np.float64
    for row in range(5):
        np.testing.assert_array_equal(encoding(table.take([row])).X, together[[row]])
    assert encoding(table.take([])).X.shape == (0, encoding.n_features)


def test_a_column_that_is_not_there_is_named_with_the_nearest():
    encoding = learnt(MIXED)
    table = table_of({("Agee" if name == "age" else name): values for name, values in MIXED.items()}, source="new.csv")
    with pytest.raises(InputError, match=r"Expected a column 'age' in new.csv.*Did you mean 'Agee'"):
        encoding(table)


# ---------------------------------------------------------------- beside the naive twin

DATES = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda date: date.replace(microsecond=0))
WORDS = st.sampled_from(["a", "b", "c", "d", "B", "", "é", "x" * 9, "Mr. Ray", "mr Roe", "Ms (Ray)", "ray? r2 d2", "-"])
VALUES = {
    "number": st.one_of(
        st.integers(-3, 3).map(float), st.integers(0, 20).map(float), st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
    ),
    "boolean": st.booleans(),
    "date": st.one_of(DATES, st.integers(0, 9).map(lambda day: datetime(2020, 1, 1) + timedelta(days=day))),
    "text": WORDS,
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4))
    names = {f"c{k}": kind for k, kind in enumerate(kinds)}

    def columns(least):
        rows = draw(st.integers(least, 12))
        cell = {name: st.none() | VALUES[kind] for name, kind in names.items()}
        return {name: draw(st.lists(cell[name], min_size=rows, max_size=rows)) for name in names}

    return names, columns(1), columns(0)


@given(st.integers(10, 43), st.integers(-9, 9), st.integers(0, 1), st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_steps_are_those_of_the_naive_twin(count, first, missing, random, least_rows):
    train = {"x": [float(first + k) for k in range(count)] * 3 + [None] * missing}
    if random.random() < 0.3:
        train["x"][random.randrange(count)] += random.choice([0.5, 1.0, 20.0])
    test = {"x": [float(random.randrange(first - 3, first + count + 3)) for _ in range(20)] + [None, 0.5]}
    expected, _ = naive.encode(train, test, {"x": "number"}, least_rows=least_rows)
    found = learnt(train, least_rows=least_rows)(table_of(test))
    np.testing.assert_allclose(found.X, expected, rtol=ROUNDING, atol=ROUNDING)


@given(tables(), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_encodings_are_those_of_the_naive_twin(made, most_categories, least_rows):
    kinds, train, test = made
    options = {"most_categories": most_categories, "least_rows": least_rows}
    expected, unseen = naive.encode(train, test, kinds, **options)
    in_training, _ = naive.encode(train, train, kinds, **options)
    if not in_training[0]:
        with pytest.raises(InputError, match="every column is left out"):
            learnt(train, kinds, **options)
        return
    encoding = learnt(train, kinds, **options)
    found = encoding(table_of(test, kinds))
    shape = (len(expected), len(in_training[0]))
    np.testing.assert_allclose(found.X, np.reshape(expected, shape), rtol=ROUNDING, atol=ROUNDING)
    assert found.unseen == unseen
    assert Encoding.from_plain(encoding.plain()) == encoding
