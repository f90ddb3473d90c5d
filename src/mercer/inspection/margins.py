"""Margins: on the right side by how much, in the units of f and in those of the space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.inspection.functions import Function, function_of
from mercer.typing import Floats

__all__ = ["Margin", "functional_margins", "geometric_margins", "margin_of"]


@dataclass(frozen=True)
class Margin:
    """The margins of a set of rows: the smallest functional one, the same as a distance, and the row that has it."""

    functional: float
    geometric: float
    row: int


def functional_margins(model: Any, X: Any, y: Any, *, function: int | None = None) -> Floats:
    """t_i f(x_i), with t_i = ±1 by the side on which row i belongs: positive where the model is right.

    Twice w and b make them twice as large, though the boundary stays where it is.

    Parameters
    ----------
    model : classifier
        A fitted kernel machine of Mercer or of `sklearn.svm`, or any with `coef_`, `intercept_` and `classes_`.
    X : {array-like, sparse matrix} of shape (n_rows, n_features)
        Rows; of a precomputed kernel their values with the training rows.
    y : array-like of shape (n_rows,)
        Their labels; of a pair of classes, rows of these only.
    function : int, optional
        Which function of a model of several classes. Where these are taken pair by pair they are in the order (0, 1),
        (0, 2), …, (1, 2), …; where each is taken against the rest, in the order of `classes_`.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    return _functional(function_of(model, function), X, y, model)


def geometric_margins(model: Any, X: Any, y: Any, *, function: int | None = None, gram: Any = None) -> Floats:
    """t_i f(x_i) / ‖w‖: signed distances from the boundary, in the space of the kernel's features.

    Parameters
    ----------
    model, X, y, function
        As in `functional_margins`.
    gram : array-like of shape (n_samples, n_samples), optional
        Of a precomputed kernel: its values between the training rows, which ‖w‖ is made of.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    asked = function_of(model, function)
    return _functional(asked, X, y, model) / _length(asked, gram)


def margin_of(model: Any, X: Any, y: Any, *, function: int | None = None, gram: Any = None) -> Margin:
    """The margin of a set of rows: that of the worst of them.

    Parameters
    ----------
    model, X, y, function, gram
        As in `geometric_margins`.

    Returns
    -------
    Margin

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.inspection import margin_of
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0]], [0, 0, 1]
    >>> margin = margin_of(SVC(kernel="linear", C=float("inf")).fit(X, y), X, y)
    >>> round(margin.functional, 6), round(margin.geometric, 6)
    (1.0, 2.0)
    """
    asked = function_of(model, function)
    margins = _functional(asked, X, y, model)
    row = int(np.argmin(margins))
    return Margin(float(margins[row]), float(margins[row]) / _length(asked, gram), row)


def _functional(function: Function, X: Any, y: Any, model: Any) -> Floats:
    if function.sides is None:
        raise InputError(
            f"Expected a classifier, got {type(model).__name__}: a margin is on one side of a boundary between classes."
        )
    values = function.values(X)
    return function.sides.signs(y, len(values)) * values


def _length(function: Function, gram: Any) -> float:
    norm = function.norm(gram)
    if norm == 0:
        raise InputError("Expected a function with a boundary, got one with w = 0: it is the same everywhere.")
    return norm
