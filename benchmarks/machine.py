"""Where figures come from: the machine, the software and the commit of Mercer they were measured with."""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

# What a compiled Mercer depends on: changes elsewhere do not make its commit another one.
SOURCES = ("src", "cpp", "CMakeLists.txt")


@dataclass(frozen=True)
class Origin:
    """When and with what a race was run.

    Attributes
    ----------
    time : str
        Start of the race: entries of one race share it.
    commit : str
        Mercer's commit, with a ``+`` where its sources were changed since; empty outside a checkout.
    software : str
        System, Python and the packages under all libraries.
    """

    time: str
    commit: str
    software: str


def describe() -> str:
    """Processor, cores and memory of this machine."""
    return f"{_processor()}, {_cores()} cores, {_memory()}"


def origin() -> Origin:
    """The origin of a race that starts now."""
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy"))
    software = f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {packages}"
    return Origin(datetime.datetime.now().isoformat(" ", "seconds"), _commit(), software)


def _commit() -> str:
    spec = importlib.util.find_spec("mercer")
    if spec is None or spec.origin is None:
        return ""
    git = ["git", "-C", str(Path(spec.origin).parent)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    paths = [f":/{path}" for path in SOURCES]
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *paths], check=False).returncode != 0
    return head.stdout.strip() + ("+" if changed else "")


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
