"""Mercer's estimators."""

from __future__ import annotations

from typing import Any

from benchmarks.linear.libraries.estimator import EstimatorLibrary, parameters
from benchmarks.linear.record import Bound
from benchmarks.linear.tasks import Rung, Task

# The optimum is bounded by a fit to this relative gap, or to the least one that is reached in time.
PROOF_TOL = 1e-9


class Mercer(EstimatorLibrary):
    """``mercer.LinearSVC``, ``LinearSVR`` and ``SVC``, in float64."""

    distribution = "mercer"

    def __init__(self) -> None:
        import mercer

        self._mercer: Any = mercer

    def version(self) -> str:
        from mercer._runtime import core

        return f"{self._mercer.__version__} ({core.simd_level()})"

    def build(self, task: Task, rung: Rung) -> Any:
        estimator = getattr(self._mercer, task.estimator)
        return estimator(**parameters(task), tol=rung.tol, n_jobs=self._threads)

    def prove(self, task: Task, seconds: float) -> Bound:
        machine = self.build(task, Rung("", PROOF_TOL)).set_params(time_limit=seconds).fit(self._X, self._y)
        certificate = machine.certificate_
        return Bound(certificate.dual, certificate.relative_gap)
