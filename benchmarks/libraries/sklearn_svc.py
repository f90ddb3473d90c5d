"""scikit-learn's SVC, which has no threads."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries.base import Settings
from benchmarks.libraries.estimator import EstimatorLibrary


class SklearnSVC(EstimatorLibrary):
    """``sklearn.svm.SVC``."""

    distribution = "scikit-learn"

    def __init__(self, bits: int = 64) -> None:
        super().__init__(bits)
        from sklearn.svm import SVC

        self._class: Any = SVC

    def build(self, settings: Settings) -> Any:
        return self._class(**settings.parameters, tol=settings.tol, cache_size=settings.cache_mb)
