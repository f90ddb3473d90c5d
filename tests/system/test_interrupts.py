"""Ctrl-C during long work: it stops within half a second, the process stays healthy and the earlier model usable."""

import json
import subprocess
import sys
import textwrap

import pytest

# Half a second is promised; a shared machine may hold the process up for as long again.
PROMPT = 1.0

INTERRUPTED = """
    import json, os, signal, threading, time, warnings
    import numpy as np
    from mercer import SVC

    rng = np.random.default_rng(0)
    small = rng.standard_normal((200, 20)); small_labels = (small[:, 0] > 0).astype(int)
    model = SVC(C=1000.0, gamma=0.05, tol=1e-6, n_jobs=2).fit(small, small_labels)
    before = model.decision_function(small)

    def minus_distance(A, B):
        return np.exp(-0.05 * ((A**2).sum(1)[:, None] + (B**2).sum(1)[None] - 2 * A @ B.T))

    {setup}
    sent = []
    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer({delay}, interrupt)
    timer.start()
    latency = None
    try:
        {work}
    except KeyboardInterrupt:
        latency = time.perf_counter() - sent[0]
    timer.cancel()
    model.set_params(kernel="rbf", cache_size=1000)
    again = SVC().fit(small, small_labels)
    print(json.dumps(dict(
        latency=latency,
        usable=bool(np.array_equal(model.decision_function(small), before)),
        healthy=again.status_.name,
        score=again.score(small, small_labels),
    )))
"""

NOISE = "X = rng.standard_normal((20000, 20)); y = {labels}"

# name → (setup, work, seconds until Ctrl-C)
LONG_WORK = {
    "two classes": (NOISE.format(labels="rng.integers(0, 2, 20000)"), "model.fit(X, y)", 1.0),
    "five classes": (NOISE.format(labels="rng.integers(0, 5, 20000)"), "model.fit(X, y)", 1.0),
    # One pair holds nearly all rows: whoever solves it is most likely not the thread that hears signals.
    "a long pair elsewhere": (
        NOISE.format(labels="np.repeat(range(6), [20, 20, 20, 20, 9960, 9960])")
        + "; X[:80] += 50; model.set_params(n_jobs=8)",
        "model.fit(X, y)",
        3.0,
    ),
    "a callable kernel": (
        NOISE.format(labels="rng.integers(0, 2, 20000)") + "; model.set_params(kernel=minus_distance, cache_size=100)",
        "model.fit(X, y)",
        1.0,
    ),
    "a slow callable kernel with a time limit": (
        "X = rng.standard_normal((4000, 20)); y = rng.integers(0, 3, 4000);"
        "slow = lambda A, B: time.sleep(1e-3 * len(A)) or minus_distance(A, B);"
        "model.set_params(kernel=slow, time_limit=60)",
        "model.fit(X, y)",
        1.0,
    ),
    # The fit ends at its limit, and the certificate is being worked out by then.
    "a certificate that was put off": (
        "X = rng.standard_normal((4000, 20)); y = rng.integers(0, 2, 4000); warnings.simplefilter('ignore');"
        "slow = lambda A, B: time.sleep(1e-3 * len(A)) or minus_distance(A, B);"
        "other = SVC(kernel=slow, time_limit=0.5)",
        "other.fit(X, y).certificate_",
        2.0,
    ),
    # The solver has stopped by then, and the certificate of so many rows takes some seconds.
    "the end of a fit": (
        "X = rng.standard_normal((400000, 20)); y = rng.integers(0, 2, 400000); model.set_params(time_limit=0.5)",
        "model.fit(X, y)",
        1.2,
    ),
    "the end of a fit of several classes": (
        "X = rng.standard_normal((40000, 400)); y = rng.integers(0, 3, 40000); model.set_params(time_limit=4)",
        "model.fit(X, y)",
        6.0,
    ),
    "conjugate gradients": (
        "from mercer import KernelRidge; X = rng.standard_normal((6000, 20)); y = X[:, 0];"
        "other = KernelRidge(1e-9, kernel='rbf', solver='cg', tol=1e-14)",
        "other.fit(X, y)",
        1.0,
    ),
    "a Gaussian process of many classes": (
        "from mercer import RBF, GaussianProcessClassifier; X = rng.standard_normal((300, 5));"
        "y = rng.integers(0, 30, 300); other = GaussianProcessClassifier(1.0 * RBF(0.5), n_jobs=2)",
        "other.fit(X, y)",
        1.0,
    ),
    "a Gaussian process from many starts": (
        "from mercer import RBF, White, GaussianProcessRegressor; X = rng.standard_normal((300, 5));"
        "y = rng.standard_normal(300);"
        "other = GaussianProcessRegressor(RBF([0.5] * 5) + White(0.1), n_restarts_optimizer=1000)",
        "other.fit(X, y)",
        1.0,
    ),
    # One after another, so that a fast machine is at it as well.
    "prediction": (
        "X = rng.standard_normal((3000, 20)); y = rng.integers(0, 2, 3000); other = SVC().fit(X, y);"
        "Z = rng.standard_normal((1000000, 20))",
        "[other.predict(Z) for _ in range(100)]",
        1.0,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("work", LONG_WORK)
def test_ctrl_c_stops_long_work_promptly_and_leaves_the_process_healthy(work):
    setup, call, delay = LONG_WORK[work]
    script = textwrap.dedent(INTERRUPTED.format(setup=setup, work=call, delay=delay))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["latency"] is not None, "the work ended before Ctrl-C reached it"
    assert result["latency"] < PROMPT
    assert result["usable"]
    assert result["healthy"] == "SOLVED"
    assert result["score"] > 0.9
