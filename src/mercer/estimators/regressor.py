"""What regression and the support of a distribution share: one problem on all rows, one function."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mercer import checks
from mercer.data import WeightedRows, read_weighted_rows
from mercer.estimators.base import KernelEstimator
from mercer.fits import Fitted, Task
from mercer.machines import KernelMachine, SingleMachine
from mercer.problems import DualProblem
from mercer.rows import Rows
from mercer.typing import Floats

__all__ = ["SingleOutput"]


class SingleOutput(KernelEstimator):
    """An estimator whose machine is one function."""

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> WeightedRows:
        return read_weighted_rows(y, sample_weight, rows, self.random_state)

    def _predicted(self, machine: KernelMachine, X: Any) -> Floats:
        return machine.values(X, checks.thread_count(self.n_jobs), X.dtype.type)[:, 0]

    @abstractmethod
    def _problem(self, targets: WeightedRows) -> DualProblem:
        """The problem on these rows."""

    def _task(self, rows: Rows, targets: WeightedRows) -> Task:
        return Task(self._problem(targets), rows, [targets.rows], **self._tolerances())

    def _start(self, task: Task, targets: WeightedRows) -> Floats | None:
        earlier = self.__dict__.get("_machine")
        if earlier is None or self.shape_fit_ != task.rows.X.shape:
            return None
        return np.asarray(earlier.coef_at_rows(0, len(task.rows))[targets.rows])

    def _machine_of(self, fitted: Fitted, targets: WeightedRows) -> SingleMachine:
        return SingleMachine.of_rows(fitted.task.rows, *fitted.expansions())
