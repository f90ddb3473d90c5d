"""GaussianProcessRegressor against scikit-learn's, kernel ridge, and closed forms."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as theirs
from sklearn.kernel_ridge import KernelRidge

from mercer import RBF, GaussianProcessRegressor, InputError, Matern, ParameterError, UnsolvedWarning, White

ROUNDING = 1e-8
# Where two searches stop that differ by rounding.
SEARCH = 1e-4


@pytest.fixture
def data(random):
    X = random.uniform(-3, 3, size=(60, 2))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=60)
    return X, y, random.uniform(-4, 4, size=(25, 2))


def both(data, kernel, y=None, **params):
    X, own, _ = data
    y = own if y is None else y
    return (kind(kernel, **params).fit(X, y) for kind in (GaussianProcessRegressor, Theirs))


@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("targets", [None, 1, 3])
def test_predictions_equal_those_of_scikit_learn(data, normalize_y, targets):
    _, y, queries = data
    y = y if targets is None else np.column_stack([5.0 * (k + 1) * y + k for k in range(targets)])
    kernel = 2.0 * theirs.RBF([1.0, 2.0]) + theirs.WhiteKernel(0.1)
    ours, other = both(data, kernel, y, normalize_y=normalize_y, optimizer=None)
    for option in ("return_std", "return_cov"):
        answers = (model.predict(queries, **{option: True}) for model in (ours, other))
        for found, expected in zip(*answers, strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(ours.L_, other.L_, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(ours.alpha_, other.alpha_, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(ours.y_train_, other.y_train_, rtol=ROUNDING, atol=ROUNDING)
    drawn = ours.sample_y(queries[:5], 3, random_state=1)
    assert drawn.shape == other.sample_y(queries[:5], 3, random_state=1).shape


def test_default_fit_equals_that_of_scikit_learn(data):
    ours, other = both(data, None, alpha=0.01)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=SEARCH)
    np.testing.assert_allclose(ours.predict(data[2]), other.predict(data[2]), atol=1e-3)


@pytest.mark.parametrize("restarts", [0, 3])
def test_search_ends_where_that_of_scikit_learn_does(data, restarts):
    kernel = 1.0 * theirs.Matern([1.0, 1.0], (0.1, 10.0), nu=2.5) + theirs.WhiteKernel(0.1)
    X, y, _ = data
    y = y + np.cos(2 * X[:, 1])  # both features matter
    ours, other = both(data, kernel, y, n_restarts_optimizer=restarts, random_state=0)
    assert ours.log_marginal_likelihood_value_ >= other.log_marginal_likelihood_value_ - SEARCH
    assert type(ours.kernel_) is type(other.kernel_)
    np.testing.assert_allclose(ours.kernel_.theta, other.kernel_.theta, atol=0.01)


def test_kernels_of_mercer_reach_the_same_likelihood(data):
    X, y, _ = data
    ours = GaussianProcessRegressor(1.0 * RBF([0.5, 0.5]) + White(0.1), bounds={"k1__kernel__gamma": (5e-3, 50)})
    other = Theirs(1.0 * theirs.RBF([1.0, 1.0], (0.1, 10.0)) + theirs.WhiteKernel(0.1))
    with pytest.warns(UnsolvedWarning, match="lower bound"):
        ours.fit(X, y)
    with pytest.warns(UserWarning, match="upper bound"):
        other.fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=SEARCH)
    value, slopes = ours.log_marginal_likelihood(np.zeros(4), eval_gradient=True)
    assert value == pytest.approx(ours.log_marginal_likelihood(np.zeros(4)))
    assert slopes.shape == (4,)


def test_mean_is_that_of_kernel_ridge(data):
    X, y, queries = data
    ridge = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.7).fit(X, y)
    model = GaussianProcessRegressor(RBF(0.7), alpha=0.3, optimizer=None).fit(X, y)
    np.testing.assert_allclose(model.predict(queries), ridge.predict(queries), rtol=1e-10, atol=1e-10)


def test_noise_may_be_known_for_each_observation(data):
    X, y, queries = data
    noise = np.linspace(0.01, 1.0, len(y))
    ours, other = both(data, theirs.RBF(1.0), alpha=noise, optimizer=None)
    np.testing.assert_allclose(ours.predict(queries), other.predict(queries), rtol=ROUNDING)
    with pytest.raises(InputError, match="same number of entries"):
        GaussianProcessRegressor(alpha=noise[:3]).fit(X, y)
    with pytest.raises(ParameterError, match="alpha"):
        GaussianProcessRegressor(alpha=-noise).fit(X, y)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_leave_one_out_equals_fits_without_each_row(data, normalize_y):
    X, y, _ = data
    y = 10 * y + 3
    kernel = 2.0 * RBF(0.5) + White(0.1)
    model = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=normalize_y).fit(X, y)
    mean, std = model.leave_one_out(return_std=True)
    np.testing.assert_array_equal(model.leave_one_out(), mean)
    centre, spread = (y.mean(), y.std()) if normalize_y else (0.0, 1.0)
    for i in (0, 17, 59):
        others = np.arange(len(y)) != i
        one = GaussianProcessRegressor(kernel, optimizer=None).fit(X[others], (y[others] - centre) / spread)
        expected, deviation = one.predict(X[i : i + 1], return_std=True)
        np.testing.assert_allclose(mean[i], spread * expected[0] + centre, rtol=ROUNDING)
        np.testing.assert_allclose(std[i], spread * deviation[0], rtol=ROUNDING)


def test_prior_is_told_before_a_fit(data):
    _, _, queries = data
    ours, other = GaussianProcessRegressor(n_targets=2), Theirs(n_targets=2)
    for option in ("return_std", "return_cov"):
        answers = (model.predict(queries, **{option: True}) for model in (ours, other))
        for found, expected in zip(*answers, strict=True):
            np.testing.assert_allclose(found, expected, atol=ROUNDING)
    assert ours.sample_y(queries, 4).shape == (25, 2, 4)


def test_variance_is_never_negative(random):
    """At the rows themselves, without noise, it is a difference of equal numbers."""
    X = random.uniform(size=(80, 1))
    model = GaussianProcessRegressor(RBF(10.0), optimizer=None).fit(X, np.sin(X[:, 0]))
    queries = np.vstack([X, X + 1e-9, random.uniform(size=(500, 1))])
    std = model.predict(queries, return_std=True)[1]
    assert np.all(std >= 0)
    assert np.all(np.diagonal(model.predict(queries, return_cov=True)[1]) >= 0)


def test_rows_twice_without_noise_are_refused_with_advice():
    X, y = np.array([[0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 2.0])
    with pytest.raises(np.linalg.LinAlgError, match=r"1 of the 3 rows repeat others.*White\(\)"):
        GaussianProcessRegressor(RBF(1.0), alpha=0.0, optimizer=None).fit(X, y)
    model = GaussianProcessRegressor(RBF(1.0) + White(0.1), optimizer=None).fit(X, y)
    assert 1.2 < model.predict([[1.0]])[0] < 1.6


def test_a_fit_that_fails_loses_nothing(data):
    X, y, queries = data
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(X, y)
    before = model.predict(queries)
    model.set_params(alpha=0.0)
    with pytest.raises(np.linalg.LinAlgError):
        model.fit(np.zeros((5, 3)), np.zeros(5))
    np.testing.assert_array_equal(model.predict(queries), before)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_one_row_and_constant_targets_have_an_answer(normalize_y):
    one = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None, normalize_y=normalize_y).fit([[1.0]], [5.0])
    assert one.predict([[1.0]])[0] == pytest.approx(5.0 if normalize_y else 5.0 / 1.1)
    flat = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None, normalize_y=normalize_y)
    flat.fit(np.arange(9.0)[:, None], np.full(9, 1e12))
    mean, std = flat.predict([[2.0]], return_std=True)
    assert np.isfinite([*mean, *std]).all()


def test_offsets_of_rows_change_nothing(data):
    X, y, queries = data
    near = GaussianProcessRegressor(Matern(0.5, nu=0.5), alpha=0.1, optimizer=None).fit(X, y)
    far = GaussianProcessRegressor(Matern(0.5, nu=0.5), alpha=0.1, optimizer=None).fit(X + 2.0**30, y)
    # Of rows at 2^30 double keeps 2^-22.
    np.testing.assert_allclose(far.predict(queries + 2.0**30), near.predict(queries), atol=1e-5)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"kernel": "rbf"}, "expected a kernel of Mercer's or scikit-learn's"),
        ({"kernel": theirs.RBF(1.0) ** 1.5}, "among RBF, Matern"),
        ({"optimizer": "adam"}, "fmin_l_bfgs_b"),
        ({"n_restarts_optimizer": -1}, "integer ≥ 0"),
        ({"bounds": [(1, 2)]}, "expected a dict"),
        ({"kernel": RBF(1.0), "bounds": {"nu": "fixed"}}, "expected names among"),
        ({"kernel": theirs.RBF(1.0), "bounds": {"length_scale": "fixed"}}, "which has bounds itself"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(data, params, told):
    with pytest.raises(ParameterError, match=told):
        GaussianProcessRegressor(**params).fit(*data[:2])


def test_as_many_length_scales_as_features_are_asked_for(data):
    for kernel in (RBF([0.5, 0.5, 0.5]), theirs.RBF([1.0, 1.0, 1.0])):
        with pytest.raises(ValueError, match="one number for each of the 2 features"):
            GaussianProcessRegressor(kernel).fit(*data[:2])


def test_optimizer_of_the_user_is_called_as_scikit_learn_calls_it(data):
    X, y, _ = data
    asked = []

    def optimizer(cost, start, bounds):
        asked.append((cost(start, eval_gradient=False), cost(start)[0], bounds.shape))
        return start, cost(start)[0]

    model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=optimizer).fit(X, y)
    (value, again, shape), expected = asked[0], -model.log_marginal_likelihood_value_
    assert shape == (1, 2)
    assert value == again == pytest.approx(expected)
    assert model.kernel_ == RBF(np.exp(np.log(0.5)))
