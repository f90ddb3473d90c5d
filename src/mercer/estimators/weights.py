"""What a linear machine learned as its predictions take it, whoever set its attributes last."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["check_classes", "checked_weights"]

# Regression has one function, as two classes have.
_TWO = np.arange(2)

_ADVICE = "Fit it again instead of changing what it learned."


def checked_weights(estimator: Any, coef: Any, intercept: Any, name: str = "intercept_") -> tuple[Floats, Floats]:
    """Weights, one row a function, and intercepts: finite, and as many as the features and classes ask for.

    `name` is what the estimator calls its intercepts.
    """
    weights, offsets = _numbers(coef.toarray() if is_sparse(coef) else coef), _numbers(intercept)
    if weights is not None and weights.ndim < 2:
        weights = weights.reshape(1, -1)
    features = estimator.n_features_in_
    if weights is None or weights.ndim != 2 or weights.shape[1] != features:
        raise _unfit(estimator, f"coef_ to be finite numbers, {features} a function", coef)
    check_classes(estimator, len(weights))
    if offsets is None or offsets.shape not in ((), (len(weights),)):
        raise _unfit(estimator, f"{name} to be finite numbers of shape {(len(weights),)}", intercept)
    return weights, offsets


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


def _numbers(values: Any) -> Floats | None:
    """The values in float64; None where they are none, or not finite."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def _unfit(estimator: Any, expected: str, given: Any) -> InputError:
    got = f"shape {given.shape}" if hasattr(given, "shape") else repr(given)
    return InputError(f"{type(estimator).__name__}: expected {expected}, got {got}. {_ADVICE}")
