"""The process of one library: ``python -m benchmarks.worker TASK LIBRARY FD`` answers verbs on a socket."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

from numpy.typing import NDArray

from benchmarks import memory
from benchmarks.libraries import LIBRARIES
from benchmarks.libraries.base import Coefficients, Library, Settings

# A warm action shorter than this many seconds is repeated until it has filled them, and the median counts.
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
        if sys.platform == "linux":
            # Some libraries count cores, not variables: let them see only as many as they may use.
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[: settings.threads])
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
    """Answer verbs until the other side closes the socket."""
    connection = Connection(descriptor)
    # Whatever a library prints belongs to the progress, not to the report on stdout.
    os.dup2(2, 1)
    try:
        library = LIBRARIES[name](task)
        connection.send(("ready", (library.version(), library.bits)))
    except Exception as error:
        connection.send(("error", f"{type(error).__name__}: {error}"))
        return
    worker = Worker(library)
    while True:
        try:
            verb, arguments = connection.recv()
        except EOFError:
            return
        try:
            connection.send(("done", getattr(worker, verb)(*arguments)))
        except Exception as error:
            traceback.print_exc()
            connection.send(("error", f"{type(error).__name__}: {error}"))


if __name__ == "__main__":
    # The parent unpickles the answers as benchmarks.worker's, not as __main__'s.
    from benchmarks import worker

    worker.main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
