"""The memory budget: what a fit keeps beside the data stays within cache_size."""

import subprocess
import sys
import textwrap

import pytest

MEASURE = """
    import sys, warnings
    import numpy as np
    from mercer import SVC

    def kilobytes(key):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(key))

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    SVC(n_jobs=2).fit(rng.standard_normal((3000, 20)), rng.integers(0, 2, 3000))  # threads and libraries are there
    X, y = rng.standard_normal(({n}, {d})), rng.integers(0, {classes}, {n})
    {prepare}
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts anew
    before = kilobytes("VmRSS")
    SVC(cache_size={budget}, time_limit=2, {parameters}).fit(X, y)
    print((kilobytes("VmHWM") - before) / 1000)
"""


def growth(budget, n=20_000, d=20, classes=2, parameters="", prepare=""):
    """Growth of the resident set at its peak, in MB."""
    script = MEASURE.format(budget=budget, n=n, d=d, classes=classes, parameters=parameters, prepare=prepare)
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return float(run.stdout)


# The state of the solver and of the certificate, some thirty float64 vectors of n; the machine, whose support vectors
# may be all rows; and what the allocator keeps.
def beside_the_budget(n, d):
    return (30 * 8 * n + 8 * n * d) / 1e6 + 15


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "parameters"),
    [(50, ""), (200, ""), (50, "C=1000.0, gamma=0.05, n_jobs=2"), (200, "kernel='linear', C=10.0")],
)
def test_fit_of_many_rows_stays_within_its_budget(budget, parameters):
    assert growth(budget, parameters=parameters) <= budget + beside_the_budget(20_000, 20)


@pytest.mark.slow
def test_hundred_thousand_rows_stay_within_their_budget():
    # Labels that the features explain, so that the fit runs to its end within the time.
    separable = "y = (X[:, 0] + X[:, 1] > 0).astype(int)"
    rows = 100_000
    assert growth(100, n=rows, d=10, parameters="gamma=0.1", prepare=separable) <= 100 + beside_the_budget(rows, 10)


@pytest.mark.slow
def test_wide_data_stay_within_their_budget():
    assert growth(100, n=10_000, d=400) <= 100 + beside_the_budget(10_000, 400)


@pytest.mark.slow
def test_several_classes_share_one_budget():
    assert growth(50, classes=4, parameters="C=100.0, n_jobs=2") <= 50 + beside_the_budget(20_000, 20)


@pytest.mark.slow
def test_callable_kernel_stays_within_its_budget():
    made = "dot = lambda A, B: A @ B.T"
    # The callable's own result is the user's: one batch of rows, at most the size of the budget.
    assert growth(50, n=8000, parameters="kernel=dot", prepare=made) <= 2 * 50 + beside_the_budget(8000, 20)


@pytest.mark.slow
def test_sparse_data_are_not_made_dense():
    sparse = (
        "import scipy.sparse as sp; X = sp.csr_matrix("
        "(np.ones(400000), rng.integers(0, 20000, 400000), np.arange(0, 400001, 20)), shape=(20000, 20000))"
    )
    # 400,000 stored values; dense they would be 3,200 MB.
    assert growth(50, parameters="kernel='linear'", prepare=sparse) <= 50 + beside_the_budget(20_000, 60)
