"""Where the lectures err: what a slide says fails, and what Mercer does holds (docs/lectures/errata.md)."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mercer import RBF, SVC, Linear
from mercer.solvers import SmoSketch
from mercer.solvers.lectures import Segment

ROUNDING = 1e-9


def blobs(distance=1.0, rows=20):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(rows, 2)) + distance, rng.normal(size=(rows, 2)) - distance])
    return X, np.repeat([1.0, -1.0], rows)


def fitted(C, distance=1.0):
    X, t = blobs(distance)
    model = SVC(C=C, kernel="linear", polish=True).fit(X, t)
    alpha = np.zeros(len(t))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return X, t, model, alpha


# ---------------------------------------------------------------- the first lecture


def test_second_derivative_along_a_pair_is_never_positive():
    X, t = blobs()
    K = RBF(0.7)(X)
    curvature = 2 * K - np.diagonal(K) - np.diagonal(K)[:, None]
    assert curvature.max() <= 0
    # It is the derivative of the dual, which is maximised: twice differenced along the line of a pair.
    i, j, h = 3, 25, 1e-4

    def dual(step):
        a = np.full(len(t), 0.5)
        a[j] += step
        a[i] -= t[i] * t[j] * step
        return a.sum() - 0.5 * (a * t) @ K @ (a * t)

    assert (dual(h) - 2 * dual(0.0) + dual(-h)) / h**2 == pytest.approx(curvature[i, j], rel=1e-5)


def test_sketch_that_counted_changes_without_change_would_not_end():
    # Both multipliers of a pair at their bounds: the row violates, the segment is a point, and nothing can change.
    a, t, C = np.array([1.0, 1.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])
    segment = Segment.of_pair(a, t, C, 0, 1)
    assert segment.low == segment.high == 1.0
    # Mercer's sketch counts what moved.
    X, t = blobs()
    model = SVC(kernel="linear", solver=SmoSketch(30), trace=True, random_state=0).fit(X, t)
    assert all(step.old != step.new for step in model.trace_)


def test_logistic_loss_is_minus_the_logarithm_of_sigma_of_ty():
    rng = np.random.default_rng(1)
    y, t = rng.normal(size=50), rng.integers(0, 2, 50)
    sigma = 1 / (1 + np.exp(-y))
    likelihood = sigma**t * (1 - sigma) ** (1 - t)  # a product; the slide adds
    np.testing.assert_allclose(-np.log(likelihood), np.log1p(np.exp(-(2 * t - 1) * y)))
    assert not np.allclose(-np.log(sigma**t + (1 - sigma) ** (1 - t)), -np.log(likelihood))
    # What scikit-learn minimises, on one column without penalty: no other weight has a smaller sum of these losses.
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(y[:, None], t)

    def total(w):
        return np.log1p(np.exp(-(2 * t - 1) * w * y)).sum()

    best = float(model.coef_[0, 0])
    assert total(best) <= min(total(best + 0.01), total(best - 0.01))


def test_squared_loss_in_ty_is_that_of_the_difference():
    y, t = np.linspace(-2, 2, 9), -1.0
    np.testing.assert_allclose((t * y - 1) ** 2, (y - t) ** 2)
    assert not np.allclose((t * y - 1) ** 2, (-y - t) ** 2)  # as the slide has it for t = −1


# ---------------------------------------------------------------- the second


def active_system():
    X, t, _, alpha = fitted(np.inf, distance=3.0)
    active = alpha > 0
    G = np.outer(t[active], t[active]) * (RBF(0.1)(X[active]))
    return G, t[active]


def test_intercept_of_the_bordered_system():
    G, y = active_system()
    e = np.ones(len(y))
    a, c = np.linalg.solve(G, e), np.linalg.solve(G, y)
    b = (y @ a) / (y @ c)
    alpha = np.linalg.solve(G, e - b * y)
    assert y @ alpha == pytest.approx(0, abs=ROUNDING)
    upside_down = (y @ c) / (y @ a)  # what `(y'*a) \\ (y'*c)` computes
    wrong = np.linalg.solve(G, e - upside_down * y)
    assert abs(y @ wrong) > 1e-3


def test_squared_norm_has_no_half():
    X, t, model, alpha = fitted(1.0)
    G = np.outer(t, t) * Linear()(X)
    assert np.sum(model.coef_**2) == pytest.approx(alpha @ G @ alpha, rel=ROUNDING)


# ---------------------------------------------------------------- the third


def test_complementarity_of_free_bounded_and_other_rows():
    X, t, model, alpha = fitted(0.3)
    scores = t * model.decision_function(X)
    free, bounded, others = (alpha > 0) & (alpha < 0.3), alpha == 0.3, alpha == 0
    assert free.any()
    assert bounded.any()
    assert others.any()
    np.testing.assert_allclose(scores[free], 1, atol=1e-8)  # not 0
    assert scores[others].min() >= 1 - 1e-8  # not below 1
    assert scores[bounded].max() <= 1 + 1e-8


def test_weights_of_the_largest_margin_do_not_have_length_one():
    X, t, model, _ = fitted(np.inf, distance=3.0)
    w, b = model.coef_[0], model.intercept_[0]
    assert abs(w @ w - 1) > 0.1
    # From a row on the margin to the boundary it is w / ‖w‖², which has the length 1 / ‖w‖.
    on_margin = X[model.support_[0]]
    side = np.sign(on_margin @ w + b)
    assert (on_margin - side * w / (w @ w)) @ w + b == pytest.approx(0, abs=1e-6)
    # The rule for b is right all the same.
    assert b == pytest.approx(-((X @ w)[t < 0].max() + (X @ w)[t > 0].min()) / 2, abs=1e-6)


def test_last_update_of_a_pair_uses_the_sign_of_the_second_row():
    first, second, old, new = 1.0, -1.0, np.array([0.4, 0.7]), 0.5
    rho = old[0] * first + old[1] * second
    right = (rho - new * second) * first
    assert right * first + new * second == pytest.approx(rho)
    wrong = (rho - new * first) * first
    assert wrong * first + new * second != pytest.approx(rho)


# ---------------------------------------------------------------- the fourth


def test_squared_residuals_are_no_coefficients_of_a_prediction():
    rng = np.random.default_rng(2)
    X = np.linspace(-2, 2, 30)
    y = np.sin(X) + 0.05 * rng.normal(size=30)
    query = 0.5
    weights = np.exp(-5 * (X - query) ** 2)
    basis = np.column_stack([np.ones(30), X])
    slope = np.linalg.solve(basis.T @ (weights[:, None] * basis), basis.T @ (weights * y))
    local_fit = slope @ [1, query]
    assert local_fit == pytest.approx(np.sin(query), abs=0.05)
    residuals = (y - basis @ slope) ** 2
    assert abs(residuals @ weights - np.sin(query)) > 0.1


def test_second_order_terms_of_the_map_of_a_gaussian_kernel():
    gamma = 1.7
    x, z = np.array([0.3, -0.2]), np.array([0.1, 0.25])

    def mapped(x, coefficients):
        monomials = np.array([1.0, x[0], x[1], x[0] ** 2, x[1] ** 2, x[0] * x[1]])
        return np.exp(-gamma * x @ x) * np.array(coefficients) * monomials

    one, two = np.sqrt(2 * gamma), np.sqrt((2 * gamma) ** 2 / 2)
    right = [1.0, one, one, two, two, np.sqrt(2) * two]
    slide = [1.0, one, np.sqrt(gamma), np.sqrt(gamma), np.sqrt(gamma), 2 * np.sqrt(gamma / 2)]
    value = RBF(gamma)(x[None], z[None])[0, 0]
    third_order = abs(2 * gamma * x @ z) ** 3  # of the series, at most
    assert mapped(x, right) @ mapped(z, right) == pytest.approx(value, abs=third_order)
    assert abs(mapped(x, slide) @ mapped(z, slide) - value) > 5 * third_order
