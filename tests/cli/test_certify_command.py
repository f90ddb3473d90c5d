"""`mercer certify`: 0 where the proof holds, 1 where it does not, 3 where the data are others."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mercer import SVC
from mercer.io import dump_libsvm, load, save
from tests.cli.conftest import people, written


@pytest.mark.parametrize("name", ["people", "sets", "income"])
def test_a_model_is_proven_from_its_table(name, models, people_csv, command):
    said = command("certify", models / f"{name}.mercer", people_csv)
    assert said.code == 0
    assert said.out.startswith("Certificate ")
    assert "\nHolds       yes, to " in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_json_has_the_numbers_that_training_found(models, people_csv, command):
    said = command("certify", models / "people.mercer", people_csv, "--json", "-q")
    assert (said.code, said.err) == (0, "")
    found, known = json.loads(said.out), load(models / "people.mercer").record["certificate"]
    assert found["holds"] is True
    assert found["rows"] == 90
    assert found["primal"] == pytest.approx(known["primal"], rel=1e-6)
    assert found["violation"] <= found["tol"] == known["tol"]


def test_a_stricter_tolerance_is_not_met(models, people_csv, command):
    said = command("certify", models / "people.mercer", people_csv, "--tol", "1e-12", "-q")
    assert said.code == 1
    assert "Holds       no, to 1e-12" in said.out


def test_another_table_is_told_apart(models, tmp_path, command):
    other = written(tmp_path / "other.csv", people(seed=1))
    said = command("certify", models / "people.mercer", other)
    assert (said.code, said.out) == (3, "")
    assert "expected the table that the model was trained on" in said.err
    first, *lines = people()
    assert command("certify", models / "people.mercer", written(other, [first, *reversed(lines)])).code == 3


def test_a_machine_that_was_saved_is_not_proven_from_words(tmp_path, people_csv, command, random):
    X = random.normal(size=(20, 2))
    save(SVC().fit(X, X[:, 0] > 0), tmp_path / "svc.mercer")
    said = command("certify", tmp_path / "svc.mercer", people_csv, "--target", "buys")
    assert said.code == 3
    assert "expected columns of numbers, got town" in said.err


# ---------------------------------------------------------------- LIBSVM's models


@pytest.fixture
def libsvm(tmp_path, command, random):
    """Data, and a function that trains a model of them with these options."""
    X = random.normal(size=(80, 3)).round(4)
    dump_libsvm(X, np.where(X[:, 0] + 0.5 * random.normal(size=80) > 0, 1, -1), tmp_path / "data.svm")

    def train(*options):
        assert command("svm-train", "-q", *options, tmp_path / "data.svm", tmp_path / "l.model").code == 0
        return tmp_path / "l.model", tmp_path / "data.svm"

    return train


def test_a_libsvm_model_is_proven_from_its_data(libsvm, command):
    said = command("certify", *libsvm("-c", "2"), "-c", "2")
    assert said.code == 0
    assert "Holds       yes, to 0.001" in said.out


def test_a_libsvm_model_of_a_loose_tolerance_is_not_proven(libsvm, command):
    said = command("certify", *libsvm("-c", "2", "-e", "0.5"), "-c", "2", "--json")
    assert said.code == 1
    assert json.loads(said.out)["holds"] is False


def test_a_libsvm_model_does_not_say_its_c(libsvm, command):
    said = command("certify", *libsvm("-c", "2"))
    assert said.code == 2
    assert "expected C" in said.err


def test_files_that_are_not_there(tmp_path, models, command, libsvm):
    assert command("certify", tmp_path / "none.mercer", "iris").code == 4
    assert command("certify", models / "people.mercer", tmp_path / "none.csv").code == 4
    assert command("certify", libsvm()[0], tmp_path / "none.svm", "-c", "1").code == 4


def test_machines_that_were_saved_are_proven_from_a_table_of_numbers(tmp_path, command):
    X, y = load_iris(return_X_y=True)
    model = tmp_path / "iris.mercer"
    save(SVC(C=10.0).fit(X, y), model)
    table = tmp_path / "iris.csv"
    rows = [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    written(table, ["a,b,c,d,kind", *(",".join(map(repr, row)) for row in rows)])
    said = command("certify", model, table, "--target", "kind")
    assert said.code == 0
    assert "Soft-margin classification" in said.out
    assert command("certify", model, table, "--target", "kind", "--tol", "-1").code == 2
