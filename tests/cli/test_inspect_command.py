"""`mercer inspect`: what a file holds, or that it is none of ours."""

import json

import numpy as np
import pytest

from mercer import SVC
from mercer.io import dump_libsvm, save
from tests.cli.conftest import written


def test_a_model_of_a_table(models, people_csv, command):
    said = command("inspect", models / "sets.mercer")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].startswith("Model       classification of buys, Mercer ")
    assert lines[1] == "Classes     never, often"
    assert "Columns     age (number), income (number), town (category), member (boolean)," in lines
    assert "Predicts    labels and decision values, probabilities, sets or intervals" in lines
    assert any(line.startswith("Certificate holds: relative gap") for line in lines)
    assert "Predicts    values, sets or intervals" in command("inspect", models / "income.mercer").out


def test_json_is_the_header_of_the_file(models, command):
    found = json.loads(command("inspect", models / "people.mercer", "--json").out)
    assert found["kind"] == "table model"
    assert found["model"]["target"] == "buys"
    assert found["bytes"] == (models / "people.mercer").stat().st_size


def test_an_estimator(tmp_path, command, random):
    X = random.normal(size=(30, 2))
    save(SVC(C=3).fit(X, X[:, 0] > 0), tmp_path / "svc.mercer")
    said = command("inspect", tmp_path / "svc.mercer")
    assert said.code == 0
    assert "Estimator    SVC" in said.out
    assert "C = 3," in said.out
    assert "_machine.support_vectors: " in said.out
    assert " × 2 float64" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_a_libsvm_model(tmp_path, command, random):
    X = random.normal(size=(30, 2))
    dump_libsvm(X, np.where(X[:, 0] > 0, 1, -1), tmp_path / "data.svm")
    assert command("svm-train", "-q", "-g", "0.5", tmp_path / "data.svm", tmp_path / "l.model").code == 0
    said = command("inspect", tmp_path / "l.model")
    assert "Kind              LIBSVM model\nProblem           c_svc\nKernel            RBF(gamma=0.5)" in said.out
    found = json.loads(command("inspect", tmp_path / "l.model", "--json").out)
    assert (found["labels"], found["features"], found["has probabilities"]) == (found["labels"], 2, False)


@pytest.mark.parametrize("content", [b"", b"garbage", b"\0" * 100, b"svm_type nonsense\n"])
def test_garbage_is_refused(content, tmp_path, command):
    path = tmp_path / "x.mercer"
    path.write_bytes(content)
    said = command("inspect", path)
    assert (said.code, said.out) == (3, "")
    assert str(path) in said.err


def test_a_model_that_is_cut_off_or_of_a_newer_version_is_refused(models, tmp_path, command):
    whole = (models / "people.mercer").read_bytes()
    path = tmp_path / "x.mercer"
    path.write_bytes(whole[:-8])
    assert command("inspect", path).code == 3
    assert b'\\"format\\": 1' in whole
    path.write_bytes(whole.replace(b'\\"format\\": 1', b'\\"format\\": 9', 1))
    said = command("inspect", path)
    assert said.code == 3
    assert "Upgrade it" in said.err


def test_a_file_that_is_not_there_and_a_folder(tmp_path, command):
    assert command("inspect", tmp_path / "none").code == 4
    assert "It is a folder" in command("inspect", tmp_path).err
    assert command("inspect", written(tmp_path / "t.csv", ["a,b", "1,2"])).code == 3
