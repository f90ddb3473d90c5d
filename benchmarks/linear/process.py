"""A library's process on one set of data, started again where it was killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.linear.tasks import Rung, Task
from benchmarks.remote import FailedError, OverLimitError, RemoteLibrary


class LibraryProcess:
    """Asks one library, which has the data loaded and is warm.

    Parameters
    ----------
    name : str
        A key of ``libraries.LIBRARIES``.
    dataset : Path
        The pickled data.
    threads : int
        Threads the library may use.
    task, rung
        What it is warmed up with.

    Raises
    ------
    MissingError
        If the library cannot be imported.
    """

    def __init__(self, name: str, dataset: Path, threads: int, task: Task, rung: Rung) -> None:
        self._name, self._threads = name, threads
        self._loading = dataset, threads, task, rung
        self._remote: RemoteLibrary | None = self._started()

    @property
    def version(self) -> str:
        """The library's version."""
        return str(self._running().version)

    def ask(self, verb: str, *arguments: Any, limit: float | None = None) -> Any:
        """Send a verb and wait for its answer, at most ``limit`` seconds."""
        try:
            return self._running().ask(verb, *arguments, limit=limit)
        except (OverLimitError, FailedError):
            self.close()
            raise

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._remote is not None:
            self._remote.close()
        self._remote = None

    def _running(self) -> RemoteLibrary:
        if self._remote is None:
            self._remote = self._started()
        return self._remote

    def _started(self) -> RemoteLibrary:
        remote = RemoteLibrary(["benchmarks.linear.worker", self._name], self._threads)
        remote.ask("load", *self._loading)
        return remote
