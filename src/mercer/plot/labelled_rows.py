"""Rows with labels of two classes, checked against the machine that is to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import InputError
from mercer.typing import Floats, Labels

__all__ = ["LabelledRows", "check_plane", "check_two_classes"]


@dataclass(frozen=True)
class LabelledRows:
    """Data, labels, the two classes, and the sign of each row: +1 is the second class."""

    X: Floats
    y: Labels
    classes: Labels
    signs: Floats

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any) -> LabelledRows:
        """Raises unless the estimator is fitted on two classes and the rows are numbers with labels of these."""
        check_two_classes(estimator)
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        if X.ndim != 2 or len(X) == 0 or not np.isfinite(X).all():
            raise InputError(f"X: expected a matrix of finite numbers with a row a point, got shape {X.shape}.")
        if y.shape != (len(X),):
            raise InputError(f"y: expected a label for each of {len(X)} rows, got shape {y.shape}.")
        classes = np.asarray(estimator.classes_)
        if not np.isin(y, classes).all():
            strange = np.setdiff1d(y, classes)[0]
            raise InputError(f"y: expected labels {classes[0]} and {classes[1]}, got {strange}.")
        return cls(X, y, classes, np.where(y == classes[1], 1.0, -1.0))


def check_two_classes(estimator: Any) -> None:
    """Raises unless the estimator is a fitted classifier of two classes."""
    check_is_fitted(estimator)
    classes = getattr(estimator, "classes_", ())
    if len(classes) != 2:
        raise InputError(
            f"Expected a machine for two classes, got {type(estimator).__name__} for {len(classes)}. Fit one on two."
        )


def check_plane(X: Floats) -> None:
    """Raises unless the rows are points of the plane."""
    if X.ndim != 2 or X.shape[1] != 2:
        raise InputError(f"Expected data with two features, got shape {X.shape}. Pick or project two of them.")
