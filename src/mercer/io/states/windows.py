"""Machines that put windows around their rows; what sums over windows are taken by is made again, as in a fit."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError
from mercer.io.facts import COUNT, FLAG, NUMBER, POSITIVE, Fact, array, either, labels, lists, maybe, numbers
from mercer.io.records import record
from mercer.io.states.state import FEATURES, State

__all__ = ["WINDOWS"]

_BANDWIDTH = either(NUMBER, numbers("d", low=0.0))
_PUT: dict[str, Fact] = {
    **FEATURES,
    "_memory": record("WindowMemory"),
    "bandwidth_": _BANDWIDTH,
    "bandwidths_": numbers(None, low=0.0),
    "left_out_errors_": numbers(None, finite=False),
    "left_out_scores_": numbers(None, finite=False),
    "left_out_error_bound_": NUMBER,
}
_PARZEN: dict[str, Fact] = {**_PUT, "_targets": numbers("n", "columns"), "_prior": numbers("columns")}
_NEEDED = ("_memory", "bandwidth_", "n_features_in_")
_OF_OUTPUT = labels("labels")


def _check_windows(estimator: Any) -> None:
    memory = estimator.__dict__.get("_memory")
    if memory is None:
        return
    if not len(memory.rows) or not memory.rows.flags.c_contiguous or not memory.weights.max() > 0:
        raise ModelFileError(f"{type(estimator).__name__}: expected rows that weigh something, got none.")
    if not 0 <= estimator._scalar < float("inf"):
        raise ModelFileError(f"{type(estimator).__name__}: expected a finite bandwidth ≥ 0, got others.")
    memory.windows  # noqa: B018


def _check_parzen(estimator: Any) -> None:
    _check_windows(estimator)
    own = estimator.__dict__
    if "classes_" not in own:
        return
    is_list = isinstance(own["classes_"], list)
    classes = own["classes_"] if is_list else [own["classes_"]]
    if bool(own["outputs_2d_"]) != is_list or sum(map(len, classes)) != own["_targets"].shape[1]:
        raise ModelFileError("ParzenClassifier: expected a column of targets for each class, got others.")


def _check_smoothers(estimator: Any) -> None:
    memory = estimator.__dict__.get("_memory")
    if memory is None:
        return
    for smoother in memory.smoothers:
        rows = len(smoother.X)
        fits = (
            rows > 0
            and smoother.X.flags.c_contiguous
            and smoother.Y.shape[1] > 0
            and float(smoother.weights.min()) > 0,
            not hasattr(smoother.windows, "k") or 1 <= smoother.windows.k <= rows,
            hasattr(smoother.windows, "k") or _is_width(smoother.windows.bandwidth),
        )
        if not all(fits):
            raise ModelFileError("LocallyWeightedRegression: expected rows and windows around them, got others.")
    targets = sum(smoother.Y.shape[1] for smoother in memory.smoothers)
    if estimator._is_vector and targets != 1:
        raise ModelFileError(f"LocallyWeightedRegression: expected one target, got {targets}.")


def _is_width(bandwidth: Any) -> bool:
    return isinstance(bandwidth, tuple) or bandwidth > 0


WINDOWS: dict[str, State] = {
    "KernelDensity": State(
        "mercer.estimators.kernel_density:KernelDensity",
        {**_PUT, "_log_volume": NUMBER},
        (*_NEEDED, "_log_volume"),
        finish=_check_windows,
    ),
    "ParzenClassifier": State(
        "mercer.estimators.parzen_classifier:ParzenClassifier",
        {
            **_PARZEN,
            "classes_": either(
                labels("labels"),
                Fact(
                    "a list of different labels in order, for each output",
                    lambda value, sizes: (
                        isinstance(value, list)
                        and len(value) > 1
                        and all(_OF_OUTPUT.holds(one, type(sizes)()) for one in value)
                    ),
                ),
            ),
            "outputs_2d_": FLAG,
        },
        (*_NEEDED, "_targets", "_prior", "classes_", "outputs_2d_"),
        finish=_check_parzen,
    ),
    "ParzenRegressor": State(
        "mercer.estimators.parzen_regressor:ParzenRegressor",
        {**_PARZEN, "_is_single": FLAG, "_unit": POSITIVE, "_middle": numbers("columns")},
        (*_NEEDED, "_targets", "_prior", "_is_single", "_unit", "_middle"),
        finish=_check_parzen,
    ),
    "LocallyWeightedRegression": State(
        "mercer.estimators.locally_weighted_regression:LocallyWeightedRegression",
        {
            **FEATURES,
            "_memory": record("FittedSmoothers"),
            "_is_vector": FLAG,
            "_chosen": either(record("NearestWindows"), record("FixedWindows")),
            "n_neighbors_": maybe(COUNT),
            "bandwidth_": maybe(either(NUMBER, lists(POSITIVE, "d", (tuple,)))),
            "left_out_errors_": numbers(None, finite=False),
            "candidates_": array("fi", None),
            "robustness_weights_": either(numbers("n"), numbers("n", None)),
        },
        ("_memory", "_is_vector", "_chosen", "n_features_in_"),
        finish=_check_smoothers,
    ),
}
