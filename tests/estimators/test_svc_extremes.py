"""Data and parameters at the edge of what numbers can hold: an answer with an honest status in bounded time, never a
hang, a crash or a silent NaN. Each case runs in a process of its own, so that a hang fails instead of blocking."""

import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import mercer
from mercer import SVC

SECONDS = 20
N = 200

# "Solved" promises tol = 1e-3 with the rounding of float64 values on top.
PROMISED = 1e-3 * 1.02


def rows_and_labels(n=N, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + 0.5 * rng.standard_normal(n) > 0).astype(int)


def scaled(factor, n=N, seed=3):
    X, y = rows_and_labels(n, seed)
    return X * factor, y


def denormal():
    X, y = rows_and_labels()
    return np.sign(X) * 5e-324, y


def unscaled():
    X, y = rows_and_labels()
    return X * np.array([1e-8, 1.0, 1e4, 1e8]), y


def constant():
    return np.ones((N, 3)), rows_and_labels()[1]


def contradictory():
    X, y = rows_and_labels()
    return np.r_[X, X], np.r_[y, 1 - y]


def minus_dot(A, B):
    return -(A @ B.T)


def indefinite_matrix():
    rng = np.random.default_rng(5)
    K = rng.standard_normal((N, N))
    return K + K.T, rows_and_labels()[1]


CASES = {
    "huge values, rbf with gamma 1": (scaled, (1e200,), {"gamma": 1.0}),
    "large values, linear": (scaled, (1e30,), {"kernel": "linear"}),
    "large values, rbf": (scaled, (1e30,), {}),
    "tiny values, rbf": (scaled, (1e-30,), {}),
    "values whose squares are denormal, rbf": (scaled, (1e-160,), {}),
    "values whose squares are denormal, poly": (scaled, (1e-160,), {"kernel": "poly"}),
    "values whose squares vanish, rbf": (scaled, (1e-200,), {}),
    "denormals, rbf": (denormal, (), {}),
    "denormals, linear": (denormal, (), {"kernel": "linear"}),
    "constant features, rbf": (constant, (), {}),
    "constant features, linear": (constant, (), {"kernel": "linear"}),
    "constant features, poly": (constant, (), {"kernel": "poly"}),
    "duplicates with opposite labels, rbf": (contradictory, (), {}),
    "duplicates with opposite labels, large C": (contradictory, (), {"C": 1e10}),
    "duplicates with opposite labels, linear, large C": (contradictory, (), {"C": 1e10, "kernel": "linear"}),
    "C=1e10, rbf": (rows_and_labels, (), {"C": 1e10}),
    "C=1e10, linear": (rows_and_labels, (), {"C": 1e10, "kernel": "linear"}),
    "C=1e10, poly": (rows_and_labels, (), {"C": 1e10, "kernel": "poly"}),
    "C=1e-300": (rows_and_labels, (), {"C": 1e-300}),
    "the smallest C": (rows_and_labels, (), {"C": 5e-324}),
    "degree 20": (rows_and_labels, (), {"kernel": "poly", "degree": 20}),
    "degree 20, gamma 1": (rows_and_labels, (), {"kernel": "poly", "degree": 20, "gamma": 1.0, "coef0": 1.0}),
    "unscaled columns, rbf": (unscaled, (), {}),
    "unscaled columns, rbf, C=1e10": (unscaled, (), {"C": 1e10}),
    "unscaled columns, linear": (unscaled, (), {"kernel": "linear"}),
    "unscaled columns, poly": (unscaled, (), {"kernel": "poly"}),
    "sigmoid": (rows_and_labels, (), {"kernel": "sigmoid", "coef0": -2.0, "C": 100.0}),
    "indefinite callable": (rows_and_labels, (), {"kernel": minus_dot}),
    "indefinite matrix": (indefinite_matrix, (), {"kernel": "precomputed"}),
    "a matrix of huge values": (lambda: gram_of(scaled(1e150)), (), {"kernel": "precomputed"}),
    "a matrix of zeros": (lambda: (np.zeros((N, N)), rows_and_labels()[1]), (), {"kernel": "precomputed"}),
    "gamma 0": (rows_and_labels, (), {"gamma": 0}),
    "gamma 1e300": (rows_and_labels, (), {"gamma": 1e300}),
    "a tolerance below rounding": (rows_and_labels, (), {"tol": 1e-15, "C": 100.0}),
    "a gap below rounding": (rows_and_labels, (), {"gap_tol": 1e-17}),
    "a budget of one kilobyte": (rows_and_labels, (), {"cache_size": 1e-3}),
    "more threads than rows": (rows_and_labels, (), {"n_jobs": 1000}),
}

# The kernel's values themselves are beyond float64: no machine exists, and the error says which kernel and what to do.
OVERFLOWING = {
    "huge values, rbf": (scaled, (1e200,), {}),
    "huge values whose squares just overflow, rbf": (scaled, (1e154, 50, 1), {}),
    "huge values, sigmoid": (scaled, (1e200,), {"kernel": "sigmoid"}),
    "huge values, laplacian": (scaled, (1e200,), {"kernel": "laplacian"}),
    "huge values, linear": (scaled, (1e200,), {"kernel": "linear"}),
    "huge values, poly": (scaled, (1e200,), {"kernel": "poly", "gamma": 1.0}),
    "degree 10000": (rows_and_labels, (), {"kernel": "poly", "degree": 10_000, "gamma": 1.0}),
}


def gram_of(data):
    return data[0] @ data[0].T, data[1]


def outcome(name):
    """Fits one case; runs in the worker."""
    build, arguments, parameters = {**CASES, **OVERFLOWING}[name]
    X, y = build(*arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = SVC(**parameters).fit(X, y)
            values = model.decision_function(X)
        except mercer.MercerError as error:
            return {"error": f"{type(error).__name__}: {error}"}
    certificate = model.certificate_
    return {
        "status": model.status_.name,
        "values": values,
        "certificate": [certificate.primal, certificate.dual, certificate.violation, certificate.accuracy],
        "warnings": [warning.category.__name__ for warning in caught],
        "model": {
            "coef": model.dual_coef_[0],
            "support": model.support_,
            # What predictions go by, and more than float64 coefficients can make up where these are huge.
            "weights": model.coef_[0] if parameters.get("kernel") == "linear" else None,
        },
    }


class Worker:
    """One process that runs cases, each once; replaced when it hangs or dies."""

    def __init__(self):
        self._pool = None
        self._known = {}

    def run(self, function, *arguments):
        key = function, arguments
        if key not in self._known:
            self._known[key] = self._answer(function, *arguments)
        return self._known[key]

    def _answer(self, function, *arguments):
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._pool.submit(SVC).result(timeout=60)
        try:
            return self._pool.submit(function, *arguments).result(timeout=SECONDS)
        except TimeoutError:
            self.stop()
            pytest.fail(f"no answer within {SECONDS} s")
        except BrokenProcessPool:
            self._pool = None
            pytest.fail("the process died")

    def stop(self):
        if self._pool is not None:
            for process in list(self._pool._processes.values()):
                process.kill()
            self._pool.shutdown(wait=True)
            self._pool = None


@pytest.fixture(scope="module")
def worker():
    worker = Worker()
    yield worker
    worker.stop()


@pytest.mark.parametrize("name", CASES)
def test_extreme_case_gets_finite_numbers_and_a_status(worker, name):
    result = worker.run(outcome, name)
    assert "error" not in result, result["error"]
    assert np.all(np.isfinite(result["values"]))
    assert np.all(np.isfinite(result["certificate"]))
    assert ("UnsolvedWarning" in result["warnings"]) == (result["status"] not in ("SOLVED", "STATIONARY"))
    assert set(result["warnings"]) <= {"UnsolvedWarning", "NumericsWarning"}


# Cases in which long doubles give the kernel values that the promise is about.
CHECKED = [
    name
    for name, (build, arguments, parameters) in CASES.items()
    if parameters.get("kernel", "rbf") in ("rbf", "linear", "poly")
    and build in (rows_and_labels, contradictory, unscaled, constant)
    and "tol" not in parameters
]


def naive_violation(X, y, parameters, coef, weights):
    """m(α) − M(α) from kernel values in long double, or from the weights of a linear machine."""
    X = X.astype(np.longdouble)
    gamma = parameters.get("gamma", "scale")
    if gamma == "scale":
        gamma = 1 / (X.shape[1] * X.var()) if X.var() > 0 else 1.0
    kernel = parameters.get("kernel", "rbf")
    if kernel == "rbf":
        K = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    else:
        K = X @ X.T
        if kernel == "poly":
            K = (gamma * K + parameters.get("coef0", 0.0)) ** parameters.get("degree", 3)
    t = np.where(y == 1, 1, -1)
    alpha, C = t * coef, parameters.get("C", 1.0)
    offsets = t - (K @ coef if weights is None else X @ weights)
    above, below = alpha > 0, alpha < C * (1 - 1e-12)
    up, low = np.where(t > 0, below, above), np.where(t > 0, above, below)
    return float(np.max(offsets[up], initial=-np.inf) - np.min(offsets[low], initial=np.inf))


@pytest.mark.parametrize("name", CHECKED)
def test_solved_extreme_case_is_solved_to_long_double(worker, name):
    build, arguments, parameters = CASES[name]
    result = worker.run(outcome, name)
    assert "error" not in result, result["error"]
    if result["status"] not in ("SOLVED", "STATIONARY"):
        return  # honest by the test above
    X, y = build(*arguments)
    coef = np.zeros(len(y))
    coef[result["model"]["support"]] = result["model"]["coef"]
    violation = naive_violation(X, y, parameters, coef, result["model"]["weights"])
    assert violation <= PROMISED + result["certificate"][3]


@pytest.mark.parametrize(
    ("name", "status"),
    [("sigmoid", "STATIONARY"), ("indefinite callable", "SOLVED"), ("indefinite matrix", "SOLVED")],
)
def test_indefinite_kernel_reaches_a_stationary_point_as_scikit_learn_does(worker, name, status):
    """It says so where the kernel is known to be indefinite; of a callable and of a matrix nobody knows."""
    result = worker.run(outcome, name)
    assert result["status"] == status
    assert result["certificate"][2] <= PROMISED


def test_vanishing_gamma_is_the_constant_kernel_and_solved(worker):
    assert worker.run(outcome, "gamma 0")["status"] == "SOLVED"


@pytest.mark.parametrize("name", OVERFLOWING)
def test_kernel_values_beyond_float64_are_an_error_that_says_what_to_do(worker, name):
    result = worker.run(outcome, name)
    assert "KernelError" in result.get("error", "an answer")
    assert "overflow" in result["error"] or "not finite" in result["error"]
    assert "Scale the features" in result["error"]


def weights_that_vanish():
    X, y = rows_and_labels()
    try:
        SVC(C=1e-3).fit(X, y, sample_weight=np.full(N, 5e-324))
    except mercer.MercerError as error:
        return str(error)
    return "fitted"


def test_bounds_that_underflow_are_refused_as_such_or_fitted(worker):
    said = worker.run(weights_that_vanish)
    assert said == "fitted" or "weight" in said


def unequal_scales(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2)) * np.array([1.0, 1e6])
    return SVC(C=1e4, kernel="rbf", gamma=1.0, time_limit=SECONDS / 2).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0)


def test_far_apart_rows_are_all_support_vectors_and_all_right(worker):
    assert worker.run(unequal_scales, 1500) == 1.0


def test_distances_of_the_kernel_are_exact_for_far_rows():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3)) + 1e6
    expected = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    # Rows are centred before distances are taken, so the offset of 1e6 costs its own rounding only.
    np.testing.assert_allclose(mercer.RBF(0.5)(X), expected, rtol=1e-8, atol=1e-12)
