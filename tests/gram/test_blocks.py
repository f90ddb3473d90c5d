"""Kernel values in blocks: the same values, and blocks as large as the speed of the kernel allows."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer.gram.blocks
from mercer import RBF, CallableKernel, KernelError, Linear
from mercer.gram import ValuesInBlocks


@pytest.fixture
def clock(monkeypatch):
    """A clock that only goes where it is told to."""

    class Clock:
        now = 0.0

    monkeypatch.setattr(mercer.gram.blocks, "perf_counter", lambda: Clock.now)
    return Clock


def nothing():
    pass


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear() + RBF(0.1), CallableKernel(lambda A, B: np.exp(A @ B.T))])
@pytest.mark.parametrize("shape", [(1, 1), (1, 90), (90, 1), (37, 53)])
def test_values_are_those_of_the_whole_matrix(kernel, shape):
    rng = np.random.default_rng(0)
    X, Z = (rng.normal(size=(n, 3)) for n in shape)
    values = ValuesInBlocks(kernel, nothing)
    for _ in range(3):  # with blocks of ever larger sizes
        np.testing.assert_allclose(values.matrix(X, Z), kernel.matrix(X, Z), rtol=1e-13)
    if kernel.lower() is not None:
        np.testing.assert_allclose(values.matrix(sp.csr_matrix(X), sp.csr_matrix(Z)), kernel.matrix(X, Z), rtol=1e-12)


def blocks_of(clock, overhead, a_value, n=2000, m=300, warm_up=0.0):
    """Seconds of each block of a function that takes so long for a call and for a value."""
    seconds = []

    def slow(A, B):
        took = overhead + a_value * len(A) * len(B) + (0.0 if seconds else warm_up)
        clock.now += took
        seconds.append(took)
        return A @ B.T

    ValuesInBlocks(CallableKernel(slow), nothing).matrix(np.ones((n, 1)), np.ones((m, 1)))
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

    values = ValuesInBlocks(CallableKernel(kernel), heard)
    with pytest.raises(TimeoutError):
        values.matrix(np.ones((50, 1)), np.ones((50, 1)))
    assert calls == ["heard", "asked"] * 3 + ["heard"]


def test_values_beyond_float64_are_refused():
    with np.errstate(over="ignore"), pytest.raises(KernelError, match="overflow"):
        ValuesInBlocks(Linear(), nothing).matrix(np.full((2, 1), 1e200), np.full((2, 1), 1e200))
