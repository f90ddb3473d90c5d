"""The parent's side of a worker process: start it, ask it, and kill it when it takes too long."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class MissingError(Exception):
    """The library cannot be imported."""


class OverLimitError(Exception):
    """The worker did not answer the verb in time and was killed."""

    def __init__(self, verb: str) -> None:
        super().__init__(verb)
        self.verb = verb


class FailedError(Exception):
    """The library raised, or its process died."""


class RemoteLibrary:
    """One library in a fresh process.

    Parameters
    ----------
    worker : sequence of str
        The module that serves it, and what that wants to know.
    threads : int
        Threads the process may use.

    Raises
    ------
    MissingError
        If the library cannot be imported there.
    """

    def __init__(self, worker: Sequence[str], threads: int) -> None:
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
        self._connection, theirs = Pipe()
        command = [sys.executable, "-m", *worker, str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        try:
            self.version, self.bits = self._answer("start", None)
        except FailedError as error:
            self.close()
            raise MissingError(str(error)) from error

    def ask(self, verb: str, *arguments: Any, limit: float | None = None) -> Any:
        """Send a verb and wait for its answer, at most ``limit`` seconds."""
        try:
            self._connection.send((verb, arguments))
        except OSError as error:
            raise FailedError("its process died") from error
        return self._answer(verb, limit)

    def _answer(self, verb: str, limit: float | None) -> Any:
        if not self._connection.poll(limit):
            self.close()
            raise OverLimitError(verb)
        try:
            kind, value = self._connection.recv()
        except (EOFError, OSError) as error:
            raise FailedError(f"its process died with code {self._process.wait()}") from error
        if kind == "error":
            raise FailedError(value)
        return value

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
