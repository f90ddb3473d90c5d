"""SVC reaches the optimum that an interior-point solver or a formula gives, with soft and with hard margin."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs, make_moons
from sklearn.preprocessing import scale

import mercer
from tests.reference import kernels as twin
from tests.reference.qp import solve_svc_dual

TOL = 1e-8
# What Clarabel's own tolerance leaves of the optimal value, and of the machine, which is as its square root.
QP_VALUE = 1e-7
QP_MACHINE = 1e-4


def moons():
    X, y = make_moons(70, noise=0.3, random_state=1)
    return X, y, None


def weighted_blobs():
    X, y = make_blobs([30, 15], centers=[[0, 0], [2, 2]], random_state=2)
    return X, y, np.linspace(0.3, 2, len(y))


def two_wines():
    X, y = load_wine(return_X_y=True)
    X, y = scale(X)[y > 0], y[y > 0] - 1
    return X[::2], y[::2], None


def far_blobs():
    X, y = make_blobs([20, 25], centers=[[0, 0, 0], [5, 5, 5]], random_state=3)
    return X, y, None


SOFT = [
    pytest.param(moons, {"gamma": 0.8, "C": 3.0}, twin.rbf(0.8), id="rbf"),
    pytest.param(weighted_blobs, {"kernel": "linear", "C": 0.7}, twin.linear(), id="linear, weighted"),
    pytest.param(
        two_wines,
        {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0, "C": 0.05},
        twin.polynomial(2, 0.1, 1.0),
        id="poly",
    ),
    pytest.param(moons, {"kernel": "laplacian", "gamma": 0.4, "C": 10.0}, twin.laplacian(0.4), id="laplacian"),
]
HARD = [
    pytest.param(far_blobs, {"kernel": "linear"}, twin.linear(), id="linear"),
    pytest.param(moons, {"gamma": 5.0}, twin.rbf(5.0), id="rbf"),
    pytest.param(
        two_wines,
        {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0},
        twin.polynomial(2, 0.1, 1.0),
        id="poly",
    ),
]


def optimum_of(data, formula, C):
    X, y, weights = data
    K, t = twin.gram(formula, X), np.where(y == 1, 1.0, -1.0)
    optimum = solve_svc_dual(K, t, C * (np.ones(len(y)) if weights is None else weights))
    return optimum, K @ (optimum.alpha * t) + optimum.intercept


@pytest.mark.parametrize(("data", "parameters", "formula"), SOFT)
def test_svc_reaches_the_optimum_of_the_quadratic_program(data, parameters, formula):
    X, y, weights = data()
    model = mercer.SVC(tol=TOL, **parameters).fit(X, y, sample_weight=weights)
    optimum, values = optimum_of(data(), formula, parameters["C"])
    assert model.certificate_.dual == pytest.approx(optimum.value, rel=QP_VALUE)
    assert model.certificate_.primal == pytest.approx(optimum.value, rel=QP_VALUE)
    np.testing.assert_allclose(model.decision_function(X), values, atol=QP_MACHINE)


@pytest.mark.parametrize(("data", "parameters", "formula"), HARD)
def test_hard_margin_reaches_the_optimum_of_the_quadratic_program(data, parameters, formula):
    X, y, _ = data()
    model = mercer.SVC(C=np.inf, tol=TOL, **parameters).fit(X, y)
    optimum, values = optimum_of(data(), formula, np.inf)
    assert model.status_ is mercer.Status.SOLVED
    assert model.certificate_.dual == pytest.approx(optimum.value, rel=QP_VALUE)
    assert model.certificate_.primal == pytest.approx(optimum.value, rel=QP_VALUE)
    # At the optimum ½‖w‖² = ½ Σ α, so the value gives the margin.
    assert model.certificate_.margin == pytest.approx(1 / np.sqrt(2 * optimum.value), rel=QP_VALUE)
    np.testing.assert_allclose(model.decision_function(X), values, atol=QP_MACHINE)
    np.testing.assert_array_equal(model.predict(X), y)
    assert np.min(np.where(y == 1, 1, -1) * model.decision_function(X)) >= 1 - 1e-6


@pytest.mark.parametrize("distance", [1e-3, 0.5, 1.0, 40.0])
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_hard_margin_of_two_points_has_a_closed_form(distance, dimension):
    direction = np.arange(1.0, dimension + 1)
    direction /= np.linalg.norm(direction)
    low = np.full(dimension, 0.25)
    high = low + distance * direction
    model = mercer.SVC(kernel="linear", C=np.inf, tol=1e-6).fit([low, high], [0, 1])
    w = 2 * direction / distance
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-5)
    np.testing.assert_allclose(model.intercept_[0], -w @ (low + high) / 2, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(model.dual_coef_, [[-2 / distance**2, 2 / distance**2]], rtol=1e-5)
    assert model.certificate_.margin == pytest.approx(distance / 2, rel=1e-5)
    assert model.certificate_.primal == pytest.approx(2 / distance**2, rel=1e-5)
    np.testing.assert_array_equal(model.support_, [0, 1])


@pytest.mark.parametrize("C", [0.01, 0.1, 0.4, 0.6, 5.0])
def test_soft_margin_of_two_points_has_a_closed_form(C):
    """At distance 2 both multipliers are min(C, 2 / 2²): at their bound while C < ½, free beyond."""
    model = mercer.SVC(kernel="linear", C=C, tol=TOL).fit([[-1.0], [1.0]], [0, 1])
    alpha = min(C, 0.5)
    np.testing.assert_allclose(model.dual_coef_, [[-alpha, alpha]], rtol=1e-7)
    np.testing.assert_allclose(model.coef_, [[2 * alpha]], rtol=1e-7)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-9)
    assert model.certificate_.dual == pytest.approx(2 * alpha - 2 * alpha**2, rel=1e-7)
    assert model.certificate_.counts["bounded"] == (2 if C < 0.5 else 0)


@pytest.mark.parametrize(
    ("scale", "C"), [(1.0, 1e3), (10.0, 10.0), (10.0, 1e3), (100.0, 1.0), (100.0, 100.0), (100.0, 1e3), (1.0, 1e6)]
)
def test_optimum_is_reached_however_many_steps_it_takes(scale, C):
    """Rows 0, 1, 2, 3 with signs − + − +: w = 2/3, b = −1 and a slack of 4/3 twice, for every C that is large enough.

    The violation stays the same for C · scale² steps while the multipliers grow: that is no stall.
    """
    X, y = scale * np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    model = mercer.SVC(kernel="linear", C=C, tol=1e-3).fit(X, y)
    assert model.status_ is mercer.Status.SOLVED
    assert model.certificate_.dual == pytest.approx(C * 8 / 3 + 2 / 9 / scale**2, rel=1e-4)
    np.testing.assert_allclose(model.decision_function(X), [-1, -1 / 3, 1 / 3, 1], atol=2e-3)


def test_hard_margin_ignores_rows_beyond_the_margin():
    """Only the nearest points of two parallel rows matter: w = (1, 0), b = 0."""
    X = np.array([[-1.0, 0], [-1, 3], [-4, 1], [1, 1], [1, 2], [7, 0]])
    model = mercer.SVC(kernel="linear", C=np.inf, tol=TOL).fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-6)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-6)
    assert not {2, 5} & set(model.support_.tolist())


def test_hard_margin_is_the_limit_of_large_C():
    X, y, _ = far_blobs()
    hard = mercer.SVC(kernel="linear", C=np.inf, tol=TOL).fit(X, y)
    soft = mercer.SVC(kernel="linear", C=1e6, tol=TOL).fit(X, y)
    np.testing.assert_allclose(hard.decision_function(X), soft.decision_function(X), atol=1e-6)


def test_hard_margin_of_several_classes_separates_every_pair():
    X, y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], random_state=0)
    model = mercer.SVC(kernel="linear", C=np.inf, tol=1e-6, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert len(model.certificate_.parts) == 6
    values = model.decision_function(X)
    for pair, (first, second) in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]):
        assert values[y == first, pair].min() == pytest.approx(1, abs=1e-5)
        assert values[y == second, pair].max() == pytest.approx(-1, abs=1e-5)
