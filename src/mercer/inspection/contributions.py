"""What each training row brings to a prediction."""

from __future__ import annotations

from typing import Any

from mercer.errors import InputError
from mercer.inspection.functions import KernelFunction, function_of
from mercer.typing import Floats

__all__ = ["contributions"]


def contributions(model: Any, X: Any, *, function: int | None = None) -> Floats:
    """The summands c_j k(x_j, x) of f(x) = Σ_j c_j k(x_j, x) + b: what each support vector says about each row.

    Parameters
    ----------
    model : estimator
        A fitted kernel machine of Mercer (`SVC`, `NuSVC`, `SVR`, `NuSVR`, `OneClassSVM`, `KernelRegression`) or of
        `sklearn.svm`.
    X : {array-like, sparse matrix} of shape (n_queries, n_features)
        Rows to explain; of a precomputed kernel their values with the training rows.
    function : int, optional
        Which function of a model of several classes: that column of its decision values, of those with
        decision_function_shape="ovo" where classes are taken pair by pair.

    Returns
    -------
    ndarray of shape (n_queries, n_support)
        In the order of `support_`. With the intercept the rows sum to the decision values, or predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import SVC
    >>> from mercer.inspection import contributions
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SVC().fit(X, y)
    >>> parts = contributions(model, X[:1])
    >>> bool(abs(parts.sum() + model.intercept_[0] - model.decision_function(X[:1])[0]) < 1e-9)
    True
    """
    asked = function_of(model, function)
    if not isinstance(asked, KernelFunction):
        raise InputError(
            f"contributions: expected a machine that keeps support vectors, got {type(model).__name__}, which keeps "
            "weights only. Fit SVC(kernel='linear') or KernelRegression(kernel='linear')."
        )
    return asked.kernel_values(X) * asked.coef
