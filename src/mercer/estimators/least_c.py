"""The C below which an l1 penalty leaves no weight, as scikit-learn answers it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

from mercer import checks
from mercer.data import read_class_targets
from mercer.errors import InputError

__all__ = ["l1_min_c"]

# Minus the slope of the loss of a row at f = 0, by the margin y f.
_SLOPES = {"squared_hinge": 2.0, "log": 0.5}


def l1_min_c(
    X: Any, y: Any, *, loss: str = "squared_hinge", fit_intercept: bool = True, intercept_scaling: float = 1.0
) -> float:
    """The largest C at which machines with penalty="l1" have weights of zero only; above it some are not.

    At w = 0 no weight pays where C times the slope of the losses along each feature is at most one, the slope of |w|.
    For `LinearSVC(penalty="l1")` and `sklearn.linear_model.LogisticRegression` with an l1 penalty, without weights of
    rows or classes. Of several classes, each against the rest, it is that of the first to have a weight.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Labels.
    loss : {"squared_hinge", "log"}, default="squared_hinge"
        That of `LinearSVC`, or of logistic regression.
    fit_intercept : bool, default=True
        Whether there is a regularised intercept, which is a weight as well.
    intercept_scaling : float, default=1.0
        The value of the feature whose weight it is.

    Returns
    -------
    float

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import LinearSVC, l1_min_c
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> least = l1_min_c(X, y)
    >>> [int((LinearSVC(penalty="l1", C=factor * least).fit(X, y).coef_ != 0).sum()) for factor in (0.99, 1.5)]
    [0, 1]
    """
    checks.choice("loss", loss, tuple(_SLOPES))
    checks.flag("fit_intercept", fit_intercept)
    checks.positive("intercept_scaling", intercept_scaling)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    check_consistent_length(X, y)
    targets = read_class_targets(y, None, None)
    steepest = 0.0
    for number in [1] if len(targets.classes) == 2 else range(len(targets.classes)):
        signs = np.where(targets.codes == number, 1.0, -1.0)
        steepest = max(steepest, float(np.abs(signs @ X).max()))
        if fit_intercept:
            steepest = max(steepest, abs(float(intercept_scaling) * float(signs.sum())))
    if steepest == 0:
        raise InputError(
            "Ill-posed l1_min_c calculation: l1 will always select zero coefficients for this data: expected a feature "
            "whose mean differs between the classes, got none. Check X, or take penalty='l2'."
        )
    return 1.0 / (_SLOPES[loss] * steepest)
