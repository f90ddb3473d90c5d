"""What the libraries with scikit-learn's interface share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.dataset import Dataset
from benchmarks.linear.ladders import DESCENT_RATES
from benchmarks.linear.libraries.base import Library, Weights
from benchmarks.linear.tasks import Rung, Task


class EstimatorLibrary(Library):
    """A library whose machine has ``fit``, ``coef_`` and ``intercept_``."""

    @abstractmethod
    def build(self, task: Task, rung: Rung) -> Any:
        """A new, unfitted estimator."""

    def prepare(self, dataset: Dataset, threads: int) -> None:
        self._X, self._y, self._threads = dataset.X_train, dataset.y_train, threads

    def fit(self, task: Task, rung: Rung) -> None:
        self._machine = self.build(task, rung).fit(self._X, self._y)

    def weights(self) -> Weights:
        coef = self._machine.coef_
        # A kernel machine of sparse rows has sparse weights.
        coef = coef.toarray() if sp.issparse(coef) else np.atleast_2d(coef)
        return Weights(coef, np.atleast_1d(self._machine.intercept_))

    def model(self) -> Any:
        return self._machine


def parameters(task: Task) -> dict[str, Any]:
    """The task in scikit-learn's words."""
    if task.is_kernel_machine:
        return {"kernel": "linear", "C": task.C}
    if task.estimator == "LinearSVR":
        own: dict[str, Any] = {"epsilon": task.epsilon}
    else:
        own = {"penalty": task.penalty, "multi_class": task.multi_class}
    return {"loss": task.loss, "C": task.C, "intercept_scaling": 1.0, **own}


def descent_parameters(task: Task, rung: Rung, rows: int) -> dict[str, Any]:
    """A descent on so many rows, which makes all of its passes and is averaged from the first step on."""
    return {
        "loss": task.loss,
        "alpha": 1 / (task.C * rows),
        "learning_rate": rung.solver,
        **DESCENT_RATES[rung.solver],
        "average": True,
        "max_iter": rung.passes,
        "tol": None,
        "random_state": 0,
    }
