"""The numbers of many small fits are those of the file, bit by bit."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import numbers


@pytest.mark.skipif(
    not Path("/proc/cpuinfo").exists() or numbers.read()["fingerprint"] != numbers.fingerprint(),
    reason="the file was written with another processor or other libraries",
)
def test_numbers_of_fits_are_the_same_bit_by_bit():
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", "check"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
