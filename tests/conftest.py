"""What every test may ask for: a seeded generator and the SIMD levels of this processor, one after the other."""

import signal
import threading

import numpy as np
import pytest
from hypothesis import settings

from mercer._runtime import core

# The same examples each time, and no verdict on the speed of a shared machine.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, as in any session: workers of pytest-xdist ignore it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def random():
    return np.random.default_rng(7)


@pytest.fixture(params=core.simd_levels())
def simd_level(request):
    """Each SIMD level in turn; the level of the process is put back afterwards."""
    before = core.simd_level()
    assert core.set_simd_level(request.param)
    yield request.param
    assert core.set_simd_level(before)
