"""Whatever the bytes, a file is read or refused in words; read whole or in batches it is the same."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mercer import MercerError
from mercer.tables import read_batches, read_table

EXAMPLES = 60
PIECES = [
    "a",
    "b",
    "1",
    "2.5",
    "é",
    ",",
    ",",
    ",",
    ";",
    "\t",
    " ",
    '"',
    '""',
    "'",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "NA",
    "?",
    "007",
]
PIECES += [
    "inf",
    "1e999",
    "2024-01-01",
    "1,5",
    "yes",
    "no",
    "sep=;\n",
    "\ufeff",
    "\x1a",
    "#",
    ":",
    "1:2",
    "\\",
    "=",
    "-",
    "_",
]
noise = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=200), noise.map(str.encode), noise.map(lambda text: b"a,b\n1,2\n" + text.encode())
    )
)
def test_any_bytes_are_read_or_refused_in_words(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    table, refusal = outcome(path)
    if table is None:
        assert "table.csv" in refusal
        assert "cannot be read. " not in refusal, "an error of the database, in its words"
        return
    assert table.n_rows > 0
    schema = [(column.name, column.kind) for column in table.columns]
    said = {"separator": table.reading.separator, "header": table.reading.has_header, "decimal": table.reading.decimal}
    parts = list(read_batches(path, schema, rows=3, day_first=table.reading.day_first, **said))
    assert sum(part.n_rows for part in parts) == table.n_rows
    for place, column in enumerate(table.columns):
        texts = [text for part in parts for text in part.columns[place].texts().tolist()]
        if column.kind.value != "boolean":  # whose words a model does not know
            assert texts == column.texts().tolist()


@pytest.mark.parametrize("name", ["table.parquet", "table.feather", "table.csv.gz", "table.csv.zst", "table.svm"])
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_files_are_read_or_refused_in_words(tmp_path, name, data):
    content = bytearray(whole(tmp_path, name))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / f"mutated-{name}"
    path.write_bytes(content[: data.draw(st.integers(1, len(content)))])
    table, refusal = outcome(path)
    assert table is not None or "mutated" in refusal


def outcome(path):
    """The table of a file and None, or None and the words of the refusal."""
    try:
        return read_table(path), None
    except MercerError as error:
        return None, str(error)


def whole(folder, name):
    """The bytes of a sound file of this kind."""
    import gzip

    import pandas
    import pyarrow

    path = folder / name
    if not path.exists():
        frame = pandas.DataFrame({"x": [1.5, 2, None] * 20, "w": ["mill", None, "farm"] * 20})
        text = frame.to_csv(index=False).encode()
        if name.endswith("gz"):
            path.write_bytes(gzip.compress(text))
        elif name.endswith("zst"):
            path.write_bytes(pyarrow.Codec("zstd").compress(text, asbytes=True))
        elif name.endswith("svm"):
            path.write_text("1 1:0.5 3:2\n-1 2:1\n" * 5)
        else:
            getattr(frame, "to_" + name.split(".")[1])(path)
    return path.read_bytes()
