"""What every test may ask for: a seeded generator and the SIMD levels of this processor, one after the other."""

import numpy as np
import pytest
from hypothesis import settings

from mercer._runtime import core

# The same examples each time, and no verdict on the speed of a shared machine.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("repeatable")


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
