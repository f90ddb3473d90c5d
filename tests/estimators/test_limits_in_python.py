"""Deadlines and callbacks of the machines that are learned in Python, and of slow kernels under them."""

import time
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles

from mercer import KernelRegression, Perceptron, Progress, Status, UnsolvedWarning

# What a deadline may be missed by on a busy machine, beyond one block of kernel values.
BUSY = 0.4
A_BLOCK = 0.1
LIMIT = 0.4


def slow(seconds):
    """A kernel that takes so long for each value."""

    def kernel(A, B):
        time.sleep(seconds * A.shape[0] * B.shape[0])
        return np.exp(-((A[:, None, :] - B[None]) ** 2).sum(axis=2))

    return kernel


@pytest.fixture(scope="module")
def rings():
    return make_circles(600, noise=0.3, factor=0.8, random_state=0)


MACHINES = {
    "weights": Perceptron(tol=None, max_iter=10**9),
    "coefficients": Perceptron("poly", degree=1, gamma=1.0, tol=None, max_iter=10**9),
    "classes": Perceptron("rbf", gamma=1e-3, tol=None, max_iter=10**9),
    "regression": KernelRegression(tol=None, max_passes=10**9, random_state=0),
}


def machine(name, **parameters):
    return clone(MACHINES[name]).set_params(**parameters)


def labels(name, y):
    return np.arange(len(y)) % 3 if name == "classes" else y


@pytest.mark.parametrize("name", MACHINES)
def test_time_limit_holds_and_leaves_a_machine(rings, name):
    X, y = rings
    model = machine(name, time_limit=LIMIT)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, labels(name, y))
    assert LIMIT <= time.perf_counter() - began < LIMIT + BUSY
    assert model.status_ is Status.TIME_LIMIT
    assert model.n_iter_ > 0
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("a_value", [1e-3, 0.15])
@pytest.mark.parametrize("kind", [Perceptron, KernelRegression])
def test_slow_kernel_misses_the_limit_by_one_block_at_most(rings, kind, a_value):
    X, y = rings
    model = kind(kernel=slow(a_value), tol=None, time_limit=LIMIT)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, y)
    # A block has one value at least, and the second two.
    assert LIMIT <= time.perf_counter() - began < LIMIT + max(A_BLOCK, 2 * a_value) + BUSY
    assert model.status_ is Status.TIME_LIMIT
    assert model.n_iter_ == 0


@pytest.mark.parametrize("kind", [Perceptron, KernelRegression])
def test_machine_of_a_fit_that_had_no_time_is_the_one_it_started_from(rings, kind):
    X, y = rings[0][:80], rings[1][:80]
    quick = slow(0.0)
    model = kind(kernel=quick, warm_start=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model.fit(X, y)
    values = model.predict(X)
    before = model.dual_coef_.copy()
    model.set_params(kernel=slow(0.01), time_limit=0.05)
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, before)
    np.testing.assert_allclose(model.set_params(kernel=quick).predict(X[:2]), values[:2], rtol=1e-9)
    model.set_params(warm_start=False, kernel=slow(0.01))
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, y)
    assert len(model.support_) <= 1
    if kind is KernelRegression:
        np.testing.assert_array_equal(model.predict(X), np.zeros(len(X)))
        assert np.isnan(model.objective_).all()
        assert np.isnan(model.learning_rate_)


def test_rows_held_out_make_no_difference_to_a_fit_that_had_no_time(rings):
    X, y = rings
    model = KernelRegression(kernel=slow(0.01), time_limit=0.05, validation_fraction=0.2, learning_rate=0.5)
    with pytest.warns(UnsolvedWarning, match="Not all kernel values were known"):
        model.fit(X, y)
    assert np.isnan(model.validation_objective_).all()
    assert model.learning_rate_ == 0.5


@pytest.mark.parametrize("name", MACHINES)
def test_callback_hears_of_progress_and_stops(rings, name):
    X, y = rings
    heard = []

    def listen(progress):
        heard.append(progress)
        return len(heard) == 2

    model = machine(name, callback=listen, time_limit=10.0)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="callback"):
        model.fit(X, labels(name, y))
    assert time.perf_counter() - began < 0.3 + BUSY
    assert model.status_ is Status.INTERRUPTED
    assert isinstance(heard[0], Progress)
    assert heard[1].steps > heard[0].steps > 0
    assert heard[1].seconds > heard[0].seconds
    assert heard[0].problems == (3 if name == "classes" else 1)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("name", MACHINES)
def test_exception_of_the_callback_leaves_the_earlier_fit(rings, name):
    X, y = rings

    def fail(progress):
        raise KeyError("enough")

    model = machine(name, time_limit=0.1)
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, labels(name, y))
    before = model.predict(X)
    model.set_params(callback=fail, time_limit=10.0)
    with pytest.raises(KeyError, match="enough"):
        model.fit(X[:, :1], labels(name, y))
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("name", MACHINES)
def test_warning_points_at_the_line_of_the_user(rings, name):
    X, y = rings
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        machine(name, time_limit=0.05).fit(X, labels(name, y))
    assert heard[0].filename == __file__


@pytest.mark.parametrize("name", MACHINES)
def test_limit_that_is_not_met_changes_nothing(rings, name):
    X, y = rings
    few = {"max_passes" if name == "regression" else "max_iter": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        free, limited = (
            machine(name, time_limit=limit, **few).fit(X, labels(name, y)).predict(X) for limit in (None, 100.0)
        )
    np.testing.assert_array_equal(free, limited)
