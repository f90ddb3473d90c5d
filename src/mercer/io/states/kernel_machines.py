"""Machines that keep training rows: support vector machines, kernel regressions."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError
from mercer.io.facts import (
    COUNT,
    FLAG,
    LABELS,
    NOTHING,
    NUMBER,
    TEXT,
    Fact,
    either,
    integers,
    lists,
    matrix,
    maybe,
    numbers,
    one_of,
)
from mercer.io.model_facts import CALIBRATION, machine
from mercer.io.records import record
from mercer.io.states.state import FEATURES, STATUS, STEPS, State

__all__ = ["KERNEL_MACHINES", "with_certificate"]


def with_certificate(estimator: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """The certificate instead of what it is worked out from, which holds all training rows."""
    return {**kept, "_proof": estimator.certificate_} if "_proof" in kept else kept


_FITTED: dict[str, Fact] = {
    **FEATURES,
    "shape_fit_": lists(COUNT, 2, (tuple,)),
    "_proof": record("Certificate"),
    "status_": STATUS,
    "fit_status_": one_of(0, 1),
    "n_iter_": STEPS,
    "_objects": NOTHING,
    "plan_": TEXT,
    "trace_": record("Trace"),
}
_CLASSES: dict[str, Fact] = {
    "_machine": machine("one-vs-one", "one-vs-rest"),
    **_FITTED,
    "calibration_": CALIBRATION,
    "class_weight_": numbers("classes", low=0.0),
}
_ONE: dict[str, Fact] = {"_machine": machine("one function"), **_FITTED}
_NEEDED = ("_machine", "shape_fit_", "n_features_in_")
# What a fit leaves as well: machines out of LIBSVM's files have none of it, those of Mercer's all.
_OF_A_FIT = ("_proof", "status_", "_objects")


def _machine_state(name: str, module: str, facts: dict[str, Fact]) -> State:
    return State(f"mercer.estimators.{module}:{name}", facts, _NEEDED, written=with_certificate, finish=_check_machine)


def _check_machine(estimator: Any) -> None:
    """All that a fit leaves is there, or none of it; and the rows are right."""
    lacking = [name for name in _OF_A_FIT if name not in estimator.__dict__]
    if "_machine" in estimator.__dict__ and 0 < len(lacking) < len(_OF_A_FIT):
        raise ModelFileError(f"{type(estimator).__name__}: expected {', '.join(lacking)} of a fitted model, got none.")
    _check_rows(estimator)


def _check_rows(estimator: Any) -> None:
    """Support vectors are among the training rows, of which a start from here makes a coefficient each."""
    fitted = estimator.__dict__.get("_machine")
    if fitted is None or not len(fitted.support):
        return
    rows, features = estimator.shape_fit_
    if int(fitted.support.max()) >= rows or features != fitted.n_features:
        raise ModelFileError(
            f"{type(estimator).__name__}: expected support vectors among the {rows} training rows of {features} "
            "features, got others."
        )


_RIDGE: dict[str, Fact] = {
    "_machine": machine("several functions"),
    **FEATURES,
    "_alphas": numbers("functions", low=0.0),
    "status_": STATUS,
    "n_iter_": STEPS,
    "plan_": TEXT,
}
_ALL_ROWS: dict[str, Fact] = {
    **_RIDGE,
    "_proof": record("RidgeCertificate"),
    "_weights": numbers("n", low=0.0),
    "_has_intercept": FLAG,
    "_values": maybe(matrix("n", "n")),
}
_CHOSEN: dict[str, Fact] = {"alpha_": NUMBER, "best_score_": NUMBER, "errors_": numbers(None, None, finite=False)}
_LANDMARKS: dict[str, Fact] = {
    **_RIDGE,
    "_proof": record("SparseRidgeCertificate"),
    "component_indices_": maybe(integers(None, low=0)),
    "residual_": NUMBER,
    "_is_column": FLAG,
}
_RIDGE_NEEDED = ("_machine", "_proof", "_alphas", "n_features_in_")


def _ridge_state(name: str, module: str, facts: dict[str, Fact], *needed: str) -> State:
    return State(f"mercer.estimators.{module}:{name}", facts, (*_RIDGE_NEEDED, *needed), finish=_check_functions)


def _check_functions(estimator: Any) -> None:
    """One function for each column of targets, or for two classes; else one for each class; and a weight a row."""
    fitted = estimator.__dict__.get("_machine")
    if fitted is None:
        return
    functions, own = len(fitted.intercept), estimator.__dict__
    classes = own.get("classes_")
    expected = functions if classes is None else 1 if len(classes) == 2 else len(classes)
    is_column = own.get("_is_column", False)
    if functions != expected or functions < 1 or (is_column and functions != 1):
        raise ModelFileError(f"{type(estimator).__name__}: expected {expected} functions, got {functions}.")
    weights = own.get("_weights")
    if weights is not None and len(weights) != len(fitted.support):
        raise ModelFileError(f"{type(estimator).__name__}: expected a weight for each row, got {len(weights)}.")


KERNEL_MACHINES: dict[str, State] = {
    "SVC": _machine_state("SVC", "svc", _CLASSES),
    "NuSVC": _machine_state("NuSVC", "nu_svc", {**_CLASSES, "rho_": numbers("functions", finite=False)}),
    "SVR": _machine_state("SVR", "svr", {**_ONE}),
    "NuSVR": _machine_state("NuSVR", "nu_svr", {**_ONE, "epsilon_": NUMBER}),
    "OneClassSVM": _machine_state("OneClassSVM", "one_class", {**_ONE, "_inliers": maybe(record("InlierProbability"))}),
    "KernelRegression": State(
        "mercer.estimators.kernel_regression:KernelRegression",
        {
            "_machine": machine("one function"),
            **FEATURES,
            "shape_fit_": lists(COUNT, 2, (tuple,)),
            "learning_rate_": NUMBER,
            "n_iter_": STEPS,
            "status_": STATUS,
            "objective_": numbers(None, finite=False),
            "validation_objective_": numbers(None, finite=False),
        },
        ("_machine", "shape_fit_", "n_features_in_"),
        finish=_check_rows,
    ),
    "KernelRidge": _ridge_state("KernelRidge", "kernel_ridge", {**_ALL_ROWS, "_is_column": FLAG}, "_is_column"),
    "KernelRidgeCV": _ridge_state(
        "KernelRidgeCV",
        "kernel_ridge_cv",
        {
            **_ALL_ROWS,
            **_CHOSEN,
            "_is_column": FLAG,
            "errors_": numbers(None, None, None, finite=False),
            "standard_errors_": numbers(None, None, None, finite=False),
            "gamma_": either(NOTHING, NUMBER, TEXT, numbers("d"), lists(NUMBER, "d")),
        },
        "_is_column",
    ),
    "KernelRidgeClassifier": _ridge_state(
        "KernelRidgeClassifier", "kernel_ridge_classifier", {"classes_": LABELS, **_ALL_ROWS}, "classes_"
    ),
    "SparseKernelRidge": _ridge_state("SparseKernelRidge", "sparse_kernel_ridge", _LANDMARKS, "_is_column"),
    "SparseKernelRidgeCV": _ridge_state(
        "SparseKernelRidgeCV", "sparse_kernel_ridge_cv", {**_LANDMARKS, **_CHOSEN}, "_is_column"
    ),
}
