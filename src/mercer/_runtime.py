"""The one place that imports the compiled core, and decides on threads."""

from __future__ import annotations

import os
from functools import cache

from mercer import _core as core
from mercer.costs import VALUES_PER_THREAD

__all__ = ["core", "available_threads", "threads_worth"]


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


def threads_worth(kernel_values: int, threads: int | None) -> int:
    """As many of the threads as have enough to do: waking one for less takes longer than it saves.

    None means those that are available, which are only counted where more than one has.
    """
    worth = 1 + kernel_values // VALUES_PER_THREAD
    if worth > 1 and threads is None:
        threads = available_threads()
    return worth if threads is None else min(worth, threads)
