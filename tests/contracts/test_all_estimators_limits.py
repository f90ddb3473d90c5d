"""Warm starts, limits and callbacks of every estimator of the registry."""

import time
import warnings

import numpy as np
import pytest

import mercer
from mercer import OneClassSVM, Status, UnsolvedWarning
from tests.contracts.estimator_data import (
    ENTRY,
    SLOW_ENTRY,
    TOL,
    N,
    assert_same_machine,
    data,
    make,
    targets,
    unsolved,
    values,
)


@ENTRY
def test_warm_start_from_the_solution_takes_next_to_no_steps(entry):
    X, y = data(entry, 600)
    model = make(entry, tol=1e-4, warm_start=True).fit(X, y)
    cold, expected = int(np.sum(model.n_iter_)), values(model, X)
    model.fit(X, y)
    assert np.sum(model.n_iter_) <= cold // 5
    assert model.status_ is Status.SOLVED
    # Both at tol = 1e-4; one class is not divided by anything.
    size = max(1.0, np.abs(model.intercept_[0]))
    np.testing.assert_allclose(values(model, X), expected, rtol=0, atol=1e-2 * size)


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
@ENTRY
def test_warm_start_from_the_solution_takes_no_more_steps_than_a_cold_start(entry, tol):
    X, y = data(entry, 600)
    model = make(entry, tol=tol, warm_start=True).fit(X, y)
    cold = int(np.sum(model.n_iter_))
    assert np.sum(model.fit(X, y).n_iter_) <= cold


@pytest.mark.parametrize("factor", [0.5, 0.95, 1.05, 1.5])
@ENTRY
def test_warm_start_with_another_parameter_reaches_the_same_optimum(entry, factor):
    X, y = data(entry)
    name = "nu" if "nu" in entry.parameters else "C"
    changed = {name: factor * entry.parameters[name]}
    warm = make(entry, warm_start=True).fit(X, y).set_params(**changed).fit(X, y)
    assert_same_machine(warm, make(entry, **changed).fit(X, y), X)


@pytest.mark.parametrize("factor", [0.95, 1.05])
@ENTRY
def test_warm_start_with_another_parameter_does_no_harm(entry, factor):
    X, y = data(entry, 600)
    name = "nu" if "nu" in entry.parameters else "C"
    changed = {name: factor * entry.parameters[name]}
    warm = make(entry, tol=1e-4, warm_start=True).fit(X, y).set_params(**changed).fit(X, y)
    cold = make(entry, tol=1e-4, **changed).fit(X, y)
    # As a rule it takes far fewer steps; that it never takes a few more is no promise.
    assert np.sum(warm.n_iter_) <= 1.3 * np.sum(cold.n_iter_)


@pytest.mark.parametrize("factor", [0.5, 2.0])
@ENTRY
def test_warm_start_with_other_weights_reaches_the_same_optimum(entry, factor):
    X, y = data(entry)
    v = np.full(N, factor)
    warm = make(entry, warm_start=True).fit(X, y).fit(X, y, sample_weight=v)
    assert_same_machine(warm, make(entry).fit(X, y, sample_weight=v), X)


@pytest.mark.parametrize("second", ["another length", "other targets", "other features", "other weights"])
@ENTRY
def test_warm_start_on_other_data_gives_what_a_cold_start_gives(entry, second):
    X, y = data(entry)
    model = make(entry, warm_start=True).fit(X, y)
    arguments = {
        "another length": (X[:90], y[:90]),
        "other targets": (X, y[::-1]),
        "other features": (X[:, :2], y),
        "other weights": (X, y, np.linspace(0.5, 1.5, N)),
    }[second]
    with warnings.catch_warnings():
        # A start is not what decides; targets at random may leave next to no margin.
        warnings.simplefilter("ignore", mercer.NumericsWarning)
        warm, cold = model.fit(*arguments), make(entry).fit(*arguments)
    assert_same_machine(warm, cold, arguments[0])


@ENTRY
def test_warm_start_goes_on_where_a_limit_stopped(entry):
    X, y = data(entry, 400)
    cold = make(entry).fit(X, y)
    steps = int(np.sum(cold.n_iter_))
    model = unsolved(make(entry, max_iter=steps // 2), X, y)
    model.set_params(warm_start=True, max_iter=-1).fit(X, y)
    assert np.sum(model.n_iter_) < steps
    assert_same_machine(model, cold, X)


@pytest.mark.parametrize("max_iter", [0, 1, 20])
@ENTRY
def test_max_iter_stops_and_warns(entry, max_iter):
    X, y = data(entry)
    model = make(entry, max_iter=max_iter)
    with pytest.warns(UnsolvedWarning, match=r"iteration limit.*violation.*gap"):
        model.fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.fit_status_ == 1
    assert np.sum(model.n_iter_) <= max(1, max_iter)
    assert np.isfinite(values(model, X)).all()
    assert model.certificate_.gap > 0
    assert not model.certificate_.holds(TOL)


@ENTRY
def test_more_steps_leave_a_smaller_gap(entry):
    X, y = data(entry, 400)
    gaps = [unsolved(make(entry, max_iter=n), X, y).certificate_.gap for n in (5, 50, 400)]
    assert gaps[0] > gaps[2]
    assert gaps[1] > gaps[2]


# What a deadline may be missed by: one polling interval, the last tile and the certificate over all rows.
OVERSHOOT = 2.0


@pytest.fixture(scope="module")
def endless():
    """Pure noise: seconds of work at least, at a tolerance near to rounding."""
    return np.random.default_rng(0).normal(size=(6000, 20))


def long_fit(entry, **parameters):
    hard = {"gamma": 0.02, "nu": 0.5} if entry.kind is OneClassSVM else {"gamma": 0.02}
    hard |= {"C": 1e3} if "C" in entry.parameters else {}
    return make(entry, tol=1e-12, **{**hard, **parameters})


@SLOW_ENTRY
def test_time_limit_stops_with_a_usable_machine_and_warns(entry, endless):
    model = long_fit(entry, time_limit=0.1)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match=r"time limit.*violation.*gap"):
        model.fit(endless, targets(entry, endless))
    assert time.perf_counter() - began < 0.1 + OVERSHOOT
    assert model.status_ is Status.TIME_LIMIT
    assert np.isfinite(values(model, endless[:10])).all()
    assert model.certificate_.gap > 0
    assert not model.certificate_.holds(1e-12)


@SLOW_ENTRY
def test_callback_stops_the_fit_by_returning_true(entry, endless):
    calls = []
    model = long_fit(entry, callback=lambda progress: calls.append(progress) or True, time_limit=10.0)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="callback"):
        model.fit(endless, targets(entry, endless))
    assert time.perf_counter() - began < 0.5 + OVERSHOOT
    assert len(calls) == 1
    assert isinstance(calls[0], mercer.Progress)
    assert model.status_ is Status.INTERRUPTED
    assert np.isfinite(values(model, endless[:10])).all()


class CallbackFault(Exception):
    pass


@SLOW_ENTRY
def test_exception_in_the_callback_reaches_the_caller_and_spares_the_earlier_model(entry, endless):
    def fault(progress):
        raise CallbackFault("enough")

    X, y = data(entry)
    model = make(entry).fit(X, y)
    before = values(model, X)
    model.set_params(**long_fit(entry, callback=fault, time_limit=10.0).get_params())
    with pytest.raises(CallbackFault, match="enough"):
        model.fit(endless, targets(entry, endless))
    np.testing.assert_array_equal(values(model, X), before)
