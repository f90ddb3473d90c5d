"""Columns as text: what a reader gets back is what was given."""

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.cli.writing import open_writer

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def write(path, form, *pieces):
    with open_writer(path, form) as writer:
        for piece in pieces:
            writer(piece)
    return path.read_bytes().decode()


def read(text, form):
    """The names of the columns, and rows of a text and a number."""
    if form in ("csv", "tsv"):
        names, *lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if form == "tsv" else ",")
        return names, [(word, float(number)) for word, number in lines]
    objects = json.loads(text) if form == "json" else [json.loads(line) for line in text.split("\n")[:-1]]
    return list(objects[0]), [tuple(one.values()) for one in objects]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@given(
    st.sampled_from(["csv", "tsv", "json", "jsonl"]),
    st.lists(st.tuples(TEXTS, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=8),
    TEXTS,
    TEXTS,
)
def test_texts_and_numbers_come_back_as_they_were(folder, form, rows, first, second):
    names = [f"{first} 1", f"{second} 2"]
    columns = dict(zip(names, ([row[0] for row in rows], np.array([row[1] for row in rows])), strict=True))
    assert read(write(folder / "x", form, columns), form) == (names, rows)


@pytest.mark.parametrize(
    ("value", "in_csv", "in_json"),
    [
        (None, "", "null"),
        ("a,b", '"a,b"', '"a,b"'),
        ('say "x"', '"say ""x"""', '"say \\"x\\""'),
        ("50 %", "50 %", '"50 %"'),
        (("a", "b"), "a|b", '["a", "b"]'),
        ((), "", "[]"),
        (7, "7", "7"),
        (float("nan"), "", "null"),
    ],
)
def test_cells(value, in_csv, in_json, tmp_path):
    columns = {"%s": [value], "y": np.array([0.5])}
    assert write(tmp_path / "x", "csv", columns) == f"%s,y\n{in_csv},0.5\n"
    assert write(tmp_path / "x", "jsonl", columns) == f'{{"%s": {in_json}, "y": 0.5}}\n'


def test_numbers_that_are_not_finite_are_no_json(tmp_path):
    columns = {"y": np.array([0.5, np.nan, np.inf])}
    assert [one["y"] for one in json.loads(write(tmp_path / "x", "json", columns))] == [0.5, None, None]


def test_pieces_have_one_header(tmp_path):
    pieces = [{"a": ["x"]}, {"a": []}, {"a": ["y", "z"]}]
    assert write(tmp_path / "x", "csv", *pieces) == "a\nx\ny\nz\n"
    assert json.loads(write(tmp_path / "x", "json", *pieces)) == [{"a": "x"}, {"a": "y"}, {"a": "z"}]


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_failure_leaves_no_file(form, tmp_path):
    def fail():
        with open_writer(tmp_path / "x", form) as writer:
            writer({"a": ["x"]})
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []
