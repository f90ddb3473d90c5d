"""`mercer predict`: the same as in Python, for every format, whatever the order of the columns."""

import csv
import errno
import io
import json
import os

import numpy as np
import pyarrow.parquet
import pytest

import mercer.cli.predict
from mercer import SVC
from mercer.cli.sources import reading_of
from mercer.io import load, save
from mercer.tables import read_table
from tests.cli.conftest import ROWS, people, written


def rows_of(text, separator=","):
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


@pytest.fixture
def said_in_python(models, people_csv):
    return load(models / "people.mercer").predict(read_table(people_csv))


# ---------------------------------------------------------------- what it says


def test_predictions_go_to_standard_output_a_line_a_row(models, new_csv, said_in_python, command):
    said = command("predict", models / "people.mercer", new_csv)
    assert said.code == 0
    assert said.err == ""
    assert said.out.splitlines() == ["buys", *said_in_python.labels]


def test_values_and_probabilities_are_those_of_python_to_the_last_bit(models, new_csv, said_in_python, command):
    said = command("predict", models / "people.mercer", new_csv, "--decision", "--probabilities", "--keep", "town")
    rows = rows_of(said.out)
    assert list(rows[0]) == ["town", "buys", "decision", "probability never", "probability often"]
    assert [float(row["decision"]) for row in rows] == said_in_python.decision[:, 0].tolist()
    for place, label in enumerate(("never", "often")):
        found = [float(row[f"probability {label}"]) for row in rows]
        assert found == said_in_python.probabilities[:, place].tolist()


def test_several_functions_have_a_column_each(tmp_path, command):
    assert command("train", "iris", "-o", tmp_path, "-q", "--time-limit", "5").code == 0
    rows = rows_of(command("predict", tmp_path / "iris.mercer", "iris", "--decision", "--probabilities").out)
    decisions = [name for name in rows[0] if name.startswith("decision")]
    assert decisions == ["decision 1", "decision 2", "decision 3"]
    assert len(rows) == 150
    shares = [sum(float(row[f"probability {name}"]) for name in ("setosa", "versicolor", "virginica")) for row in rows]
    np.testing.assert_allclose(shares, 1, atol=1e-12)


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_every_format_holds_the_same(form, models, new_csv, said_in_python, tmp_path, command):
    path = tmp_path / f"out.{form}"
    said = command("predict", models / "people.mercer", new_csv, "-o", path, "--decision", "--keep", "income")
    assert said == (0, "", f"{ROWS} predictions of buys in {path}\n")
    if form == "parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
    elif form in ("csv", "tsv"):
        rows = rows_of(path.read_text(), "\t" if form == "tsv" else ",")
    elif form == "json":
        rows = json.loads(path.read_text())
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["buys"] for row in rows] == said_in_python.labels.tolist()
    assert [float(row["decision"]) for row in rows] == said_in_python.decision[:, 0].tolist()
    missing = {"csv": "", "tsv": ""}.get(form)
    assert rows[3]["income"] == missing
    assert os.listdir(tmp_path) == [path.name]


def test_format_can_be_said_and_packed_files_are_packed(models, new_csv, tmp_path, command):
    import gzip

    said = command("predict", models / "people.mercer", new_csv, "--format", "jsonl")
    assert set(json.loads(said.out.splitlines()[0])) == {"buys"}
    path = tmp_path / "out.jsonl.gz"
    assert command("predict", models / "people.mercer", new_csv, "-o", path, "-q").code == 0
    assert gzip.decompress(path.read_bytes()).decode() == said.out


def test_json_is_one_value_of_the_rows_or_of_what_was_written(models, new_csv, tmp_path, command):
    rows = json.loads(command("predict", models / "people.mercer", new_csv, "--json").out)
    assert len(rows) == ROWS
    assert set(rows[0]) == {"buys"}
    path = tmp_path / "out.csv"
    said = command("predict", models / "people.mercer", new_csv, "--json", "-o", path)
    assert json.loads(said.out) == {"target": "buys", "rows": ROWS, "unseen": {}, "file": str(path)}


def test_sets_and_intervals(models, new_csv, people_csv, command):
    rows = json.loads(command("predict", models / "sets.mercer", new_csv, "--sets", "0.9", "--json").out)
    expected = load(models / "sets.mercer").predict(read_table(people_csv), confidence_level=0.9)
    classes = np.array(["never", "often"])
    assert [row["buys set"] for row in rows] == [classes[some].tolist() for some in expected.sets]
    texts = rows_of(command("predict", models / "sets.mercer", new_csv, "--sets", "0.999").out)
    assert {row["buys set"] for row in texts} == {"never|often"}
    found = rows_of(command("predict", models / "income.mercer", people_csv, "--sets", "0.8").out)
    expected = load(models / "income.mercer").predict(read_table(people_csv), confidence_level=0.8)
    assert [float(row["income"]) for row in found] == expected.values.tolist()
    ends = [[float(row["income low"]), float(row["income high"])] for row in found]
    assert ends == expected.intervals.tolist()


def test_a_kept_column_of_the_name_of_the_target_stays_as_it_is(models, people_csv, command):
    rows = rows_of(command("predict", models / "people.mercer", people_csv, "--keep", "buys").out)
    assert [row["buys"] for row in rows] == read_table(people_csv)["buys"].texts().tolist()
    assert {row["predicted buys"] for row in rows} == {"never", "often"}


def test_words_that_training_never_saw_are_counted(models, tmp_path, command):
    lines = [line.replace("Ulm", "Trier") for line in people()]
    path = written(tmp_path / "t.csv", lines)
    said = command("predict", models / "people.mercer", path)
    count = sum("Trier" in line for line in lines)
    assert said.code == 0
    assert said.err == f"town: {count} of {ROWS} rows have a value that training never saw.\n"
    assert command("predict", models / "people.mercer", path, "-q").err == ""


@pytest.mark.parametrize(("form", "text"), [("csv", "town,buys,decision\n"), ("jsonl", ""), ("json", "[]\n")])
def test_no_rows_have_predictions_too(form, text, models, tmp_path, command):
    path = written(tmp_path / "none.csv", people()[:1])
    asked = ("--format", form, "--decision", "--keep", "town")
    assert command("predict", models / "people.mercer", path, *asked) == (0, text, "")


def test_no_rows_make_a_parquet_file_with_its_columns(models, tmp_path, command):
    path = written(tmp_path / "none.csv", people()[:1])
    made = tmp_path / "none.parquet"
    assert command("predict", models / "people.mercer", path, "-o", made, "--decision", "-q").code == 0
    table = pyarrow.parquet.read_table(made)
    assert (table.num_rows, table.column_names) == (0, ["buys", "decision"])


def test_a_table_of_several_batches_is_the_same_table(models, tmp_path, command, monkeypatch):
    monkeypatch.setattr(mercer.cli.predict, "_FEWEST_ROWS", 1)
    path = written(tmp_path / "p.csv", people())
    for form in ("csv", "json", "parquet"):
        for name, rows in (("parts", 16), ("whole", 65_536)):
            monkeypatch.setattr(mercer.cli.predict, "_MOST_ROWS", rows)
            made = tmp_path / f"{name}.{form}"
            asked = ("-o", made, "--probabilities", "--keep", "age", "-q")
            assert command("predict", models / "people.mercer", path, *asked).code == 0
        if form == "parquet":
            parts, whole = (pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("parts", "whole"))
            assert parts.equals(whole)
        else:
            assert (tmp_path / f"parts.{form}").read_bytes() == (tmp_path / f"whole.{form}").read_bytes()


# ---------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("model", "asked", "code", "words"),
    [
        ("people", ("--sets", "0.9"), 3, "--sets: expected a model that has kept rows apart"),
        ("income", ("--probabilities",), 3, "--probabilities: expected a model of classes"),
        ("people", ("--keep", "twon"), 3, "Expected a column 'twon'"),
        ("people", ("--format", "parquet"), 2, "--format parquet: expected a file to write to"),
    ],
)
def test_wishes_that_a_model_cannot_meet(model, asked, code, words, models, people_csv, command):
    said = command("predict", models / f"{model}.mercer", people_csv, *asked)
    assert said.code == code
    assert words in said.err
    assert said.out == ""


def test_a_missing_column_and_a_text_among_numbers_are_named(models, tmp_path, command):
    lines = people()
    lacking = written(tmp_path / "w.csv", [line.partition(",")[2] for line in lines])
    said = command("predict", models / "people.mercer", lacking)
    assert (said.code, said.out) == (3, "")
    assert f"Expected a column 'age' in {lacking}" in said.err
    lines[6] = "old" + lines[6][2:]
    path = written(tmp_path / "old.csv", lines)
    said = command("predict", models / "people.mercer", path, "-o", tmp_path / "out.csv")
    assert said.code == 3
    assert f"{path}, line 7: expected a number in column 'age', got 'old'." in said.err
    assert not (tmp_path / "out.csv").exists()


def test_what_is_no_model_of_a_table_is_refused(tmp_path, people_csv, command, random):
    X = random.normal(size=(20, 2))
    save(SVC().fit(X, X[:, 0] > 0), tmp_path / "svc.mercer")
    assert "got SVC" in command("predict", tmp_path / "svc.mercer", people_csv).err
    assert command("predict", people_csv, people_csv).code == 2
    assert command("predict", written(tmp_path / "x.mercer", people()), people_csv).code == 3
    said = command("predict", tmp_path / "none.mercer", people_csv)
    assert (said.code, said.err.startswith(f"error: {tmp_path / 'none.mercer'}: No such file")) == (4, True)
    assert command("predict", tmp_path / "svc.mercer", tmp_path / "none.csv").code == 3
    libsvm = written(tmp_path / "l.model", ["svm_type c_svc"])
    assert "mercer svm-predict" in command("predict", libsvm, people_csv).err


def test_a_place_that_cannot_be_written_to(models, new_csv, tmp_path, command):
    file = written(tmp_path / "file", ["x"])
    for place in (file / "out.csv", file / "out.parquet", tmp_path):
        said = command("predict", models / "people.mercer", new_csv, "-o", place)
        assert said.code == 4
        assert f"error: {place}: " in said.err
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_leaves_what_was_there(models, new_csv, tmp_path, command, monkeypatch):
    path = written(tmp_path / "out.csv", ["before"])

    def full(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = command("predict", models / "people.mercer", new_csv, "-o", path)
    assert said.code == 4
    assert said.err.startswith(f"error: {path}: No space left on device. The disk is full")
    assert (path.read_text(), os.listdir(tmp_path)) == ("before\n", ["out.csv"])


def test_what_is_read_is_not_written_over(models, new_csv, command):
    before = new_csv.read_bytes()
    said = command("predict", models / "people.mercer", new_csv, "-o", new_csv)
    assert said.code == 2
    assert "expected another file than TABLE" in said.err
    assert new_csv.read_bytes() == before


def test_endings_that_say_no_format_and_swapped_arguments_are_refused(models, new_csv, tmp_path, command):
    said = command("predict", models / "people.mercer", new_csv, "-o", tmp_path / "said.xlsx")
    assert said.code == 2
    assert ".parquet" in said.err
    said = command("predict", new_csv, models / "people.mercer")
    assert said.code == 2
    assert "a model first and a table second" in said.err


# ---------------------------------------------------------------- as training has read


def test_dates_are_read_in_the_order_of_training(tmp_path, command):
    random = np.random.default_rng(0)
    days = np.datetime64("2021-01-01") + random.integers(0, 365, 120)
    months = days.astype("datetime64[M]").astype(int) % 12 + 1
    lines = [
        f"{day.item().month}/{day.item().day}/2021,{'early' if month < 7 else 'late'}"
        for day, month in zip(days, months, strict=True)
    ]
    table = written(tmp_path / "dates.csv", ["when,half", *lines])
    begin = ("train", table, "--target", "half", "-q", "-o", tmp_path, "--time-limit", "5")
    # No row of these tells the order.
    new = written(tmp_path / "new.csv", ["when,half", "2/11/2021,early", "11/2/2021,late"])
    assert command(*begin, "--test", new).code == 0
    model = tmp_path / "dates.mercer"
    assert load(model).record["reading"]["day_first"] == {"when": False}
    assert command("predict", model, new).out.split() == ["half", "early", "late"]
    assert command("certify", model, table, "-q").code == 0
    said = command("predict", model, written(tmp_path / "wrong.csv", ["when", "2/11/2021", "13/2/2021"]))
    assert said.code != 0
    assert "line 3: expected a date" in said.err


def test_words_for_missing_values_are_remembered_and_others_added():
    given = {"separator": None, "header": None, "decimal": None, "nulls": ("-1",)}
    record = {"reading": {"day_first": {"when": False}, "nulls": ["-999"]}}
    assert reading_of(given, record)["nulls"] == ("-1", "-999")
    for other in ({}, {"reading": 3}, {"reading": {"day_first": [], "nulls": "x"}}):
        assert reading_of(given, other) == {**given, "day_first": None}
