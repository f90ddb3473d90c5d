"""The process of one library: ``python -m benchmarks.worker TASK LIBRARY FD`` answers verbs on a socket."""

from __future__ import annotations

import gc
import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from numpy.typing import NDArray

from benchmarks import memory
from benchmarks.libraries import LIBRARIES
from benchmarks.libraries.base import Coefficients, Library, Settings
from benchmarks.service import keep_to_cores, serve

# A warm action shorter than this many seconds is repeated until it has greedy_fill them, and the median counts.
SHORTEST = 0.2
FEWEST = 5


@dataclass(frozen=True)
class Fitted:
    """Answer to "fit": the time, and peak memory above the memory with the data loaded."""

    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Predicted:
    """Answer to "predict": the time and the labels."""

    seconds: float
    labels: NDArray[Any]


@dataclass(frozen=True)
class Machine:
    """Answer to "model": the coefficients and what the library remarks about them."""

    coefficients: Coefficients
    remark: str


class Worker:
    """Carries out the verbs on one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._cold = True
        self._loaded_mb = 0.0

    def load(self, dataset: Path, settings: Settings) -> None:
        """Read the data and let the library prepare it."""
        keep_to_cores(settings.threads)
        self._library.prepare(pickle.loads(dataset.read_bytes()), settings)
        gc.collect()
        self._loaded_mb = memory.resident_mb()

    def fit(self) -> Fitted:
        """Train; the first call of the process is the cold one and is timed once."""
        memory.reset_peak()
        seconds, _ = _timed(self._library.fit, once=self._cold)
        self._cold = False
        return Fitted(seconds, max(0.0, memory.peak_mb() - self._loaded_mb))

    def predict(self) -> Predicted:
        """Labels of the test rows."""
        return Predicted(*_timed(self._library.predict))

    def evaluate(self) -> float:
        """Seconds for the decision values of the training rows."""
        return _timed(self._library.evaluate)[0]

    def model(self) -> Machine:
        """The machine of the last fit."""
        return Machine(self._library.coefficients(), self._library.remark())


def _timed(action: Callable[[], Any], once: bool = False) -> tuple[float, Any]:
    timings: list[float] = []
    while True:
        start = time.perf_counter()
        result = action()
        timings.append(time.perf_counter() - start)
        if once or timings[0] >= SHORTEST or (sum(timings) >= SHORTEST and len(timings) >= FEWEST):
            return median(timings), result


def main(task: str, name: str, descriptor: int) -> None:
    """Serve the library on a task."""

    def start() -> tuple[tuple[str, int], Worker]:
        library = LIBRARIES[name](task)
        return (library.version(), library.bits), Worker(library)

    serve(descriptor, start)


if __name__ == "__main__":
    # The parent unpickles the answers as benchmarks.worker's, not as __main__'s.
    from benchmarks import worker

    worker.main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
