"""What regression and the support of a distribution share: one problem on all rows, one function."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from mercer.data import read_sample_weight
from mercer.estimators.base import KernelEstimator, Posed
from mercer.estimators.fitting import FittedExpansions
from mercer.kernels import Kernel
from mercer.machines import SingleMachine
from mercer.typing import Floats, Integers

__all__ = ["OneFunction", "WeightedRows"]


class WeightedRows(NamedTuple):
    """The rows that weigh something, in the order in which they are solved, with their targets and weights."""

    rows: Integers
    y: Floats
    weights: Floats


class OneFunction(KernelEstimator):
    """An estimator whose machine is one function."""

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> WeightedRows:
        weights = read_sample_weight(sample_weight, rows)
        chosen = np.flatnonzero(weights > 0)
        if self.random_state is not None:
            chosen = check_random_state(self.random_state).permutation(chosen)
        targets = np.zeros(rows) if y is None else np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        return WeightedRows(chosen, targets[chosen], weights[chosen])

    def _start(self, targets: WeightedRows, shape: tuple[int, int], posed: Posed) -> Floats | None:
        earlier = self.__dict__.get("_machine")
        if earlier is None or self.shape_fit_ != shape:
            return None
        return np.asarray(earlier.coef_at_rows(0, shape[0])[targets.rows])

    def _machine_of(
        self, kernel: Kernel, X: Any, targets: WeightedRows, posed: Posed, fitted: FittedExpansions
    ) -> SingleMachine:
        return SingleMachine.of_rows(kernel, X, fitted.rows, fitted.coef, fitted.intercept)
