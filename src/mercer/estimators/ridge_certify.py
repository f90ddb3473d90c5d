"""Certificates for kernel ridge regression that somebody else fitted, or fitted earlier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from mercer._runtime import available_threads
from mercer.certificates import RidgeCertificate, SparseRidgeCertificate, certify_ridge, certify_sparse_ridge
from mercer.data import core_ready
from mercer.errors import InputError
from mercer.estimators.landmark_regressor import LandmarkRegressor
from mercer.estimators.ridge import RidgeEstimator, RidgeRows, read_alpha, read_ridge_weights
from mercer.estimators.ridge_kernel import ridge_kernel
from mercer.rows import as_computed, checked_matrix, rows_of
from mercer.typing import Floats

__all__ = ["certify_landmark_model", "certify_ridge_model"]


def certify_ridge_model(model: Any, X: Any, y: Any, sample_weight: Any) -> RidgeCertificate:
    """The certificate of a fitted model of Mercer's or of scikit-learn's, on what it was fitted on."""
    X = core_ready(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True))
    is_ours = isinstance(model, RidgeEstimator)
    kernel = model.kernel_ if is_ours else _kernel_of(model)
    X = checked_matrix(kernel, X)
    if X.shape != model.X_fit_.shape or np.abs(X - model.X_fit_).max() != 0:
        raise InputError(
            "X: expected the data the model was fitted on, in the same order and dtype, got others. Pass the training "
            "rows."
        )
    computed = as_computed(kernel, X)
    rows = rows_of(kernel.resolve(computed), computed)
    if is_ours:
        coef, intercept, alpha = model._machine.dual_coef.T, model._machine.intercept, model._alphas
        targets, weights = model._read_known_targets(y, sample_weight)
    else:
        coef = np.asarray(model.dual_coef_, dtype=np.float64).reshape(len(rows), -1)
        intercept, alpha = np.zeros(coef.shape[1]), read_alpha(model.alpha, coef.shape[1])
        targets, weights = _columns(y), read_ridge_weights(sample_weight, len(rows))
    if targets.shape != coef.shape:
        raise InputError(f"y: expected targets of shape {coef.shape}, as in fit, got {targets.shape}.")
    data = RidgeRows(rows, targets, weights)
    absent = data.weights == 0
    if np.any(coef[absent]):
        raise InputError("sample_weight: expected that of the fit, got zero for rows whose coefficients are not.")
    task = data.task(alpha, is_ours and model._has_intercept)
    members = np.ascontiguousarray(coef[data.members])
    return certify_ridge(task.problem, task.rows, members, intercept, available_threads())


def certify_landmark_model(model: LandmarkRegressor, X: Any, y: Any, sample_weight: Any) -> SparseRidgeCertificate:
    """The exact certificate of a fitted model over landmarks, on what it was fitted on."""
    _, task, columns = model._known_task(X, y, sample_weight)
    machine = model._machine
    return certify_sparse_ridge(task.problem, columns, np.ascontiguousarray(machine.dual_coef.T), machine.intercept)


def _kernel_of(model: Any) -> Any:
    given = (model.kernel, model.gamma, model.degree, model.coef0)
    # scikit-learn takes no notice of kernel_params unless the kernel is a function.
    params = model.kernel_params if callable(model.kernel) else None
    return ridge_kernel(*given, params, owner="certify")


def _columns(y: Any) -> Floats:
    targets = np.asarray(check_array(y, ensure_2d=False), dtype=np.float64)
    return targets.reshape(len(targets), -1)
