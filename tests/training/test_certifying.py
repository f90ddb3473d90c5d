"""A model of a table proven anew, from the rows that its record finds again."""

from dataclasses import replace

import numpy as np
import pytest

from mercer.errors import InputError
from mercer.tables import Table
from mercer.training import TrainingOptions, train
from mercer.training.certifying import certify_table_model
from mercer.training.training_rows import training_rows
from tests.training.tables import boolean, number, people, prices, table, text

QUICK = {"quick": True, "time_limit": 10}


def trained(source, target, test=0.25, **options):
    return train(source, target, test=test, options=TrainingOptions(**{**QUICK, **options}))


@pytest.mark.parametrize(
    ("source", "target", "options"),
    [
        (people(120), "buys", {}),
        (people(120), "buys", {"sets": True, "seed": 5}),
        (people(120), "buys", {"class_weight": "balanced"}),
        (people(120), "buys", {"ignore": ("income", "name")}),
        (people(120), "buys", {"test": 0.5}),
        (prices(120), "price", {}),
        (prices(120), "price", {"sets": True}),
    ],
)
def test_the_proof_is_that_of_the_training(source, target, options):
    found = trained(source, target, **options)
    proof = certify_table_model(found.model, source)
    known = found.findings.machine
    assert proof.tol == known.tol
    assert proof.certificate.holds(proof.tol)
    assert proof.certificate.rows == found.findings.data.train_rows
    assert proof.certificate.primal == pytest.approx(known.certificate["primal"], rel=1e-9)
    assert proof.certificate.violation == pytest.approx(known.certificate["violation"], abs=1e-9)


def test_with_a_test_file_all_rows_of_the_table_are_training_rows():
    source = people(120)
    found = trained(source, "buys", test=people(40, seed=1))
    assert certify_table_model(found.model, source).certificate.rows == 120


def test_a_machine_that_was_tampered_with_is_not_proven():
    source = people(120)
    model = trained(source, "buys").model
    wrong = replace(model, machine=replace(model.machine, intercept=model.machine.intercept + 0.5))
    proof = certify_table_model(wrong, source)
    assert not proof.certificate.holds(proof.tol)


def test_rows_are_found_again_in_their_order():
    source = people(120)
    found = trained(source, "buys", seed=2)
    rows = training_rows(found.model, source)
    assert rows.X.shape == (found.findings.data.train_rows, found.model.encoding.n_features)
    predicted = found.model.predict(source)
    assert set(np.unique(rows.y)) == {0, 1}
    assert len(predicted.labels) == 120


def test_another_table_is_refused():
    source = people(120)
    model = trained(source, "buys").model
    with pytest.raises(InputError, match="expected the table that the model was trained on"):
        training_rows(model, people(120, seed=3))
    with pytest.raises(InputError, match=r"of which 90 rows trained it; this one gives 45"):
        training_rows(model, people(60))
    with pytest.raises(InputError, match="expected the table"):
        training_rows(model, source.take(np.arange(120)[::-1]))
    with pytest.raises(InputError, match="'buys'"):
        training_rows(model, source.without(["buys"]))


def test_a_model_that_does_not_say_its_rows_is_refused():
    source = people(120)
    model = trained(source, "buys").model
    for record in ({}, {"training_rows": 3}, {"training_rows": {"digest": None}}):
        with pytest.raises(InputError, match="whose record says which rows"):
            certify_table_model(replace(model, record=record), source)
    with pytest.raises(InputError, match="Expected a model of SVC, SVR, LinearSVC, LinearSVR, got one of 'Oracle'"):
        certify_table_model(replace(model, record={**model.record, "estimator": "Oracle"}), source)


@pytest.mark.parametrize(
    "forged",
    [
        {"ignored": None},
        {"ignored": [3]},
        {"held_out": "half"},
        {"held_out": 7.0},
        {"sets": "no"},
        {"class_weight": "odd"},
    ],
)
def test_a_forged_record_is_refused_in_words(forged):
    source = people(120)
    model = trained(source, "buys").model
    rows = {**model.record["training_rows"], **forged}
    with pytest.raises(InputError):
        certify_table_model(replace(model, record={**model.record, "training_rows": rows}), source)


def test_forged_parameters_are_refused_in_words():
    source = people(120)
    model = trained(source, "buys").model
    for changed in (
        {"params": {"C": -1.0}},
        {"params": None},
        {"params": {"C": "x"}},
        {"certificate": {}},
        {"seed": "x"},
    ):
        with pytest.raises(InputError):
            certify_table_model(replace(model, record={**model.record, **changed}), source)


@pytest.mark.parametrize("kind", ["linear classes", "linear numbers"])
def test_linear_machines_are_proven_as_well(kind, monkeypatch):
    import mercer.training.fitting as fitting

    monkeypatch.setattr(fitting, "is_too_long", lambda *given: True)
    source, target = (people(120), "buys") if kind == "linear classes" else (prices(120), "price")
    found = trained(source, target)
    assert found.findings.machine.estimator.startswith("Linear")
    proof = certify_table_model(found.model, source)
    assert proof.certificate.holds(proof.tol)


def test_booleans_and_several_classes():
    random = np.random.default_rng(0)
    x = random.normal(size=150)
    classes = np.digitize(x, [-0.5, 0.5])
    source: Table = table(
        number("x", x),
        boolean("flag", (random.random(150) < 0.5).astype(float)),
        text("y", [("low", "middle", "high")[code] for code in classes]),
    )
    found = trained(source, "y")
    proof = certify_table_model(found.model, source)
    assert proof.certificate.holds(proof.tol)
