"""The verbs of a library in the race, and what is asked of and returned by it."""

from __future__ import annotations

import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from benchmarks.dataset import Dataset


@dataclass(frozen=True)
class Settings:
    """What every library is told: the problem's parameters and the common terms of the race."""

    parameters: Mapping[str, float | int | str]
    tol: float
    cache_mb: float
    threads: int


@dataclass(frozen=True)
class Coefficients:
    """A fitted machine in LIBSVM's layout.

    Attributes
    ----------
    classes : array, shape (k,)
        In an order such that in the pair (i, j), i < j, class i has the positive coefficients; empty where the machine
        is one function.
    support : array of int, shape (m,)
        Training rows.
    dual : array, shape (k - 1, m)
        For a row of class i, its coefficient against class j is in row j - 1 if j > i, else in row j; one row where the
        machine is one function.
    intercept : array, shape (k (k - 1) / 2,)
    """

    classes: NDArray[Any]
    support: NDArray[Any]
    dual: NDArray[Any]
    intercept: NDArray[Any]


class Library(ABC):
    """One library on one task; lives in a worker process of its own.

    The constructor imports the library, and raises ImportError if it is missing.
    """

    #: Name of the distribution, for its version.
    distribution: str
    #: Bits of the floats the library is given: the judge uses the same rounded data.
    bits: int = 64

    def version(self) -> str:
        """Version of the installed distribution."""
        return importlib.metadata.version(self.distribution)

    @abstractmethod
    def prepare(self, dataset: Dataset, settings: Settings) -> None:
        """Take the data in the form the library likes best; not timed."""

    @abstractmethod
    def fit(self) -> None:
        """Train a new machine on the training rows; timed."""

    @abstractmethod
    def predict(self) -> NDArray[Any]:
        """Labels or values of the test rows; timed."""

    def evaluate(self) -> None:
        """Decision values of the training rows, where the library is the yardstick; timed."""
        raise NotImplementedError(f"{self.distribution} is not the yardstick")

    @abstractmethod
    def coefficients(self) -> Coefficients:
        """The machine of the last fit."""

    def remark(self) -> str:
        """What a reader should know about the last fit, such as a fallback."""
        return ""
