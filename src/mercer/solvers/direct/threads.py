"""Small factorisations by one thread: waking a second one of BLAS takes longer than it saves."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["few_threads"]

# Rows from which on a second thread pays.
_WORTH_TWO = 500


@cache  # finding the libraries takes some milliseconds
def _controller() -> Any:
    return ThreadpoolController()


def few_threads(rows: int, threads: int | None) -> AbstractContextManager[Any]:
    """BLAS held to as many threads as problems of so many rows are worth."""
    if rows >= _WORTH_TWO and threads is None:
        return nullcontext()
    limit = 1 if rows < _WORTH_TWO else threads
    return _controller().limit(limits=limit, user_api="blas")  # type: ignore[no-any-return]
