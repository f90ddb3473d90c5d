"""Estimators as nodes: their parameters, and what a fit left of the attributes that `states` lists."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any

from mercer.errors import ModelFileError
from mercer.io.addresses import found_at
from mercer.io.facts import Sizes, check_facts
from mercer.io.nodes import Reader, Writer
from mercer.io.states import STATES, State

__all__ = ["read_estimator", "write_estimator"]

# What scikit-learn's callbacks leave, and what it notes of itself.
_FORGOTTEN = ("_skl_callbacks", "_parent_callback_ctx", "_callback_fit_ctx", "_sklearn_version")


def write_estimator(writer: Writer, estimator: Any, name: str, where: str) -> dict[str, Any]:
    """The node of an estimator, fitted or not; everything is checked as it will be when it is read."""
    state, kind = STATES[name], _class_of(estimator)
    kept = {key: value for key, value in estimator.__getstate__().items() if key not in _FORGOTTEN}
    parameters = {key: kept.pop(key) for key in _parameter_names(kind) if key in kept}
    if callable(parameters.get("callback")):
        writer.dropped.append(f"{where or name}: the callback is not stored, and None when the model is loaded.")
        parameters["callback"] = None
    if "_skl_callbacks" in estimator.__dict__:
        writer.dropped.append(
            f"{where or name}: what set_callbacks was given is not stored. Set it again after loading."
        )
    prefix = f"{where}." if where else ""
    # First, as they tell best what cannot be stored.
    nodes = {key: writer.node(value, f"{prefix}{key}") for key, value in parameters.items()}
    _check_parameters(name, state, estimator)
    made = kind(**parameters).__dict__  # what a constructor sets beside its parameters follows from them
    kept = state.written(estimator, {key: value for key, value in kept.items() if key not in made})
    others = sorted(set(kept) - set(state.facts))
    if others:
        raise ModelFileError(
            f"{where or name}: expected what a fit leaves, got {', '.join(others)} as well, which model files do not "
            f"know. Delete {'them' if len(others) > 1 else 'it'}, or keep such a model with pickle or joblib."
        )
    _check(name, state, kept)
    return {
        "estimator": name,
        "parameters": nodes,
        "fitted": {key: writer.node(value, f"{prefix}{key}") for key, value in kept.items()},
    }


def read_estimator(reader: Reader, node: Any) -> Any:
    """The estimator of a node, its parameters and attributes checked."""
    name, parameters, fitted = node["estimator"], node["parameters"], node["fitted"]
    if not isinstance(name, str) or name not in STATES:
        raise ModelFileError(f"Expected an estimator among {list(STATES)}, got {name!r}.")
    state = STATES[name]
    reader.has_foreign |= state.is_foreign
    kind = found_at(state.address)
    expected = set(_parameter_names(kind))
    if not isinstance(parameters, dict) or set(parameters) != expected:
        raise ModelFileError(f"{name}: expected the parameters {sorted(expected)}, got {_keys(parameters)}.")
    if not isinstance(fitted, dict) or not set(fitted) <= set(state.facts):
        raise ModelFileError(f"{name}: expected attributes that a fit leaves, got {_keys(fitted)}.")
    estimator = kind(**{key: reader.value(value) for key, value in parameters.items()})
    _check_parameters(name, state, estimator)
    kept = {key: reader.value(value) for key, value in fitted.items()}
    _check(name, state, kept)
    estimator.__dict__.update(kept)
    state.finish(estimator)
    return estimator


def _check(name: str, state: State, kept: dict[str, Any]) -> None:
    missing = [key for key in state.needed if key not in kept] if kept else []
    if missing:
        raise ModelFileError(f"{name}: expected {', '.join(missing)} of a fitted model, got none.")
    check_facts(name, state.facts, kept, Sizes())


def _class_of(estimator: Any) -> Any:
    return type(estimator)


@cache
def _parameter_names(kind: Hashable) -> list[str]:
    return list(kind._get_param_names())  # type: ignore[attr-defined]


def _check_parameters(name: str, state: State, estimator: Any) -> None:
    """Raises for parameters that a fit would refuse."""
    check_facts(name, state.parameters, estimator.__dict__, Sizes())
    classes = [] if state.is_foreign else [key for key, value in estimator.__dict__.items() if isinstance(value, type)]
    if classes:  # which would be called where a function is expected
        raise ModelFileError(f"{name}: expected {classes[0]} to be a value, got a class.")
    if type(estimator).__module__.startswith("mercer."):
        from mercer.checks import check_parameters

        check_parameters(estimator)
    elif hasattr(estimator, "_validate_params"):
        estimator._validate_params()


def _keys(given: Any) -> Any:
    return sorted(given) if isinstance(given, dict) else given
