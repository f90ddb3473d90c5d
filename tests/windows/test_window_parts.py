"""Windows within a budget of memory: the same sums to rounding, and a plan that says where it does not suffice."""

import numpy as np
import pytest

from mercer.windows import PROFILES, EuclideanWindows, Tolerance
from mercer.windows.parts import FittingWindows

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(2600, 3))
COEF = np.stack([RANDOM.uniform(0.5, 1, size=2600), RANDOM.normal(size=2600)])
OWN = np.arange(200) * 13
# Sums are added up in another order.
ROUNDING = 1e-12


def whole(profile, d=3, spreads=None):
    return EuclideanWindows(np.ascontiguousarray(ROWS[:, :d]), profile, True, spreads)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("profile", PROFILES)
def test_sums_do_not_depend_on_the_budget(profile, d):
    Q = np.concatenate([ROWS[OWN, :d], np.full((1, d), 1e3)])
    excluded = np.append(OWN, -1)
    for spreads in (None, np.linspace(0.5, 2, len(ROWS))):
        for h in (np.array([0.3]), np.array([1.0, 0.5, 0.1])):
            one = whole(profile, d, spreads).sums(Q, h, COEF, 2, excluded)
            other = FittingWindows(whole(profile, d, spreads), 1.0).sums(Q, h, COEF, 2, excluded)
            with np.errstate(divide="ignore"):
                told, wanted = (np.log(sums.values[:, :, 0]) + sums.logs for sums in (other, one))
            np.testing.assert_allclose(told, wanted, rtol=ROUNDING, atol=ROUNDING)
            for sums in (one, other):
                sums.values[sums.values[:, :, 0] == 0] = 1.0
            shares = [sums.values[:, :, 1] / sums.values[:, :, 0] for sums in (other, one)]
            np.testing.assert_allclose(*shares, rtol=1e-9, atol=1e-9)


def test_tolerance_holds_for_the_sum_of_parts():
    Q, h = ROWS[:100], np.array([0.5])
    exact = whole("gaussian").sums(Q, h, COEF[:1], 1)
    wanted = exact.values[:, 0, 0] * np.exp(exact.logs[:, 0])
    for tolerance in (Tolerance(np.array([1.0])), Tolerance(None, 1e-2)):
        found = FittingWindows(whole("gaussian"), 1.0).sums(Q, h, COEF[:1], 1, tolerance=tolerance)
        told = found.values[:, 0, 0] * np.exp(found.logs[:, 0])
        allowed = 1.0 if tolerance.absolute is not None else 1e-2 * wanted
        assert np.all(np.abs(told - wanted) <= allowed)


def test_plan_says_where_the_budget_does_not_suffice():
    assert FittingWindows(whole("gaussian"), 1e9).plan == whole("gaussian").plan
    told = FittingWindows(whole("gaussian"), 1.0).plan
    assert "In 3 parts of the rows" in told
    assert "does not fit" in told
