"""Noise that is learnt for groups of observations."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as theirs
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    GaussianProcessRegressor,
    InputError,
    ParameterError,
    SparseGaussianProcessRegressor,
    UnsolvedWarning,
    White,
)

ROUNDING = 1e-10
# Where two searches stop that start elsewhere.
SEARCH = 1e-3


@pytest.fixture
def data(random):
    """Two groups whose noise differs ten times."""
    X = random.uniform(-3, 3, size=(300, 1))
    labels = np.where(random.random(300) < 0.5, "calm", "loud")
    scale = np.where(labels == "calm", 0.1, 1.0)
    return X, np.sin(X[:, 0]) + scale * random.normal(size=300), labels


def exact(**params):
    return GaussianProcessRegressor(1.0 * RBF(0.5), alpha=0.0, **params)


def sparse(**params):
    return SparseGaussianProcessRegressor(1.0 * RBF(0.5), n_inducing=25, random_state=0, **params)


@pytest.mark.parametrize("make", [exact, sparse])
def test_variances_of_groups_are_found(data, make):
    X, y, labels = data
    model = make().fit(X, y, noise_groups=labels)
    assert list(model.noise_) == ["calm", "loud"]
    # Of some 150 observations a variance is known to about 2 / √300.
    assert model.noise_["calm"] == pytest.approx(0.01, rel=0.4)
    assert model.noise_["loud"] == pytest.approx(1.0, rel=0.4)
    one = GaussianProcessRegressor(1.0 * RBF(0.5) + White(0.1)).fit(X, y)
    queries = np.linspace(-2.5, 2.5, 50)[:, None]
    missed, alike = (np.abs(m.predict(queries) - np.sin(queries[:, 0])).mean() for m in (model, one))
    assert missed < alike


@pytest.mark.parametrize("kernel", [1.0 * RBF(0.5), 1.0 * theirs.RBF(1.0)], ids=["mercer", "scikit-learn"])
def test_one_group_is_white_noise(data, kernel):
    X, y, _ = data
    noisy = 1.0 * theirs.RBF(1.0) + theirs.WhiteKernel(0.1)
    white = GaussianProcessRegressor(noisy, alpha=0.0, n_restarts_optimizer=2, random_state=0).fit(X, y)
    model = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=2, random_state=0)
    model.fit(X, y, noise_groups=np.zeros(len(y), dtype=int))
    assert type(model.kernel_) is type(kernel)
    assert model.log_marginal_likelihood_value_ == pytest.approx(white.log_marginal_likelihood_value_, rel=1e-6)
    assert model.noise_[0] == pytest.approx(np.exp(white.kernel_.theta[-1]), rel=SEARCH)
    np.testing.assert_allclose(model.predict(X), white.predict(X), atol=SEARCH)
    deviations = model.predict(X, return_std=True, noise_groups=0)[1]
    np.testing.assert_allclose(deviations, white.predict(X, return_std=True)[1], rtol=SEARCH)


def test_slopes_equal_finite_differences(data):
    X, y, labels = data
    model = exact().fit(X, y, noise_groups=labels)
    theta = np.log([1.5, 0.4, 0.05, 0.7])
    value, slopes = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood(theta), rel=ROUNDING)
    for place, step in enumerate(1e-5 * np.eye(4)):
        above, below = (model.log_marginal_likelihood(theta + s) for s in (step, -step))
        assert slopes[place] == pytest.approx((above - below) / 2e-5, rel=1e-6, abs=1e-4)
    with pytest.raises(ParameterError, match=r"expected 4 numbers.*noise_groups\['loud'\]"):
        model.log_marginal_likelihood(theta[:2])


@pytest.mark.parametrize("make", [exact, sparse])
def test_noise_is_told_in_units_of_the_targets(data, make):
    X, y, labels = data
    several = np.column_stack([y, 10 * y + 5])
    model = make(normalize_y=True).fit(X, several, noise_groups=labels)
    assert model.noise_["loud"].shape == (2,)
    assert model.noise_["loud"][1] == pytest.approx(100 * model.noise_["loud"][0], rel=ROUNDING)
    plain = make(normalize_y=True).fit(X, y, noise_groups=labels)
    assert plain.noise_["loud"] == pytest.approx(model.noise_["loud"][0], rel=SEARCH)
    alone, noisy = (model.predict(X[:5], return_std=True, noise_groups=g)[1] for g in (None, "loud"))
    np.testing.assert_allclose(noisy**2 - alone**2, np.tile(model.noise_["loud"], (5, 1)), rtol=1e-8)


def test_noise_of_groups_is_added_where_it_is_asked_for(data):
    X, y, labels = data
    model = exact().fit(X, y, noise_groups=labels)
    queries, groups = X[:4], ["loud", "calm", "calm", "loud"]
    _, alone = model.predict(queries, return_std=True)
    _, noisy = model.predict(queries, return_std=True, noise_groups=groups)
    np.testing.assert_allclose(noisy**2 - alone**2, [model.noise_[g] for g in groups], rtol=1e-8)
    _, left = model.predict(queries, return_cov=True, noise_groups=groups)
    _, without = model.predict(queries, return_cov=True)
    np.testing.assert_allclose(left - without, np.diag([model.noise_[g] for g in groups]), atol=ROUNDING)


def test_leave_one_out_includes_the_noise_of_each_group(data):
    X, y, labels = data
    model = exact().fit(X, y, noise_groups=labels)
    mean, std = model.leave_one_out(return_std=True)
    noise = np.array([model.noise_[label] for label in labels])
    for i in (0, 100, 299):
        others = np.arange(len(y)) != i
        fixed = GaussianProcessRegressor(model.kernel_, alpha=noise[others], optimizer=None).fit(X[others], y[others])
        expected, deviation = fixed.predict(X[i : i + 1], return_std=True)
        assert mean[i] == pytest.approx(expected[0], abs=1e-8)
        assert std[i] == pytest.approx(np.hypot(deviation[0], np.sqrt(noise[i])), rel=1e-8)


def test_groups_stand_beside_known_noise_and_white_noise(data):
    """alpha is known, White is shared, and the group takes what is left."""
    X, y, labels = data
    known = exact().set_params(alpha=0.005).fit(X, y, noise_groups=labels)
    bare = exact().fit(X, y, noise_groups=labels)
    assert known.noise_["calm"] + 0.005 == pytest.approx(bare.noise_["calm"], rel=SEARCH)
    fixed = GaussianProcessRegressor(1.0 * RBF(0.5) + White(0.005), alpha=0.0, bounds={"k2__noise": "fixed"})
    assert fixed.fit(X, y, noise_groups=labels).noise_["calm"] == pytest.approx(known.noise_["calm"], rel=SEARCH)


def test_bounds_of_the_noise_of_groups_hold_and_are_told(data):
    X, y, labels = data
    for kernel in (1.0 * RBF(0.5), 1.0 * theirs.RBF(1.0)):
        model = GaussianProcessRegressor(kernel, bounds={"noise_groups": (0.05, 10.0)})
        with pytest.warns(
            UnsolvedWarning, match="'calm' of parameter noise_groups is close to the specified lower bound"
        ):
            model.fit(X, y, noise_groups=labels)
        assert model.noise_["calm"] == pytest.approx(0.05)


def test_pipelines_and_folds_pass_groups_on(data):
    X, y, labels = data
    model = make_pipeline(StandardScaler(), exact())
    model.fit(X, y, gaussianprocessregressor__noise_groups=labels)
    assert set(model[-1].noise_) == {"calm", "loud"}
    folds = cross_val_predict(exact(), X, y, cv=3, params={"noise_groups": labels})
    assert np.mean((folds - np.sin(X[:, 0])) ** 2) < 0.05


def test_a_fit_without_groups_has_none(data):
    X, y, labels = data
    model = exact().set_params(alpha=1e-3)
    assert not hasattr(model, "noise_")
    model.fit(X, y, noise_groups=labels).fit(X, y)
    assert model.noise_ == {}
    with pytest.raises(ParameterError, match="no noise of groups was learnt"):
        model.predict(X, return_std=True, noise_groups=labels)


def test_a_group_of_one_row_has_a_variance(data):
    X, y, labels = data
    labels = labels.astype(object)
    labels[0] = "lonely"
    y = y.copy()
    y[0] = 8.0
    model = exact().fit(X, y, noise_groups=labels)
    assert 1.0 < model.noise_["lonely"] < 100.0
    assert abs(model.predict(X[:1])[0]) < 1.5


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (lambda n: np.zeros(n - 1), "one label for each of the 300 rows"),
        (lambda n: np.zeros((n, 1)), "one label for each of the 300 rows"),
        (lambda n: "calm", "one label for each of the 300 rows"),
        (lambda n: np.r_[np.nan, np.zeros(n - 1)], "got NaN or None at row 0"),
        (lambda n: np.array(["a"] * (n - 1) + [None], dtype=object), "got NaN or None at row 299"),
        (lambda n: np.array([1, "a"] * (n // 2), dtype=object), "can be sorted"),
        (lambda n: np.zeros(n, dtype=complex), "expected numbers or strings"),
        (lambda n: [[1], [2, 3]] * (n // 2), "one label for each row"),
    ],
)
def test_labels_that_make_no_sense_are_refused(data, labels, told):
    X, y, _ = data
    with pytest.raises(InputError, match=told):
        exact().fit(X, y, noise_groups=labels(len(y)))


def test_labels_of_pandas_are_read_and_missing_ones_refused(data):
    pandas = pytest.importorskip("pandas")
    X, y, labels = data
    series = pandas.Series(labels, dtype="category")
    assert set(exact().fit(X, y, noise_groups=series).noise_) == {"calm", "loud"}
    missing = pandas.Series(labels, dtype="string").copy()
    missing.iloc[3] = pandas.NA
    with pytest.raises(InputError, match="got NaN or None at row 3"):
        exact().fit(X, y, noise_groups=missing)


def test_queries_of_groups_that_make_no_sense_are_refused(data):
    X, y, labels = data
    model = exact().fit(X, y, noise_groups=labels)
    with pytest.raises(InputError, match="expected groups of the fit, 'calm', 'loud', got 'mild'"):
        model.predict(X, return_std=True, noise_groups="mild")
    with pytest.raises(InputError, match="or one for each of the 300 rows"):
        model.predict(X, return_std=True, noise_groups=labels[:3])
    with pytest.raises(InputError, match="got NaN or None"):
        model.predict(X, return_std=True, noise_groups=np.nan)
    with pytest.raises(ParameterError, match="Ask for return_std"):
        model.predict(X, noise_groups="calm")


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"optimizer": None}, "expected one to learn the noise"),
        ({"bounds": {"noise_groups": "fixed"}}, "Use alpha for noise"),
        ({"bounds": {"noise_groups": (2, 1)}}, "0 < low ≤ high"),
    ],
)
def test_parameters_that_make_no_sense_with_groups_are_refused(data, params, told):
    X, y, labels = data
    with pytest.raises(ParameterError, match=told):
        exact(**params).fit(X, y, noise_groups=labels)


def test_bounds_of_groups_without_groups_are_refused(data):
    X, y, _ = data
    with pytest.raises(ParameterError, match="expected names among"):
        exact(bounds={"noise_groups": (1e-3, 1.0)}).fit(X, y)
