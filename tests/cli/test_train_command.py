"""`mercer train`: what it reads, what it writes, what it says."""

import gzip
import json
import os
import re

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from mercer.io import describe, dump_libsvm, load
from mercer.tables import read_table
from tests.cli.conftest import people, written

QUICK = ("--time-limit", "5", "-q")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------- what it says


def test_a_run_says_all_on_one_screen_and_leaves_a_model_and_three_files(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "people.csv", people())
    said = command("train", "people.csv", "--target", "buys", "-o", "made")
    assert said.code == 0
    titles = [line[:12].rstrip() for line in said.out.splitlines() if not line.startswith(" ")]
    assert titles[:6] == ["Data", "Task", "Choice", "Machine", "Certificate", "Score"]
    assert titles[-3:] == ["Model", "Report", "Next"]
    assert len(said.out.splitlines() + said.err.splitlines()) <= 32
    assert max(map(len, said.out.splitlines())) <= 80
    assert "\x1b" not in said.out + said.err
    assert files_in(tmp_path / "made") == [
        "people-report.html",
        "people-report.json",
        "people-report.md",
        "people.mercer",
    ]
    assert said.out.endswith(
        "Model       made/people.mercer\n"
        "Report      made/people-report.html\n"
        "Next        mercer predict made/people.mercer NEW.csv\n"
    )


def test_how_the_table_was_understood_is_told_on_standard_error(people_csv, tmp_path, command):
    said = command("train", people_csv, "--target", "buys", "-o", tmp_path)
    assert f"{people_csv}: The separator is a comma. The first line names the columns." in said.err
    assert "Missing values: empty (11 cells)." in said.err
    assert command("train", people_csv, "--target", "buys", "-o", tmp_path, "-q").err == ""


def test_json_is_one_strict_value_with_all_that_was_found(people_csv, tmp_path, command):
    said = command("train", people_csv, "--target", "buys", "-o", tmp_path, "--json")
    assert said.code == 0
    assert said.out.count("\n") == 1

    def refuse(word):
        raise AssertionError(word)

    found = json.loads(said.out, parse_constant=refuse)
    assert found["task"] == "classification"
    assert set(found["classes"]) == {"never", "often"}
    assert found["machine"]["holds"] is True
    assert set(found["files"]) == {"model", "html", "json", "md"}
    assert all(os.path.exists(path) for path in found["files"].values())
    report = json.loads((tmp_path / "people-report.json").read_text())
    assert report["evaluation"] == found["evaluation"]


def test_a_certificate_that_does_not_hold_ends_with_1(people_csv, tmp_path, command, monkeypatch):
    from dataclasses import replace

    import mercer.training

    really = mercer.training.train

    def unproven(*given, **named):
        trained = really(*given, **named)
        machine = replace(trained.findings.machine, holds=False)
        return replace(trained, findings=replace(trained.findings, machine=machine))

    monkeypatch.setattr(mercer.training, "train", unproven)
    assert command("train", people_csv, "--target", "buys", "-o", tmp_path, *QUICK).code == 1


# ---------------------------------------------------------------- what it reads


def as_parquet(path, columns):
    pa.parquet.write_table(pa.table(columns), path)


def as_feather(path, columns):
    pa.feather.write_feather(pa.table(columns), path)


@pytest.fixture
def columns(people_csv):
    table = read_table(people_csv)
    return {column.name: column.texts().tolist() for column in table.select(["town", "member", "buys"]).columns} | {
        name: table[name].values for name in ("age", "income")
    }


@pytest.mark.parametrize("form", ["tsv", "semicolons", "gz", "zst", "parquet", "feather"])
def test_every_format_of_tables_is_read(form, columns, tmp_path, command):
    lines = people()
    made = {
        "tsv": lambda path: written(path, [line.replace(",", "\t") for line in lines]),
        "semicolons": lambda path: written(path, [line.replace(",", ";").replace(".", ",") for line in lines]),
        "gz": lambda path: path.write_bytes(gzip.compress("\n".join(lines).encode())),
        "zst": lambda path: pa.output_stream(path, compression="zstd").write(("\n".join(lines) + "\n").encode()),
        "parquet": lambda path: as_parquet(path, columns),
        "feather": lambda path: as_feather(path, columns),
    }
    names = {"semicolons": "people.csv", "gz": "people.csv.gz", "zst": "people.csv.zst"}
    path = tmp_path / names.get(form, f"people.{form}")
    made[form](path)
    said = command("train", path, "--target", "buys", "-o", tmp_path, "--time-limit", "5")
    assert said.code == 0
    assert "120 rows" in said.out
    assert "people.mercer" in files_in(tmp_path)
    if form == "semicolons":
        assert "The separator is a semicolon." in said.err
        assert "Numbers have a decimal comma." in said.err
        assert describe(tmp_path / "people.mercer")["model"]["encoding"]["columns"][1]["code"] == "number"


def test_standard_input_is_a_table_as_well(people_csv, tmp_path, program):
    with open(people_csv, "rb") as file:
        said = program("train", "-", "--target", "buys", "-o", tmp_path, "--time-limit", "5", "--json", stdin=file)
    assert said.returncode == 0
    assert said.stderr.startswith("standard input: The separator is a comma.")
    assert json.loads(said.stdout)["data"]["source"] == "standard input"
    assert files_in(tmp_path)[-1] == "table.mercer"


def test_libsvm_data_and_built_in_tables_know_their_target(tmp_path, command, random):
    X = random.normal(size=(90, 3)).round(3)
    dump_libsvm(X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1), tmp_path / "data.svm")
    assert command("train", tmp_path / "data.svm", "-o", tmp_path, *QUICK).code == 0
    model = load(tmp_path / "data.mercer")
    assert (model.target, model.classes) == ("target", ("-1", "1"))
    assert command("train", "iris", "-o", tmp_path, *QUICK).code == 0
    assert load(tmp_path / "iris.mercer").classes == ("setosa", "versicolor", "virginica")


def test_a_census_needs_its_target_said_and_lists_its_columns(command, tmp_path):
    said = command("train", "census", "-o", tmp_path)
    assert said.code == 2
    assert "--target: expected the column to predict, got none. The table has age, workclass" in said.err
    assert "For instance: --target income" in said.err


# ---------------------------------------------------------------- options


def test_the_same_seed_gives_the_same_model_but_for_its_time(people_csv, tmp_path, command):
    for name in ("a", "b"):
        asked = ("--seed", "3", "-q", "--name", name)
        assert command("train", people_csv, "--target", "buys", "-o", tmp_path, *asked).code == 0
    moment = re.compile(rb'\\"created\\": \\"[^"]*"')
    first, second = (moment.sub(b"", (tmp_path / f"{name}.mercer").read_bytes()) for name in ("a", "b"))
    assert first == second
    other = command("train", people_csv, "--target", "buys", "-o", tmp_path, "--seed", "4", "-q", "--name", "c")
    assert other.code == 0
    assert moment.sub(b"", (tmp_path / "c.mercer").read_bytes()) != first


def test_limits_reach_the_training(people_csv, tmp_path, command, monkeypatch):
    import mercer.training

    heard = {}

    def train(table, target, *, test, options, progress):
        heard.update(options=options, test=test)
        raise KeyboardInterrupt

    monkeypatch.setattr(mercer.training, "train", train)
    limits = ("--threads", "1", "--memory", "50", "--time-limit", "30", "--seed", "9", "--balanced", "--sets")
    asked = ("--task", "classification", "--drop", "town", "--drop", "since", "--drop-leaks", "--test-share", "0.4")
    said = command("train", people_csv, "--target", "buys", "-o", tmp_path / "made", *limits, *asked)
    assert said.code == 130
    assert said.err.endswith("interrupted\n")
    assert not (tmp_path / "made").exists()
    options = heard["options"]
    assert (options.threads, options.memory, options.seed) == (1, 50, 9)
    assert 3 <= options.time_limit <= 30
    assert (options.class_weight, options.sets, options.drop_leaks) == ("balanced", True, True)
    assert options.ignore == ("town", "since")
    assert (options.task, heard["test"]) == ("classification", 0.4)


def test_a_task_can_be_said(tmp_path, command):
    numbers = [f"{x},{x % 3}" for x in range(90)]
    path = written(tmp_path / "t.csv", ["x,y", *numbers])
    said = command("train", path, "--target", "y", "--task", "regression", "-o", tmp_path, "--time-limit", "5")
    assert "Regression, as asked." in said.out
    assert load(tmp_path / "t.mercer").task == "regression"


def test_columns_that_give_the_target_away_are_told_and_left_out_on_demand(tmp_path, command):
    lines = people()
    leaking = [lines[0] + ",code", *(f"{line},{'q' if line.endswith('often') else 'z'}" for line in lines[1:])]
    path = written(tmp_path / "leak.csv", leaking)
    kept = command("train", path, "--target", "buys", "-o", tmp_path, "--time-limit", "5")
    assert "code" in kept.out.partition("Look at")[2]
    assert "code" in {one["name"] for one in _columns(tmp_path / "leak.mercer")}
    dropped = command("train", path, "--target", "buys", "-o", tmp_path, "--time-limit", "5", "--drop-leaks")
    assert dropped.code == 0
    assert "code" not in {one["name"] for one in _columns(tmp_path / "leak.mercer")}


def _columns(path):
    return [one for one in describe(path)["model"]["encoding"]["columns"] if one["code"] != "left out"]


def test_no_rows_keeps_values_of_the_data_out_of_every_file_and_of_the_json(tmp_path, command):
    random = np.random.default_rng(0)
    lines = []
    for number in range(ROWS_OF_SECRETS):
        x = 7_000_000 + number * 1013 + 0.125
        town = ("Zanzibar", "Quito")[int(random.random() < 0.5)]
        odd = "secret0" if number == 50 else number % 17
        lines.append(f"{x},{town},secret{number:03d},{odd},{('yes', 'no')[int(x % 2000 > 1000)]}")
    path = written(tmp_path / "s.csv", ["amount,town,remark,odd,y", *lines])
    folder = tmp_path / "made"
    said = command("train", path, "--target", "y", "-o", folder, "--time-limit", "5", "--no-rows", "--json")
    assert said.code == 0
    open_files = {name: (folder / name).read_text() for name in files_in(folder) if name.startswith("s-report")}
    assert len(open_files) == 3
    for name, text in {**open_files, "json": said.out}.items():
        assert not re.search(r"secret\d|Zanzibar|Quito|70{2}\d{4}\.125", text), name
    assert command("train", path, "--target", "y", "-o", folder, "--time-limit", "5", "-q").code == 0
    for word in ("Zanzibar", "the first being 'secret0'"):
        assert word in (folder / "s-report.json").read_text()


ROWS_OF_SECRETS = 90


def test_a_test_file_is_what_is_evaluated_on(people_csv, tmp_path, command):
    other = written(tmp_path / "other.csv", people(60, seed=1))
    said = command("train", people_csv, "--target", "buys", "--test", other, "-o", tmp_path, "--json")
    found = json.loads(said.out)
    assert (found["data"]["train_rows"], found["data"]["test_rows"], found["evaluation"]["rows"]) == (120, 60, 60)
    assert str(other) in said.err
