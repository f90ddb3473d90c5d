"""scikit-learn's averaged stochastic gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.dataset import Dataset
from benchmarks.linear.libraries.base import Weights
from benchmarks.linear.libraries.estimator import EstimatorLibrary
from benchmarks.linear.tasks import Rung, Task


class StochasticGradient(EstimatorLibrary):
    """``SGDClassifier`` and ``SGDRegressor``.

    The intercept is the weight of a column of ones, added before the clock starts, so that its square is regularised
    and the minimum is that of the others.
    """

    distribution = "scikit-learn"

    def __init__(self) -> None:
        from sklearn import linear_model
        from sklearn.exceptions import ConvergenceWarning

        # That the passes are too few is what the ladder shows.
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        self._models: Any = linear_model

    def prepare(self, dataset: Dataset, threads: int) -> None:
        super().prepare(dataset, threads)
        ones = np.ones((self._X.shape[0], 1))
        self._X = sp.csr_matrix(sp.hstack([self._X, ones])) if sp.issparse(self._X) else np.hstack([self._X, ones])

    def build(self, task: Task, rung: Rung) -> Any:
        options = {
            "loss": task.loss,
            "alpha": 1 / (task.C * self._X.shape[0]),
            "fit_intercept": False,
            "average": True,
            "max_iter": rung.passes,
            "tol": None,
            "random_state": 0,
        }
        if task.estimator == "LinearSVR":
            return self._models.SGDRegressor(epsilon=task.epsilon, **options)
        return self._models.SGDClassifier(**options)

    def weights(self) -> Weights:
        coef = np.atleast_2d(self._machine.coef_)
        return Weights(coef[:, :-1], coef[:, -1])
