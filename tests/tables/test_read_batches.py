"""Batches have the columns that a model knows, whatever the order in the file; values of another kind are refused."""

import subprocess
import sys

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import feather

from mercer import InputError, ParameterError
from mercer.tables import ColumnKind, cast_table, read_batches, read_table, read_table_as

NUMBER, BOOLEAN, DATE, TEXT = ColumnKind.NUMBER, ColumnKind.BOOLEAN, ColumnKind.DATE, ColumnKind.TEXT
SCHEMA = [("age", NUMBER), ("work", TEXT), ("smokes", BOOLEAN), ("born", DATE)]
CONTENT = "id,born,smokes,work,age\n007,1965-01-31,yes,mill,61\n008,,no,?,NA\n009,2000-12-31,,farm,25\n"


def check(table):
    assert table.names == ("age", "work", "smokes", "born")
    np.testing.assert_array_equal(table["age"].values, [61, np.nan, 25])
    assert table["work"].texts().tolist() == ["mill", None, "farm"]
    np.testing.assert_array_equal(table["smokes"].values, [1, 0, np.nan])
    expected = np.array(["1965-01-31", "NaT", "2000-12-31"], dtype="datetime64[us]")
    np.testing.assert_array_equal(table["born"].values, expected)


@pytest.mark.parametrize("rows", [1, 2, 3, 65_536])
def test_columns_come_in_the_order_and_kinds_of_the_schema(write, rows):
    path = write(CONTENT)
    assert [batch.n_rows for batch in read_batches(path, SCHEMA, rows=rows)] == {
        1: [1, 1, 1],
        2: [2, 1],
        3: [3],
        65_536: [3],
    }[rows]
    check(read_table_as(path, SCHEMA))


def test_kept_columns_pass_as_text(write):
    (batch,) = read_batches(write(CONTENT), [("age", NUMBER)], keep=["id", "age", "work"])
    assert batch.names == ("age", "id", "work")
    assert batch["id"].texts().tolist() == ["007", "008", "009"]
    assert batch["age"].kind is NUMBER


def test_numbers_are_text_where_the_model_knows_text(write):
    (batch,) = read_batches(write("a,b\n1.50,x\n2,y\n"), [("a", TEXT)])
    assert batch["a"].texts().tolist() == ["1.50", "2"]


def test_missing_column_is_refused_with_the_nearest(write):
    with pytest.raises(InputError, match="Expected a column 'ages'") as caught:
        list(read_batches(write(CONTENT), [("ages", NUMBER)]))
    assert "Did you mean 'age'?" in str(caught.value)
    with pytest.raises(InputError, match="Expected a column 'idd'"):
        list(read_batches(write(CONTENT), SCHEMA, keep=["idd"]))


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (NUMBER, "1", "oops"),
        (NUMBER, "1", "inf"),
        (NUMBER, "1", "1_0"),
        (BOOLEAN, "yes", "maybe"),
        (BOOLEAN, "1", "2"),
        (DATE, "2024-01-01", "2023-02-29"),
        (DATE, "2024-01-01", "tomorrow"),
        (DATE, "31/01/2024", "01/31/2024"),
    ],
)
@pytest.mark.parametrize("place", [0, 99, 5000])
def test_value_of_another_kind_is_refused_with_its_line(write, kind, good, bad, place):
    rows = [f"{good},x"] * 6000
    rows[place] = f"{bad},x"
    with pytest.raises(InputError, match=f"line {place + 2}: expected") as caught:
        list(read_batches(write("a,b\n" + "\n".join(rows) + "\n"), [("a", kind)], rows=1000))
    assert repr(bad) in str(caught.value)
    assert "column 'a'" in str(caught.value)


def test_lines_are_right_beyond_records_of_several_lines(write):
    rows = ['"two\nlines",1'] * 30 + ["x,oops"]
    with pytest.raises(InputError, match="line 62: expected a number"):
        list(read_batches(write("a,b\n" + "\n".join(rows) + "\n"), [("b", NUMBER)], rows=7))


@pytest.mark.parametrize(
    ("line", "what"), [("1", "got 1"), ("1,2,3", "got 3"), ('1,"x', "nothing closes"), ('1,"x"y', "follows")]
)
@pytest.mark.parametrize("place", [3, 5000])
def test_bad_record_is_refused_with_its_line(write, line, what, place):
    rows = [f"{row},x" for row in range(6000)]
    rows[place] = line
    with pytest.raises(InputError, match=f"line {place + 2}") as caught:
        list(read_batches(write("a,b\n" + "\n".join(rows) + "\n"), [("a", NUMBER)], rows=1000))
    assert what in str(caught.value)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 7, 100])
def test_records_are_never_cut(write, rows):
    values = ["plain", "two\nlines", "a\n\n\nb", 'say ""hi""\n', ",\n,", '5"" x']
    content = "n,t\n" + "".join(f'{place},"{values[place % len(values)]}"\n' for place in range(40))
    path = write(content + '40,5" pipe\n41,x\n')
    whole = read_table(path)
    parts = list(read_batches(path, [("n", NUMBER), ("t", TEXT)], rows=rows))
    assert [text for part in parts for text in part["t"].texts()] == whole["t"].texts().tolist()
    assert [value for part in parts for value in part["n"].values] == list(range(42))


def test_header_is_seen_by_the_names_of_the_model(write):
    """All words of this header come again, so that without the model it would be a row."""
    path = write("a,b\na,b\nb,a\n")
    assert [table.n_rows for table in read_batches(path, [("a", TEXT), ("b", TEXT)])] == [2]


def test_file_without_header_is_seen_by_the_names_of_the_model(write):
    path = write("Ann,Smith\nBob,Miller\n")
    assert [table.n_rows for table in read_batches(path, [("column1", TEXT), ("column2", TEXT)])] == [2]


def test_decimal_comma_is_read(write):
    (batch,) = read_batches(write("a;b\n1,5;x\n2;y\n"), [("a", NUMBER)])
    assert batch["a"].values.tolist() == [1.5, 2]


def test_order_of_day_and_month_may_be_given(write):
    path = write("a,b\n01/02/2024,1\n")
    assert next(read_batches(path, [("a", DATE)], day_first=False))["a"].values[0] == np.datetime64("2024-01-02")
    assert next(read_batches(path, [("a", DATE)]))["a"].values[0] == np.datetime64("2024-02-01")


def frame():
    return pandas.DataFrame(
        {
            "id": [7, 8, 9],
            "born": pandas.to_datetime(["1965-01-31", None, "2000-12-31"]),
            "smokes": pandas.array([True, False, None], dtype="boolean"),
            "work": ["mill", "?", "farm"],
            "age": [61, None, 25],
        }
    )


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_other_formats_give_the_same(tmp_path, kind, rows):
    path = tmp_path / f"table.{kind}"
    getattr(frame(), f"to_{kind}")(path)
    check(read_table_as(path, SCHEMA, rows=rows))
    (batch, *_) = read_batches(path, [("age", TEXT)], keep=["id"])
    assert batch["age"].texts().tolist() == ["61", None, "25"]
    assert batch["id"].texts().tolist() == ["7", "8", "9"]
    with pytest.raises(InputError, match="Did you mean 'work'"):
        list(read_batches(path, [("works", TEXT)]))
    with pytest.raises(InputError, match="row 1: expected a number in column 'work', got 'mill'"):
        list(read_batches(path, [("work", NUMBER)]))


def test_batches_of_feather_are_those_of_the_file_or_smaller(tmp_path):
    table = pyarrow.table({"x": np.arange(1000.0)})
    feather.write_feather(table, tmp_path / "t.feather", chunksize=300)
    batches = list(read_batches(tmp_path / "t.feather", [("x", NUMBER)], rows=200))
    assert [batch.n_rows for batch in batches] == [200, 100, 200, 100, 200, 100, 100]
    assert np.concatenate([batch["x"].values for batch in batches]).tolist() == list(range(1000))


def test_libsvm_features_that_no_line_names_are_zero(write):
    (batch,) = read_batches(write("1 1:5\n", "data.svm"), [("feature1", NUMBER), ("feature9", NUMBER)])
    assert batch["feature9"].values.tolist() == [0]
    with pytest.raises(InputError, match="Expected a column 'age'"):
        list(read_batches(write("1 1:5\n", "data.svm"), [("age", NUMBER)]))


def test_built_in_tables_come_in_batches():
    batches = list(read_batches("iris", [("target", TEXT)], rows=100))
    assert [batch.n_rows for batch in batches] == [100, 50]


def test_number_of_rows_is_checked(write):
    with pytest.raises(ParameterError, match="rows: expected an integer"):
        read_batches(write(CONTENT), SCHEMA, rows=0)


def test_table_in_memory_is_cast(write):
    table = read_table(write("a,b,c\n1,yes,2024-01-31\n0,no,\n"))
    cast = cast_table(table, [("c", TEXT), ("a", BOOLEAN), ("b", NUMBER)])
    assert cast.names == ("c", "a", "b")
    assert cast["c"].texts().tolist() == ["2024-01-31", None]
    assert cast["a"].values.tolist() == [1, 0]
    assert cast["b"].values.tolist() == [1, 0]
    with pytest.raises(InputError, match=r"row 1: expected a date as 2026-12-31 in column 'a', got '1'"):
        cast_table(table, [("a", DATE)])


def test_column_without_values_is_cast_to_any_kind(write):
    table = read_table(write("a,b\n,1\nNA,2\n"))
    for kind in ColumnKind:
        assert cast_table(table, [("a", kind)])["a"].missing.all()


SCRIPT = """
import resource, sys
from mercer.tables import ColumnKind, read_batches
schema = [("a", ColumnKind.NUMBER), ("b", ColumnKind.TEXT), ("c", ColumnKind.NUMBER)]
rows = 0
for batch in read_batches(sys.argv[1], schema, rows=8192, memory=200):
    if rows == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows += batch.n_rows
print(rows, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "large.csv"
    block = "".join(f"{row},word{row % 50},{row / 7}\n" for row in range(50_000))
    with path.open("w") as file:
        file.write("a,b,c\n")
        file.writelines([block] * 40)
    assert path.stat().st_size > 40_000_000
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True)
    rows, grown = done.stdout.split()
    assert int(rows) == 2_000_000
    # MB; what the allocator keeps between batches.
    assert float(grown) < 60


@pytest.mark.parametrize(("day_first", "month"), [({"born": False}, 3), ({"born": True}, 4), ({"other": False}, 4)])
def test_order_of_day_and_month_can_be_said_by_column(write, day_first, month):
    table = read_table_as(write("born\n3/4/2021\n"), [("born", DATE)], day_first=day_first)
    assert table["born"].values[0].astype("datetime64[M]") == np.datetime64(f"2021-{month:02}")


def test_date_against_the_order_is_refused_with_its_line(write):
    with pytest.raises(InputError, match=r"line 3: expected a date as .* month first.*got '13/1/2021'"):
        read_table_as(write("born\n3/4/2021\n13/1/2021\n"), [("born", DATE)], day_first={"born": False})


def test_orders_of_dates_are_kept_by_column(write):
    reading = read_table(write("a,b,c\n1/13/2021,13/1/2021,2021-01-13\n1/2/2021,1/2/2021,2021-01-02\n")).reading
    assert dict(reading.date_orders) == {"a": False, "b": True}
    assert reading.day_first is None


@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "table.feather"])
def test_numbers_can_stand_for_missing_values(tmp_path, name):
    frame, path = pandas.DataFrame({"age": [61, -999, 25]}), tmp_path / name
    {".csv": lambda: frame.to_csv(path, index=False), ".parquet": lambda: frame.to_parquet(path)}.get(
        path.suffix, lambda: feather.write_feather(frame, path)
    )()
    for table in (read_table(path, nulls=["-999"]), read_table_as(path, [("age", NUMBER)], nulls=["-999"])):
        np.testing.assert_array_equal(table["age"].values, [61, np.nan, 25])


def test_all_missing_columns_are_named(write):
    schema = [(name, NUMBER) for name in ("age", "a", "b", "c", "d", "e", "f")]
    with pytest.raises(InputError, match="Expected columns 'a', 'b', 'c', 'd', 'e' and 1 more in") as caught:
        list(read_batches(write(CONTENT), schema))
    assert "Its columns are 'id', 'born'" in str(caught.value)
    with pytest.raises(InputError, match="Expected columns 'a', 'b' in"):
        cast_table(read_table(write(CONTENT)), schema[:3])


def test_names_that_are_not_near_are_not_offered(write):
    with pytest.raises(InputError, match="Expected a column 'age'") as caught:
        read_table(write("target,x\n1,2\n3,4\n"))["age"]
    assert "Did you mean" not in str(caught.value)
