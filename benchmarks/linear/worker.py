"""The process of one library: ``python -m benchmarks.linear.worker LIBRARY FD`` answers verbs on a socket."""

from __future__ import annotations

import gc
import pickle
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.dataset import Dataset
from benchmarks.linear.libraries import LIBRARIES
from benchmarks.linear.libraries.base import Library, Weights
from benchmarks.linear.record import Bound
from benchmarks.linear.tasks import Rung, Task
from benchmarks.service import keep_to_cores, serve

# Enough rows that a fit of them loads every module and starts every thread.
SAMPLE = 2_000


@dataclass(frozen=True)
class Fitted:
    """Answer to "fit": the time, and peak memory above the memory with the data loaded."""

    seconds: float
    peak_mb: float


class Worker:
    """Carries out the verbs on one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._loaded_mb = 0.0

    def load(self, dataset: Path, threads: int, task: Task, rung: Rung) -> None:
        """Read the data and let the library prepare it, after a fit of a sample: the fits to come are warm."""
        keep_to_cores(threads)
        data: Dataset = pickle.loads(dataset.read_bytes())
        self._library.prepare(_sample(data), threads)
        self._library.fit(task, rung)
        self._library.prepare(data, threads)
        del data
        gc.collect()
        self._loaded_mb = memory.resident_mb()

    def fit(self, task: Task, rung: Rung) -> Fitted:
        """Train a new machine."""
        memory.reset_peak()
        start = time.perf_counter()
        self._library.fit(task, rung)
        seconds = time.perf_counter() - start
        return Fitted(seconds, max(0.0, memory.peak_mb() - self._loaded_mb))

    def weights(self) -> Weights:
        """The machine of the last fit."""
        return self._library.weights()

    def model(self) -> Any:
        """The estimator of the last fit."""
        return self._library.model()

    def prove(self, task: Task, seconds: float) -> Bound:
        """What can be proved of the optimum."""
        return self._library.prove(task, seconds)


def _sample(data: Dataset) -> Dataset:
    step = -(-data.X_train.shape[0] // SAMPLE)
    return Dataset(data.X_train[::step], data.y_train[::step], data.X_test, data.y_test)


def main(name: str, descriptor: int) -> None:
    """Serve the library."""

    def start() -> tuple[tuple[str, int], Worker]:
        library = LIBRARIES[name]()
        return (library.version(), 64), Worker(library)

    serve(descriptor, start)


if __name__ == "__main__":
    # The parent unpickles the answers as benchmarks.linear.worker's, not as __main__'s.
    from benchmarks.linear import worker

    worker.main(sys.argv[1], int(sys.argv[2]))
