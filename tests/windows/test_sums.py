"""Sums over windows are those of all pairs, whatever was taken as a whole."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from mercer.windows import EuclideanWindows, Tolerance
from tests.reference.windows import PROFILES, window_sums

ROUNDING = 1e-11


def data(d, n=700, seed=0, offset=0.0):
    random = np.random.default_rng(seed)
    X, Q = random.normal(size=(n, d)) + offset, random.normal(size=(150, d)) * 1.5 + offset
    coef = np.vstack([random.uniform(0.1, 1, n), random.normal(size=n)])
    return X, Q, coef


@pytest.mark.parametrize("d", [1, 2, 8])
@pytest.mark.parametrize("profile", PROFILES)
def test_sums_are_those_of_all_pairs(profile, d):
    X, Q, coef = data(d)
    for bandwidth in (0.05, 0.7, 5.0):
        found = EuclideanWindows(X, profile).sums(Q, np.array([bandwidth]), coef, 2)
        expected = window_sums(profile, Q, X, bandwidth, coef)
        np.testing.assert_allclose(
            found.values[:, 0] * np.exp(found.logs), expected, rtol=ROUNDING, atol=ROUNDING * coef[0].max()
        )


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("profile", PROFILES)
def test_several_bandwidths_without_the_row_itself(profile, d):
    X, _, coef = data(d, 300)
    X[5] = X[4]  # duplicates see each other
    bandwidths = 2.0 ** (np.arange(10, -20, -1) / 10)
    found = EuclideanWindows(X, profile).sums(X, bandwidths, coef, 1, np.arange(300))
    for k, h in enumerate(bandwidths):
        expected = window_sums(profile, X, X, h, coef, left_out=True)
        np.testing.assert_allclose(
            found.values[:, k] * np.exp(found.logs[:, k : k + 1]), expected, rtol=ROUNDING, atol=ROUNDING
        )


def test_rows_of_their_own_bandwidth():
    X, Q, coef = data(3)
    spreads = np.random.default_rng(1).uniform(0.3, 2, len(X))
    for profile in PROFILES:
        found = EuclideanWindows(X, profile, spreads=spreads).sums(Q, np.array([0.8]), coef, 1)
        expected = window_sums(profile, Q, X, 0.8 * spreads, coef)
        np.testing.assert_allclose(found.values[:, 0], expected, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("d", [1, 8])
def test_far_out_logarithms_hold(d):
    X, Q, coef = data(d)
    far = Q + 300
    found = EuclideanWindows(X, "gaussian").sums(far, np.array([0.5]), coef[:1], 1)
    squared = ((far[:, None] - X) ** 2).sum(axis=2)
    expected = logsumexp(-squared / (2 * 0.25), axis=1, b=coef[0])
    np.testing.assert_allclose(np.log(found.values[:, 0, 0]) + found.logs[:, 0], expected, rtol=1e-12)


def test_a_huge_offset_costs_only_the_digits_of_the_data():
    X, Q, coef = data(8, offset=1e8)
    found = EuclideanWindows(X, "gaussian").sums(Q, np.array([0.8]), coef, 1)
    np.testing.assert_allclose(found.values[:, 0], window_sums("gaussian", Q, X, 0.8, coef), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("profile", ["gaussian", "exponential", "epanechnikov", "cosine"])
def test_a_tolerance_is_kept(profile):
    X, _, coef = data(2, 4000)
    Q = X  # so many that they stand close together
    exact = window_sums(profile, Q, X, 5.0, coef[:1])[:, 0]
    for absolute, relative in ((100.0, 0.0), (0.0, 0.1)):
        asked = Tolerance(np.array([absolute]), relative)
        found = EuclideanWindows(X, profile).sums(Q, np.array([5.0]), coef[:1], 1, tolerance=asked)
        off = np.abs(found.values[:, 0, 0] * np.exp(found.logs[:, 0]) - exact)
        assert np.all(off <= absolute + relative * exact + ROUNDING * exact)
        assert off.max() > ROUNDING * exact.max()  # something was taken as a whole


def test_sums_do_not_depend_on_threads():
    X, Q, coef = data(4)
    for profile in PROFILES:
        windows = EuclideanWindows(X, profile)
        one, many = (windows.sums(Q, np.array([1.0]), coef, threads).values for threads in (1, 4))
        np.testing.assert_array_equal(one, many)


def test_the_edge_of_a_hard_window():
    X = np.arange(5.0)[:, None]
    for rows in (X, np.repeat(X, 2, axis=1) / np.sqrt(2)):
        closed, open_ = (
            EuclideanWindows(rows, "tophat", is_closed=c)
            .sums(rows, np.array([1.0]), np.ones((1, 5)), 1)
            .values[:, 0, 0]
            for c in (True, False)
        )
        if rows.shape[1] == 1:
            assert closed.tolist() == [2, 3, 3, 3, 2]
            assert open_.tolist() == [1, 1, 1, 1, 1]
    equal = EuclideanWindows(X[[0, 0, 1]], "tophat", is_closed=True).sums(X, np.array([0.0]), np.ones((1, 3)), 1)
    assert equal.values[:, 0, 0].tolist() == [2, 1, 0, 0, 0]


def test_all_rows_at_the_edge_of_a_window_on_a_line():
    X = 1 - np.random.default_rng(0).uniform(0, 1e-9, size=(500, 1))
    for profile in ("epanechnikov", "linear", "cosine"):
        found = EuclideanWindows(X, profile).sums(np.zeros((1, 1)), np.array([1.0]), np.ones((1, 500)), 1)
        v = 1 - X[:, 0]
        exact = {"epanechnikov": (v * (2 - v)).sum(), "linear": v.sum(), "cosine": np.sin(np.pi / 2 * v).sum()}
        np.testing.assert_allclose(found.values[0, 0, 0], exact[profile], rtol=1e-6)  # 1 - x has lost these digits


@pytest.mark.parametrize("d", [1, 2, 8])
@pytest.mark.parametrize("profile", ["gaussian", "exponential"])
@pytest.mark.parametrize("relative", [1e-2, 1e-3, 1e-6])
def test_many_bandwidths_are_off_by_no_more_than_the_bound(profile, d, relative):
    X, _, coef = data(d, 900)
    X[7] = X[3]
    X[:200] = 0.1 * X[:200] + 20  # far from the others, and close together
    bandwidths = np.linspace(4.0, 0.03, 50)
    own = np.arange(len(X))
    asked = Tolerance(None, relative)
    found = EuclideanWindows(X, profile).sums(X, bandwidths, coef[:1], 2, own, asked)
    exact = EuclideanWindows(X, profile).sums(X, bandwidths, coef[:1], 2, own)
    told, expected = (np.log(one.values[:, :, 0]) + one.logs for one in (found, exact))
    off = np.abs(np.expm1(told - expected)).max()
    if profile == "exponential" and d == 1:
        assert found.error == 0  # sums on a line
        return
    assert 0 < found.error <= relative
    assert off <= found.error
    assert off > 1e-13  # it is no sum of all pairs
    squared = cdist(X, X, "sqeuclidean")
    apart = squared / (2 * bandwidths[20] ** 2) if profile == "gaussian" else np.sqrt(squared) / bandwidths[20]
    np.fill_diagonal(apart, np.inf)
    np.testing.assert_allclose(told[:, 20], logsumexp(-apart, axis=1, b=coef[0]), atol=found.error + ROUNDING)


def test_many_bandwidths_of_rows_of_their_own_bandwidth():
    X, _, coef = data(3, 700)
    spreads = np.random.default_rng(1).uniform(0.3, 2, len(X))
    windows, bandwidths = EuclideanWindows(X, "gaussian", spreads=spreads), np.geomspace(3, 0.1, 20)
    found = windows.sums(X, bandwidths, coef[:1], 1, np.arange(700), Tolerance(None, 1e-4))
    assert 0 < found.error <= 1e-4
    for k, h in enumerate(bandwidths):
        expected = window_sums("gaussian", X, X, h * spreads, coef[:1], left_out=True)[:, 0]
        np.testing.assert_allclose(found.values[:, k, 0] * np.exp(found.logs[:, k]), expected, rtol=found.error + 1e-8)


def test_many_bandwidths_without_a_tolerance_are_exact():
    X, _, coef = data(3, 700)
    bandwidths = np.linspace(2.0, 0.2, 20)
    assert EuclideanWindows(X, "gaussian").sums(X, bandwidths, coef[:1], 1, np.arange(700)).error == 0
    # A bound that bins would have to be too fine for is left to the tree.
    fine = EuclideanWindows(X, "gaussian").sums(X, bandwidths, coef[:1], 1, np.arange(700), Tolerance(None, 1e-12))
    for k in (0, 19):
        expected = window_sums("gaussian", X, X, bandwidths[k], coef[:1], left_out=True)[:, 0]
        np.testing.assert_allclose(fine.values[:, k, 0] * np.exp(fine.logs[:, k]), expected, rtol=1e-9)
