"""What cannot be read right is refused with its line, its text and a hint."""

import os

import pytest

from mercer import InputError, ParameterError
from mercer.tables import read_table


def refused(path, **said):
    """The words of the refusal."""
    with pytest.raises(InputError) as caught:
        read_table(path, **said)
    return str(caught.value)


@pytest.mark.parametrize("place", [0, 1, 50, 3000])
@pytest.mark.parametrize(("line", "count"), [("1,2", 2), ("1,2,3,4", 4), ("1,2,3,4,", 5)])
def test_row_of_another_length_is_refused_with_its_line(write, place, line, count):
    rows = ["a,b,c", *(f"{row},x,y" for row in range(4000))]
    rows.insert(place + 1, line)
    words = refused(write("\n".join(rows) + "\n"))
    assert f"line {place + 2}: expected 3 values as in the other lines, got {count}: {line!r}" in words
    assert "--separator" in words


def test_short_row_does_not_make_the_file_one_column(write):
    assert "line 3: expected 2 values as in the other lines, got 1: '3'" in refused(write("a,b\n1,2\n3\n4,5\n"))


def test_line_of_blanks_amid_rows_is_refused(write):
    assert "line 3" in refused(write("a,b\n1,2\n   \n4,5\n"))


def test_header_with_a_name_too_few_is_refused(write):
    words = refused(write("a,b\n1,2,3\n4,5,6\n"))
    assert "line 1: expected 3 values as in the other lines, got 2: 'a,b'" in words


@pytest.mark.parametrize("before", [0, 2000])
def test_quote_that_nothing_closes_is_refused_where_it_opens(write, before):
    rows = "".join(f"{row},x\n" for row in range(before))
    words = refused(write("a,b\n1,x\n" + rows + '2,"y\n' + "".join(f"{row},z\n" for row in range(50))))
    assert f"line {before + 3}" in words
    assert "a quote opens here that nothing closes" in words


def test_text_after_a_closing_quote_is_refused(write):
    words = refused(write('a,b\n1,"x"\n2,"y" z\n3,"w"\n'))
    assert "line 3" in words
    assert "follows a closing quote" in words


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("rows", [1, 60_000])
def test_other_encoding_is_refused_with_its_line(write, encoding, rows):
    content = "a,b\n" + "1,ü\n" * 3 + "2,plain\n" * rows
    words = refused(write(content.encode("utf-8") + "3,café\n".encode(encoding)))
    assert f"line {rows + 5}" in words
    assert "'3,café'" in words
    assert "UTF-8" in words


def test_character_that_is_cut_off_is_refused(write):
    assert "cut off" in refused(write("a,b\n1,é".encode()[:-1]))


@pytest.mark.parametrize("content", ["a,b\n1,x\n2,y\n".encode("utf-16-le"), b"a,b\n1,x\0y\n"])
def test_zero_bytes_are_refused(write, content):
    assert "zero byte" in refused(write(content))


def test_empty_file_is_refused(write):
    assert "is empty" in refused(write(""))


@pytest.mark.parametrize("content", ["\n", "\n\n  \n", "\r\n"])
def test_file_of_blank_lines_is_refused(write, content):
    assert "blank lines only" in refused(write(content))


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "a,b\n\n\n", "\ufeffa,b\n"])
def test_header_without_rows_is_refused(write, content):
    assert "expected rows after the names of the columns" in refused(write(content))


def test_row_alone_is_a_table(write):
    assert read_table(write("1,x\n")).n_rows == 1
    assert read_table(write("a,b\n"), header=False).n_rows == 1


def test_folder_is_refused_with_files_in_it(write, tmp_path):
    write("a,b\n1,2\n")
    words = refused(tmp_path)
    assert "got a folder" in words
    assert "table.csv" in words


def test_missing_file_is_refused_with_the_nearest_names(write, tmp_path):
    write("a,b\n1,2\n", "titanic.csv")
    assert "no such file. Did you mean titanic.csv?" in refused(tmp_path / "titanik.csv")


def test_missing_name_is_refused_with_the_nearest_built_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Did you mean iris?" in refused("iriss")


def test_missing_folder_is_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "nowhere" / "table.csv")


def test_name_that_no_file_can_have_is_refused():
    assert "cannot be opened" in refused("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission_is_refused(write):
    path = write("a,b\n1,2\n")
    path.chmod(0)
    assert "no permission" in refused(path)


def test_denied_permission_is_told(write, monkeypatch):
    path = write("a,b\n1,2\n")

    def denied(*_, **__):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.open", denied)
    assert "no permission to read" in refused(path)


@pytest.mark.parametrize("address", ["http://example.org/a.csv", "s3://bucket/a.parquet", "https://x/y?z=1"])
def test_remote_address_is_refused(address):
    assert "remote address" in refused(address)


@pytest.mark.parametrize(
    ("head", "what"),
    [(b"PK\x03\x04", "ZIP"), (b"%PDF-1.7", "PDF"), (b"<!doctype html>", "web page"), (b"\x89HDF", "HDF5")],
)
def test_other_formats_are_refused_by_name(write, head, what):
    assert what in refused(write(head + b"\nrest,of\nthe,file\n", "table.xlsx"))


@pytest.mark.parametrize(("name", "value"), [("memory", 0), ("memory", "much"), ("threads", 0), ("threads", 2.5)])
def test_limits_are_checked(write, name, value):
    with pytest.raises(ParameterError, match=name):
        read_table(write("a,b\n1,2\n"), **{name: value})


def test_memory_that_does_not_suffice_is_told(write):
    content = "a,b\n" + "".join(f"{row},{'x' * 200}{row}\n" for row in range(60_000))
    with pytest.raises(InputError, match="more memory than is allowed"):
        read_table(write(content), memory=1)
