"""The linear machine that kernels are compared with, and that is left where rows are too many."""

import pytest

from mercer.training import TrainingOptions, train
from mercer.training.certifying import certify_table_model
from tests.training.tables import number, prices, table

QUICK = TrainingOptions(quick=True)


def shifted(rows, offset):
    """The price, in thousands, from somewhere else."""
    made = prices(rows)
    return table(*made.columns[:-1], number("price", made["price"].values / 1000 + offset))


@pytest.mark.parametrize("offset", [1e6, -1e9])
def test_the_linear_baseline_does_not_mind_where_targets_lie(offset):
    reached, expected = (
        next(
            one.value for one in train(made, "price", options=QUICK).findings.baselines if one.name.startswith("Linear")
        )
        for made in (shifted(240, offset), shifted(240, 0.0))
    )
    assert expected > 0.8
    assert reached == pytest.approx(expected, abs=1e-3)


def test_a_linear_model_predicts_in_the_units_of_the_table_and_is_proven(monkeypatch):
    monkeypatch.setattr("mercer.training.fitting._PATIENCE", 0.0)
    made = shifted(800, 1e6)
    trained = train(made, "price", options=TrainingOptions(tune_rows=300, quick=True))
    assert trained.findings.machine.estimator == "LinearSVR"
    assert trained.findings.machine.holds
    assert trained.findings.evaluation.metrics[0].value > 0.8
    assert abs(trained.model.predict(made).values - made["price"].values).max() < 2.0
    proof = certify_table_model(trained.model, made)
    assert proof.certificate.violation <= proof.tol
