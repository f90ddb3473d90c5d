"""Kernel values asked of a Python function in pieces: the same values, none asked twice, and the clock is heard."""

import time

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, CallableKernel
from mercer.rows import OutOfTime, rows_of
from mercer.rows.pace import Pace

# One call takes a twentieth of a second at most; a shared machine may hold it up for as long again.
ONE_CALL = 0.2


def data(rows=90, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 3))


class Counted:
    """The products of rows, slowly; counts calls and values."""

    def __init__(self, seconds_a_row=0.0, seconds_a_value=0.0):
        self.seconds_a_row, self.seconds_a_value = seconds_a_row, seconds_a_value
        self.sizes = []

    def __call__(self, X, Z):
        self.sizes.append(X.shape[0] * Z.shape[0])
        time.sleep(self.seconds_a_row * X.shape[0] + self.seconds_a_value * self.sizes[-1])
        return X @ Z.T


def in_a_minute():
    return Pace(time.perf_counter() + 60)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("rows", [1, 7, 90])
@pytest.mark.parametrize("pace", [Pace, in_a_minute])
def test_values_are_those_of_one_call_and_each_is_asked_for_once(pace, rows, layout):
    X, Z = layout(data(rows)), layout(data(400, seed=1))
    function = Counted()
    values = pace().values(CallableKernel(function), X, Z)
    np.testing.assert_allclose(values, (X @ Z.T).toarray() if sp.issparse(X) else X @ Z.T, rtol=1e-13)
    assert sum(function.sizes) == rows * 400


@pytest.mark.parametrize("slow", [{"seconds_a_row": 2e-3}, {"seconds_a_value": 2e-5}], ids=str)
def test_pieces_grow_to_what_takes_a_twentieth_of_a_second(slow):
    function = Counted(**slow)
    in_a_minute().values(CallableKernel(function), data(100), data(200, seed=1))
    seconds = [
        slow.get("seconds_a_row", 0) * size / 200 + slow.get("seconds_a_value", 0) * size for size in function.sizes
    ]
    assert function.sizes[0] <= 256
    assert max(seconds) <= 0.06
    assert max(seconds) > 0.02


def test_quick_function_is_asked_for_many_values_at_once():
    function = Counted()
    in_a_minute().values(CallableKernel(function), data(2000), data(2000, seed=1))
    assert len(function.sizes) < 40


@pytest.mark.parametrize("slow", [{"seconds_a_row": 5e-3}, {"seconds_a_value": 1e-3}], ids=str)
def test_deadline_is_kept_within_one_call(slow):
    X, began = data(1000), time.perf_counter()
    with pytest.raises(OutOfTime):
        Pace(began + 0.3).values(CallableKernel(Counted(**slow)), X, X)
    assert 0.3 <= time.perf_counter() - began <= 0.3 + ONE_CALL


@pytest.mark.parametrize("slow", [{"seconds_a_row": 5e-3}, {"seconds_a_value": 1e-3}], ids=str)
def test_diagonal_keeps_the_deadline_and_asks_for_few_values_of_a_slow_function(slow):
    X, began = data(1000), time.perf_counter()
    with pytest.raises(OutOfTime):
        _ = rows_of(CallableKernel(Counted(**slow)), X, began + 0.3).diagonal
    assert 0.3 <= time.perf_counter() - began <= 0.3 + ONE_CALL
    function = Counted(**slow)
    _ = rows_of(CallableKernel(function), X[:40], began + 60).diagonal
    if "seconds_a_value" in slow:
        assert sum(function.sizes) <= 4 * 40  # not the 1600 of all pairs


@pytest.mark.parametrize("kernel", [CallableKernel(Counted()), CallableKernel(Counted()) * RBF(0.3) + RBF(0.1)])
def test_diagonal_and_magnitude_are_those_of_the_kernel(kernel):
    X = data()
    hurried = rows_of(kernel, X, time.perf_counter() + 60)
    np.testing.assert_allclose(hurried.diagonal, np.diagonal(kernel(X)), rtol=1e-13)
    assert [one.kernel for one in hurried.terms] == list(kernel.terms())
    for part, term in zip(hurried.terms, kernel.terms(), strict=True):
        np.testing.assert_allclose(part.magnitude, term.magnitude(X), rtol=1e-13)


def test_values_of_a_machine_are_right_as_far_as_they_go():
    X, coef, rows = data(300), np.random.default_rng(2).standard_normal(300), np.arange(300)
    order = np.random.default_rng(3).permutation(300)
    began = time.perf_counter()
    slow = rows_of(CallableKernel(Counted(seconds_a_row=2e-3)), X, began + 0.2)
    found = slow.expand_until(order, rows, coef, slow.deadline)
    assert 0 < len(found) < 300
    assert time.perf_counter() - began <= 0.2 + ONE_CALL
    np.testing.assert_allclose(found, (X @ (X.T @ coef))[order[: len(found)]], rtol=1e-9, atol=1e-9)


def test_machine_without_coefficients_has_values_that_need_no_kernel():
    X = data()
    late = rows_of(CallableKernel(Counted(seconds_a_row=1.0)), X, time.perf_counter() - 1)
    rows = np.arange(len(X))
    np.testing.assert_array_equal(late.expand_until(rows, rows, np.zeros(len(X)), late.deadline), np.zeros(len(X)))


def test_kernels_of_the_core_know_no_hurry():
    hurried = rows_of(RBF(0.3), data(), time.perf_counter() - 1)
    assert not hurried.is_hurried
    np.testing.assert_array_equal(hurried.diagonal, np.ones(90))
