"""Machines that remember their rows: the index that finds neighbours among them is made again, as in a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.io.facts import (
    ANYTHING,
    COUNT,
    FLAG,
    NOTHING,
    TEXT,
    Fact,
    array,
    count_of,
    either,
    integers,
    labels,
    lists,
    mapping,
    matrix,
    maybe,
    numbers,
)
from mercer.io.model_facts import ANY_KERNEL
from mercer.io.records import record
from mercer.io.states.state import FEATURES, State

__all__ = ["NEIGHBOURS"]

_LABELS_OF_OUTPUT = labels("labels")
#: Of one output, or a list of those of several.
_CLASSES = either(
    labels("labels"),
    Fact(
        "a list of different labels in order, for each output",
        lambda value, sizes: (
            isinstance(value, list)
            and len(value) > 1
            and all(_LABELS_OF_OUTPUT.holds(one, type(sizes)()) for one in value)
        ),
    ),
)
_REMEMBERED: dict[str, Fact] = {
    "n_samples_fit_": count_of("n", least=1),
    "_memory": record("Memory"),
    **FEATURES,
    "effective_metric_": either(TEXT, ANY_KERNEL),
    "effective_metric_params_": mapping(ANYTHING),
}
_VOTES: dict[str, Fact] = {
    **_REMEMBERED,
    "classes_": _CLASSES,
    "outputs_2d_": FLAG,
    "_codes": integers("n", "outputs", low=0),
    "_row_weights": maybe(numbers("n", low=0.0)),
    "_counted": maybe(numbers("n", low=0.0)),
}
_MEANS: dict[str, Fact] = {
    **_REMEMBERED,
    "_y": either(numbers("n"), numbers("n", None)),
    "_counted": maybe(numbers("n", low=0.0)),
}
_NUMBER_OF: dict[str, Fact] = {"n_neighbors_": COUNT, "left_out_errors_": numbers(None, finite=False)}
_NEEDED = ("_memory", "n_samples_fit_", "n_features_in_")
_NEEDED_VOTES = (*_NEEDED, "classes_", "outputs_2d_", "_codes", "_row_weights", "_counted")


def _check_memory(estimator: Any) -> None:
    """Rows that are there, in the order in which they were learnt; then the index of them."""
    memory = estimator.__dict__.get("_memory")
    if memory is None:
        return
    name, indexed, tail = type(estimator).__name__, memory._indexed, memory._tail
    rows = indexed.shape[0] + tail.shape[0]
    gone = memory._forgotten
    holes = 0 if gone is None else int(np.count_nonzero(gone))
    born = memory.born
    fits = (
        type(indexed) is type(tail) or not (hasattr(indexed, "nnz") or hasattr(tail, "nnz")),
        indexed.shape[0] > 0,
        memory.size == rows - holes == estimator.n_samples_fit_,
        gone is None or (gone.shape == (rows,) and gone.dtype == np.uint8 and int(gone.max(initial=0)) <= 1),
        born.dtype == np.int64 and bool(np.all(np.diff(born) > 0)) and (not len(born) or int(born[-1]) < memory.learnt),
        indexed.shape[1] == estimator.n_features_in_,
        not estimator._is_given or (indexed.shape[0] == indexed.shape[1] == rows and holes == 0),
        memory.room > 0,
    )
    if not all(fits):
        raise ModelFileError(f"{name}: expected rows that belong together, got others.")
    same = (
        _are_same(memory.metric, estimator.metric)
        and _are_same(memory.p, estimator.p)
        and _are_same(memory.params, dict(estimator.metric_params or {}))
    )
    if not same:
        raise ModelFileError(f"{name}: expected the metric of its parameters, got {memory.metric!r}.")
    takes_missing = isinstance(memory.metric, str) and memory.metric == "nan_euclidean"
    if not takes_missing and not all(_is_finite(part) for part in (indexed, tail)):
        raise ModelFileError(f"{name}: expected finite rows, got NaN.")
    memory.check()


def _are_same(own: Any, others: Any) -> bool:
    if isinstance(own, dict) and isinstance(others, dict):
        return own.keys() == others.keys() and all(_are_same(own[key], others[key]) for key in own)
    return type(own) is type(others) and bool(np.array_equal(own, others))


def _is_finite(rows: Any) -> bool:
    return bool(np.isfinite(getattr(rows, "data", rows) if hasattr(rows, "nnz") else rows).all())


def _check_votes(estimator: Any) -> None:
    _check_memory(estimator)
    if "_codes" not in estimator.__dict__:
        return
    is_list, codes = isinstance(estimator.classes_, list), estimator._codes
    classes = estimator.classes_ if is_list else [estimator.classes_]
    if bool(estimator.outputs_2d_) != is_list or codes.shape[1] != len(classes) or codes.dtype != np.int64:
        raise ModelFileError(f"{type(estimator).__name__}: expected labels of {len(classes)} outputs, got others.")
    for column, own in zip(codes.T, classes, strict=True):
        if int(column.max(initial=0)) >= len(own):
            raise ModelFileError(f"{type(estimator).__name__}: expected labels among {len(own)}, got others.")
    outliers = estimator.__dict__.get("outlier_label_")
    if outliers is not None and len(outliers) != len(classes):
        raise ModelFileError(f"{type(estimator).__name__}: expected an outlier_label_ for each output, got others.")


def _check_imputer(estimator: Any) -> None:
    own = estimator.__dict__
    if "_rows" not in own:
        return
    if not np.array_equal(own["_is_missing"], estimator._missing(own["_rows"])):
        raise ModelFileError("KNNImputer: expected to know which values are missing, got others.")
    if not np.array_equal(own["_has_values"], ~own["_is_missing"].all(axis=0)):
        raise ModelFileError("KNNImputer: expected to know which features have values, got others.")


def _state(
    name: str, module: str, facts: dict[str, Fact], needed: tuple[str, ...], finish: Any = _check_memory
) -> State:
    return State(f"mercer.estimators.{module}:{name}", facts, needed, finish=finish)


NEIGHBOURS: dict[str, State] = {
    "NearestNeighbors": _state("NearestNeighbors", "nearest_neighbors", _REMEMBERED, _NEEDED),
    "KNeighborsClassifier": _state(
        "KNeighborsClassifier",
        "k_neighbors_classifier",
        {
            **_VOTES,
            **_NUMBER_OF,
            "edited_": integers(None, low=0),
            "condensed_": record("Condensed"),
        },
        (*_NEEDED_VOTES, "n_neighbors_"),
        _check_votes,
    ),
    "KNeighborsRegressor": _state(
        "KNeighborsRegressor",
        "k_neighbors_regressor",
        {**_MEANS, **_NUMBER_OF},
        (*_NEEDED, "_y", "_counted", "n_neighbors_"),
    ),
    "RadiusNeighborsClassifier": _state(
        "RadiusNeighborsClassifier",
        "radius_neighbors_classifier",
        {**_VOTES, "outlier_label_": either(NOTHING, lists(ANYTHING, of=(list,)))},
        (*_NEEDED_VOTES, "outlier_label_"),
        _check_votes,
    ),
    "RadiusNeighborsRegressor": _state(
        "RadiusNeighborsRegressor", "radius_neighbors_regressor", _MEANS, (*_NEEDED, "_y", "_counted")
    ),
    "KNNImputer": _state(
        "KNNImputer",
        "knn_imputer",
        {
            **FEATURES,
            "_rows": either(
                matrix(None, "d", allow_nan=True), numbers(None, "d", finite=False, dtypes=(np.float64, np.float32))
            ),
            "_is_missing": array("b", None, "d"),
            "_has_values": array("b", "d"),
            "indicator_": either(NOTHING, Fact("a MissingIndicator", lambda value, sizes: hasattr(value, "features_"))),
        },
        ("_rows", "_is_missing", "_has_values", "indicator_", "n_features_in_"),
        _check_imputer,
    ),
}
