"""Every example runs, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_prints(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert len(example.read_text().splitlines()) <= 80


def test_there_are_examples():
    assert EXAMPLES
