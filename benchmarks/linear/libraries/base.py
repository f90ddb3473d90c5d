"""The verbs of a library in the race, and the weights it returns."""

from __future__ import annotations

import importlib.metadata
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.dataset import Dataset
from benchmarks.linear.record import Bound
from benchmarks.linear.tasks import Rung, Task


@dataclass(frozen=True)
class Weights:
    """Functions wᵀx + b.

    Attributes
    ----------
    coef : array, shape (k, d)
        One row for each class against the rest; for two classes, and for regression, there is one row, positive for
        the second class.
    intercept : array, shape (k,)
    """

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]


class Library(ABC):
    """One library; lives in a worker process of its own.

    The constructor imports the library, and raises ImportError if it is missing.
    """

    #: Name of the distribution, for its version.
    distribution: str

    def version(self) -> str:
        """Version of the installed distribution."""
        return importlib.metadata.version(self.distribution)

    @abstractmethod
    def prepare(self, dataset: Dataset, threads: int) -> None:
        """Take the data in the form the library likes best; not timed."""

    @abstractmethod
    def fit(self, task: Task, rung: Rung) -> None:
        """Train a new machine; timed."""

    @abstractmethod
    def weights(self) -> Weights:
        """The machine of the last fit."""

    def model(self) -> Any:
        """The estimator of the last fit, where it is a kernel machine."""
        raise NotImplementedError(f"{self.distribution} has no kernel machines")

    def prove(self, task: Task, seconds: float) -> Bound:
        """What can be proved of the optimum in so many seconds, where the library has certificates."""
        raise NotImplementedError(f"{self.distribution} proves nothing")
