"""`mercer convert`: models and data both ways, the same on return, and sentences for ways that do not exist."""

import json
import os

import numpy as np
import pytest

from mercer import SVC
from mercer.io import dump_libsvm, load, load_libsvm, load_libsvm_model, save
from mercer.tables import read_table
from tests.cli.conftest import written


@pytest.fixture
def data(tmp_path, random):
    X = random.normal(size=(60, 3)).round(4)
    y = np.where(X[:, 0] * X[:, 1] > 0, 2, 1)
    dump_libsvm(X, y, tmp_path / "data.svm")
    return X, y


@pytest.mark.parametrize("options", [(), ("-b", "1"), ("-s", "3"), ("-s", "2"), ("-t", "0")])
def test_a_libsvm_model_comes_back_as_it_was(options, data, tmp_path, command):
    assert command("svm-train", "-q", *options, tmp_path / "data.svm", tmp_path / "a.model").code == 0
    said = command("convert", tmp_path / "a.model", tmp_path / "b.mercer")
    assert said == (0, "", f"{tmp_path / 'b.mercer'}: a model of Mercer's\n")
    assert command("convert", tmp_path / "b.mercer", tmp_path / "c.model", "-q") == (0, "", "")
    assert (tmp_path / "c.model").read_bytes() == (tmp_path / "a.model").read_bytes()


def test_an_estimator_predicts_the_same_as_a_libsvm_model(data, tmp_path, command):
    X, y = data
    svc = SVC(C=2.0).fit(X, y)
    save(svc, tmp_path / "svc.mercer")
    assert command("convert", tmp_path / "svc.mercer", tmp_path / "svc.model").code == 0
    np.testing.assert_array_equal(load_libsvm_model(tmp_path / "svc.model").predict(X), svc.predict(X))
    assert command("convert", tmp_path / "svc.model", tmp_path / "back.mercer").code == 0
    np.testing.assert_allclose(
        load(tmp_path / "back.mercer").decision_function(X), svc.decision_function(X), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "csv.gz"])
def test_data_become_a_table_and_data_again(ending, data, tmp_path, command):
    X, y = data
    assert command("convert", tmp_path / "data.svm", tmp_path / f"t.{ending}").code == 0
    table = read_table(tmp_path / f"t.{ending}")
    assert table.names == ("target", "feature1", "feature2", "feature3")
    assert command("convert", tmp_path / f"t.{ending}", tmp_path / "back.svm", "--target", "target").code == 0
    assert (tmp_path / "back.svm").read_bytes() == (tmp_path / "data.svm").read_bytes()
    found = load_libsvm(tmp_path / "back.svm")
    np.testing.assert_array_equal(found.X.toarray(), X)
    np.testing.assert_array_equal(found.y, y)


def test_a_model_of_data_predicts_their_table(data, tmp_path, command):
    assert command("train", tmp_path / "data.svm", "-o", tmp_path, "-q", "--time-limit", "5").code == 0
    assert command("convert", tmp_path / "data.svm", tmp_path / "data.csv").code == 0
    said = [command("predict", tmp_path / "data.mercer", tmp_path / f"data.{ending}").out for ending in ("svm", "csv")]
    assert said[0] == said[1]


def test_labels_that_are_words_are_numbered_and_told(tmp_path, command):
    path = written(tmp_path / "t.csv", ["x,y", "1,red", "2.5,blue", "3,red"])
    said = command("convert", path, tmp_path / "t.svm", "--target", "y")
    assert "Labels by number: 0 blue, 1 red" in said.err
    assert (tmp_path / "t.svm").read_text() == "1 1:1\n0 1:2.5\n1 1:3\n"


def test_json_tells_what_was_made(data, tmp_path, command):
    said = command("convert", tmp_path / "data.svm", tmp_path / "t.csv", "--json", "-q")
    assert said.err == ""
    assert json.loads(said.out) == {
        "source": str(tmp_path / "data.svm"),
        "was": "LIBSVM data",
        "result": str(tmp_path / "t.csv"),
        "is": "a table",
    }


def test_models_become_onnx(models, data, tmp_path, command):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = data
    svc = SVC().fit(X, y)
    save(svc, tmp_path / "svc.mercer")
    assert command("convert", tmp_path / "svc.mercer", tmp_path / "svc.onnx").code == 0
    session = onnxruntime.InferenceSession(tmp_path / "svc.onnx", providers=["CPUExecutionProvider"])
    labels = session.run(None, {session.get_inputs()[0].name: X})[0]
    np.testing.assert_array_equal(labels, svc.predict(X))
    assert command("convert", models / "people.mercer", tmp_path / "people.onnx").code == 0
    assert (tmp_path / "people.onnx").stat().st_size > 0


# ---------------------------------------------------------------- refusals


def test_ways_that_do_not_exist(data, models, people_csv, tmp_path, command):
    for source, made, words in (
        (people_csv, "x.tsv", ".svm, .libsvm, .svmlight, for SOURCE is a table"),
        (tmp_path / "data.svm", "x.mercer", ".csv, .tsv, .jsonl, .parquet, for SOURCE is LIBSVM data"),
        (models / "people.mercer", "x.csv", ".model, .onnx, for SOURCE is a model of Mercer's"),
        (tmp_path / "x.onnx", "x.mercer", "SOURCE is an ONNX model"),
    ):
        said = command("convert", source, tmp_path / made)
        assert said.code == 2
        assert words in said.err
    assert os.listdir(tmp_path) == ["data.svm"]


def test_a_model_of_a_table_is_no_libsvm_model(models, tmp_path, command):
    said = command("convert", models / "people.mercer", tmp_path / "x.model")
    assert said.code == 3
    assert "got one that knows the columns of a table" in said.err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["x,town,y", "1,Ulm,2", "2,Bonn,3"], "expected columns of numbers, got town"),
        (["x,y", "1,2", ",3", "4,5"], "got 1 of 'x' that are missing"),
        (["x,y", "1,2", "3,", "4,5"], "got 1 of 'y' that are missing"),
    ],
)
def test_tables_that_libsvm_data_cannot_hold(lines, words, tmp_path, command):
    path = written(tmp_path / "t.csv", lines)
    said = command("convert", path, tmp_path / "t.svm", "--target", "y")
    assert said.code == 3
    assert words in said.err
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_target_must_be_said(tmp_path, command):
    path = written(tmp_path / "t.csv", ["x,y", "1,2", "3,4"])
    assert "--target: expected the column" in command("convert", path, tmp_path / "t.svm").err


def test_files_that_are_not_there(tmp_path, command):
    for source, made in (("n.mercer", "x.model"), ("n.model", "x.mercer"), ("n.csv", "x.svm"), ("n.svm", "x.csv")):
        said = command("convert", tmp_path / source, tmp_path / made, "--target", "y")
        assert said.code == 4
        assert source in said.err
