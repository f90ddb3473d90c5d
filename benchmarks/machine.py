"""The machine a report was made on: processor, cores, memory, system and versions."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path


def describe() -> list[str]:
    """Lines for the head of the report."""
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy"))
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return [
        f"Date: {datetime.date.today().isoformat()}",
        f"Processor: {_processor()}, {_cores()} cores, {_memory()}{load}",
        f"System: {platform.system()} {platform.release()}, Python {platform.python_version()}, {packages}",
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = next((line.split(":", 1)[1].split() for line in lines if line.startswith("flags")), [])
    widest = next((flag for flag in ("avx512f", "avx2", "avx") if flag in flags), platform.machine())
    return f"{names[0] if names else platform.machine()} ({widest})"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "memory unknown"
    return f"{total / 2**30:.0f} GB"
