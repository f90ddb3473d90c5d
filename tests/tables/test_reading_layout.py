"""Separator, header, quotes, blanks and the like are detected in a text file, and told."""

import numpy as np
import pytest

from mercer import InputError, ParameterError
from mercer.tables import ColumnKind, read_table


def kinds(table):
    return {column.name: column.kind.value for column in table.columns}


def told(table, words):
    return any(words in sentence for sentence in table.reading.told)


@pytest.mark.parametrize(
    ("separator", "word"), [(",", "a comma"), (";", "a semicolon"), ("\t", "a tab"), ("|", "a bar")]
)
def test_separator_is_found_and_told(write, separator, word):
    table = read_table(write(f"a{separator}b\n1{separator}x\n2{separator}y\n"))
    assert table.reading.separator == separator
    assert told(table, f"The separator is {word}")
    assert table["b"].texts().tolist() == ["x", "y"]


def test_separator_that_is_given_is_taken(write):
    table = read_table(write("a b\n1 2\n3 4\n"), separator=" ")
    assert table["b"].values.tolist() == [2, 4]


@pytest.mark.parametrize("name", ["tab", "\\t"])
def test_separator_may_be_named(write, name):
    assert read_table(write("a\tb\n1\t2\n"), separator=name).names == ("a", "b")


@pytest.mark.parametrize("separator", ["", ",,", "\n", '"'])
def test_separator_that_parts_nothing_is_refused(write, separator):
    with pytest.raises(ParameterError, match="separator: expected one character"):
        read_table(write("a,b\n1,2\n"), separator=separator)


def test_spreadsheet_may_name_the_separator(write):
    table = read_table(write("sep=;\na;b\n1;2\n3;4\n"))
    assert table.names == ("a", "b")
    assert table["a"].values.tolist() == [1, 3]
    assert told(table, "names the separator")


def test_header_is_found_above_numbers(write):
    table = read_table(write("age,name\n61,Ann\n25,Bob\n"))
    assert table.reading.has_header is True
    assert table.names == ("age", "name")
    assert told(table, "The first line names the columns")


def test_no_header_is_found_where_the_first_line_has_numbers(write):
    table = read_table(write("61,Ann\n25,Bob\n"))
    assert table.reading.has_header is False
    assert table.names == ("column1", "column2")
    assert table.n_rows == 2
    assert told(table, "There is no header")


def test_header_of_text_is_taken_where_its_words_do_not_come_again(write):
    table = read_table(write("first,last\nAnn,Smith\nBob,Miller\nAnn,Jones\n"))
    assert table.names == ("first", "last")
    assert told(table, "--no-header")


def test_row_of_text_is_taken_where_its_words_come_again(write):
    table = read_table(write("p,x,s\ne,x,y\np,b,s\n"))
    assert table.names == ("column1", "column2", "column3")
    assert table.n_rows == 3
    assert told(table, "--header")


@pytest.mark.parametrize(("header", "rows"), [(True, 2), (False, 3)])
def test_header_that_is_given_is_believed(write, header, rows):
    table = read_table(write("1,2\n3,4\n5,6\n"), header=header)
    assert table.n_rows == rows
    assert table.names == (("1", "2") if header else ("column1", "column2"))


def test_first_row_with_a_missing_value_is_no_header(write):
    assert read_table(write("?,Private\n50,State\n38,Private\n"), header=None).n_rows == 3


@pytest.mark.parametrize("before", ["\n\n", "  \n", "\ufeff\n", "\nsep=,\n\n"])
def test_header_may_follow_blank_lines(write, before):
    table = read_table(write(before + "a,b\n1,2\n"))
    assert table.names == ("a", "b")
    assert table.n_rows == 1


def test_header_of_one_column_may_follow_blank_lines(write):
    table = read_table(write("\n\nage\n61\n"))
    assert table["age"].values.tolist() == [61]


def test_names_that_come_again_are_changed_and_told(write):
    table = read_table(write("a,a,b,a\n1,2,3,4\n"))
    assert table.names == ("a", "a_2", "b", "a_3")
    assert told(table, "The name 'a' comes again in column 2")


def test_column_without_a_name_gets_one(write):
    table = read_table(write(",b\n1,2\n3,4\n"))
    assert table.names == ("column1", "b")
    assert told(table, "Column 1 has no name")


def test_made_name_does_not_take_one_that_is_there(write):
    assert read_table(write("column2,,a\n1,2,3\n")).names == ("column2", "column2_2", "a")


def test_blanks_around_values_are_stripped_of_text_too(write):
    table = read_table(write("39, State-gov, 77516\n50, Private , 83311\n"))
    assert kinds(table) == {"column1": "number", "column2": "text", "column3": "number"}
    assert table["column2"].texts().tolist() == ["State-gov", "Private"]
    assert told(table, "Blanks around values are stripped")


def test_blanks_that_are_not_plain_are_stripped(write):
    table = read_table(write("a,b\n1,\u00a0x\n\u00a02 ,\tx\t\n"))
    assert table["a"].values.tolist() == [1, 2]
    assert table["b"].words == ("x",)


def test_quoted_values_keep_separators_quotes_and_line_ends(write):
    table = read_table(write('a,b\n1,"x, y"\n2,"say ""hi"""\n3,"two\nlines"\n4, "after, a blank"\n'))
    assert table["b"].texts().tolist() == ["x, y", 'say "hi"', "two\nlines", "after, a blank"]
    assert told(table, "Quotes")


def test_single_quotes_are_found(write):
    table = read_table(write("a,b\n'x, y','1'\n'z','2'\n"))
    assert table["a"].texts().tolist() == ["x, y", "z"]
    assert table["b"].values.tolist() == [1, 2]


def test_quote_within_a_value_is_part_of_it(write):
    assert read_table(write('a,b\n1,5" pipe\n2,6" pipe\n'))["b"].words == ('5" pipe', '6" pipe')


@pytest.mark.parametrize("end", ["\n", "\n\n", "\n\n\n", "", "\r\n", "\n   \n", "\n\x1a"])
def test_empty_last_lines_are_no_rows(write, end):
    table = read_table(write("a,b\n1,x\n2,y" + end))
    assert table.n_rows == 2
    assert table["b"].texts().tolist() == ["x", "y"]


def test_empty_last_lines_are_told(write):
    assert told(read_table(write("a,b\n1,x\n2,y\n\n\n")), "2 empty last lines are left out")


def test_empty_last_line_of_one_column_is_no_row(write):
    assert read_table(write("a\n1\n\n3\n\n"))["a"].values.tolist() == pytest.approx([1, np.nan, 3], nan_ok=True)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_end_as_anywhere(write, end):
    assert read_table(write(end.join(["a,b", "1,x", "2,y", ""])))["a"].values.tolist() == [1, 2]


def test_lines_that_end_in_several_ways_are_told(write):
    table = read_table(write("a,b\r\n1,x\n2,y\r\n3,z\r"))
    assert table["a"].values.tolist() == [1, 2, 3]
    assert told(table, "several ways")


def test_every_row_may_end_in_a_separator(write):
    table = read_table(write("a,b\n1,2,\n3,4,\n"))
    assert table.names == ("a", "b")
    assert table["b"].values.tolist() == [2, 4]


def test_byte_order_mark_is_left_out(write):
    table = read_table(write(b'\xef\xbb\xbf"a\nz",b\n1,2\n'))
    assert table.names == ("a\nz", "b")
    assert table.n_rows == 1
    assert told(table, "byte-order mark")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_with_its_mark_is_read_and_told(write, encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    table = read_table(write((mark + "a;b\n1;é\n2;ü\n").encode(encoding)))
    assert table["b"].texts().tolist() == ["é", "ü"]
    assert told(table, "UTF-16")


def test_decimal_comma_is_found_and_told(write):
    table = read_table(write("a;b\n1,5;x\n-2,25;y\n3;z\n"))
    assert table["a"].values.tolist() == [1.5, -2.25, 3]
    assert table.reading.decimal == ","
    assert told(table, "decimal comma")


def test_decimal_comma_without_header_is_not_taken_for_the_separator(write):
    table = read_table(write("1,5;2,5\n3,5;4,75\n"))
    assert table["column2"].values.tolist() == [2.5, 4.75]


def test_decimal_comma_after_the_sample_is_found(write):
    rows = "".join(f"{place};{place}\n" for place in range(5000))
    table = read_table(write("a;b\n" + rows + "1,5;0,25\n"))
    assert table["a"].kind is ColumnKind.NUMBER
    assert table["a"].values[-1] == 1.5
    assert told(table, "decimal comma")


def test_commas_that_may_part_thousands_are_not_guessed(write):
    table = read_table(write("a\tb\n1,234\t1\n5,678\t2\n"))
    assert kinds(table) == {"a": "text", "b": "number"}
    assert told(table, "may part thousands")
    assert read_table(write("a\tb\n1,234\t1\n5,678\t2\n"), decimal=",")["a"].values.tolist() == [1.234, 5.678]


def test_commas_beside_points_are_not_guessed(write):
    table = read_table(write("a;b\n1,5;1.5\n2,25;2.5\n"))
    assert kinds(table) == {"a": "text", "b": "number"}
    assert told(table, "--decimal ,")


def test_decimal_comma_that_is_given_leaves_no_points(write):
    table = read_table(write("a;b\n1,5;1.5\n2,25;2.5\n"), decimal=",")
    assert kinds(table) == {"a": "number", "b": "text"}


@pytest.mark.parametrize("decimal", ["x", "", "..", 5])
def test_decimal_sign_is_a_point_or_a_comma(write, decimal):
    with pytest.raises(ParameterError, match="decimal: expected"):
        read_table(write("a,b\n1,2\n"), decimal=decimal)


def test_one_column_is_read_where_nothing_could_part_it(write):
    assert read_table(write("age\n61\n25\n"))["age"].values.tolist() == [61, 25]


@pytest.mark.parametrize("content", ["a b c\n1 2 3\n4 5 6\n", "a:b\n1:2\n", "x, y\nz\nw\nv\nu\n"])
def test_one_column_that_something_may_part_is_refused_with_a_hint(write, content):
    with pytest.raises(InputError, match="line 1") as caught:
        read_table(write(content))
    assert "--separator" in str(caught.value)
    assert read_table(write("a b c\n1 2 3\n"), separator=",").n_rows == 1


def test_adult_as_people_have_it(write):
    """No header, blanks after commas, question marks, an empty last line."""
    rows = "39, State-gov, 77516, Bachelors, <=50K\n52, ?, 209642, HS-grad, >50K\n\n"
    table = read_table(write(rows, "adult.data"))
    assert kinds(table) == dict(zip(table.names, ["number", "text", "number", "text", "text"], strict=True))
    assert table["column2"].texts().tolist() == ["State-gov", None]
    assert table["column5"].words == ("<=50K", ">50K")
    assert table.reading.null_words == ("?",)


def test_wide_lines_are_read(write):
    n = 350
    table = read_table(write(",".join(f"c{i}" for i in range(n)) + "\n" + ",".join(map(str, range(n))) + "\n"))
    assert len(table.columns) == n
    assert table["c349"].values.tolist() == [349]


def test_long_values_are_read(write):
    long = "x" * 3_000_000
    table = read_table(write(f"a,b\n1,{long}\n2,y\n"))
    assert table["b"].texts().tolist() == [long, "y"]
