"""The kind of a column is decided by all of its values, and what was nearly another kind is told."""

import numpy as np
import pytest

from mercer import InputError
from mercer.tables import Column, ColumnKind, Encoding, Table, read_table

NAN = float("nan")


def column(write, values, **said):
    """The column of some values, read beside another."""
    content = "x,other\n" + "".join(f'"{value}",1\n' for value in values)
    table = read_table(write(content), **said)
    return table["x"], table.reading


def same(values, expected):
    np.testing.assert_array_equal(values, np.array(expected, dtype=np.float64))


def test_numbers_are_read_exactly(write):
    written = [
        "0.1",
        "1e-300",
        "-123456.789e3",
        "4.9e-324",
        "1.7976931348623157e308",
        "0.30000000000000004",
        ".5",
        "5.",
    ]
    found, _ = column(write, written)
    assert found.kind is ColumnKind.NUMBER
    assert found.values.tolist() == [float(word) for word in written]


@pytest.mark.parametrize("word", ["+5", "+.5e3", "-0", "00.5", "1E5", "0e1"])
def test_numbers_are_read_however_they_are_written(write, word):
    found, _ = column(write, ["1", word])
    same(found.values, [1, float(word)])


@pytest.mark.parametrize("word", ["1_000", "+-1", "0x1F", "1e", "1f", "٣", "1 000", "--1", "1.2.3"])
def test_what_only_looks_like_a_number_is_text(write, word):
    found, reading = column(write, [*map(str, range(20)), word])
    assert found.kind is ColumnKind.TEXT
    assert found.texts()[-1] == word
    assert any(f"{word!r}" in sentence and "line 22" in sentence for sentence in reading.told)


@pytest.mark.parametrize("word", ["", "NA", "N/A", "n/a", "?", "NULL", "null", "none", "None", "NaN", "nan", "-nan"])
def test_words_for_missing_are_missing_in_numbers_and_told(write, word):
    found, reading = column(write, ["1", word, "3"])
    same(found.values, [1, NAN, 3])
    assert reading.null_words == (word,)
    assert any("Missing values" in sentence for sentence in reading.told)


@pytest.mark.parametrize("word", ["", "NA", "n/a", "?", "NULL", "None", "#N/A", "<NA>"])
def test_words_for_missing_are_missing_in_text(write, word):
    found, _ = column(write, ["a", word, "b"])
    assert found.texts().tolist() == ["a", None, "b"]


@pytest.mark.parametrize("word", ["-", ".", "#DIV/0!"])
def test_some_words_are_missing_among_numbers_alone(write, word):
    same(column(write, ["1", word])[0].values, [1, NAN])
    assert column(write, ["a", word])[0].texts().tolist() == ["a", word]


def test_words_for_missing_may_be_given(write):
    found, reading = column(write, ["1", "unknown", "", "3"], nulls=["unknown"])
    same(found.values, [1, NAN, NAN, 3])
    assert set(reading.null_words) == {"unknown", ""}
    assert column(write, ["a", "NA"], nulls=["unknown"])[0].texts().tolist() == ["a", None]


def test_numbers_can_stand_for_missing_values(write):
    found, reading = column(write, ["1", "-999", "-999.0", "NA", "3"], nulls=["-999"])
    np.testing.assert_array_equal(found.values, [1, np.nan, np.nan, np.nan, 3])
    assert reading.nulls_given == ("-999",)
    assert "'-999' (1 cell)" in reading.told[-1]
    assert column(write, ["a", "-999"], nulls=["-999"])[0].texts().tolist() == ["a", None]


@pytest.mark.parametrize("values", [["", ""], ["NA", "?"], ["NA", ""]])
def test_column_without_values_is_text_without_words_and_told(write, values):
    found, reading = column(write, values)
    assert found.kind is ColumnKind.TEXT
    assert found.words == ()
    assert found.missing.all()
    assert "Column 'x' has no values." in reading.told


@pytest.mark.parametrize("word", ["inf", "-inf", "Infinity", "+INF", "1e400"])
def test_infinite_number_is_refused_with_its_line(write, word):
    with pytest.raises(InputError, match="line 4: expected a finite number in column 'x'") as caught:
        column(write, ["1", "2", word, "3"])
    assert repr(word) in str(caught.value)


def test_word_for_infinity_is_text_among_text(write):
    assert column(write, ["inf", "sup"])[0].words == ("inf", "sup")


def test_digits_with_leading_zeros_stay_text_and_are_told(write):
    found, reading = column(write, ["007", "12", "0"])
    assert found.kind is ColumnKind.TEXT
    assert found.texts().tolist() == ["007", "12", "0"]
    assert any("leading zeros" in sentence for sentence in reading.told)


def test_zero_before_the_point_is_no_leading_zero(write):
    same(column(write, ["0.5", "-0.25", "0"])[0].values, [0.5, -0.25, 0])


def test_whole_numbers_that_float64_would_change_stay_text_and_are_told(write):
    found, reading = column(write, ["9007199254740993", "9007199254740992"])
    assert found.texts().tolist() == ["9007199254740993", "9007199254740992"]
    assert any("float64" in sentence for sentence in reading.told)


def test_whole_numbers_that_float64_holds_are_numbers(write):
    same(column(write, ["9007199254740992", "1000000000000000000000"])[0].values, [2.0**53, 1e21])


def test_rounded_numbers_beside_fractions_are_told(write):
    found, reading = column(write, ["9007199254740993", "0.5"])
    same(found.values, [2.0**53, 0.5])
    assert any("rounds" in sentence for sentence in reading.told)


def test_text_after_many_numbers_makes_the_column_text(write):
    found, reading = column(write, [*map(str, range(30_000)), "oops"])
    assert found.kind is ColumnKind.TEXT
    assert found.texts()[[0, 29_999, 30_000]].tolist() == ["0", "29999", "oops"]
    assert not found.missing.any()
    assert any("1 of its 30,001 values is no number" in s and "line 30002" in s for s in reading.told)


def test_fraction_after_many_whole_numbers_is_read(write):
    found, _ = column(write, [*map(str, range(30_000)), "0.5"])
    assert found.values[-1] == 0.5


@pytest.mark.parametrize(
    ("values", "words", "expected"),
    [
        (["yes", "no", "yes"], ("no", "yes"), [1, 0, 1]),
        (["True", "False", ""], ("False", "True"), [1, 0, NAN]),
        (["TRUE", "?", "FALSE"], ("FALSE", "TRUE"), [1, NAN, 0]),
        (["y", "n"], ("n", "y"), [1, 0]),
        (["t", "f"], ("f", "t"), [1, 0]),
        (["Yes", "Yes"], ("No", "Yes"), [1, 1]),
        (["Yes", "yes", "Yes", "NO"], ("NO", "Yes"), [1, 1, 1, 0]),
    ],
)
def test_booleans_keep_the_words_of_the_file(write, values, words, expected):
    found, _ = column(write, values)
    assert found.kind is ColumnKind.BOOLEAN
    assert found.words == words
    same(found.values, expected)


@pytest.mark.parametrize("values", [["0", "1"], ["1", "0", "1"]])
def test_zero_and_one_are_numbers(write, values):
    assert column(write, values)[0].kind is ColumnKind.NUMBER


@pytest.mark.parametrize("values", [["y", "y"], ["t", "x"], ["yes", "maybe"], ["yes", "false"], ["f", "n"]])
def test_words_that_are_no_pair_are_text(write, values):
    assert column(write, values)[0].kind is ColumnKind.TEXT


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-02-29", "1999-12-31"], ["2024-02-29", "1999-12-31"]),
        (["2024/2/9", ""], ["2024-02-09", "NaT"]),
        (["2024-02-29T12:30", "2024-02-29 12:30:15.25"], ["2024-02-29T12:30", "2024-02-29T12:30:15.25"]),
        (["31.12.1999", "1.2.2000"], ["1999-12-31", "2000-02-01"]),
        (["31/12/1999", "01/02/2000"], ["1999-12-31", "2000-02-01"]),
        (["12/31/1999", "01/02/2000"], ["1999-12-31", "2000-01-02"]),
        (["31-12-1999 23:59", "NA"], ["1999-12-31T23:59", "NaT"]),
        (["12/31/1999 1:05 PM", "12/31/1999 12:00 AM"], ["1999-12-31T13:05", "1999-12-31"]),
        (["2024-01-01T00:00:00Z", "2024-01-01T02:00:00+02:00"], ["2024-01-01", "2024-01-01"]),
    ],
)
def test_dates_are_read(write, values, expected):
    found, _ = column(write, values)
    assert found.kind is ColumnKind.DATE
    assert found.values.dtype == np.dtype("datetime64[us]")
    np.testing.assert_array_equal(found.values, np.array(expected, dtype="datetime64[us]"))


def test_order_of_day_and_month_is_told(write):
    _, reading = column(write, ["31/12/1999", "01/02/2000"])
    assert reading.day_first is True
    assert "Dates in 'x' have the day first." in reading.told
    assert column(write, ["12/31/1999"])[1].day_first is False


def test_dates_that_may_be_read_in_two_ways_are_told(write):
    found, reading = column(write, ["01/02/2000", "03/04/2001"])
    assert found.values[0] == np.datetime64("2000-02-01")
    assert any("may have the day or the month first" in sentence for sentence in reading.told)
    assert column(write, ["01/02/2000"], day_first=False)[0].values[0] == np.datetime64("2000-01-02")


@pytest.mark.parametrize("values", [["31/12/1999", "12/31/1999"], ["2024-01-01", "soon"], ["20240101", "x"], ["12:30"]])
def test_what_is_no_date_throughout_is_text(write, values):
    assert column(write, values)[0].kind is ColumnKind.TEXT


def test_day_that_does_not_exist_makes_text_and_is_told(write):
    found, reading = column(write, ["2024-02-28", "2023-02-29"])
    assert found.texts().tolist() == ["2024-02-28", "2023-02-29"]
    assert any("'2023-02-29'" in sentence and "line 3" in sentence for sentence in reading.told)


def test_rows_without_any_value_are_kept_and_told(write):
    table = read_table(write("a,b\n1,x\n,\n,\n2,y\n"))
    assert table.n_rows == 4
    assert "2 rows have no value at all." in table.reading.told


def test_lines_are_right_after_records_of_several_lines(write):
    content = 'a,b\n1,"two\nlines"\n\n2,"three\nmore\nlines"\ninf,x\n'
    with pytest.raises(InputError, match="line 8: expected a finite number"):
        read_table(write(content))


@pytest.mark.parametrize("word", ["12,345.67", "1,234,567", "3.2%", "$5", "1.50 €"])
def test_numbers_with_signs_are_told_and_not_taken_for_ids(write, word):
    found, reading = column(write, [word, "7"])
    assert found.kind is ColumnKind.TEXT
    assert any(f"as {word!r}" in sentence and "read as text" in sentence for sentence in reading.told)
    words = tuple(f"${place}" for place in range(100))
    ids = Table((Column("price", ColumnKind.TEXT, np.arange(100, dtype=np.int32), words),), reading)
    with pytest.raises(InputError, match=r"numbers but for their signs, as '\$0'"):
        Encoding.learn(ids)
    assert column(write, ["a7%", "5%"])[1].told == column(write, ["a", "b"])[1].told
