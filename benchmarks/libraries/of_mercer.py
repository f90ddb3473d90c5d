"""Mercer's estimators."""

from __future__ import annotations

from typing import Any

from benchmarks.libraries.base import Settings
from benchmarks.libraries.estimator import ESTIMATORS, EstimatorLibrary


class Mercer(EstimatorLibrary):
    """``mercer.SVC`` and its kin."""

    distribution = "mercer"

    def __init__(self, task: str, bits: int = 64) -> None:
        super().__init__(task, bits)
        import mercer

        self._class: Any = getattr(mercer, ESTIMATORS[task])

    def version(self) -> str:
        import mercer
        from mercer._runtime import core

        return f"{mercer.__version__} ({core.simd_level()})"

    def evaluate(self) -> None:
        evaluate = getattr(self._machine, "decision_function", self._machine.predict)
        evaluate(self._X_train)

    def build(self, settings: Settings) -> Any:
        return self._class(
            **settings.parameters, tol=settings.tol, cache_size=settings.cache_mb, n_jobs=settings.threads
        )
