"""SparseGaussianProcessRegressor against the exact process, its bounds, and limits."""

import time

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as theirs

from mercer import (
    RBF,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelError,
    Matern,
    ParameterError,
    Periodic,
    SparseGaussianProcessRegressor,
    UnsolvedWarning,
    White,
)

# What is added to the diagonal of the inducing rows, over the noise, for all rows.
JITTER = 1e-6
# Where two searches stop.
SEARCH = 1e-2
KERNEL = 1.0 * RBF(0.5) + White(0.1)


@pytest.fixture
def data(random):
    X = random.uniform(-3, 3, size=(120, 2))
    y = np.sin(X[:, 0]) + np.cos(X[:, 1]) + 0.1 * random.normal(size=120)
    return X, y, random.uniform(-4, 4, size=(25, 2))


@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("targets", [None, 1, 3])
def test_all_rows_inducing_predict_as_the_exact_process(data, normalize_y, targets):
    X, y, queries = data
    y = y if targets is None else np.column_stack([5.0 * (k + 1) * y + k for k in range(targets)])
    options = {"optimizer": None, "normalize_y": normalize_y}
    exact = GaussianProcessRegressor(KERNEL, alpha=0.0, **options).fit(X, y)
    model = SparseGaussianProcessRegressor(KERNEL, **options).fit(X, y)
    assert model.inducing_rows_.shape == X.shape
    for option in ("return_std", "return_cov"):
        answers = (one.predict(queries, **{option: True}) for one in (model, exact))
        for found, expected in zip(*answers, strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=JITTER, atol=JITTER * np.abs(y).max() ** 2)
    value = exact.log_marginal_likelihood_value_
    np.testing.assert_allclose([model.lower_bound_, model.upper_bound_], value, rtol=JITTER)
    assert model.residual_ < JITTER
    assert model.sample_y(queries[:5], 3).shape == exact.sample_y(queries[:5], 3).shape


@pytest.mark.parametrize("kernel", [KERNEL, 1.0 * theirs.Matern([1.0, 1.0], nu=2.5) + theirs.WhiteKernel(0.1)], ids=str)
def test_all_rows_inducing_learn_as_the_exact_process(data, kernel):
    X, y, queries = data
    exact = GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)
    model = SparseGaussianProcessRegressor(kernel).fit(X, y)
    assert type(model.kernel_) is type(kernel)
    assert model.lower_bound_ == pytest.approx(exact.log_marginal_likelihood_value_, rel=1e-4)
    np.testing.assert_allclose(model.predict(queries), exact.predict(queries), atol=SEARCH)


@pytest.mark.parametrize("selection", ["kmeans", "pivoted", "random"])
def test_bounds_hold_and_close_as_inducing_rows_are_added(data, selection):
    X, y, _ = data
    exact = GaussianProcessRegressor(KERNEL, alpha=0.0, optimizer=None).fit(X, y).log_marginal_likelihood_value_
    gaps = []
    for count in (5, 20, 60):
        model = SparseGaussianProcessRegressor(
            KERNEL, n_inducing=count, selection=selection, optimizer=None, random_state=0
        ).fit(X, y)
        assert model.inducing_rows_.shape == (count, 2)
        if selection == "kmeans":
            assert model.inducing_indices_ is None
        else:
            np.testing.assert_array_equal(X[model.inducing_indices_], model.inducing_rows_)
        assert model.lower_bound_ <= exact <= model.upper_bound_
        gaps.append(model.upper_bound_ - model.lower_bound_)
    assert gaps[0] > 4 * gaps[1] > 16 * gaps[2]
    assert 0 <= model.residual_ < 0.01


def test_the_search_raises_the_bound_and_fits(data):
    X, y, queries = data
    options = {"n_inducing": 40, "random_state": 0}
    fixed = SparseGaussianProcessRegressor(KERNEL, optimizer=None, **options).fit(X, y)
    found = SparseGaussianProcessRegressor(KERNEL, n_restarts_optimizer=1, **options).fit(X, y)
    assert found.lower_bound_ > fixed.lower_bound_
    inner = queries[np.abs(queries).max(axis=1) < 2.5]
    np.testing.assert_allclose(found.predict(inner), np.sin(inner[:, 0]) + np.cos(inner[:, 1]), atol=0.3)


def test_many_rows_are_learnt_from_a_sample_first(random):
    X = random.uniform(-3, 3, size=(5000, 1))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=5000)
    model = SparseGaussianProcessRegressor(1.0 * RBF(50.0) + White(1.0), n_inducing=20, random_state=0).fit(X, y)
    assert model.kernel_.right.noise == pytest.approx(0.01, rel=0.1)
    assert model.upper_bound_ - model.lower_bound_ < 1.0
    mean, std = model.predict(X[:100], return_std=True)
    assert np.abs(mean - np.sin(X[:100, 0])).max() < 0.05
    np.testing.assert_allclose(std, 0.1, rtol=0.1)
    again = SparseGaussianProcessRegressor(1.0 * RBF(50.0) + White(1.0), n_inducing=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict(X[:100]), mean)


@pytest.mark.parametrize("selection", ["kmeans", "pivoted", "random"])
def test_little_memory_gives_the_same_process(random, selection):
    X = random.uniform(-3, 3, size=(3000, 2))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=3000)
    # Enough for 30 × 30 numbers and blocks of some rows, not for 3,000 × 30.
    options = {"n_inducing": 30, "optimizer": None, "random_state": 0, "selection": selection}
    wide = SparseGaussianProcessRegressor(KERNEL, **options).fit(X, y)
    tight = SparseGaussianProcessRegressor(KERNEL, cache_size=0.2, **options).fit(X, y)
    if selection == "pivoted":  # of fewer rows
        assert tight.residual_ < 10 * wide.residual_
        return
    assert tight.lower_bound_ == pytest.approx(wide.lower_bound_, rel=1e-9)
    assert tight.upper_bound_ == pytest.approx(wide.upper_bound_, rel=1e-9)
    np.testing.assert_allclose(tight.predict(X, return_std=True), wide.predict(X, return_std=True), rtol=1e-6)


def test_variance_is_never_negative(random):
    X = random.uniform(size=(300, 1))
    model = SparseGaussianProcessRegressor(100.0 * RBF(0.1), alpha=1e-8, n_inducing=50, optimizer=None, random_state=0)
    model.fit(X, np.sin(X[:, 0]))
    queries = np.vstack([X, X + 1e-9, model.inducing_rows_])
    assert np.all(model.predict(queries, return_std=True)[1] >= 0)
    assert np.all(np.diagonal(model.predict(queries, return_cov=True)[1]) >= 0)


def test_noise_may_be_known_for_each_observation(data):
    X, y, queries = data
    noise = np.linspace(0.01, 1.0, len(y))
    exact = GaussianProcessRegressor(RBF(0.5), alpha=noise, optimizer=None).fit(X, y)
    model = SparseGaussianProcessRegressor(RBF(0.5), alpha=noise, optimizer=None).fit(X, y)
    np.testing.assert_allclose(model.predict(queries), exact.predict(queries), rtol=JITTER, atol=JITTER)


@pytest.mark.parametrize(
    ("params", "error", "told"),
    [
        ({"kernel": RBF(0.5)}, ParameterError, r"which the bound needs.*White\(\)"),
        ({"kernel": RBF(0.5), "alpha": np.r_[0.0, np.ones(119)]}, ParameterError, "which the bound needs"),
        ({"kernel": White(0.5)}, ParameterError, "noise alone"),
        ({"n_inducing": 0}, ParameterError, "integer ≥ 1"),
        ({"selection": "greedy"}, ParameterError, "kmeans"),
        ({"cache_size": 0.01}, ParameterError, "lower n_inducing"),
        ({"alpha": -1.0}, ParameterError, "alpha"),
        ({"kernel": "rbf"}, ParameterError, "expected a kernel of Mercer's"),
        ({"time_limit": 0}, ParameterError, "time_limit"),
        ({"kernel": Periodic(2.5, 3.0) + White(0.1), "n_inducing": 2}, KernelError, "positive semi-definite"),
    ],
)
def test_what_makes_no_sense_is_refused(data, params, error, told):
    X, y, _ = data
    with pytest.raises(error, match=told):
        SparseGaussianProcessRegressor(**params, random_state=0).fit(X, y)


def test_a_fit_that_fails_loses_nothing(data):
    X, y, queries = data
    model = SparseGaussianProcessRegressor(KERNEL, n_inducing=20, optimizer=None, random_state=0).fit(X, y)
    before = model.predict(queries)
    with pytest.raises(ParameterError):
        model.set_params(kernel=RBF(1.0)).fit(np.zeros((5, 3)), np.zeros(5))
    np.testing.assert_array_equal(model.predict(queries), before)


def test_hard_rows_have_an_answer():
    """One row, equal rows, constant and huge targets, more features than rows."""
    options = {"optimizer": None, "n_inducing": 3, "random_state": 0, "selection": "random"}
    one = SparseGaussianProcessRegressor(RBF(1.0), alpha=0.1, **options).fit([[1.0]], [5.0])
    assert one.predict([[1.0]])[0] == pytest.approx(5.0 / 1.1)
    equal = SparseGaussianProcessRegressor(RBF(1.0), alpha=0.1, **options).fit(np.ones((9, 1)), np.arange(9.0))
    assert equal.predict([[1.0]])[0] == pytest.approx(36 / 9.1)
    flat = SparseGaussianProcessRegressor(RBF(1.0), alpha=0.1, normalize_y=True, **options)
    mean, std = flat.fit(np.arange(9.0)[:, None], np.full(9, 1e12)).predict([[2.0]], return_std=True)
    assert mean[0] == 1e12
    assert np.isfinite(std[0])
    wide = SparseGaussianProcessRegressor(RBF("auto"), alpha=0.1, **options).fit(np.eye(5, 40), np.arange(5.0))
    assert np.isfinite(wide.predict(np.eye(5, 40))).all()


def test_prior_is_told_before_a_fit(data):
    mean, std = SparseGaussianProcessRegressor(KERNEL).predict(data[2], return_std=True)
    assert np.all(mean == 0)
    np.testing.assert_allclose(std, np.sqrt(1.1))


def test_time_limit_keeps_the_best_so_far(random):
    X = random.uniform(-3, 3, size=(20_000, 6))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=20_000)
    kernel = 1.0 * Matern([0.5] * 6) + White(0.5)
    began = time.perf_counter()
    model = SparseGaussianProcessRegressor(kernel, n_inducing=200, time_limit=1.0, selection="random", random_state=0)
    with pytest.warns(UnsolvedWarning, match="ended at time_limit=1 seconds"):
        model.fit(X, y)
    # The last evaluation is cut within a block; what is kept takes one more.
    assert time.perf_counter() - began < 20
    assert np.isfinite(model.predict(X[:5])).all()


def test_no_time_at_all_keeps_the_kernel_as_it_is(data):
    X, y, _ = data
    for model in (SparseGaussianProcessRegressor(KERNEL), GaussianProcessRegressor(KERNEL)):
        with pytest.warns(UnsolvedWarning, match="after 0 likelihoods"):
            model.set_params(time_limit=1e-9).fit(X, y)
        np.testing.assert_allclose([model.kernel_.left.factor, model.kernel_.right.noise], [1.0, 0.1])
    value = GaussianProcessRegressor(KERNEL, optimizer=None).fit(X, y).log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_value_ == pytest.approx(value, rel=1e-12)
    classifier = GaussianProcessClassifier(1.0 * RBF(0.5), time_limit=1e-9)
    with pytest.warns(UnsolvedWarning, match="after 0 likelihoods"):
        classifier.fit(X, y > 0)
    assert classifier.kernel_.factor == 1.0
    assert classifier.score(X, y > 0) > 0.9


@pytest.mark.parametrize("restarts", [0, 3])
def test_time_limit_of_the_exact_process_keeps_the_best_so_far(random, restarts):
    X = random.uniform(-3, 3, size=(1200, 6))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=1200)
    kernel = 1.0 * Matern([0.5] * 6) + White(0.5)
    model = GaussianProcessRegressor(kernel, time_limit=0.7, n_restarts_optimizer=restarts, random_state=0)
    with pytest.warns(UnsolvedWarning, match="ended at time_limit=0.7 seconds"):
        model.fit(X, y)
    fixed = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    assert model.log_marginal_likelihood_value_ >= fixed.log_marginal_likelihood_value_


def test_ctrl_c_is_heard_and_an_earlier_fit_stays(data, monkeypatch):
    X, y, queries = data
    model = SparseGaussianProcessRegressor(KERNEL, n_inducing=20, optimizer=None, random_state=0).fit(X, y)
    before = model.predict(queries)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mercer.estimators.sparse_gaussian_process_regressor.lower_bound_with_slopes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(optimizer="fmin_l_bfgs_b").fit(X, -y)
    np.testing.assert_array_equal(model.predict(queries), before)


def test_optimizer_of_the_user_is_called_with_the_bound(random):
    X = random.uniform(-3, 3, size=(2500, 1))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=2500)
    asked = []

    def optimizer(cost, start, bounds):
        asked.append((cost(start)[0], bounds.shape))
        return start, cost(start, eval_gradient=False)

    model = SparseGaussianProcessRegressor(KERNEL, optimizer=optimizer, n_inducing=20, random_state=0).fit(X, y)
    ((value, shape),) = asked
    assert shape == (3, 2)
    # For one observation in the mean, as the search has it.
    assert value == pytest.approx(-model.lower_bound_ / 2500)
