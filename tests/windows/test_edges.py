"""What is said of a bandwidth at the end of its range."""

import warnings

import numpy as np
import pytest

from mercer import KernelDensity, NumericsWarning, ParzenClassifier, ParzenRegressor


@pytest.fixture(scope="module")
def whole():
    """Whole numbers, of which most are there more than once."""
    return np.random.default_rng(0).poisson(6, size=(300, 1)).astype(float)


def test_duplicates_that_narrow_windows_are_told(whole):
    values, counts = np.unique(whole, return_counts=True)
    twins = counts[counts > 1].sum()
    with pytest.warns(NumericsWarning, match=f"much less than their spread suggests, and {twins} of 300 rows are dup"):
        narrow = KernelDensity(kernel="exponential", bandwidth="leave-one-out").fit(whole)
    assert narrow.bandwidth_ < 0.05
    twice = np.repeat(whole, 2, axis=0)
    for kernel in ("exponential", "gaussian"):
        with pytest.warns(NumericsWarning, match="the least that was looked at, and 600 of 600 rows are duplicates"):
            collapsed = KernelDensity(kernel=kernel, bandwidth="leave-one-out").fit(twice)
        assert collapsed.bandwidth_ < 1e-3
    # As the advice has it: each row once, with its count.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weighted = KernelDensity(kernel="exponential", bandwidth="leave-one-out").fit(
            values[:, None], sample_weight=counts
        )
        KernelDensity(kernel="exponential", bandwidth="normal-reference").fit(whole)
    assert weighted.bandwidth_ > 0.1


def test_duplicates_among_given_bandwidths_are_told(whole):
    with pytest.warns(NumericsWarning) as said:
        KernelDensity(bandwidth="leave-one-out", bandwidths=[0.01, 0.1, 1.0]).fit(whole[np.tile(np.arange(300), 2)])
    assert "600 of 600 rows are duplicates" in str(said[0].message)
    assert "is the least of `bandwidths`: try 0.001 as well" in str(said[1].message)


@pytest.mark.parametrize(("bandwidths", "told"), [([5.0, 10.0, 20.0], "least"), ([0.01, 0.02, 0.04], "largest")])
def test_ends_of_a_given_range_are_told(bandwidths, told):
    X = np.random.default_rng(0).normal(size=(200, 2))
    further = 2.5 if told == "least" else 0.08
    with pytest.warns(NumericsWarning, match=f"is the {told} of `bandwidths`: try {further:g} as well"):
        KernelDensity(bandwidth="leave-one-out", bandwidths=bandwidths).fit(X)
    with pytest.warns(NumericsWarning, match=f"is the {told} of `bandwidths`"):
        ParzenRegressor(bandwidths=bandwidths).fit(X, np.sin(2 * X[:, 0]))


def test_targets_of_duplicates_are_not_spoken_of(whole):
    # The mean of each whole number is best, and the others of it are as good as any.
    y = np.cos(np.pi * whole[:, 0]) + np.random.default_rng(1).normal(scale=0.1, size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ParzenRegressor().fit(whole, y)
    assert model.bandwidth_ < 0.5


def test_choices_within_a_range_are_not_spoken_of():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelDensity(bandwidth="leave-one-out", bandwidths=[0.01, 0.4, 20.0]).fit(X)
        KernelDensity(bandwidth="leave-one-out", bandwidths=[5.0, 10.0]).fit(X)  # two have ends only
        ParzenClassifier(bandwidths=[0.1, 0.2, 0.3]).fit([[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1])  # all alike
        KernelDensity(bandwidth="leave-one-out").fit(np.vstack([X, X[:5]]))  # some duplicates, and no harm
