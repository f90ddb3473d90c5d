"""The judge: the primal objective from a library's weights, in plain NumPy; of kernel machines the true violation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.dataset import Matrix
from benchmarks.linear.libraries.base import Weights
from benchmarks.linear.tasks import Family, Task
from mercer import Certificate, certify


def primal(X: Matrix, y: NDArray[Any], task: Task, weights: Weights) -> float:
    """½‖w‖² + C Σ loss, summed over the classes, or ‖w‖₁ + C Σ loss; b is one of the weights where it is not free."""
    values = np.asarray(X @ weights.coef.T) + weights.intercept
    losses = _shortfall(values, y) if task.family is Family.CRAMMER_SINGER else _excess(values, y, task)
    if task.is_squared:
        losses = losses**2
    return _price(weights, task) + task.C * float(losses.sum())


def _price(weights: Weights, task: Task) -> float:
    priced = weights.coef if task.has_free_intercept else np.column_stack([weights.coef, weights.intercept])
    return float(np.abs(priced).sum()) if task.penalty == "l1" else 0.5 * float(np.sum(priced * priced))


def _shortfall(values: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
    """How far the value of each row's class is from being one above the largest of the others."""
    own = np.arange(values.shape[1]) == y[:, None]
    lead: NDArray[np.float64] = values[own] - np.where(own, -np.inf, values).max(axis=1)
    return np.maximum(1.0 - lead, 0.0)


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
    proof = certify(machine, X, y)
    assert isinstance(proof, Certificate)
    return float(proof.violation)
