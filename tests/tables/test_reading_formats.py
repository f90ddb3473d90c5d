"""Files of every format, packed or not, standard input and built-in names give the same tables; names mean nothing."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import duckdb
import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import feather, ipc

from mercer import InputError, MissingPackageError
from mercer.tables import BUILT_IN, ColumnKind, read_batches, read_table, read_table_as, table_from_frame

CONTENT = "age,work\n61,mill\n25,?\n40,farm\n"


def check(table):
    assert table.names == ("age", "work")
    assert table["age"].values.tolist() == [61, 25, 40]
    assert table["work"].texts().tolist() == ["mill", None, "farm"]


@pytest.mark.parametrize(
    ("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_packed_files_are_unpacked(write, ending, pack):
    check(read_table(write(pack(CONTENT.encode()), "table.csv" + ending)))


def zstd(content):
    return pyarrow.Codec("zstd").compress(content.encode(), asbytes=True)


def test_zst_files_are_unpacked(write):
    check(read_table(write(zstd(CONTENT), "table.csv.zst")))


def test_zst_keeps_lines_and_quotes(write):
    table = read_table(write(zstd('a,b\n1,"x\n\ny"\n\n2,"say ""hi"""\n'), "table.csv.zst"))
    assert table["b"].texts().tolist() == ["x\n\ny", 'say "hi"']


def test_packing_is_seen_in_the_bytes_not_the_name(write):
    check(read_table(write(gzip.compress(CONTENT.encode()), "table.csv")))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda content: zstd(content.decode())])
def test_packed_file_that_is_cut_off_is_refused(write, pack):
    packed = pack((CONTENT * 1000).encode())
    with pytest.raises(InputError, match=r"table\.csv\.gz"):
        read_table(write(packed[: len(packed) // 2], "table.csv.gz"))


def test_packed_name_on_a_plain_file_does_no_harm(write):
    check(read_table(write(CONTENT, "table.csv.gz")))


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CONTENT.encode()))))
    table = read_table("-")
    check(table)
    assert table.reading.source == "standard input"


def test_terminal_is_no_table(monkeypatch):
    class Terminal(io.BytesIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    with pytest.raises(InputError, match="Pipe a file"):
        read_table("-")


def frame():
    return pandas.DataFrame(
        {
            "n": [1, 2, None],
            "f": [0.5, np.nan, 1e300],
            "b": pandas.array([True, None, False], dtype="boolean"),
            "d": pandas.to_datetime(["2024-02-29", None, "1999-12-31 23:59:59.123456"], format="ISO8601"),
            "z": pandas.to_datetime(["2024-01-01T02:00+02:00"] * 3, utc=True),
            "t": [" mill", "NA", "007"],
            "c": pandas.Categorical(["x", None, "y"]),
        }
    )


def check_frame(table):
    assert {column.name: column.kind.value for column in table.columns} == {
        "n": "number",
        "f": "number",
        "b": "boolean",
        "d": "date",
        "z": "date",
        "t": "text",
        "c": "text",
    }
    np.testing.assert_array_equal(table["n"].values, [1, 2, np.nan])
    np.testing.assert_array_equal(table["f"].values, [0.5, np.nan, 1e300])
    np.testing.assert_array_equal(table["b"].values, [1, np.nan, 0])
    assert table["b"].words == ("false", "true")
    expected = np.array(["2024-02-29", "NaT", "1999-12-31T23:59:59.123456"], dtype="datetime64[us]")
    np.testing.assert_array_equal(table["d"].values, expected)
    assert table["z"].values.tolist() == np.array(["2024-01-01"] * 3, dtype="datetime64[us]").tolist()
    assert table["t"].texts().tolist() == ["mill", None, "007"]
    assert table["c"].texts().tolist() == ["x", None, "y"]
    assert any("'NA'" in sentence for sentence in table.reading.told)


def test_parquet_keeps_the_kinds_of_its_columns(tmp_path):
    frame().to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet")
    check_frame(table)
    assert table.reading.format == "Parquet"


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_feather_keeps_the_kinds_of_its_columns(tmp_path, compression):
    feather.write_feather(pyarrow.Table.from_pandas(frame()), tmp_path / "table.feather", compression=compression)
    table = read_table(tmp_path / "table.feather")
    check_frame(table)
    assert table.reading.format == "Feather"


def test_arrow_stream_is_read(tmp_path):
    arrow = pyarrow.Table.from_pandas(frame())
    with ipc.new_stream(tmp_path / "table.arrows", arrow.schema) as writer:
        writer.write_table(arrow)
    check_frame(read_table(tmp_path / "table.arrows"))


def test_parquet_times_of_every_unit_are_dates(tmp_path):
    types = ["DATE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ"]
    columns = ", ".join(f"TIMESTAMP '2024-02-29'::{kind} AS \"{kind}\"" for kind in types if kind != "TIMESTAMPTZ")
    columns += ', make_timestamptz(1709164800000000) AS "TIMESTAMPTZ"'
    duckdb.execute(f"COPY (SELECT {columns}) TO '{tmp_path}/t.parquet'")
    table = read_table(tmp_path / "t.parquet")
    assert list(table.names) == types
    assert all(column.values[0] == np.datetime64("2024-02-29") for column in table.columns)


def test_parquet_with_large_whole_numbers_keeps_them_as_text(tmp_path):
    pandas.DataFrame({"id": [2**53 + 1, 2**60], "n": [2**53, 1]}).to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet")
    assert table["id"].texts().tolist() == [str(2**53 + 1), str(2**60)]
    assert table["n"].kind is ColumnKind.NUMBER
    assert any("float64" in sentence for sentence in table.reading.told)


def test_parquet_columns_of_lists_are_left_out_and_told(tmp_path):
    pandas.DataFrame({"x": [1, 2], "l": [[1], [2, 3]]}).to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet")
    assert table.names == ("x",)
    assert any("'l'" in sentence for sentence in table.reading.told)


def test_parquet_with_an_infinite_number_is_refused_with_its_row(tmp_path):
    pandas.DataFrame({"x": [1.0, np.inf]}).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(InputError, match="row 2: expected a finite number in column 'x'"):
        read_table(tmp_path / "table.parquet")


def test_parquet_without_rows_is_refused(tmp_path):
    pandas.DataFrame({"x": np.zeros(0)}).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(InputError, match="expected rows, got none"):
        read_table(tmp_path / "table.parquet")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_damaged_file_is_refused(tmp_path, kind):
    path = tmp_path / f"table.{kind}"
    getattr(frame(), f"to_{kind}")(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="table"):
        read_table(path)


def test_column_names_of_parquet_may_be_anything(tmp_path):
    names = ['say "hi"', "it's", "a;b", "SELECT", "Größe"]
    pandas.DataFrame({name: [place, 2] for place, name in enumerate(names)}).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert list(table.names) == names
    assert table["it's"].values.tolist() == [1, 2]


def test_libsvm_data_is_a_table(write):
    table = read_table(write("1 1:0.5 3:2 # comment\n\n-1 qid:3 2:1e2\n1\n", "data.svm"))
    assert table.names == ("target", "feature1", "feature2", "feature3")
    assert table["target"].values.tolist() == [1, -1, 1]
    assert table["feature3"].values.tolist() == [2, 0, 0]
    assert table.reading.format == "LIBSVM"


@pytest.mark.parametrize("line", ["1 2:1 1:1", "1 0:1", "x 1:1", "1 1:x", "1 1", "1,2 1:1", "1 1:inf", "1 -1:2"])
def test_wrong_libsvm_line_is_refused(write, line):
    with pytest.raises(InputError, match=r"data.libsvm, line 2, column \d: expected"):
        read_table(write("1 1:1\n" + line + "\n", "data.libsvm"))


def test_libsvm_data_too_wide_for_a_table_is_refused(write):
    with pytest.raises(InputError, match="too many for a table"):
        read_table(write("1 999999999:1\n", "data.t"))


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_tables_have_names(name):
    table = read_table(name)
    assert table.n_rows > 100
    assert table.reading.source == name
    assert table.reading.format == "built in"
    assert table.names[-1] in ("target", "income")


def test_file_comes_before_a_built_in_name(write, monkeypatch, tmp_path):
    write(CONTENT, "iris")
    monkeypatch.chdir(tmp_path)
    check(read_table("iris"))


NAMES = [
    "a'; DROP TABLE x; --.csv",
    'a"b.csv',
    "[ab].csv",
    "*.csv",
    "?.csv",
    "{a,b}.csv",
    "s3:x.csv",
    "k=v.csv",
    "ü ä.csv",
    "~",
]


@pytest.mark.parametrize("name", NAMES)
def test_name_of_a_file_means_nothing(write, name):
    for other in ("a.csv", "b.csv"):
        write("age,work\n1,x\n", other)
    check(read_table(write(CONTENT, name)))


@pytest.mark.parametrize("name", NAMES)
def test_name_of_a_streamed_file_means_nothing(write, name):
    for other in ("a.csv", "b.csv"):
        write("age,work\n1,x\n", other)
    (table,) = read_batches(write(CONTENT, name), [("age", ColumnKind.NUMBER), ("work", ColumnKind.TEXT)])
    check(table)


def test_folder_named_as_a_partition_adds_no_column(tmp_path):
    folder = tmp_path / "year=2024"
    folder.mkdir()
    pandas.DataFrame({"x": [1, 2]}).to_parquet(folder / "table.parquet")
    assert read_table(folder / "table.parquet").names == ("x",)


def test_database_neither_installs_nor_loads_extensions():
    from mercer.tables.database import within

    with within("test") as connection:
        settings = dict(
            connection.execute("SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%extensions'").fetchall()
        )
    assert settings == {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


def test_missing_packages_are_told(write, tmp_path, monkeypatch):
    path = write(CONTENT)
    frame().to_feather(tmp_path / "table.feather")
    for package in ("duckdb", "pyarrow"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=r"mercer\[app\]"):
        read_table(path)
    with pytest.raises(MissingPackageError, match="pyarrow"):
        read_table(tmp_path / "table.feather")
    with pytest.raises(MissingPackageError, match="pyarrow"):
        list(read_batches(tmp_path / "table.feather", [("n", ColumnKind.NUMBER)]))


def test_importing_the_room_does_not_import_duckdb():
    code = "import sys, mercer.tables.reading, mercer.tables.frames; print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_reading_leaves_nothing_behind(write, monkeypatch, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    path = write(gzip.compress(CONTENT.encode()), "table.csv.gz")
    read_table(path)
    assert [batch.n_rows for batch in read_batches(path, [("age", ColumnKind.NUMBER)])] == [3]
    with pytest.raises(InputError):
        read_table(write("a,b\n1\n2,3\n", "bad.csv"))
    assert list(temporary.iterdir()) == []


def test_reading_does_not_take_the_default_connection():
    duckdb.execute("CREATE OR REPLACE TABLE mine AS SELECT 1 AS x")
    read_table("census")
    assert duckdb.execute("SELECT x FROM mine").fetchone() == (1,)
    duckdb.execute("DROP TABLE mine")


@pytest.mark.parametrize("name", ["a9a", "a9a.txt"])
def test_libsvm_data_is_found_by_its_lines(write, name):
    table = read_table(write("-1 3:1 11:0.5\n+1 qid:3 5:1e-3 # a word\n\n+1\n", name))
    assert table.reading.format == "LIBSVM"
    assert table["feature11"].values.tolist() == [0.5, 0, 0]


@pytest.mark.parametrize("content", ["1\n2\n", "a b\n1 2:3\n", "1 2\n3 4\n"])
def test_other_lines_are_not_taken_for_libsvm_data(write, content):
    assert read_table(write(content, "table"), separator=" ").reading.format == "CSV"


@pytest.mark.parametrize("name", ["table.parquet", "table.feather", None])
def test_words_of_truth_are_booleans_as_in_a_text_file(tmp_path, name):
    frame = pandas.DataFrame({"smokes": ["yes", None, "No", "no", "no"], "sex": ["f", "m", "f", "m", "f"]})
    path = tmp_path / (name or "")
    if name is not None:
        (frame.to_parquet if name.endswith("parquet") else frame.to_feather)(path)
    table = table_from_frame(frame) if name is None else read_table(path)
    assert table["smokes"].kind is ColumnKind.BOOLEAN
    assert table["smokes"].words == ("no", "yes")
    np.testing.assert_array_equal(table["smokes"].values, [1, np.nan, 0, 0, 0])
    assert table["sex"].kind is ColumnKind.TEXT
    assert table.reading.told[-1] == "Column 'smokes' is text with 'no' and 'yes' alone, read as a boolean."
    if name is not None:
        assert read_table_as(path, [("smokes", ColumnKind.TEXT)])["smokes"].texts()[2] == "No"
