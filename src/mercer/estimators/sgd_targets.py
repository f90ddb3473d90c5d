"""What descents over rows are given to begin with, and how several of them ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import InputError
from mercer.solvers import DescentTargets, Status
from mercer.typing import Floats, Integers

__all__ = ["SgdTargets", "seeds_of", "start_of_shape", "worst_of"]

_MOST_SEED = 2**31 - 1
# How descents end, the worst first.
_WORST_FIRST = [
    Status.DIVERGED,
    Status.INTERRUPTED,
    Status.TIME_LIMIT,
    Status.ITERATION_LIMIT,
    Status.STEADY,
    Status.PASSES_DONE,
    Status.SEPARATED,
]


class SgdTargets(NamedTuple):
    """Targets of all rows, and the weights of the samples without those of their classes."""

    targets: DescentTargets
    sample: Floats

    def of_mean_weight_one(self, rows: Integers) -> SgdTargets:
        """The same with weights whose share of the samples is one on average over these rows."""
        if self.targets.weights is None:
            return self
        most = float(self.sample[rows].max())  # so that no sum of weights overflows
        mean = float(np.mean(self.sample[rows] / most))
        return self._replace(targets=self.targets._replace(weights=self.targets.weights / most / mean))


def seeds_of(random: Any, problems: int) -> list[int]:
    """A seed for the orders of each problem."""
    return [int(seed) for seed in random.randint(_MOST_SEED, size=problems)]


def worst_of(statuses: Sequence[Status]) -> Status:
    """How several problems ended."""
    return min(statuses, key=_WORST_FIRST.index)


def start_of_shape(name: str, given: Any, shape: tuple[int, ...]) -> Floats:
    """Finite numbers of this shape, for one function also without its axis."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers of shape {shape}, got {type(given).__name__} ({error}).") from error
    if values.size != np.prod(shape) or (values.shape != shape and shape[0] != 1) or not np.all(np.isfinite(values)):
        raise InputError(
            f"{name}: expected finite numbers of shape {shape}, got {values.shape}: a row for each function, a column "
            "for each feature."
        )
    return values.reshape(shape)
