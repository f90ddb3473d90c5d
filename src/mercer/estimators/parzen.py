"""What Parzen's classifier and regressor share: targets summed over windows, and queries whose window is empty."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.errors import ParameterError
from mercer.estimators.windows import (
    WindowEstimator,
    check_bandwidth,
    check_bandwidths,
    check_window,
)
from mercer.typing import Floats, Integers
from mercer.windows import choose_bandwidth
from mercer.windows.left_out import row_parts

__all__ = ["ParzenEstimator"]


class ParzenEstimator(WindowEstimator):
    """Means of targets over windows. A query whose window is empty is answered by a rule, never by 0/0."""

    empty: str
    #: Targets of the rows that weigh something, one column an output.
    _targets: Floats

    _checks: ClassVar[dict[str, checks.Check]] = {
        "kernel": check_window,
        "bandwidth": check_bandwidth(least_is_zero=True),
        "bandwidths": check_bandwidths,
        "empty": checks.one_of("nearest", "prior", "nan"),
    }

    def _settle(self, X: Floats, targets: Floats, weights: Floats) -> None:
        counts = weights > 0
        if not counts.all():
            X, targets, weights = X[counts], targets[counts], weights[counts]
        self._targets = targets
        self._put_windows(np.ascontiguousarray(X), weights, True)
        self._prior = np.average(targets, axis=0, weights=weights)
        if self.bandwidth_ is not None:
            self._check_radius()
            return
        self._check_rows_to_leave_out()
        choice = choose_bandwidth(self._losses, self._start, self._candidates)
        self._keep(choice)
        self.left_out_errors_ = choice.losses

    def _check_radius(self) -> None:
        if self._scalar == 0 and self.kernel != "tophat":
            raise ParameterError(
                f"bandwidth: expected a number > 0 with kernel={self.kernel!r}, got 0. Only the hard window, "
                "kernel='tophat', may have radius 0: it then holds equal rows."
            )

    def _means(self, X: Any) -> Floats:
        """The weighted means of the targets over the window of each query."""
        queries = self._read(X)
        found = self._summed(queries, np.array([self._scalar]), None)
        return self._answered(found[:, 0], queries, None, self.empty)

    def _summed(self, queries: Floats, bandwidths: Floats, excluded: Integers | None) -> Floats:
        memory = self._memory
        weights = memory.weights * memory.factors
        coef = np.vstack([weights, weights * self._targets.T])
        return memory.windows.sums(queries, bandwidths, coef, self._threads, excluded).values

    def _answered(self, sums: Floats, queries: Floats, excluded: Integers | None, empty: str) -> Floats:
        """Means from sums of weights and of weighted targets, and what the rule says where there are none."""
        weight, is_empty = sums[:, :1], sums[:, 0] == 0
        means = np.divide(sums[:, 1:], weight, out=np.full(sums[:, 1:].shape, np.nan), where=weight > 0)
        if empty == "prior":
            means[is_empty] = self._prior
        elif empty == "nearest" and is_empty.any():
            away = None if excluded is None else excluded[is_empty]
            rows = self._memory.index.nearest(np.ascontiguousarray(queries[is_empty]), 1, self._threads, away).rows
            means[is_empty] = self._targets[rows[:, 0]]
        return np.asarray(means)

    def _losses(self, bandwidths: Floats) -> Floats:
        """The mean loss of rows as the others answer them; a row that has no answer is answered by the prior."""
        memory, total = self._memory, np.zeros(len(bandwidths))
        empty = "prior" if self.empty == "nan" else self.empty
        for part in row_parts(len(memory.rows), len(bandwidths) * (1 + self._targets.shape[1]), memory.room):
            own = np.arange(part.start, part.stop)
            sums = self._summed(memory.rows[part], bandwidths, own)
            for k in range(len(bandwidths)):
                means = self._answered(sums[:, k], memory.rows[part], own, empty)
                total[k] += memory.weights[part] @ self._loss(means, self._targets[part])
        return np.asarray(total / memory.weights.sum())

    def _loss(self, means: Floats, targets: Floats) -> Floats:
        """Of each row."""
        raise NotImplementedError
