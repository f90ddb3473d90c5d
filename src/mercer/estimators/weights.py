"""What a linear machine learned as its predictions take it, whoever set its attributes last."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.machines import LinearMachine
from mercer.machines.linear import as_numbers

__all__ = ["check_classes", "machine_of_weights"]

# Regression has one function, as two classes have.
_TWO = np.arange(2)

_ADVICE = "Fit it again instead of changing what it learned."


def machine_of_weights(estimator: Any, coef: Any, intercept: Any, name: str = "intercept_") -> LinearMachine:
    """The machine of an estimator's attributes: finite, and as many as its features and classes ask for.

    `name` is what the estimator calls its intercepts.
    """
    weights: Any = coef if is_sparse(coef) or np.ndim(coef) == 2 else np.atleast_2d(coef)
    features = estimator.n_features_in_
    try:
        machine = LinearMachine(weights, intercept)
    except InputError:
        given = as_numbers(weights.toarray() if is_sparse(weights) else weights)
        if given is None or given.ndim != 2 or given.shape[1] != features:
            raise _unfit(estimator, f"coef_ to be finite numbers, {features} a function", coef) from None
        check_classes(estimator, len(given))
        raise _unfit(estimator, f"{name} to be finite numbers of shape {(len(given),)}", intercept) from None
    if machine.n_features != features:
        raise _unfit(estimator, f"coef_ to be finite numbers, {features} a function", coef)
    check_classes(estimator, len(machine.weights))
    return machine


def check_classes(estimator: Any, functions: int) -> None:
    """Raises unless a classifier's classes are those of so many functions: of two classes there is one."""
    classes = estimator.__dict__.get("classes_", _TWO)
    # NumPy's own question takes longer than the product of a row with the weights.
    is_vector = classes.ndim == 1 if type(classes) is np.ndarray else np.ndim(classes) == 1
    if not is_vector or len(classes) < 2:
        raise _unfit(estimator, "classes_ to name two classes or more", classes)
    expected = 1 if len(classes) == 2 else len(classes)
    if functions != expected:
        raise InputError(
            f"{type(estimator).__name__}: expected {expected} functions for {len(classes)} classes, got {functions}. "
            f"{_ADVICE}"
        )


def _unfit(estimator: Any, expected: str, given: Any) -> InputError:
    got = f"shape {given.shape}" if hasattr(given, "shape") else repr(given)
    return InputError(f"{type(estimator).__name__}: expected {expected}, got {got}. {_ADVICE}")
