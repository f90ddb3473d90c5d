"""Columns of new tables that came as another kind than in training: taken where nothing is lost, else refused."""

from datetime import datetime

import numpy as np
import pytest

from mercer.errors import InputError
from mercer.tables import Encoding, Reading, Table
from tests.reference.tables import column_of, table_of

TRAIN = {
    "age": [22.0, 35.0, 41.0, 58.0],
    "code": ["1", "2", "x", "1"],
    "member": [True, False, True, True],
    "since": [datetime(2020, 1, 5), datetime(2021, 6, 7), datetime(2022, 3, 1), datetime(2020, 9, 9)],
}
ENCODING = Encoding.learn(table_of(TRAIN), least_rows=1)
ROW = {name: values[:1] for name, values in TRAIN.items()}
X = ENCODING(table_of(ROW)).X


def encoded(**others):
    return ENCODING(table_of({**ROW, **others}, source="new.csv")).X


def test_numbers_are_texts_where_training_saw_texts():
    np.testing.assert_array_equal(encoded(code=[1.0]), X)


def test_dates_and_booleans_are_texts_as_people_write_them():
    columns = {"c": ["2024-01-01", "true", "2024-01-01", "true"]}
    encoding = Encoding.learn(table_of(columns), least_rows=1)
    np.testing.assert_array_equal(encoding(table_of({"c": [datetime(2024, 1, 1)]})).X, [[1, 0]])
    np.testing.assert_array_equal(encoding(table_of({"c": [True]})).X, [[0, 1]])


def test_zero_and_one_are_booleans_and_booleans_numbers():
    np.testing.assert_array_equal(encoded(member=[1.0]), X)
    numbers = Encoding.learn(table_of({"x": [0.0, 1.0, 2.0]}))
    np.testing.assert_array_equal(numbers(table_of({"x": [True, False]})).X, numbers(table_of({"x": [1.0, 0.0]})).X)


def test_the_words_of_training_are_booleans():
    np.testing.assert_array_equal(encoded(member=["true"]), X)


@pytest.mark.parametrize("name", TRAIN)
@pytest.mark.parametrize("kind", ["number", "text", "date", "boolean"])
def test_columns_without_any_value_are_of_every_kind(name, kind):
    table = table_of({**ROW, name: [None]}, {name: kind})
    found = ENCODING(table)
    assert found.X.shape == X.shape
    assert found.missing == {name: 1}


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        (
            "age",
            ["12", "n. a.", "7"],
            "'age' of new.csv: expected a number in each row.*got text such as 'n. a.'. Corr",
        ),
        ("age", [datetime(2024, 1, 1)], "expected a number in each row.*got date such as '2024-01-01'"),
        ("since", [3.0], "'since'.*expected a date in each row.*got number such as '3'"),
        ("since", ["soon"], "expected a date in each row.*got text such as 'soon'"),
        ("member", [2.0], "expected a boolean \\('false' or 'true'\\) in each row.*got number such as '2'"),
        ("member", ["true", "maybe"], "expected a boolean.*got text such as 'true', 'maybe'"),
        ("member", [datetime(2024, 1, 1)], "expected a boolean.*got date"),
    ],
)
def test_other_kinds_are_refused_with_the_values_that_do_not_fit(name, values, told):
    columns = {other: own * len(values) for other, own in ROW.items()}
    with pytest.raises(InputError, match=told):
        ENCODING(table_of({**columns, name: values}, source="new.csv"))


def test_booleans_of_other_words_are_no_numbers():
    numbers = Encoding.learn(table_of({"x": [0.0, 1.0, 2.0]}))
    yes = column_of("x", [True], words=("no", "yes"))
    with pytest.raises(InputError, match=r"expected a number in each row.*got boolean such as 'yes'"):
        numbers(Table((yes,), Reading("new.csv", "CSV")))
