"""Least squares told in training rows instead of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_X_y

from mercer.errors import InputError
from mercer.machines import locked
from mercer.typing import Floats

__all__ = ["LeastSquaresInExamples", "least_squares_in_examples"]


@dataclass(frozen=True, eq=False)
class LeastSquaresInExamples:
    """f(x) = wᵀx, which is Σ_i alpha_i x_iᵀx.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
        The shortest weights of least squares.
    alpha : ndarray of shape (n_samples,)
        The shortest coefficients of the rows with w = Xᵀ alpha.
    residuals : ndarray of shape (n_samples,)
        y − Xw.
    X : ndarray of shape (n_samples, n_features)
        The rows.
    """

    w: Floats
    alpha: Floats
    residuals: Floats
    X: Floats

    def influence(self, x: Any) -> Floats:
        """alpha_i x_iᵀx of every training row, for one point or for the rows of a matrix; they sum to f."""
        points = np.asarray(x, dtype=np.float64)
        if points.ndim not in (1, 2) or points.shape[-1] != len(self.w):
            raise InputError(f"x: expected points of {len(self.w)} features, got shape {points.shape}.")
        points = check_array(np.atleast_2d(points)).reshape(points.shape)
        return np.asarray(points @ self.X.T * self.alpha)


def least_squares_in_examples(X: Any, y: Any) -> LeastSquaresInExamples:
    """Least squares by its weights of the features and, the same function, by its coefficients of the rows.

    With as many independent rows as features w = (XᵀX)⁻¹Xᵀy and alpha = X(XᵀX)⁻¹w; with more features than rows
    alpha = (XXᵀ)⁻¹y. Both are alpha = (XXᵀ)⁺y and w = Xᵀ alpha, which also hold where neither inverse exists.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows. There is no intercept: add a column of ones where one is wanted.
    y : array-like of shape (n_samples,)
        Targets.

    Returns
    -------
    LeastSquaresInExamples

    Examples
    --------
    >>> from mercer.inspection import least_squares_in_examples
    >>> told = least_squares_in_examples([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 2.0, 3.0])
    >>> told.w.round(6).tolist()
    [1.0, 1.0]
    >>> round(float(told.influence([1.0, 3.0]).sum()), 6)
    4.0
    """
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    kept = s > max(X.shape) * np.finfo(np.float64).eps * s[0]
    U, s, Vt = U[:, kept], s[kept], Vt[kept]
    seen = U.T @ y
    w, alpha = Vt.T @ (seen / s), U @ (seen / s**2)
    return LeastSquaresInExamples(locked(w), locked(alpha), locked(y - X @ w), locked(X.copy()))
