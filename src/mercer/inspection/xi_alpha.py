"""A bound on the errors that leave-one-out would count, from one fit.

Solves       nothing: counts the training rows with 2 alpha_i R² + ξ_i ≥ 1
Given        a fitted SVC of two classes and its training rows
See          docs/lectures/influence.md; Joachims (2000), Estimating the generalization performance of an SVM
             efficiently
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import svm

from mercer.errors import InputError
from mercer.estimators import SVC
from mercer.estimators.certification import check_training_data
from mercer.inspection.functions import KernelFunction, function_of, read_rows
from mercer.machines import locked
from mercer.rows import Rows, checked_matrix, rows_of
from mercer.typing import Integers

__all__ = ["XiAlphaBound", "xi_alpha_bound"]

# Kernel values are looked at this many at a time.
_VALUES_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class XiAlphaBound:
    """What leave-one-out can count at most.

    Attributes
    ----------
    errors : int
        The bound: no more rows than these are misclassified by the machine trained without them.
    share : float
        The same as a share of the rows.
    rows : ndarray of int
        The rows that are counted. The others are classified rightly without a second fit.
    squared_radius : float
        R²: the largest kernel value between training rows less the smallest.
    has_free : bool
        Whether some support vector is below its bound. Without one the intercept is not determined, and the bound is
        an estimate only. The machines trained without a row are supposed to have one, too.
    """

    errors: int
    share: float
    rows: Integers
    squared_radius: float
    has_free: bool


def xi_alpha_bound(model: Any, X: Any, y: Any) -> XiAlphaBound:
    """Joachims' ξα bound on the leave-one-out errors of a support vector classifier of two classes.

    A row can only be misclassified by the machine that is trained without it where 2 alpha_i R² + ξ_i ≥ 1, with its
    multiplier alpha_i, its slack ξ_i = max(0, 1 − t_i f(x_i)) and R² ≥ k(x, x) − k(x, z) over all rows. The bound is
    often far too high: with few support vectors it is close, with a narrow kernel it counts nearly every row.

    Parameters
    ----------
    model : SVC
        A fitted `SVC` of Mercer or of scikit-learn, for two classes, without sample weights. Rows within its `tol` of
        the condition are counted, since so far the machine may be from the optimum that the bound speaks of.
    X, y
        What it was fitted on.

    Returns
    -------
    XiAlphaBound

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from mercer import SVC
    >>> from mercer.inspection import xi_alpha_bound
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> xi_alpha_bound(SVC().fit(X, y), X, y).share < 0.25
    True
    """
    if not isinstance(model, (SVC, svm.SVC)):
        raise InputError(f"xi_alpha_bound: expected a fitted SVC, got {type(model).__name__}.")
    function = function_of(model, None)
    assert isinstance(function, KernelFunction)
    machine = function.machine
    assert function.sides is not None
    X = read_rows(X, machine.n_features, machine)
    rows = rows_of(machine.kernel, checked_matrix(machine.kernel, X))
    if X.shape != tuple(model.shape_fit_):
        raise InputError(f"X: expected the training rows, of shape {tuple(model.shape_fit_)}, got {X.shape}.")
    check_training_data(machine, rows)
    signs = function.sides.signs(y, X.shape[0])
    alpha = np.abs(machine.coef_at_rows(0, X.shape[0]))
    slack = np.maximum(0.0, 1.0 - signs * function.values(X))
    radius = _squared_radius(rows)
    doubtful = np.flatnonzero(2.0 * alpha * radius + slack >= 1.0 - float(model.tol))
    bounds = float(model.C) * np.where(signs > 0, model.class_weight_[1], model.class_weight_[0])
    has_free = bool(np.any((alpha > 0) & (alpha < bounds)))
    return XiAlphaBound(len(doubtful), len(doubtful) / len(rows), locked(doubtful), radius, has_free)


def _squared_radius(rows: Rows) -> float:
    """The largest kernel value less the smallest."""
    everyone, most, least = np.arange(len(rows)), -np.inf, np.inf
    for some in np.array_split(everyone, -(-(len(rows) ** 2) // _VALUES_PER_BLOCK)):
        values = rows.values(some, everyone)
        most, least = max(most, float(values.max())), min(least, float(values.min()))
    return most - least
