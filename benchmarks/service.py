"""The side of the process that is asked: a worker's methods answer verbs on a socket; `remote` is the other side."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def serve(descriptor: int, start: Callable[[], tuple[Any, Any]]) -> None:
    """Answer verbs until the other side closes the socket.

    Parameters
    ----------
    descriptor : int
        The socket.
    start : callable
        Returns a greeting, which is sent first, and the worker whose methods are the verbs.
    """
    connection = Connection(descriptor)
    # Whatever a library prints belongs to the progress, not to the report on stdout.
    os.dup2(2, 1)
    try:
        greeting, worker = start()
        connection.send(("ready", greeting))
    except Exception as error:
        connection.send(("error", f"{type(error).__name__}: {error}"))
        return
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


def keep_to_cores(threads: int) -> None:
    """Let this process see only so many cores: some libraries count them, and not variables."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
