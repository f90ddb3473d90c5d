"""The process of one search: ``python -m benchmarks.tune.worker WAY FOLDER ROWS PROBLEM FD`` answers on a socket."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any, NamedTuple

import sklearn

from benchmarks import memory
from benchmarks.service import serve
from benchmarks.tune.race import seconds_of, warm_up
from benchmarks.tune.record import Found, found_by
from benchmarks.tune.searches import by_mercer, one_by_one
from benchmarks.tune.tasks import many_rows

#: Megabytes for kernel values.
MEMORY = 500
BOUNDED = f"memory={MEMORY}"


class Searched(NamedTuple):
    """Answer to "search": the time, peak memory above that with the data loaded, and what was found."""

    seconds: float
    peak_mb: float
    found: Found


class Worker:
    """Searches one problem in one way."""

    def __init__(self, way: str, folder: Path, rows: int | None, name: str) -> None:
        self._way = way
        (self._task,) = (task for task in many_rows(folder, rows) if task.name == name)
        dataset = self._task.load()
        self._X, self._y = dataset.X_train.copy(), dataset.y_train.copy()

    def search(self, threads: int) -> Searched:
        """A new search, after one of a few rows."""
        warm_up(lambda: self._made(threads))
        gc.collect()
        loaded = memory.resident_mb()
        memory.reset_peak()
        search = self._made(threads)
        seconds = seconds_of(search, self._X, self._y)
        return Searched(seconds, max(0.0, memory.peak_mb() - loaded), found_by(search))

    def _made(self, threads: int) -> Any:
        return by_mercer(self._task, threads, memory=MEMORY) if self._way == BOUNDED else one_by_one(self._task)


def main(way: str, folder: str, rows: str, name: str, descriptor: int) -> None:
    """Serve the way on a problem; zero rows are all of them."""

    def start() -> tuple[tuple[str, int], Worker]:
        return (sklearn.__version__, 64), Worker(way, Path(folder), int(rows) or None, name)

    serve(descriptor, start)


if __name__ == "__main__":
    # The parent unpickles the answers as benchmarks.tune.worker's, not as __main__'s.
    from benchmarks.tune import worker

    way, folder, rows, name, descriptor = sys.argv[1:]
    worker.main(way, folder, rows, name, int(descriptor))
