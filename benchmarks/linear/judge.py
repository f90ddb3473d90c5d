"""The judge: the primal objective from a library's weights, in plain NumPy; of kernel machines the true violation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.dataset import Matrix
from benchmarks.linear.libraries.base import Weights
from benchmarks.linear.tasks import Task
from mercer import certify


def primal(X: Matrix, y: NDArray[Any], task: Task, weights: Weights) -> float:
    """½‖w‖² + C Σ loss, summed over the classes; ½b² belongs to it where the intercept is regularised."""
    coef, intercept = weights.coef, weights.intercept
    losses = _excess(np.asarray(X @ coef.T) + intercept, y, task)
    if task.is_squared:
        losses = losses**2
    offset = 0.0 if task.is_kernel_machine else float(intercept @ intercept)
    return 0.5 * (float(np.sum(coef * coef)) + offset) + task.C * float(losses.sum())


def _excess(values: NDArray[np.float64], y: NDArray[Any], task: Task) -> NDArray[np.float64]:
    """How far each value is on the wrong side of the margin, or outside the tube."""
    if task.estimator == "LinearSVR":
        errors: NDArray[np.float64] = np.abs(values - y[:, None])
        return np.maximum(errors - task.epsilon, 0.0)
    positive = np.arange(values.shape[1]) if values.shape[1] > 1 else np.array([1])
    signs = np.where(y[:, None] == positive, 1.0, -1.0)
    return np.maximum(1.0 - signs * values, 0.0)


def violation(X: Matrix, y: NDArray[Any], machine: Any) -> float:
    """LIBSVM's m(α) − M(α) of a fitted ``SVC`` of scikit-learn or Mercer: what its ``tol`` promises to bound."""
    return float(certify(machine, X, y).violation)
