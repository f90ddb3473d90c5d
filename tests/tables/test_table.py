"""A table holds columns of mixed kinds, and writes their values as a person would."""

import numpy as np
import pytest

from mercer import InputError
from mercer.tables import Column, ColumnKind, Reading, Table


def table():
    return Table(
        (
            Column("age", ColumnKind.NUMBER, np.array([61.0, np.nan, 2.5])),
            Column("smokes", ColumnKind.BOOLEAN, np.array([0.0, 1.0, np.nan]), ("no", "yes")),
            Column("born", ColumnKind.DATE, np.array(["1965-01-31", "NaT", "2024-02-29"], dtype="datetime64[us]")),
            Column("work", ColumnKind.TEXT, np.array([1, 0, -1], dtype=np.int32), ("farm", "mill")),
        ),
        Reading("somewhere", "CSV"),
    )


def test_values_are_written_as_a_person_would():
    written = {column.name: column.texts().tolist() for column in table().columns}
    assert written == {
        "age": ["61", None, "2.5"],
        "smokes": ["no", "yes", None],
        "born": ["1965-01-31", None, "2024-02-29"],
        "work": ["mill", "farm", None],
    }


@pytest.mark.parametrize(
    ("value", "written"),
    [(3.0, "3"), (-0.5, "-0.5"), (1e300, "1e+300"), (2.0**53, "9007199254740992"), (1e-7, "1e-07"), (0.1, "0.1")],
)
def test_written_numbers_read_back_the_same(value, written):
    text = Column("x", ColumnKind.NUMBER, np.array([value])).texts()[0]
    assert text == written
    assert float(text) == value


def test_times_are_written_with_their_seconds_unless_all_are_midnights():
    values = np.array(["2024-01-01T12:30", "2024-01-02"], dtype="datetime64[us]")
    assert Column("t", ColumnKind.DATE, values).texts().tolist() == ["2024-01-01 12:30:00", "2024-01-02 00:00:00"]


def test_missing_values_are_known_in_every_kind():
    assert [column.missing.tolist() for column in table().columns] == [
        [False, True, False],
        [False, False, True],
        [False, True, False],
        [False, False, True],
    ]


def test_rows_are_taken_in_every_column():
    taken = table().take([2, 0])
    assert taken.n_rows == 2
    assert taken["age"].values.tolist() == [2.5, 61.0]
    assert taken["work"].texts().tolist() == [None, "mill"]


def test_columns_are_selected_in_order_and_left_out():
    assert table().select(["work", "age"]).names == ("work", "age")
    assert table().without("age").names == ("smokes", "born", "work")
    assert table().without(["age", "work"]).names == ("smokes", "born")


@pytest.mark.parametrize("ask", [lambda t: t["Ages"], lambda t: t.select(["Ages"]), lambda t: t.without("Ages")])
def test_missing_column_is_refused_with_the_nearest_name(ask):
    with pytest.raises(InputError, match="which has none") as caught:
        ask(table())
    assert "'Ages'" in str(caught.value)
    assert "Did you mean 'age'?" in str(caught.value)


def test_missing_column_like_no_other_is_refused_with_all_names():
    with pytest.raises(InputError, match="Its columns are 'age', 'smokes', 'born', 'work'"):
        table()["xyzxyz"]
