"""Data frames of every package become the same table, each column by its own kind."""

import datetime
import decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from mercer import InputError
from mercer.tables import ColumnKind, table_from_frame

DAYS = [datetime.date(2024, 2, 29), None, datetime.date(1999, 12, 31)]
TIMES = [datetime.datetime(2024, 2, 29, 12, 30, 0, 5), None, datetime.datetime(1999, 12, 31)]
ZONE = datetime.timezone(datetime.timedelta(hours=2))


def pandas_frame():
    return pandas.DataFrame(
        {
            "whole": pandas.array([1, None, 3], dtype="Int64"),
            "real": [0.5, np.nan, 1e300],
            "truth": pandas.array([True, None, False], dtype="boolean"),
            "day": pandas.to_datetime(pandas.Series(DAYS)),
            "time": pandas.to_datetime(pandas.Series(TIMES)),
            "zone": pandas.to_datetime(["2024-01-01T02:00+02:00", None, "2024-01-01T00:00Z"], utc=True),
            "word": ["007", None, "NA"],
            "category": pandas.Categorical(["b", None, "a"], categories=["b", "a", "unused"]),
        }
    )


def polars_frame():
    return polars.DataFrame(
        {
            "whole": [1, None, 3],
            "real": [0.5, None, 1e300],
            "truth": [True, None, False],
            "day": DAYS,
            "time": TIMES,
            "zone": polars.Series(["2024-01-01T02:00+02:00", None, "2024-01-01T02:00+02:00"]).str.to_datetime(
                "%Y-%m-%dT%H:%M%z", time_zone="Europe/Berlin"
            ),
            "word": ["007", None, "NA"],
            "category": polars.Series(["b", None, "a"], dtype=polars.Categorical),
        }
    )


def arrow_table():
    return pyarrow.table(
        {
            "whole": pyarrow.array([1, None, 3]),
            "real": pyarrow.array([0.5, None, 1e300]),
            "truth": pyarrow.array([True, None, False]),
            "day": pyarrow.array(DAYS),
            "time": pyarrow.array(TIMES),
            "zone": pyarrow.array(
                [
                    datetime.datetime(2024, 1, 1, 2, tzinfo=ZONE),
                    None,
                    datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
                ],
                type=pyarrow.timestamp("ns", tz="Europe/Berlin"),
            ),
            "word": pyarrow.array(["007", None, "NA"]),
            "category": pyarrow.array(["b", None, "a"]).dictionary_encode(),
        }
    )


def arrays():
    return {
        "whole": np.ma.masked_array([1, 2, 3], mask=[False, True, False]),
        "real": np.array([0.5, np.nan, 1e300]),
        "truth": [True, None, False],
        "day": DAYS,
        "time": np.array(["2024-02-29T12:30:00.000005", "NaT", "1999-12-31"], dtype="datetime64[ns]"),
        "zone": [
            datetime.datetime(2024, 1, 1, 2, tzinfo=ZONE),
            None,
            datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
        ],
        "word": np.array(["007", None, "NA"], dtype=object),
        "category": ["b", float("nan"), "a"],
    }


@pytest.mark.parametrize(
    "make",
    [
        pandas_frame,
        polars_frame,
        arrow_table,
        arrays,
        lambda: polars_frame().lazy(),
        lambda: arrow_table().to_batches()[0],
        lambda: arrow_table().to_pandas(types_mapper=pandas.ArrowDtype),
        lambda: pandas_frame().convert_dtypes(),
        lambda: pandas_frame().astype({"word": object}),
    ],
)
def test_frames_of_every_package_become_the_same_table(make):
    table = table_from_frame(make())
    assert {column.name: column.kind.value for column in table.columns} == {
        "whole": "number",
        "real": "number",
        "truth": "boolean",
        "day": "date",
        "time": "date",
        "zone": "date",
        "word": "text",
        "category": "text",
    }
    np.testing.assert_array_equal(table["whole"].values, [1, np.nan, 3])
    np.testing.assert_array_equal(table["real"].values, [0.5, np.nan, 1e300])
    np.testing.assert_array_equal(table["truth"].values, [1, np.nan, 0])
    assert table["truth"].words == ("false", "true")
    times = np.array(["2024-02-29T12:30:00.000005", "NaT", "1999-12-31"], dtype="datetime64[us]")
    np.testing.assert_array_equal(table["time"].values, times)
    np.testing.assert_array_equal(table["day"].values, times.astype("datetime64[D]").astype("datetime64[us]"))
    zone = np.array(["2024-01-01", "NaT", "2024-01-01"], dtype="datetime64[us]")
    np.testing.assert_array_equal(table["zone"].values, zone)
    assert table["word"].texts().tolist() == ["007", None, "NA"]
    assert table["category"].texts().tolist() == ["b", None, "a"]
    assert table["category"].words == ("a", "b")
    assert all(
        column.values.dtype == dtype
        for column in table.columns
        for dtype in [
            {ColumnKind.TEXT: np.dtype(np.int32), ColumnKind.DATE: np.dtype("datetime64[us]")}.get(
                column.kind, np.float64
            )
        ]
    )
    assert table.reading.format == "data frame"


def test_categories_that_are_numbers_stay_categories():
    table = table_from_frame(pandas.DataFrame({"x": pandas.Categorical([2.0, 1.0, 2.0])}))
    assert table["x"].kind is ColumnKind.TEXT
    assert table["x"].texts().tolist() == ["2", "1", "2"]


def test_decimals_are_numbers():
    values = [decimal.Decimal("1.5"), None]
    assert table_from_frame(pyarrow.table({"x": values}))["x"].values.tolist()[0] == 1.5
    assert table_from_frame(polars.DataFrame({"x": values}))["x"].values.tolist()[0] == 1.5


def test_durations_are_seconds():
    for frame in (
        pandas.DataFrame({"x": pandas.to_timedelta(["1min", None])}),
        polars.DataFrame({"x": [datetime.timedelta(minutes=1), None]}),
    ):
        np.testing.assert_array_equal(table_from_frame(frame)["x"].values, [60, np.nan])


def test_mixed_objects_are_text():
    table = table_from_frame(pandas.DataFrame({"x": pandas.Series([1, "a", None], dtype=object)}))
    assert table["x"].texts().tolist() == ["1", "a", None]


def test_column_of_nothing_is_text():
    for frame in (pandas.DataFrame({"x": [None, None]}), polars.DataFrame({"x": [None, None]}), {"x": [None, None]}):
        table = table_from_frame(frame)
        assert table["x"].kind is ColumnKind.TEXT
        assert table["x"].missing.all()


def test_values_of_the_frame_are_not_shared():
    frame = pandas.DataFrame({"x": [1.0, 2.0]})
    polar = polars.DataFrame({"x": [1.0, 2.0]})
    for given in (frame, polar, {"x": frame["x"].to_numpy()}):
        table = table_from_frame(given)
        table["x"].values[0] = 5
    assert frame["x"].tolist() == [1.0, 2.0]
    assert polar["x"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ([[1, 2]], "Expected a pandas or polars frame"),
        (pandas.DataFrame({"x": [[1], [2]]}), "Column 'x'"),
        (polars.DataFrame({"x": [[1], [2]]}), "Column 'x'"),
        (pyarrow.table({"x": [[1], [2]]}), "Column 'x'"),
        ({"x": np.zeros((2, 2))}, "2 dimensions"),
        ({"x": [1j]}, "Column 'x'"),
        ({"x": [1, 2], "y": [1]}, "one length"),
        ({}, "empty"),
        (pandas.DataFrame({"x": []}), "empty"),
        (pandas.DataFrame([[1, 2]], columns=["x", "x"]), "twice"),
        (pandas.DataFrame([[1]], columns=pandas.MultiIndex.from_tuples([("a", "b")])), "levels"),
        ({"x": [1.0, np.inf]}, "finite"),
    ],
)
def test_what_is_no_table_is_refused(frame, words):
    with pytest.raises(InputError, match=words):
        table_from_frame(frame)
