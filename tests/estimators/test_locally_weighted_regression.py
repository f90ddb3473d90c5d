"""Locally weighted regression: its definition, closed forms, and the corners."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import PolynomialFeatures

from mercer import InputError, LocallyWeightedRegression, NumericsWarning, ParameterError
from mercer.local import KERNELS
from tests.reference.local_regression import smoother_matrix

# Both solve well-posed systems in float64.
ROUNDING = 1e-9


def noisy(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X).sum(axis=1) + rng.normal(scale=0.1, size=n), rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("n", "d", "windows"),
    [
        (300, 1, {"k": 40}),
        (300, 1, {"k": 300}),
        (3000, 1, {"k": 1500}),  # sums from moments of runs of rows
        (300, 2, {"k": 60}),
        (150, 3, {"k": 120}),  # many queries at once
        (300, 2, {"h": 1.5}),
        (300, 1, {"h": 2.0}),
        (300, 3, {"h": 4.0}),
    ],
    ids=str,
)
def test_predictions_are_those_of_the_definition(n, d, windows, kernel, order):
    X, y, weights = noisy(n, d)
    Q = 0.5 * noisy(25, d, seed=1)[0]
    matrix = smoother_matrix(X, weights, Q, kernel, order, **windows)
    given = {"n_neighbors": windows["k"]} if "k" in windows else {"bandwidth": windows["h"]}
    model = LocallyWeightedRegression(order, kernel=kernel, **given).fit(X, y, weights)
    values, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(values, matrix @ y, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(std, model.sigma_ * np.sqrt((matrix**2 / weights).sum(axis=1)), rtol=ROUNDING)
    np.testing.assert_allclose(model.equivalent_kernel(Q), matrix, atol=ROUNDING)


def test_linear_is_another_name_of_triangular():
    X = np.random.default_rng(0).normal(size=(60, 2))
    one, other = (LocallyWeightedRegression(kernel=name).fit(X, X[:, 0] ** 2) for name in ("triangular", "linear"))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize(("order", "d"), [(0, 1), (1, 1), (2, 1), (1, 3), (2, 3)])
def test_infinite_bandwidth_is_least_squares(order, d):
    X, y, weights = noisy(80, d)
    features = PolynomialFeatures(order, include_bias=order == 0)
    peer = LinearRegression(fit_intercept=order > 0).fit(features.fit_transform(X), y, weights)
    model = LocallyWeightedRegression(order, bandwidth=np.inf).fit(X, y, weights)
    np.testing.assert_allclose(model.predict(3 * X), peer.predict(features.transform(3 * X)), atol=1e-8)
    assert model.effective_dof_ == pytest.approx(features.n_output_features_ + (order > 0))
    expected = np.sqrt(np.sum(weights * (y - peer.predict(features.transform(X))) ** 2) / (80 - model.effective_dof_))
    assert model.sigma_ == pytest.approx(expected)


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_polynomials_of_the_order_are_met_exactly(order, d, offset):
    X = np.random.default_rng(0).uniform(-1, 1, (400, d))
    y = {0: np.full(400, 3.0), 1: X.sum(axis=1), 2: X.sum(axis=1) ** 2}[order]
    model = LocallyWeightedRegression(order, n_neighbors=60).fit(X + offset, y + offset)
    # Features and targets near 1e8 are themselves rounded to 1e-8.
    np.testing.assert_allclose(model.predict(X + offset) - offset, y, atol=1e-6 if offset else 1e-10)


def test_left_out_residuals_are_those_of_fits_without_the_row():
    X, y, weights = noisy(40, 2)
    model = LocallyWeightedRegression(1, bandwidth=1.5, kernel="epanechnikov").fit(X, y, weights)
    for i in (0, 7, 31):
        others = np.arange(40) != i
        without = LocallyWeightedRegression(1, bandwidth=1.5, kernel="epanechnikov")
        without.fit(X[others], y[others], weights[others])
        assert model.left_out_residuals_[i] == pytest.approx(y[i] - without.predict(X[i : i + 1])[0], rel=1e-8)


def test_what_the_fit_tells_follows_from_the_smoother_matrix():
    X, y, _ = noisy(60, 2)
    model = LocallyWeightedRegression(1, n_neighbors=30).fit(X, y)
    L = smoother_matrix(X, np.ones(60), X, "tricube", 1, k=30)
    np.testing.assert_allclose(model.fitted_values_, L @ y, atol=ROUNDING)
    np.testing.assert_allclose(model.leverage_, np.diag(L), atol=ROUNDING)
    assert model.effective_dof_ == pytest.approx(np.trace(L))
    rest = np.eye(60) - L
    assert model.sigma_ == pytest.approx(np.sqrt(np.sum((rest @ y) ** 2) / np.trace(rest.T @ rest)))


@pytest.mark.parametrize("windows", [{"n_neighbors": "auto"}, {"bandwidth": "auto"}], ids=str)
@pytest.mark.parametrize("d", [1, 2])
def test_auto_takes_the_least_left_out_error(windows, d):
    X, y, weights = noisy(120, d)
    model = LocallyWeightedRegression(1, **windows).fit(X, y, weights)
    chosen = model.candidates_[np.argmin(model.left_out_errors_)]
    assert chosen == (model.n_neighbors_ or model.bandwidth_)
    name = next(iter(windows))
    for candidate, error in zip(model.candidates_[5::4], model.left_out_errors_[5::4], strict=True):
        value = int(candidate) if name == "n_neighbors" else float(candidate)
        one = LocallyWeightedRegression(1, **{name: value}).fit(X, y, weights)
        assert np.average(one.left_out_residuals_**2, weights=weights) == pytest.approx(error)


def test_bands_cover_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(3)
    x = np.linspace(0, 1, 150)[:, None]
    covered, new = [], []
    for _ in range(200):
        y = 2 * x[:, 0] + rng.normal(size=150)
        model = LocallyWeightedRegression(1, frac=0.5).fit(x, y)
        band = model.predict_interval([[0.3]], 0.9)
        covered.append(band.lower[0] <= 0.6 <= band.upper[0])
        band = model.predict_interval([[0.3]], 0.9, of="target")
        new.append(band.lower[0] <= 0.6 + rng.normal() <= band.upper[0])
    # Three standard errors of a share of 0.9 among 200.
    assert np.mean(covered) == pytest.approx(0.9, abs=0.064)
    assert np.mean(new) == pytest.approx(0.9, abs=0.064)


def test_several_targets_are_fitted_as_one_by_one():
    X, y, weights = noisy(200, 2)
    Y = np.column_stack([y, np.cos(X[:, 0]), X[:, 1] ** 3])
    for options in ({"n_neighbors": 50}, {"n_neighbors": 150}, {"n_neighbors": 50, "robust_iterations": 2}):
        together = LocallyWeightedRegression(1, **options).fit(X, Y, weights)
        values, std = together.predict(X[:20], return_std=True)
        for t in range(3):
            alone = LocallyWeightedRegression(1, **options).fit(X, Y[:, t], weights)
            expected, expected_std = alone.predict(X[:20], return_std=True)
            np.testing.assert_allclose(values[:, t], expected, atol=1e-11)
            np.testing.assert_allclose(std[:, t], expected_std, rtol=1e-9)
            np.testing.assert_allclose(together.sigma_[t], alone.sigma_)


def test_robust_iterations_ignore_an_outlier():
    x = np.linspace(0, 1, 60)[:, None]
    y = 3 * x[:, 0] + 0.01 * np.sin(40 * x[:, 0])
    y[20] += 100
    model = LocallyWeightedRegression(frac=0.4, robust_iterations=4).fit(x, y)
    assert model.robustness_weights_[20] == 0
    np.testing.assert_allclose(model.predict(x), 3 * x[:, 0], atol=0.05)
    assert model.sigma_ < 0.1


def test_rows_of_weight_zero_are_absent():
    X, y, weights = noisy(100, 2)
    weights[::3] = 0
    model = LocallyWeightedRegression(1, n_neighbors=30).fit(X, np.where(weights > 0, y, 1e6), weights)
    present = weights > 0
    other = LocallyWeightedRegression(1, n_neighbors=30).fit(X[present], y[present], weights[present])
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    with pytest.raises(InputError, match="expected weights ≥ 0"):
        LocallyWeightedRegression().fit(X, y, weights - 1)


def test_one_bandwidth_for_each_feature_scales_it():
    X, y, _ = noisy(150, 2)
    model = LocallyWeightedRegression(1, bandwidth=[1.0, 3.0]).fit(X, y)
    scaled = LocallyWeightedRegression(1, bandwidth=1.0).fit(X / [1, 3], y)
    np.testing.assert_allclose(model.predict(X[:30]), scaled.predict(X[:30] / [1, 3]), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2])
def test_empty_windows_follow_the_rule(d):
    X, y, _ = noisy(50, d)
    far = np.full((1, d), 100.0)
    nearest = y[np.argmin(np.linalg.norm(X - far, axis=1))]
    model = LocallyWeightedRegression(0, bandwidth=1.0).fit(X, y)
    assert model.predict(far)[0] == nearest
    assert model.predict(far, return_std=True)[1][0] == pytest.approx(model.sigma_)
    with pytest.warns(NumericsWarning, match="hold no row"):
        assert np.isnan(model.set_params(empty="nan").predict(far)[0])


def test_undetermined_polynomials_are_ridged_and_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 30))
    y = rng.normal(size=10)
    model = LocallyWeightedRegression(1, bandwidth=np.inf).fit(X, y)
    with pytest.warns(NumericsWarning, match="10 of 10 windows"):
        values = model.predict(X)
    # Ten rows in 30 features: the least change that meets all targets.
    np.testing.assert_allclose(values, y, atol=1e-6)
    assert model.ridged_.all()
    assert not LocallyWeightedRegression(0, bandwidth=np.inf).fit(X, y).ridged_.any()


def test_constant_feature_changes_nothing():
    X, y, _ = noisy(200, 1)
    both = np.column_stack([X, np.full(200, 7.0)])
    plain = LocallyWeightedRegression(1, n_neighbors=40).fit(X, y).predict(X)
    with pytest.warns(NumericsWarning, match="do not determine"):
        np.testing.assert_allclose(
            LocallyWeightedRegression(1, n_neighbors=40).fit(both, y).predict(both), plain, atol=1e-7
        )


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.filterwarnings("ignore::mercer.errors.NumericsWarning")
def test_corners_have_the_obvious_answer(order, d):
    one = LocallyWeightedRegression(order).fit(np.zeros((1, d)), [5.0])
    assert one.predict(np.ones((2, d))).tolist() == [5.0, 5.0]
    same = LocallyWeightedRegression(order).fit(np.ones((6, d)), [1.0, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(same.predict(np.ones((1, d))), 3.5)
    X = np.random.default_rng(0).normal(size=(50, d))
    flat = LocallyWeightedRegression(order, n_neighbors=50).fit(X, np.full(50, 1e9))
    np.testing.assert_allclose(flat.predict(X), 1e9, rtol=1e-15)
    whole = LocallyWeightedRegression(order, n_neighbors=30).fit(np.arange(50 * d).reshape(50, d), np.arange(50))
    single = LocallyWeightedRegression(order, n_neighbors=30)
    single.fit(np.arange(50 * d, dtype=np.float32).reshape(50, d), np.arange(50, dtype=np.float32))
    queries = np.arange(5 * d).reshape(5, d)
    np.testing.assert_array_equal(whole.predict(queries), single.predict(queries.astype(np.float32)))


@pytest.mark.parametrize("d", [1, 3])
def test_far_queries_extend_the_last_plane(d):
    X = np.random.default_rng(0).uniform(-1, 1, (200, d))
    model = LocallyWeightedRegression(1, n_neighbors=60, kernel="gaussian").fit(X, 2 * X[:, 0] + 1)
    far = np.full((1, d), 1e6)
    np.testing.assert_allclose(model.predict(far), 2e6 + 1, rtol=1e-6)


def test_number_of_threads_changes_no_bit():
    for d in (1, 3):
        X, y, _ = noisy(2000, d)
        fits = [LocallyWeightedRegression(2, frac=0.5, n_jobs=jobs).fit(X, y).predict(X) for jobs in (1, 2, 3)]
        np.testing.assert_array_equal(fits[0], fits[1])
        np.testing.assert_array_equal(fits[0], fits[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 3}, "expected 0, 1 or 2"),
        ({"kernel": "cosine"}, "kernel: expected one of"),
        ({"frac": 0.0}, "frac: expected"),
        ({"frac": 0.5, "bandwidth": 1.0}, "expected one of frac|Expected one of frac"),
        ({"n_neighbors": 51}, "at most the 50 rows"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"bandwidth": -1.0}, "bandwidth"),
        ({"bandwidth": [1.0, 2.0, 3.0]}, "each of 2 features"),
        ({"ridge": 0.0}, "ridge"),
        ({"empty": "zero"}, "empty"),
        ({"robust_iterations": -1}, "robust_iterations"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused(options, message):
    X, y, _ = noisy(50, 2)
    with pytest.raises(ParameterError, match=message):
        LocallyWeightedRegression(**options).fit(X, y)


@pytest.mark.parametrize("order", [0, 1])
def test_rows_that_are_all_at_the_edge_weigh_alike(order):
    x = np.arange(10.0)[:, None]
    model = LocallyWeightedRegression(order, n_neighbors=2).fit(x, x[:, 0] ** 2)
    np.testing.assert_allclose(model.predict([[3.5]]), [(9 + 16) / 2], rtol=1e-9)
    expected = np.where((x[:, 0] == 3) | (x[:, 0] == 4), 0.5, 0.0)
    np.testing.assert_allclose(model.equivalent_kernel([[3.5]])[0], expected, atol=1e-9)
    grid = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    corners = LocallyWeightedRegression(order, n_neighbors=4).fit(grid, grid @ [1.0, 6.0])
    np.testing.assert_allclose(corners.predict([[2.5, 2.5], [1.5, 0.5]]), [17.5, 4.5], rtol=1e-9)


def test_rows_that_are_all_equal_answer_every_query_alike():
    model = LocallyWeightedRegression(0).fit(np.ones((20, 1)), np.arange(20.0))
    np.testing.assert_allclose(model.predict([[1.0], [2.0], [1.0001], [3.3]]), np.full(4, 9.5))
