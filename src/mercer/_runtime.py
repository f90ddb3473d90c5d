"""The one place that imports the compiled core: it hands the core SciPy's BLAS and LAPACK and decides on threads."""

from __future__ import annotations

import ctypes
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import scipy.linalg.cython_blas as cython_blas
import scipy.linalg.cython_lapack as cython_lapack
from scipy.sparse import issparse
from threadpoolctl import ThreadpoolController

from mercer import _core as core

__all__ = ["core", "available_threads", "threads_worth", "one_blas_thread"]

# Some 0.2 ms of work.
_VALUES_A_THREAD = 100_000


def _integer_bytes(capsule: object) -> int:
    """Width of BLAS integers, read from the C signature that names the capsule."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    signature = name_of(capsule).decode()
    if "int64_t *" in signature or "long *" in signature:
        return 8
    if "int *" in signature:
        return 4
    raise ImportError(
        f"SciPy's BLAS has the signature {signature!r}, in which no integer type is recognised. "
        "Install a SciPy release from its wheels."
    )


_blas, _lapack = cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__
core.install_blas(
    sgemm=_blas["sgemm"],
    dgemm=_blas["dgemm"],
    dpotrf=_lapack["dpotrf"],
    dpotrs=_lapack["dpotrs"],
    integer_bytes=_integer_bytes(_blas["sgemm"]),
)


@cache  # reading it takes as long as predicting a row
def _cgroup_quota() -> int | None:
    """Processors that the control group allows, rounded up; None where it sets no limit."""
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            quota, period = file.read().split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None


def available_threads() -> int:
    """Threads to use by default: affinity, the control group's quota and OMP_NUM_THREADS, the least of them."""
    counts = [len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1]
    quota = _cgroup_quota()
    if quota is not None:
        counts.append(quota)
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if wanted.isdigit() and int(wanted) > 0:
        counts.append(int(wanted))
    return min(counts)


def threads_worth(kernel_values: int, threads: int) -> int:
    """As many of the threads as have enough to do: waking one for less takes longer than it saves."""
    return min(threads, 1 + kernel_values // _VALUES_A_THREAD)


class _BlasLimit:
    """Holds BLAS to one thread while anybody asks for it.

    The limit belongs to the whole process, so fits in several Python threads must share one: the first to enter sets
    it and the last to leave restores what was there.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._controller: ThreadpoolController | None = None
        self._limiter: object | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                if self._controller is None:
                    self._controller = ThreadpoolController().select(user_api="blas")
                self._limiter = self._controller.limit(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._limiter is not None:
                self._limiter.restore_original_limits()  # type: ignore[attr-defined]
                self._limiter = None

    def forget(self) -> None:
        """In the child of a fork no other thread lives on: whoever held the limit there is gone."""
        self._lock = threading.Lock()
        self._users = 0
        if self._limiter is not None:
            self._limiter.restore_original_limits()  # type: ignore[attr-defined]
            self._limiter = None


_limit, _nothing = _BlasLimit(), nullcontext()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.forget)


def one_blas_thread(X: Any) -> AbstractContextManager[None]:
    """Within it BLAS calls run on the thread that makes them: the core's own threads are the parallel layer.

    Nothing happens for data that the core does not hand to BLAS.
    """
    return _nothing if issparse(X) or X.shape[1] < core.blas_columns() else _limit
