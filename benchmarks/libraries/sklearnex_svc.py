"""The SVC of scikit-learn-intelex, by its own class: nothing is patched."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries.base import Settings
from benchmarks.libraries.estimator import EstimatorLibrary


class SklearnexSVC(EstimatorLibrary):
    """``sklearnex.svm.SVC``; it takes CSR rows too."""

    distribution = "scikit-learn-intelex"

    def __init__(self, bits: int = 64) -> None:
        super().__init__(bits)
        from sklearnex.svm import SVC

        self._class: Any = SVC

    def build(self, settings: Settings) -> Any:
        return self._class(
            **settings.parameters, tol=settings.tol, cache_size=settings.cache_mb, n_jobs=settings.threads
        )

    def remark(self) -> str:
        # sklearnex hands what oneDAL cannot do to scikit-learn without a word.
        return "" if hasattr(self._machine, "_onedal_estimator") else "fell back to scikit-learn"
