"""Fits at once in several threads, and fits in children of fork: each gives what it gives alone."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mercer import SVC, KernelError


@pytest.fixture(scope="module")
def sets():
    rng = np.random.default_rng(0)
    out = []
    for k in range(6):
        X = rng.standard_normal((400 + 700 * (k % 3), 5))
        out.append((X, np.digitize(X[:, 0] + rng.standard_normal(len(X)), [-0.5, 0.5][: 1 + k % 2])))
    return out


def machine(data, **parameters):
    model = SVC(**parameters).fit(*data)
    return model.support_, model.dual_coef_, model.intercept_, model.decision_function(data[0][:50])


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_fits_in_several_threads_give_the_same_bits_as_alone(sets, n_jobs):
    alone = [machine(data, n_jobs=n_jobs) for data in sets]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda data: machine(data, n_jobs=n_jobs), sets * 3))
    for k, arrays in enumerate(together):
        for one, other in zip(alone[k % 6], arrays, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_same_fit_twice_gives_the_same_bits(sets):
    for parameters in ({}, {"random_state": 3}, {"n_jobs": 2, "C": 100.0}):
        for one, other in zip(machine(sets[2], **parameters), machine(sets[2], **parameters), strict=True):
            np.testing.assert_array_equal(one, other)


def test_another_number_of_threads_gives_the_same_machine_to_tolerance(sets):
    one, two = (machine(sets[2], n_jobs=n_jobs, tol=1e-6)[3] for n_jobs in (1, 2))
    np.testing.assert_allclose(one, two, atol=1e-4)


def test_failure_in_one_thread_does_not_reach_the_others(sets):
    def fit(k):
        if k % 2:
            with pytest.raises(KernelError):
                SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(*sets[0])
            return None
        return machine(sets[1])

    expected = machine(sets[1])
    with ThreadPoolExecutor(4) as pool:
        for arrays in pool.map(fit, range(12)):
            if arrays is not None:
                np.testing.assert_array_equal(arrays[1], expected[1])


def test_callable_kernels_in_several_threads_do_not_deadlock(sets):
    def fit(data):
        return machine(data, kernel=lambda A, B: A @ B.T, C=0.1, cache_size=1)

    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(fit, sets[k % 2]) for k in range(4)]
        results = [future.result(timeout=60) for future in futures]
    np.testing.assert_array_equal(results[0][1], results[2][1])


def in_a_child(work, seconds=20):
    """Runs work in a child of fork and returns its exit code; a child that hangs is killed and gives None."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    done = []
    waiter = threading.Thread(target=lambda: done.append(os.waitpid(child, 0)[1]))
    waiter.start()
    waiter.join(seconds)
    if waiter.is_alive():
        os.kill(child, signal.SIGKILL)
        waiter.join()
        return None
    return os.waitstatus_to_exitcode(done[0])


# From Python 3.12 on, forking a process that has threads warns; that is what is tested here.
fork_is_meant = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@fork_is_meant
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_child_of_fork_can_fit_and_predict_after_the_parent_used_threads(sets, n_jobs):
    model = SVC(n_jobs=2).fit(*sets[2])
    expected = machine(sets[2], n_jobs=n_jobs)

    def work():
        same = all(map(np.array_equal, machine(sets[2], n_jobs=n_jobs), expected))
        return same and np.isfinite(model.decision_function(sets[2][0])).all()

    assert in_a_child(work) == 0
    assert machine(sets[2], n_jobs=n_jobs)[1] is not None


@fork_is_meant
def test_child_of_a_child_can_fit(sets):
    SVC(n_jobs=2).fit(*sets[2])

    def fit():
        return bool(machine(sets[0], n_jobs=2))

    assert in_a_child(lambda: fit() and in_a_child(fit) == 0) == 0


@fork_is_meant
def test_child_forked_while_another_thread_fits_can_fit():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20_000, 20)), rng.integers(0, 2, 20_000)
    stop, started = threading.Event(), threading.Event()

    def watch(progress):
        started.set()
        return stop.is_set()

    def long_fit():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            SVC(C=1000.0, gamma=0.05, tol=1e-6, n_jobs=2, callback=watch, time_limit=30).fit(X, y)

    thread = threading.Thread(target=long_fit)
    thread.start()
    try:
        assert started.wait(20)
        codes = [in_a_child(lambda: SVC(n_jobs=2).fit(X[:500], y[:500]).status_.name == "SOLVED") for _ in range(4)]
    finally:
        stop.set()
        thread.join()
    assert codes == [0, 0, 0, 0]


@pytest.mark.slow
def test_daemon_thread_in_a_fit_does_not_keep_the_process_from_ending():
    script = """
        import threading, time
        import numpy as np
        from mercer import SVC
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((20000, 20)), rng.integers(0, 2, 20000)
        threading.Thread(target=SVC(C=1000.0, gamma=0.05, tol=1e-6).fit, args=(X, y), daemon=True).start()
        time.sleep(1)
        print("over", flush=True)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=20)
    assert run.stdout == "over\n"
    assert run.returncode == 0, run.stderr
