"""What regression and the support of a distribution share: one problem on all rows, one function."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from mercer import checks
from mercer.data import read_numbers, read_sample_weight
from mercer.estimators.base import KernelEstimator
from mercer.fits import Fitted, Task
from mercer.machines import KernelMachine, SingleMachine
from mercer.problems import DualProblem
from mercer.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["SingleOutput", "WeightedRows"]


class WeightedRows(NamedTuple):
    """The rows that weigh something, in the order in which they are solved, with their targets and weights."""

    rows: Integers
    y: Floats
    weights: Floats


class SingleOutput(KernelEstimator):
    """An estimator whose machine is one function."""

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> WeightedRows:
        weights = read_sample_weight(sample_weight, rows)
        chosen = np.flatnonzero(weights > 0)
        if self.random_state is not None:
            chosen = check_random_state(self.random_state).permutation(chosen)
        targets = np.zeros(rows) if y is None else read_numbers(y)
        return WeightedRows(chosen, targets[chosen], weights[chosen])

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
