"""The certificate of a model of a table, computed anew from the table that it was trained on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mercer.certificates import Certificate
from mercer.checks import positive
from mercer.errors import InputError, ParameterError
from mercer.estimators import SVC, SVR, LinearSVC, LinearSVR, certify
from mercer.machines import LinearMachine
from mercer.tables import Table
from mercer.tabular import TableModel
from mercer.training.linear import REGRESSION
from mercer.training.training_rows import training_rows

__all__ = ["Proof", "certify_table_model"]

# What a problem is posed by; everything else is of no account for its proof.
_PARAMETERS = ("C", "gamma", "epsilon")
_EXPECTED = "Expected a model whose record has the parameters of its machine, as `mercer train` writes it"
_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (SVC, SVR, LinearSVC, LinearSVR)}


class Proof(NamedTuple):
    """A certificate, and the tolerance that the model was trained to."""

    certificate: Certificate
    tol: float


def certify_table_model(model: TableModel, table: Table) -> Proof:
    """Proves how far from the optimum the machine of a model can be.

    Parameters
    ----------
    model : TableModel
        As `train` makes it.
    table : Table
        What it was trained on; rows that were held out are held out again.

    Raises
    ------
    InputError
        Where it is another table, or the model does not say how it was trained.
    """
    rows = training_rows(model, table)
    estimator, tol = _estimator(model), _tol(model.record)
    try:
        certificate = certify(estimator, rows.X, rows.y)
    except ParameterError as error:
        raise InputError(f"{_EXPECTED}, got others: {error}") from error
    assert isinstance(certificate, Certificate)
    return Proof(certificate, tol)


def _estimator(model: TableModel) -> Any:
    """An estimator that holds the machine, with the parameters of its problem."""
    record, machine = model.record, model.machine
    kind = _KINDS.get(record.get("estimator", ""))
    if kind is None:
        raise InputError(f"Expected a model of {', '.join(_KINDS)}, got one of {record.get('estimator')!r}.")
    given: dict[str, Any] = _params(record)
    if model.is_classifier:
        given["class_weight"] = record["training_rows"]["class_weight"]
    if kind is LinearSVR:
        given |= REGRESSION
    estimator = kind(**given)
    estimator.n_features_in_ = machine.n_features
    if isinstance(machine, LinearMachine):
        estimator.coef_, estimator.intercept_ = machine.weights, machine.intercept
        if model.is_classifier:
            estimator.classes_ = np.arange(len(model.classes))
        else:
            estimator.coef_ = machine.weights[0]
    else:
        estimator._machine = machine
    return estimator


def _params(record: dict[str, Any]) -> dict[str, Any]:
    try:
        return {name: float(value) for name, value in record["params"].items() if name in _PARAMETERS}
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{_EXPECTED}, got another one.") from error


def _tol(record: dict[str, Any]) -> float:
    try:
        return positive("tol", record["certificate"]["tol"])
    except (ParameterError, KeyError, TypeError) as error:
        raise InputError(f"{_EXPECTED}, got one without its tolerance.") from error
