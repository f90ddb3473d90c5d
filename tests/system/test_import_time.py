"""Importing: quick, quiet and without side effects."""

import os
import subprocess
import sys

import pytest

# What the compiled core and the package's own files may add.
ALLOWANCE = 0.1


def seconds_added():
    """What `import mercer` costs in a process that has scikit-learn's machines already.

    In time of the processor: a shared machine makes the clock on the wall run twice as fast. With the bytecode that
    pip leaves beside what it installs: where Python is told to write none, compiling the sources takes longer.
    """
    script = "import sklearn.svm, time; began = time.process_time(); import mercer; print(time.process_time() - began)"
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    run = subprocess.run(
        [sys.executable, "-c", script], env=kept, capture_output=True, text=True, check=True, timeout=60
    )
    return float(run.stdout)


@pytest.mark.slow
def test_import_costs_little_more_than_scikit_learns_svm():
    # The best of several: the machine is shared.
    assert any(seconds_added() <= ALLOWANCE for _ in range(15))


def test_import_says_nothing_and_loads_nothing_optional():
    script = (
        "import sys, mercer; "
        "print([name for name in ('matplotlib', 'clarabel', 'fastapi', 'dask', 'torch') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("[]\n", "")


def modules_after(statement):
    """Which of some libraries are there after an import."""
    watched = ("numpy", "sklearn", "scipy.optimize")
    script = f"import sys; {statement}; print([name for name in {watched} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    return run.stdout.strip()


def test_import_loads_nothing_until_it_is_asked_for():
    assert modules_after("import mercer, mercer.estimators") == "[]"


def test_rooms_below_the_estimators_do_without_scikit_learn():
    rooms = "kernels, rows, machines, solvers, certificates, fits, calibration, tables, tabular, io, report"
    assert modules_after(f"from mercer import {rooms}") == "['numpy']"


def test_public_names_are_those_of_the_rooms():
    import mercer

    assert {"SVC", "RBF", "Certificate", "GridSearchCV", "certify", "UnsolvedWarning"} <= set(mercer.__all__)
    assert set(mercer.__all__) <= set(dir(mercer))
    assert all(getattr(mercer, name) is not None for name in mercer.__all__)
    with pytest.raises(AttributeError, match="no attribute 'SCV'"):
        mercer.SCV  # noqa: B018
