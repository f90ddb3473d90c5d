"""Bandwidths by rule, against those who publish them."""

import numpy as np
import pytest
from scipy.integrate import quad

from mercer import InputError
from mercer.windows import PROFILES, improved_sheather_jones, log_volume, normal_reference, spread_of
from tests.reference.windows import PROFILES as VALUES


@pytest.mark.parametrize("kind", ["normal", "two modes", "skewed"])
def test_improved_sheather_jones_is_that_of_kdepy(kind):
    KDEpy = pytest.importorskip("KDEpy")
    random = np.random.default_rng(0)
    x = {
        "normal": random.normal(size=1000),
        "two modes": np.concatenate([random.normal(size=600), random.normal(8, 0.5, 400)]),
        "skewed": random.gamma(2.0, size=1500),
    }[kind]
    own = improved_sheather_jones(x, np.ones(len(x)))
    # Its fixed point is in units of its grid, and it multiplies that by the range of the rows instead.
    grid = KDEpy.utils.autogrid(x[:, None], boundary_abs=6, num_points=2**10, boundary_rel=0.5)
    peer = KDEpy.bw_selection.improved_sheather_jones(x[:, None]) * np.ptp(grid) / np.ptp(x)
    assert own == pytest.approx(peer, rel=0.02)  # its bins are others


def test_improved_sheather_jones_refuses_equal_rows():
    with pytest.raises(InputError, match="rows that differ"):
        improved_sheather_jones(np.ones(10), np.ones(10))


def test_normal_reference_of_normal_rows():
    X = np.random.default_rng(0).normal(size=(20_000, 1)) * 3
    assert normal_reference(X, np.ones(len(X)))[0] == pytest.approx(3 * (4 / 3) ** 0.2 * 20_000**-0.2, rel=0.02)


@pytest.mark.parametrize("d", [1, 2, 4, 7])
@pytest.mark.parametrize("profile", PROFILES)
def test_volumes_and_spreads_are_integrals(profile, d):
    from scipy.special import gamma

    edge = np.inf if profile in ("gaussian", "exponential") else 1.0
    surface = 2 * np.pi ** (d / 2) / gamma(d / 2)
    volume, square = (quad(lambda r, p=p: r ** (d - 1 + p) * VALUES[profile](r), 0, edge)[0] for p in (0, 2))
    assert np.exp(log_volume(profile, d)) == pytest.approx(surface * volume, rel=1e-7)
    assert spread_of(profile, d) == pytest.approx(np.sqrt(square / volume / d), rel=1e-7)
