"""LIBLINEAR, and for kernel machines LIBSVM, through scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks.linear.libraries.estimator import EstimatorLibrary, parameters
from benchmarks.linear.tasks import Rung, Task


class Sklearn(EstimatorLibrary):
    """``sklearn.svm.LinearSVC``, ``LinearSVR`` and ``SVC``, which have no threads."""

    distribution = "scikit-learn"

    def __init__(self) -> None:
        from sklearn import svm
        from sklearn.exceptions import ConvergenceWarning

        # A fit that ends at its passes is judged by what it reached, as all are.
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        self._svm: Any = svm

    def build(self, task: Task, rung: Rung) -> Any:
        estimator = getattr(self._svm, task.estimator)
        if task.is_kernel_machine:
            return estimator(**parameters(task), tol=rung.tol)
        return estimator(
            **parameters(task), tol=rung.tol, dual=rung.solver == "dual", max_iter=rung.passes, random_state=0
        )
