"""Mercer's estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.linear.libraries.estimator import EstimatorLibrary, descent_parameters, parameters
from benchmarks.linear.record import Bound
from benchmarks.linear.tasks import Rung, Task

# The optimum is bounded by a fit to this relative gap, or to the least one that is reached in time.
PROOF_TOL = 1e-9


class Mercer(EstimatorLibrary):
    """``mercer.LinearSVC``, ``LinearSVR``, ``SVC`` and ``SGDClassifier``, in float64."""

    distribution = "mercer"

    def __init__(self) -> None:
        import mercer

        self._mercer: Any = mercer

    def version(self) -> str:
        from mercer._runtime import core

        return f"{self._mercer.__version__} ({core.simd_level()})"

    def build(self, task: Task, rung: Rung) -> Any:
        estimator = getattr(self._mercer, task.estimator)
        if task.is_descent:
            return estimator(**descent_parameters(task, rung, self._X.shape[0]), n_jobs=self._threads)
        return estimator(**parameters(task), tol=rung.tol, n_jobs=self._threads)

    def prove(self, task: Task, seconds: float) -> Bound:
        # What a descent minimises has the same optimum, times C n.
        posed = replace(task, estimator="LinearSVC") if task.is_descent else task
        machine = self.build(posed, Rung("", PROOF_TOL))
        machine.set_params(time_limit=seconds, regularize_intercept=not task.has_free_intercept)
        certificate = machine.fit(self._X, self._y).certificate_
        return Bound(certificate.dual, certificate.relative_gap)
