"""Machines that keep weights: linear support vector machines, stochastic gradient descent, the perceptron."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError
from mercer.io.facts import (
    COUNT,
    FLAG,
    LABELS,
    NUMBER,
    TEXT,
    Fact,
    either,
    integers,
    lists,
    matrix,
    numbers,
)
from mercer.io.model_facts import KERNEL, machine
from mercer.io.records import record
from mercer.io.states.state import FEATURES, STATUS, STEPS, State

__all__ = ["LINEAR"]


def _without_start(estimator: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """Where the solver ended is not kept: a warm start from a file begins anew."""
    return {**kept, "_reached": None} if "_reached" in kept else kept


_COEF = either(numbers("functions", "d"), matrix("functions", "d"))
_CERTIFIED: dict[str, Fact] = {
    **FEATURES,
    "_proof": record("Certificate"),
    "status_": STATUS,
    "n_iter_": STEPS,
    "plan_": TEXT,
    "_reached": Fact("None", lambda value, sizes: value is None),
}
_OBJECTIVE = either(NUMBER, numbers(None, finite=False))
_DESCENDED: dict[str, Fact] = {
    **FEATURES,
    "_descent_state": record("DescentState"),
    "n_iter_": STEPS,
    "t_": NUMBER,
    "status_": STATUS,
    "objective_": _OBJECTIVE,
}
_NEEDED = ("coef_", "n_features_in_")


def _check_start(estimator: Any) -> None:
    """Training goes on from as many weights as there are."""
    state = estimator.__dict__.get("_descent_state")
    if state is None:
        return
    weights = getattr(estimator, "coef_", None)
    intercepts = estimator.__dict__.get("intercept_", estimator.__dict__.get("offset_"))
    if weights is None or intercepts is None or state.w.size != weights.size + len(intercepts):
        raise ModelFileError(
            f"{type(estimator).__name__}: expected as many weights as training ended with, got others."
        )
    if "classes_" in estimator.__dict__:
        classes, problems = len(estimator.classes_), len(state.w)
        functions = 1 if classes == 2 else classes
        if problems not in ({1} if estimator.loss == "softmax" else {functions}) or len(intercepts) != functions:
            raise ModelFileError(f"{type(estimator).__name__}: expected the weights of {functions} functions.")


def _check_functions(estimator: Any) -> None:
    classes = estimator.__dict__.get("classes_")
    if classes is not None and "coef_" in estimator.__dict__:
        functions = 1 if len(classes) == 2 else len(classes)
        if estimator.coef_.shape[0] != functions:
            raise ModelFileError(f"{type(estimator).__name__}: expected weights of {functions} functions, got others.")


def _check_both(estimator: Any) -> None:
    _check_functions(estimator)
    _check_start(estimator)


def _check_perceptron(estimator: Any) -> None:
    own = estimator.__dict__
    if "classes_" in own and ("_machine" in own) == ("coef_" in own):
        raise ModelFileError("Perceptron: expected weights or a machine, got both or neither.")
    if "_machine" in own:
        functions = len(own["_machine"].intercept)
        if functions != (1 if len(own["classes_"]) == 2 else len(own["classes_"])):
            raise ModelFileError("Perceptron: expected as many functions as its classes need, got others.")
    _check_both(estimator)


LINEAR: dict[str, State] = {
    "LinearSVC": State(
        "mercer.estimators.linear_svc:LinearSVC",
        {
            "classes_": LABELS,
            **_CERTIFIED,
            "coef_": _COEF,
            "intercept_": either(NUMBER, numbers("functions")),
        },
        (*_NEEDED, "classes_", "intercept_", "_proof"),
        written=_without_start,
        finish=_check_functions,
    ),
    "LinearSVR": State(
        "mercer.estimators.linear_svr:LinearSVR",
        {**_CERTIFIED, "coef_": numbers("d"), "intercept_": either(NUMBER, numbers(1))},
        (*_NEEDED, "intercept_", "_proof"),
        written=_without_start,
    ),
    "SGDClassifier": State(
        "mercer.estimators.sgd_classifier:SGDClassifier",
        {"classes_": LABELS, "coef_": _COEF, "intercept_": numbers("functions"), **_DESCENDED},
        (*_NEEDED, "classes_", "intercept_"),
        finish=_check_both,
    ),
    "SGDRegressor": State(
        "mercer.estimators.sgd_regressor:SGDRegressor",
        {"coef_": numbers("d"), "intercept_": numbers(1), **_DESCENDED},
        (*_NEEDED, "intercept_"),
        finish=_check_start,
    ),
    "SGDOneClassSVM": State(
        "mercer.estimators.sgd_one_class:SGDOneClassSVM",
        {"coef_": numbers("d"), "offset_": numbers(1), **_DESCENDED},
        (*_NEEDED, "offset_"),
        finish=_check_start,
    ),
    "Perceptron": State(
        "mercer.estimators.perceptron:Perceptron",
        {
            "classes_": LABELS,
            "_machine": machine("one function", "one-vs-rest"),
            "coef_": _COEF,
            "intercept_": numbers("functions"),
            **_DESCENDED,
            "kernel_": KERNEL,
            "shape_fit_": lists(COUNT, 2, (tuple,)),
            "n_mistakes_": integers(None, low=0),
            "separated_": FLAG,
        },
        ("classes_", "n_features_in_"),
        finish=_check_perceptron,
    ),
}
