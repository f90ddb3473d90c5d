"""LIBLINEAR, and for kernel machines LIBSVM, through scikit-learn; and its stochastic gradients."""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks.linear.libraries.estimator import EstimatorLibrary, descent_parameters, parameters
from benchmarks.linear.tasks import Rung, Task


class Sklearn(EstimatorLibrary):
    """``sklearn.svm.LinearSVC``, ``LinearSVR``, ``SVC`` and ``SGDClassifier``, all on one thread."""

    distribution = "scikit-learn"

    def __init__(self) -> None:
        from sklearn import linear_model, svm
        from sklearn.exceptions import ConvergenceWarning

        # A fit that ends at its passes is judged by what it reached, as all are.
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        self._svm: Any = svm
        self._linear_model: Any = linear_model

    def build(self, task: Task, rung: Rung) -> Any:
        if task.is_descent:
            return self._linear_model.SGDClassifier(**descent_parameters(task, rung, self._X.shape[0]))
        estimator = getattr(self._svm, task.estimator)
        if task.is_kernel_machine:
            return estimator(**parameters(task), tol=rung.tol)
        return estimator(
            **parameters(task), tol=rung.tol, dual=rung.solver == "dual", max_iter=rung.passes, random_state=0
        )
