"""Resident memory of this process and its high-water mark, which Linux lets us reset."""

from __future__ import annotations

import contextlib
import ctypes
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resident_mb() -> float:
    """Resident memory in use now; where /proc is missing, the most so far."""
    with contextlib.suppress(OSError, AttributeError):
        # What was freed but not returned would be used again unseen, and hide a part of the next peak.
        ctypes.CDLL(None).malloc_trim(0)
    return _status("VmRSS")


def peak_mb() -> float:
    """Most resident memory since the last reset."""
    return _status("VmHWM")


def reset_peak() -> None:
    """Forget the high-water mark; where the system cannot, it stays, and peaks count from the start."""
    with contextlib.suppress(OSError):
        # 5 is the code that resets VmHWM, see proc(5).
        _CLEAR.write_text("5")


def _status(key: str) -> float:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / 2**20 if sys.platform == "darwin" else most / 2**10
    return next(float(line.split()[1]) for line in lines if line.startswith(key + ":")) / 2**10
