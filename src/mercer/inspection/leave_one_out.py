"""How far every row is from what the others predict of it, without a second fit.

Solves       for each row i, least squares or ridge regression on all rows but i, and its error at row i
See          docs/lectures/influence.md; Allen (1974); Cawley and Talbot (2004) for kernels
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_X_y

from mercer import checks
from mercer.data import core_ready
from mercer.errors import InputError, ParameterError
from mercer.kernels import kernel_from_name
from mercer.rows import checked_matrix, rows_of
from mercer.typing import Floats

__all__ = ["leave_one_out_residuals"]

# 1 − h of a row that no other can stand in for is rounding: some thousand times the precision of the sum it comes from.
_DECIDED_ALONE = 1e-12
# Negative eigenvalues of a Gram matrix below this share of the largest one are rounding.
_ROUNDING = 1e-10


def leave_one_out_residuals(
    X: Any, y: Any, ridge: float = 0.0, intercept: bool = True, *, kernel: Any = None
) -> Floats:
    """y_i − f₋ᵢ(x_i), where f₋ᵢ is fitted to all rows but the i-th: the one fit to all rows tells them all.

    The fit minimises Σ (y_i − f(x_i))² + ridge ‖w‖². Its values are f = Hy with a matrix H that knows nothing of y, and
    the error of row i, left out, is (y_i − f(x_i)) / (1 − H_ii).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Rows, or kernel values between them where kernel="precomputed".
    y : array-like of shape (n_samples,)
        Targets.
    ridge : float, default=0.0
        Penalty on ‖w‖², in the space of the features where there is a kernel.
    intercept : bool, default=True
        Whether f has an intercept, which costs nothing.
    kernel : Kernel, callable or str, optional
        None is least squares or ridge regression on the features themselves. Else kernel ridge regression, with a
        kernel object, a function, "precomputed", or a name with the default parameters of `SVC`. A gamma named "scale"
        is that of all rows.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from mercer.inspection import leave_one_out_residuals
    >>> leave_one_out_residuals([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0]).round(6).tolist()
    [3.0, -1.5, 3.0]
    """
    ridge = checks.not_negative("ridge", ridge)
    intercept = checks.flag("intercept", intercept)
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    centre = float(y.mean()) if intercept else 0.0
    if kernel is None:
        U, s, _ = np.linalg.svd(X - X.mean(axis=0) if intercept else X, full_matrices=False)
        kept = s > max(X.shape) * np.finfo(np.float64).eps * s[0]
        U, squares = U[:, kept], s[kept] ** 2
    else:
        U, squares = _directions(_gram(kernel, X), intercept)
    # H = 1/n (of the intercept) + U diag(share) Uᵀ
    share = squares / (squares + ridge)
    values = centre + U @ (share * (U.T @ (y - centre)))
    leverage = (1.0 / len(y) if intercept else 0.0) + np.square(U) @ share
    alone = np.flatnonzero(1.0 - leverage < _DECIDED_ALONE)
    if len(alone):
        raise InputError(
            f"leave_one_out_residuals: expected each row to be predictable from the others, got {len(alone)} of "
            f"{len(y)} rows without which the fit is not determined, row {alone[0]} among them. Set a ridge > 0, or "
            "remove features."
        )
    return np.asarray((y - values) / (1.0 - leverage))


def _gram(kernel: Any, X: Floats) -> Floats:
    chosen = kernel_from_name(kernel, "scale", 3, 0.0)
    X = core_ready(checked_matrix(chosen, X))
    return rows_of(chosen.resolve(X), X).values(np.arange(len(X)))


def _directions(K: Floats, intercept: bool) -> tuple[Floats, Floats]:
    """Eigenvectors and eigenvalues of the kernel values, around the mean of the features where it is free."""
    if intercept:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(K)
    largest = float(np.abs(values).max())
    if values[0] < -_ROUNDING * largest:
        raise ParameterError(
            f"kernel: expected a positive semi-definite one, got an eigenvalue of {values[0]:.3g} on these rows."
        )
    kept = values > _ROUNDING * largest
    return vectors[:, kept], values[kept]
