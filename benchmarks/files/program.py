"""The program `mercer` as a user starts it: a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

__all__ = ["run_program"]

_START = "import sys; from mercer.cli import main; sys.exit(main())"


def run_program(arguments: Sequence[str], *, input_text: str | None = None) -> str:
    """Runs it to its end; returns its standard output. Raises where it fails."""
    done = subprocess.run(
        [sys.executable, "-c", _START, *arguments], input=input_text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"mercer {' '.join(arguments)}: {done.stderr}")
    return done.stdout
