"""Kernel values in blocks: the same values, and blocks as large as the speed of the kernel allows."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer.rows.blocks
from mercer import RBF, CallableKernel, KernelError, Linear, Precomputed
from mercer.rows import WatchedValues, rows_of


@pytest.fixture
def clock(monkeypatch):
    """A clock that only goes where it is told to."""

    class Clock:
        now = 0.0

    monkeypatch.setattr(mercer.rows.blocks, "perf_counter", lambda: Clock.now)
    return Clock


def nothing():
    pass


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear() + RBF(0.1), CallableKernel(lambda A, B: np.exp(A @ B.T))])
@pytest.mark.parametrize("shape", [(1, 1), (1, 90), (90, 1), (37, 53)])
def test_values_are_those_of_the_whole_matrix(kernel, shape):
    rng = np.random.default_rng(0)
    X, Z = (rng.normal(size=(n, 3)) for n in shape)
    first, others = np.split(np.arange(sum(shape)), [shape[0]])
    values = rows_of(kernel, np.vstack([X, Z])).watched(nothing)
    assert type(values) is WatchedValues
    for _ in range(3):  # with blocks of ever larger sizes
        np.testing.assert_allclose(values.values(first, others), kernel.matrix(X, Z), rtol=1e-13)
    if kernel.lower() is not None:
        sparse = rows_of(kernel, sp.csr_matrix(np.vstack([X, Z]))).watched(nothing)
        np.testing.assert_allclose(sparse.values(first, others), kernel.matrix(X, Z), rtol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(0.3), CallableKernel(lambda A, B: np.exp(A @ B.T))])
def test_values_with_all_rows_are_those_of_the_whole_matrix(kernel):
    X, some = np.random.default_rng(1).normal(size=(23, 3)), np.array([7, 2, 2, 19])
    values = rows_of(kernel, X).watched(nothing).values(some)
    np.testing.assert_allclose(values, kernel.matrix(X[some], X), rtol=1e-13)


def test_values_at_hand_are_those_of_the_matrix_and_nobody_is_heard():
    def heard():
        raise AssertionError

    K = np.random.default_rng(2).normal(size=(9, 9))
    values, some, others = rows_of(Precomputed(), K).watched(heard), np.array([4, 0, 4]), np.array([1, 8])
    np.testing.assert_array_equal(values.values(some), K[some])
    np.testing.assert_array_equal(values.values(some, others), K[np.ix_(some, others)])


def blocks_of(clock, overhead, a_value, n=2000, m=300, warm_up=0.0):
    """Seconds of each block of a function that takes so long for a call and for a value."""
    seconds = []

    def slow(A, B):
        took = overhead + a_value * len(A) * len(B) + (0.0 if seconds else warm_up)
        clock.now += took
        seconds.append(took)
        return A @ B.T

    WatchedValues(CallableKernel(slow), np.ones((max(n, m), 1)), nothing).values(np.arange(n), np.arange(m))
    return np.array(seconds)


@pytest.mark.parametrize("a_value", [1e-7, 1e-5, 1e-3])
def test_blocks_take_a_tenth_of_a_second_at_most_beyond_what_a_call_costs(clock, a_value):
    rows = 100 if a_value == 1e-3 else 2000
    seconds = blocks_of(clock, 0.0, a_value, n=rows)
    assert seconds.max() <= 0.1 + 1e-9
    # And are not much smaller than they may be: few calls.
    assert len(seconds) <= 20 + 3 * seconds.sum() / 0.1
    costly = blocks_of(clock, 0.3, a_value, n=rows)
    assert costly.max() <= 0.4 + 1e-9
    assert len(costly) <= 20 + 3 * seconds.sum() / 0.1


def test_blocks_of_values_that_take_longer_than_that_are_single_values(clock):
    seconds = blocks_of(clock, 0.0, 0.5, n=2, m=20)
    assert np.sort(seconds)[-2] <= 0.5 + 1e-9
    assert seconds.max() <= 1.0 + 1e-9  # the second has two


def test_first_call_may_pay_for_what_is_done_once(clock):
    seconds = blocks_of(clock, 0.0, 1e-4, n=100, warm_up=5.0)
    assert seconds[0] > 5.0
    assert seconds[1:].max() <= 0.1 + 1e-9


def test_somebody_is_heard_before_every_block():
    calls = []

    def heard():
        calls.append("heard")
        if len(calls) == 7:
            raise TimeoutError

    def kernel(A, B):
        calls.append("asked")
        return A @ B.T

    values = rows_of(CallableKernel(kernel), np.ones((50, 1))).watched(heard)
    with pytest.raises(TimeoutError):
        values.values(np.arange(50))
    assert calls == ["heard", "asked"] * 3 + ["heard"]


def test_values_beyond_float64_are_refused():
    with np.errstate(over="ignore"), pytest.raises(KernelError, match="overflow"):
        rows_of(Linear(), np.full((2, 1), 1e200)).watched(nothing).values(np.arange(2))
