"""The estimators of scikit-learn-intelex, by its own classes: nothing is patched."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries.base import Settings
from benchmarks.libraries.estimator import ESTIMATORS, EstimatorLibrary


class Sklearnex(EstimatorLibrary):
    """``sklearnex.svm.SVC`` and its kin; they take CSR rows too."""

    distribution = "scikit-learn-intelex"

    def __init__(self, task: str, bits: int = 64) -> None:
        super().__init__(task, bits)
        from sklearnex import svm

        if not hasattr(svm, ESTIMATORS[task]):
            raise ImportError(f"it has no {ESTIMATORS[task]}")
        self._class: Any = getattr(svm, ESTIMATORS[task])

    def build(self, settings: Settings) -> Any:
        return self._class(
            **settings.parameters, tol=settings.tol, cache_size=settings.cache_mb, n_jobs=settings.threads
        )

    def remark(self) -> str:
        # sklearnex hands what oneDAL cannot do to scikit-learn without a word.
        return "" if hasattr(self._machine, "_onedal_estimator") else "fell back to scikit-learn"
