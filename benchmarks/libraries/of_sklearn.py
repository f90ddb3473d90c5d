"""scikit-learn's estimators, which have no threads."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries.base import Settings
from benchmarks.libraries.estimator import ESTIMATORS, EstimatorLibrary


class Sklearn(EstimatorLibrary):
    """``sklearn.svm.SVC`` and its kin."""

    distribution = "scikit-learn"

    def __init__(self, task: str, bits: int = 64) -> None:
        super().__init__(task, bits)
        from sklearn import svm

        self._class: Any = getattr(svm, ESTIMATORS[task])

    def build(self, settings: Settings) -> Any:
        return self._class(**settings.parameters, tol=settings.tol, cache_size=settings.cache_mb)
