"""Importing: quick, quiet and without side effects."""

import subprocess
import sys

import pytest

# What the compiled core and the package's own files may add.
ALLOWANCE = 0.1


def seconds_to_import(module):
    script = f"import time; began = time.process_time(); import {module}; print(time.process_time() - began)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return float(run.stdout)


@pytest.mark.slow
def test_import_costs_little_more_than_scikit_learns_svm():
    # Processor time, alternating, and the best of several: the machine is shared.
    pairs = [(seconds_to_import("mercer"), seconds_to_import("sklearn.svm")) for _ in range(3)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    assert ours <= theirs + ALLOWANCE


def test_import_says_nothing_and_loads_nothing_optional():
    script = (
        "import sys, mercer; "
        "print([name for name in ('matplotlib', 'clarabel', 'fastapi', 'dask', 'torch') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")
