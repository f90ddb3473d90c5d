"""What an estimator is given: scikit-learn's checks, and a short way for arrays that would pass them as they are.

Those checks take longer than a small fit. An ndarray that the core can view and that holds finite numbers only needs
none of them but the number of its features; whatever else comes goes to scikit-learn, which converts it or says what
is wrong. It is imported then: commands that read files of their own do without it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.data.arrays import core_ready

__all__ = ["LABELS", "NUMBERS", "read_training_data", "read_queries"]

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
# Kinds of targets, by NumPy's letters.
LABELS = "biufU"
NUMBERS = "biuf"


def read_training_data(
    estimator: Any,
    X: Any,
    y: Any,
    accept_sparse: bool,
    kinds: str | None = LABELS,
    *,
    go_on: bool = False,
    looks_for_nan: bool = True,
) -> tuple[Any, Any]:
    """The training matrix as the core views it, and targets of these kinds of numbers or names; None asks for none.

    The estimator learns of its features; where training goes on, they must be those it knows. Who reads all of X soon
    anyway may look for values that are not finite then; they may be in what is returned where `looks_for_nan` is off.
    """
    plain = _is_plain_matrix(X, looks_for_nan) and (kinds is None or (_is_plain_vector(y, kinds) and len(X) == len(y)))
    if plain and not go_on:
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        return X, y
    from sklearn.utils.validation import validate_data

    form = {**_form_of_matrix(accept_sparse), "reset": not go_on}
    if kinds is None:
        return core_ready(validate_data(estimator, X, **form)), None
    X, y = validate_data(estimator, X, y, y_numeric=kinds == NUMBERS, **form)
    return core_ready(X), y


def read_queries(estimator: Any, X: Any, accept_sparse: bool) -> Any:
    """The rows to predict, as the core views them, with the features of the fit."""
    if _is_plain_matrix(X) and X.shape[1] == estimator.n_features_in_ and not hasattr(estimator, "feature_names_in_"):
        return X
    from sklearn.utils.validation import validate_data

    return core_ready(validate_data(estimator, X, reset=False, **_form_of_matrix(accept_sparse)))


def _form_of_matrix(accept_sparse: bool) -> dict[str, Any]:
    return {
        "accept_sparse": "csr" if accept_sparse else False,
        "accept_large_sparse": True,
        "dtype": [np.float64, np.float32],
        "order": "C",
    }


def _is_plain_matrix(X: Any, looks_for_nan: bool = True) -> bool:
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.size > 0
        and X.dtype in _FLOATS
        and X.flags.c_contiguous
        and X.flags.aligned
        and (not looks_for_nan or _is_finite(X))
    )


def _is_plain_vector(y: Any, kinds: str) -> bool:
    return (
        type(y) is np.ndarray
        and y.ndim == 1
        and y.size > 0
        and y.dtype.kind in kinds
        and (y.dtype.kind != "f" or _is_finite(y))
    )


def _is_finite(values: Any) -> bool:
    # Where a value is NaN or infinite, so is the sum, in one pass. It may be where none is: then these two tell.
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(values.sum()):
            return True
    return math.isfinite(values.max()) and math.isfinite(values.min())
