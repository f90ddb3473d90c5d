"""Windows at the ends of the numbers, far from all rows, and of parameters that cannot be."""

import numpy as np
import pytest
from scipy.special import logsumexp

from mercer import (
    RBF,
    KernelDensity,
    Laplacian,
    Matern,
    ParameterError,
    ParzenClassifier,
    ParzenRegressor,
    RationalQuadratic,
)
from mercer.windows import PROFILES

ROUNDING = 1e-9
SIZES = [1e-300, 1e-160, 1e160, 1e300]


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kernel", PROFILES)
def test_densities_of_rows_of_any_size(rows, kernel, size):
    for options in ({"bandwidth": size}, {"bandwidth": "normal-reference"}, {"n_neighbors": 4, "bandwidth": 2.0}):
        plain = {**options, "bandwidth": 1.0} if options["bandwidth"] == size else options
        expected = KernelDensity(kernel=kernel, **plain).fit(rows).score_samples(rows) - 3 * np.log(size)
        model = KernelDensity(kernel=kernel, **options).fit(rows * size)
        np.testing.assert_allclose(model.score_samples(rows * size), expected, rtol=ROUNDING)


@pytest.mark.parametrize("size", SIZES)
def test_bandwidths_are_chosen_for_rows_of_any_size(rows, size):
    small, large = (KernelDensity(bandwidth="leave-one-out").fit(one) for one in (rows, rows * size))
    assert large.bandwidth_ / size == pytest.approx(small.bandwidth_)
    np.testing.assert_allclose(large.left_out_scores_, small.left_out_scores_ - 3 * np.log(size), rtol=ROUNDING)
    given = KernelDensity(bandwidth="leave-one-out", bandwidths=np.array([0.1, 0.7, 9.0]) * size).fit(rows * size)
    assert given.bandwidth_ / size == pytest.approx(0.7)
    np.testing.assert_allclose(large.sample(4, random_state=0) / size, small.sample(4, random_state=0), rtol=ROUNDING)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("empty", ["nearest", "prior"])
def test_parzen_windows_of_rows_of_any_size(rows, size, empty):
    y = np.sin(rows[:, 0])
    for options in ({}, {"bandwidth": "normal-reference"}, {"bandwidth": 0.2, "kernel": "tophat"}):
        own = {**options, "bandwidth": 0.2 * size} if options.get("bandwidth") == 0.2 else options
        small, large = (
            ParzenRegressor(empty=empty, **one).fit(X, y).predict(X[:20] + 0.1 * unit)
            for one, X, unit in ((options, rows, 1.0), (own, rows * size, size))
        )
        np.testing.assert_allclose(large, small, rtol=1e-7)


def test_features_of_all_sizes_have_bandwidths_of_their_own(rows):
    sizes = np.array([1e-160, 1.0, 1e160])
    for rule, plain in (("normal-reference", "normal-reference"), (0.5 * sizes, [0.5] * 3)):
        own = KernelDensity(bandwidth=rule).fit(rows * sizes).score_samples(rows * sizes)
        np.testing.assert_allclose(own, KernelDensity(bandwidth=plain).fit(rows).score_samples(rows), rtol=1e-9)


def test_an_offset_costs_only_the_digits_of_the_data(rows):
    for kernel in PROFILES:
        expected = KernelDensity(kernel=kernel).fit(rows).score_samples(rows)
        moved = KernelDensity(kernel=kernel).fit(rows + 1e8).score_samples(rows + 1e8)
        np.testing.assert_allclose(moved, expected, atol=1e-6)


@pytest.mark.parametrize("far", [1e4, 1e100, 1e140, 1e200, 1e300])
def test_logarithms_far_out_do_not_underflow(rows, far):
    query = [[far, 0.0, 0.0]]
    density = KernelDensity(kernel="exponential", bandwidth=0.1).fit(rows).score_samples(query)[0]
    assert density == pytest.approx(-far / 0.1, rel=1e-3)
    for kernel, expected in ((Laplacian(1.0), -far), (Matern(0.5, nu=0.5), -far), (Matern(0.5), -np.sqrt(3) * far)):
        assert KernelDensity(kernel=kernel).fit(rows).score_samples(query)[0] == pytest.approx(expected, rel=2e-2)
    student = KernelDensity(kernel=RationalQuadratic(1.0, alpha=3.0)).fit(rows).score_samples(query)[0]
    assert student == pytest.approx(-6 * np.log(far), rel=0.1)
    if far <= 1e140:
        gaussian = KernelDensity(bandwidth=0.1).fit(rows).score_samples(query)[0]
        assert gaussian == pytest.approx(-50 * far**2, rel=1e-3)
    else:
        assert KernelDensity(bandwidth=0.1).fit(rows).score_samples(query)[0] == -np.inf  # beyond the numbers


def test_far_and_near_queries_do_not_disturb_each_other(rows):
    queries = np.vstack([rows[:3], [[1e300, 0, 0]]])
    for model in (KernelDensity(), KernelDensity(kernel="tophat"), KernelDensity(kernel=Matern(0.5))):
        near = model.fit(rows).score_samples(rows[:3])
        np.testing.assert_array_equal(model.score_samples(queries)[:3], near)


def test_sums_of_kernels_far_out(rows):
    kernel = RBF(1.0) + 0.5 * Laplacian(1.0)
    query = np.array([[2e3, 0.0, 0.0]])
    volumes = np.array([np.pi**1.5, 0.5 * 8.0])
    apart = np.abs(query - rows)
    logs = np.stack([-np.square(apart).sum(axis=1), np.log(0.5) - apart.sum(axis=1)])
    expected = logsumexp(logs) - np.log(volumes.sum()) - np.log(len(rows))
    assert KernelDensity(kernel=kernel).fit(rows).score_samples(query)[0] == pytest.approx(expected, rel=1e-10)
    shares = ParzenClassifier(1.0, kernel=kernel).fit(rows, rows[:, 0] > 0).predict_proba(query)[0]
    assert shares[1] == pytest.approx(np.exp(logsumexp(logs[:, rows[:, 0] > 0]) - logsumexp(logs)), rel=1e-9)


@pytest.mark.parametrize("empty", ["nearest", "prior", "nan"])
def test_windows_that_are_all_empty_follow_the_rule(rows, empty):
    y = rows[:, 0]
    for kernel in ("tophat", "epanechnikov", "linear", "cosine"):
        told = ParzenRegressor(1e-3, kernel=kernel, empty=empty).fit(rows, y).predict(rows[:5] + 1e-2)
        expected = {"nearest": y[:5], "prior": np.full(5, y.mean()), "nan": np.full(5, np.nan)}[empty]
        np.testing.assert_allclose(told, expected)


def test_windows_narrower_than_squares_can_tell_hold_equal_rows(rows):
    model = KernelDensity(bandwidth=1e-200).fit(rows)
    expected = -np.log(60) - 1.5 * np.log(2 * np.pi) - 3 * np.log(1e-200)
    np.testing.assert_allclose(model.score_samples(rows[:2]), expected)
    np.testing.assert_allclose(ParzenRegressor(1e-200).fit(rows, rows[:, 0]).predict(rows[:2]), rows[:2, 0])


def test_many_features_do_not_leave_the_numbers():
    X = np.random.default_rng(0).normal(size=(30, 1500))
    for options in ({"bandwidth": 40.0}, {"bandwidth": 1.0, "n_neighbors": 3}, {"bandwidth": "normal-reference"}):
        assert np.isfinite(KernelDensity(**options).fit(X).score_samples(X)).all()
    model = KernelDensity(bandwidth=1.0, n_neighbors=3).fit(X)
    apart = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    spread = np.sort(apart, axis=1)[:, 3]
    logs = -0.5 * (apart / spread) ** 2 - 1500 * np.log(spread * np.sqrt(2 * np.pi)) - np.log(30)
    np.testing.assert_allclose(model.score_samples(X), logsumexp(logs, axis=1), rtol=ROUNDING)


def test_a_row_that_outweighs_all_others_is_left_out_too(rows):
    for weight in (1e20, 1e200):
        weights = np.append(weight, np.ones(59))
        model = KernelDensity(bandwidth="leave-one-out").fit(rows, sample_weight=weights)
        others = KernelDensity(bandwidth=model.bandwidth_).fit(rows[1:]).score_samples(rows[:1])[0]
        assert model.left_out_scores_.max() == pytest.approx(others)
    many = np.random.default_rng(0).normal(size=(500, 2))
    KernelDensity(bandwidth="leave-one-out", rtol=1e-3).fit(many, sample_weight=np.append(1e300, np.full(499, 1e-10)))


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e307])
def test_targets_of_any_size(rows, size):
    y = rows[:, 0]
    small, large = (ParzenRegressor().fit(rows, one) for one in (y, y * size))
    np.testing.assert_allclose(large.predict(rows) / size, small.predict(rows), rtol=ROUNDING)


def test_kinds_of_numbers(rows):
    whole = np.random.default_rng(0).integers(0, 4, (50, 2))
    for X in (whole, whole > 1, whole.astype(np.float32)):
        expected = KernelDensity().fit(np.asarray(X, dtype=float)).score_samples(np.asarray(X, dtype=float))
        np.testing.assert_array_equal(KernelDensity().fit(X).score_samples(X), expected)


def test_draws_are_of_rows_that_weigh_something():
    model = KernelDensity(bandwidth=0.01).fit([[0.0], [5.0], [9.0]], sample_weight=[1, 0, 3])
    drawn = model.sample(4000, random_state=0)[:, 0].round()
    assert set(drawn) == {0, 9}
    assert np.mean(drawn == 9) == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(
    "bandwidth", [None, np.nan, np.inf, -1, True, "best", [], [[1.0, 1, 1]], [1, np.nan, 1], [0, 1, 1]]
)
def test_bandwidths_that_cannot_be_are_refused(rows, bandwidth):
    for model in (KernelDensity(), ParzenRegressor()):
        with pytest.raises(ParameterError, match="bandwidth: expected"):
            model.set_params(bandwidth=bandwidth).fit(rows, rows[:, 0])


def test_what_does_not_go_together_is_refused(rows):
    with pytest.raises(ParameterError, match="bandwidths: expected None"):
        KernelDensity(bandwidth=np.ones(3), bandwidths=[1.0]).fit(rows)
    with pytest.raises(ParameterError, match="n_neighbors: expected less than the 60 rows"):
        ParzenRegressor(1.0, n_neighbors=60).fit(rows, rows[:, 0])
    with pytest.raises(ParameterError, match="invalid metric for KDTree"):
        KernelDensity(metric="haversine", algorithm="kd_tree").fit(rows[:, :2])
