"""Random tables, written by Python's csv module, are read as a naive twin reads them: whole and in batches."""

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mercer.tables import ColumnKind, read_batches, read_table
from tests.reference.text_tables import column_of, rows_of

numbers = st.one_of(
    st.integers(-(2**40), 2**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "+7", ".5", "5.", "00.5", "1e3", "007"]),
)
nulls = st.sampled_from(["", "NA", "?", "null", "None", "nan", "-", "N/A"])
booleans = st.sampled_from(["yes", "no", "Yes", "true", "False", "t", "f", "y", "n"])
dates = st.dates().map(str)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\x1a", exclude_categories=("Cs",)), max_size=8)
#: Each opens the database several times.
EXAMPLES = 40
CELLS = [numbers, booleans, dates, texts]


@st.composite
def tables(draw):
    """Rows of two to five columns, each mostly of one kind."""
    n_rows = draw(st.integers(1, 12))
    columns = []
    for _ in range(draw(st.integers(2, 5))):
        kind = draw(st.sampled_from(CELLS))
        cell = st.one_of(kind, kind, kind, nulls, draw(st.sampled_from(CELLS))) if draw(st.booleans()) else kind
        columns.append(draw(st.lists(cell, min_size=n_rows, max_size=n_rows)))
    return [list(row) for row in zip(*columns, strict=True)]


def written(rows, separator, quoting, end):
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    return stream.getvalue()


def values_of(column):
    if column.kind is ColumnKind.TEXT:
        return column.texts().tolist()
    plain = column.values.tolist()
    return [None if missing else value for value, missing in zip(plain, column.missing.tolist(), strict=True)]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables(), separator=st.sampled_from(",;\t|"), end=st.sampled_from(["\n", "\r\n"]), final=st.booleans())
def test_random_tables_are_read_as_a_naive_twin_reads_them(tmp_path, quoting, rows, separator, end, final):
    if quoting == csv.QUOTE_MINIMAL:  # which leaves a carriage return as it is, and so a line end
        rows = [[value.replace("\r", "") for value in row] for row in rows]
    names = [f"x{place}" for place in range(len(rows[0]))]
    text = written([names, *rows], separator, quoting, end)
    path = tmp_path / "table.csv"
    path.write_bytes((text if final else text.removesuffix(end)).encode())
    # Line ends within values are normalised where those of the file differ from them.
    expected = [[value.replace("\r\n", "\n").replace("\r", "\n") for value in row] for row in rows_of(text, separator)]
    table = read_table(path, separator=separator, header=True, decimal=".")
    assert table.n_rows == len(rows)
    schema = [(column.name, column.kind) for column in table.columns]
    parts = list(read_batches(path, schema, rows=2, separator=separator, header=True, decimal="."))
    for place, column in enumerate(table.columns):
        kind, values = column_of([row[place] for row in expected[1:]])
        assert column.name == names[place]
        assert column.kind.value == kind
        found = values_of(column)
        if kind == "text":
            found = [None if value is None else value.replace("\r\n", "\n").replace("\r", "\n") for value in found]
        assert found == values
        streamed = np.concatenate([part.columns[place].texts() for part in parts])
        if kind != "boolean":  # whose words a model does not know
            assert streamed.tolist() == column.texts().tolist()


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.integers(), st.sampled_from(["red", "green"]), st.floats(-9, 9)), min_size=3, max_size=30
    ),
    separator=st.sampled_from(",;\t|"),
    header=st.booleans(),
)
def test_layout_of_plain_tables_is_always_found(tmp_path, rows, separator, header):
    names = ["n", "colour", "x"]
    path = tmp_path / "table.csv"
    path.write_text(written([names, *rows] if header else rows, separator, csv.QUOTE_MINIMAL, "\n"))
    table = read_table(path)
    assert table.reading.separator == separator
    assert table.reading.has_header is header
    assert table.n_rows == len(rows)
    assert table[table.names[2]].values.tolist() == [x for _, _, x in rows]
