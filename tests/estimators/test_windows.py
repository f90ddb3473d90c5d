"""Density, classification and regression by windows: scikit-learn's results, and what it does not have."""

import pickle

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn import neighbors
from sklearn.datasets import load_diabetes, load_iris

from mercer import (
    RBF,
    InputError,
    KernelDensity,
    KernelError,
    Laplacian,
    Linear,
    Matern,
    ParameterError,
    ParzenClassifier,
    ParzenRegressor,
    RationalQuadratic,
)
from mercer.windows import PROFILES
from tests.reference.windows import window_sums

ROUNDING = 1e-9
# What the differences of scikit-learn's bounds leave where a window is empty.
RESIDUE = -30
# What heavy tails have beyond a grid.
MISSED_TAIL = 3e-3


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(200, 3)), random.normal(size=(60, 3))


@pytest.mark.parametrize("kernel", PROFILES)
def test_density_is_scikit_learns(rows, kernel):
    X, Q = rows
    for options in ({"bandwidth": 0.9}, {"bandwidth": "scott"}, {"bandwidth": 1.1, "metric": "manhattan"}):
        own, peer = (
            kind(kernel=kernel, **options).fit(X)
            for kind in (KernelDensity, lambda **o: neighbors.KernelDensity(rtol=0, atol=0, **o))
        )
        expected = peer.score_samples(Q)
        if kernel not in ("gaussian", "exponential"):
            expected[expected < RESIDUE] = -np.inf
        np.testing.assert_allclose(own.score_samples(Q), expected, rtol=ROUNDING)


def test_weights_are_scikit_learns_and_zero_is_absence(rows):
    X, Q = rows
    weights = np.random.default_rng(1).uniform(size=len(X))
    weights[:50] = 0
    own = KernelDensity(bandwidth=0.7).fit(X, sample_weight=weights).score_samples(Q)
    peer = neighbors.KernelDensity(bandwidth=0.7, rtol=0).fit(X[50:], sample_weight=weights[50:]).score_samples(Q)
    np.testing.assert_allclose(own, peer, rtol=ROUNDING)
    absent = KernelDensity(bandwidth=0.7).fit(X[50:], sample_weight=weights[50:]).score_samples(Q)
    np.testing.assert_allclose(own, absent, rtol=ROUNDING)
    with pytest.raises(InputError, match="≥ 0"):
        KernelDensity().fit(X, sample_weight=-weights)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
def test_samples_are_scikit_learns(rows, kernel):
    X, _ = rows
    own, peer = (kind(kernel=kernel, bandwidth=0.5).fit(X) for kind in (KernelDensity, neighbors.KernelDensity))
    np.testing.assert_allclose(own.sample(20, random_state=3), peer.sample(20, random_state=3), rtol=1e-12)


@pytest.mark.parametrize("kernel", PROFILES)
def test_samples_have_the_density(kernel):
    model = KernelDensity(kernel=kernel).fit([[0.0]])
    drawn = model.sample(4000, random_state=0)[:, 0]
    grid = np.linspace(-30, 30, 60_001)
    below = np.cumsum(np.exp(model.score_samples(grid[:, None]))) * (grid[1] - grid[0])
    assert kstest(drawn, lambda x: np.interp(x, grid, below)).pvalue > 1e-3


def test_densities_of_all_kinds_of_bandwidths_integrate_to_one():
    X = np.random.default_rng(0).gamma(2, size=(150, 1))
    grid = np.linspace(-30, 60, 90_001)[:, None]
    for options in (
        {"bandwidth": [0.3]},
        {"bandwidth": "normal-reference", "kernel": "epanechnikov"},
        {"bandwidth": "sheather-jones"},
        {"bandwidth": "leave-one-out", "kernel": "exponential"},
        {"bandwidth": 0.5, "n_neighbors": 10},
    ):
        density = np.exp(KernelDensity(**options).fit(X).score_samples(grid))
        assert density.sum() * 0.001 == pytest.approx(1, abs=2e-3)


def test_left_out_likelihood_is_that_of_fits_without_each_row():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = KernelDensity(bandwidth="leave-one-out").fit(X)
    assert model.bandwidth_ == model.bandwidths_[np.argmax(model.left_out_scores_)]
    for k in (0, 20, len(model.bandwidths_) - 1):
        peer = neighbors.KernelDensity(bandwidth=model.bandwidths_[k], rtol=0)
        scores = [peer.fit(np.delete(X, i, 0)).score_samples(X[i : i + 1])[0] for i in range(40)]
        assert model.left_out_scores_[k] == pytest.approx(np.mean(scores), rel=1e-7)


def test_kernels_are_windows_of_a_density(rows):
    X, Q = rows
    named, kernel = (KernelDensity(kernel=one, bandwidth=0.6).fit(X) for one in ("gaussian", RBF(0.5)))
    np.testing.assert_allclose(kernel.score_samples(Q), named.score_samples(Q), rtol=ROUNDING)
    np.testing.assert_allclose(kernel.sample(9, random_state=0), named.sample(9, random_state=0))
    other = KernelDensity(kernel=3 * RBF(2.0), bandwidth=1.2).fit(X)  # a factor is divided out
    np.testing.assert_allclose(other.score_samples(Q), named.score_samples(Q), rtol=ROUNDING)
    chosen = [KernelDensity(kernel=one, bandwidth="leave-one-out").fit(X) for one in ("gaussian", RBF(8.0))]
    assert chosen[1].bandwidth_ == pytest.approx(4 * chosen[0].bandwidth_)
    for rule in ("normal-reference", [0.5, 0.9, 0.7]):
        widths = [KernelDensity(kernel=one, bandwidth=rule).fit(X) for one in ("exponential", Matern(0.5, nu=0.5))]
        np.testing.assert_allclose(widths[0].score_samples(Q), widths[1].score_samples(Q), rtol=ROUNDING)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF("scale"),
        RBF((0.5, 3.0)),
        Laplacian(2.0),
        Laplacian((1.0, 4.0)),
        Matern(1.0, nu=1.5),
        Matern((1.0, 3.0), nu=2.5),
        RationalQuadratic(2.0, alpha=6.0),
        RBF(3.0) + 0.2 * Matern(1.0, nu=0.5),
    ],
    ids=str,
)
def test_densities_of_kernels_integrate_to_one(kernel):
    rng = np.random.default_rng(0)
    weights = rng.uniform(size=40)
    for d, step in ((1, 0.01), (2, 0.1)):
        is_alike = not isinstance(kernel.get_params().get("gamma"), tuple)
        own = kernel if d == 2 or is_alike else kernel.with_params(gamma=2.0)
        line = np.arange(-25, 25, step)
        grid = np.stack(np.meshgrid(*[line] * d), axis=-1).reshape(-1, d)
        for bandwidth in (0.9, "normal-reference", [0.8, 1.1][:d]):
            model = KernelDensity(kernel=own, bandwidth=bandwidth).fit(rng.normal(size=(40, d)), sample_weight=weights)
            total = np.exp(model.score_samples(grid)).sum() * step**d
            assert total == pytest.approx(1, abs=MISSED_TAIL)


@pytest.mark.parametrize("kernel", [Laplacian(2.0), Matern(1.0, nu=2.5), RationalQuadratic(2.0, alpha=3.0)], ids=str)
def test_samples_of_kernels_have_the_density(kernel):
    model = KernelDensity(kernel=kernel, bandwidth=0.5).fit([[0.0], [3.0]], sample_weight=[1.0, 2.0])
    grid = np.linspace(-60, 60, 120_001)
    below = np.cumsum(np.exp(model.score_samples(grid[:, None]))) * (grid[1] - grid[0])
    drawn = model.sample(4000, random_state=0)[:, 0]
    assert kstest(drawn, lambda x: np.interp(x, grid, below)).pvalue > 1e-3


def test_kernels_that_make_no_density_are_refused(rows):
    X, _ = rows
    for kernel in (Linear(), RationalQuadratic(1.0, alpha=1.5), RBF([1.0, 0.0, 1.0])):
        with pytest.raises(ParameterError, match="kernel: expected"):
            KernelDensity(kernel=kernel).fit(X)
    with pytest.raises(ParameterError, match="its own distance"):
        KernelDensity(kernel=RBF(1.0), metric="manhattan").fit(X)
    with pytest.raises(ParameterError, match="whose width is its own"):
        KernelDensity(kernel=RBF(1.0), n_neighbors=3).fit(X)


def test_triangular_is_another_name_of_linear(rows):
    X, Q = rows
    for options in ({"bandwidth": 1.2}, {"bandwidth": "leave-one-out"}, {"bandwidth": 1.2, "metric": "manhattan"}):
        one, other = (KernelDensity(kernel=name, **options).fit(X) for name in ("linear", "triangular"))
        np.testing.assert_array_equal(one.score_samples(Q), other.score_samples(Q))
        if "metric" not in options:
            np.testing.assert_array_equal(one.sample(9, random_state=0), other.sample(9, random_state=0))
    y = X[:, 0] > 0
    for kind in (ParzenRegressor, ParzenClassifier):
        one, other = (kind("normal-reference", kernel=name).fit(X, y) for name in ("linear", "triangular"))
        np.testing.assert_array_equal(one.predict(Q), other.predict(Q))
    assert other.kernel == "triangular"  # as it was given


def test_left_out_likelihood_with_a_stated_error():
    X = np.random.default_rng(0).normal(size=(600, 4))
    weights = np.random.default_rng(1).uniform(size=600)
    exact, near = (KernelDensity(bandwidth="leave-one-out", rtol=rtol).fit(X, None, weights) for rtol in (0, 1e-3))
    assert exact.left_out_error_bound_ == 0
    assert 0 < near.left_out_error_bound_ <= 1e-3
    np.testing.assert_allclose(near.left_out_scores_, exact.left_out_scores_, atol=near.left_out_error_bound_)
    assert near.bandwidth_ == exact.bandwidth_
    assert not hasattr(near.set_params(bandwidth=1.0).fit(X), "left_out_error_bound_")


@pytest.mark.parametrize("kernel", [*PROFILES, RBF(0.5)])
def test_regression_is_nadaraya_and_watsons(kernel):
    X, y = load_diabetes(return_X_y=True)
    X, Y = X[:, :3], np.column_stack([y, y**2])
    model = ParzenRegressor(0.08, kernel=kernel, empty="nan").fit(X[:300], Y[:300])
    name = "gaussian" if isinstance(kernel, RBF) else kernel
    sums = window_sums(name, X[300:], X[:300], 0.08, np.vstack([np.ones(300), Y[:300].T]))
    full = sums[:, 0] > 0
    np.testing.assert_allclose(model.predict(X[300:])[full], sums[full, 1:] / sums[full, :1], rtol=ROUNDING)
    assert np.isnan(model.predict(X[300:])[~full]).all()


def test_hard_windows_are_scikit_learns_radius_neighbours():
    X, y = load_iris(return_X_y=True)
    own = ParzenClassifier(0.5, kernel="tophat").fit(X[::2], y[::2])
    peer = neighbors.RadiusNeighborsClassifier(0.5, outlier_label="most_frequent").fit(X[::2], y[::2])
    near = [len(found) > 0 for found in peer.radius_neighbors(X[1::2], return_distance=False)]
    np.testing.assert_allclose(own.predict_proba(X[1::2])[near], peer.predict_proba(X[1::2])[near])


def test_left_out_errors_are_those_of_fits_without_each_row():
    X, y = load_iris(return_X_y=True)
    X, y = X[::4], y[::4]
    model = ParzenClassifier(kernel="epanechnikov").fit(X, y)
    for k in (5, 25, 40):
        h = model.bandwidths_[k]
        wrong = [
            ParzenClassifier(h, kernel="epanechnikov").fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0]
            != y[i]
            for i in range(len(X))
        ]
        assert model.left_out_errors_[k] == pytest.approx(np.mean(wrong))


def test_empty_windows_follow_the_rule():
    X, y = [[0.0], [1.0], [1.2]], ["a", "b", "b"]
    shares = {
        empty: ParzenClassifier(0.5, kernel="tophat", empty=empty).fit(X, y).predict_proba([[9.0], [-9.0]])
        for empty in ("nearest", "prior", "nan")
    }
    assert shares["nearest"].tolist() == [[0, 1], [1, 0]]
    np.testing.assert_allclose(shares["prior"], [[1 / 3, 2 / 3]] * 2)
    assert np.isnan(shares["nan"]).all()
    assert ParzenClassifier(0.5, kernel="tophat", empty="nan").fit(X, y).predict([[9.0]]) == ["b"]


def test_radius_zero_holds_equal_rows():
    model = ParzenRegressor(0, kernel="tophat", empty="prior").fit([[0], [0], [1]], [1.0, 3.0, 8.0])
    assert model.predict([[0], [5]]).tolist() == [2.0, 4.0]
    with pytest.raises(ParameterError, match="hard window"):
        ParzenRegressor(0).fit([[0.0], [1.0]], [0.0, 1.0])


def test_far_out_shares_do_not_vanish():
    model = ParzenClassifier(0.1).fit([[0.0], [1.0]], [0, 1])
    assert model.predict_proba([[1e6]]).tolist() == [[0.0, 1.0]]


def test_what_cannot_be_is_refused(rows):
    X, _ = rows
    for options in ({"bandwidth": -1}, {"bandwidth": "best"}, {"kernel": "box"}, {"bandwidths": [1.0]}, {"rtol": -1}):
        with pytest.raises(ParameterError):
            KernelDensity(**options).fit(X)
    with pytest.raises(ParameterError, match="features"):
        KernelDensity(bandwidth=[1.0, 2.0]).fit(X)
    with pytest.raises(InputError, match="n_samples = 1"):
        ParzenRegressor().fit(X[:1], [1.0])
    with pytest.raises(InputError, match="one feature"):
        KernelDensity(bandwidth="sheather-jones").fit(X)
    with pytest.raises(InputError, match="duplicates"):
        KernelDensity(n_neighbors=1).fit(X[[0, 0, 1]])
    with pytest.raises(KernelError, match="≥ 0"):
        ParzenRegressor(1.0, kernel=Linear()).fit(X, X[:, 0]).predict(X)


def test_a_tolerance_of_the_density_is_kept():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    exact = np.exp(KernelDensity(bandwidth=0.8).fit(X).score_samples(X))
    for atol, rtol in ((0.01, 0.0), (0.0, 0.05)):
        found = np.exp(KernelDensity(bandwidth=0.8, atol=atol, rtol=rtol).fit(X).score_samples(X))
        assert np.all(np.abs(found - exact) <= (atol + rtol * exact) * (1 + ROUNDING))
        assert not np.array_equal(found, exact)


def test_pickles_predict_the_same_and_questions_do_not_change_them(rows):
    X, Q = rows
    for model in (KernelDensity(), ParzenRegressor(n_neighbors=5), ParzenClassifier("normal-reference")):
        model.fit(X, np.arange(len(X)) % 2)
        before, ask = pickle.dumps(model), "score_samples" if isinstance(model, KernelDensity) else "predict"
        told = getattr(model, ask)(Q)
        assert pickle.dumps(model) == before
        np.testing.assert_array_equal(getattr(pickle.loads(before), ask)(Q), told)
