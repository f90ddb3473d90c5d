"""Constrained problems: known optima, multipliers, the dual, and what has no optimum."""

import numpy as np
import pytest
from scipy.optimize import brentq

from mercer import SVC, InputError, ParameterError
from mercer.lectures import ConstrainedProblem, NoOptimumError
from tests.reference.qp import solve_svc_dual

# What `solve` promises of the optimality conditions.
KKT = 1e-8
# Two solvers that both reach about 1e-10.
SAME = 1e-8


def distance_to(a, b):
    return lambda x: (x[0] - a) ** 2 + (x[1] - b) ** 2


def ellipse(x):
    return x[0] ** 2 / 4 + x[1] ** 2 - 1


def nearest_on_ellipse(a, b):
    """By the secular equation: x = a / (1 + λ/4), y = b / (1 + λ), of the largest λ on the ellipse."""

    def point(lam):
        return np.array([a / (1 + lam / 4), b / (1 + lam)])

    lam = brentq(lambda lam: ellipse(point(lam)), -1 + 1e-9, 1e3, xtol=1e-14)
    return point(lam), lam


def separable(seed=0, n=12):
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], n)
    return rng.normal(size=(2 * n, 2)) + 2.5 * y[:, None], y


def hard_margin(X, y):
    """The lectures' program in z = (w, b)."""
    A = np.diag([1.0, 1.0, 0.0])
    return ConstrainedProblem.quadratic(A, np.zeros(3), -np.column_stack([y[:, None] * X, y]), -np.ones(len(y)))


def hard_margin_dual(X, y):
    G = (y[:, None] * X) @ (y[:, None] * X).T
    n = len(y)
    return ConstrainedProblem.quadratic(G, np.ones(n), -np.eye(n), np.zeros(n), F=y[None], f=[0.0])


@pytest.mark.parametrize("start", [(1.0, 1.0), (0.0, 0.0), (-2.0, 0.1)])
@pytest.mark.parametrize("target", [(3.0, 2.0), (-1.0, 2.5), (0.4, 0.7)])
def test_nearest_point_on_an_ellipse_solves_the_secular_equation(target, start):
    optimum = ConstrainedProblem(distance_to(*target), equalities=[ellipse]).solve(start)
    x, lam = nearest_on_ellipse(*target)
    np.testing.assert_allclose(optimum.x, x, atol=SAME)
    np.testing.assert_allclose(optimum.lam, [lam], atol=SAME)
    assert optimum.residuals.largest <= KKT
    assert abs(optimum.gap) <= SAME


def test_inequality_that_is_active_has_the_multiplier_of_the_equality():
    optimum = ConstrainedProblem(distance_to(3.0, 2.0), inequalities=[ellipse]).solve([0.0, 0.0])
    x, mu = nearest_on_ellipse(3.0, 2.0)
    np.testing.assert_allclose(optimum.x, x, atol=SAME)
    np.testing.assert_allclose(optimum.mu, [mu], atol=SAME)
    assert optimum.active.tolist() == [True]


def test_inequality_that_is_inactive_costs_nothing():
    optimum = ConstrainedProblem(distance_to(0.5, 0.2), inequalities=[ellipse]).solve([0.0, 0.9])
    np.testing.assert_allclose(optimum.x, [0.5, 0.2], atol=SAME)
    assert (optimum.mu.tolist(), optimum.active.tolist()) == ([0.0], [False])
    assert optimum.gap == pytest.approx(0.0, abs=SAME)


def test_inequality_met_by_the_free_minimum_is_active_with_multiplier_zero():
    optimum = ConstrainedProblem(distance_to(2.0, 0.0), inequalities=[ellipse]).solve([0.0, 0.3])
    np.testing.assert_allclose(optimum.x, [2.0, 0.0], atol=SAME)
    assert optimum.active.tolist() == [True]
    assert optimum.mu[0] == pytest.approx(0.0, abs=SAME)


def test_multiplier_is_the_price_of_the_constraint():
    def value(level):
        return (
            ConstrainedProblem(distance_to(3.0, 2.0), inequalities=[lambda x: ellipse(x) - level]).solve([0, 0]).primal
        )

    mu = ConstrainedProblem(distance_to(3.0, 2.0), inequalities=[ellipse]).solve([0, 0]).mu[0]
    # dJ* / dlevel = −μ; central differences of it have an error of h².
    assert (value(1e-4) - value(-1e-4)) / 2e-4 == pytest.approx(-mu, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_hard_margin_as_a_program_is_the_machine_of_svc(seed):
    X, y = separable(seed)
    optimum = hard_margin(X, y).solve(np.zeros(3))
    model = SVC(C=np.inf, kernel="linear", tol=1e-10).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(optimum.mu, alpha, atol=SAME)
    np.testing.assert_allclose(optimum.x, [*model.coef_[0], model.intercept_[0]], atol=SAME)
    assert optimum.gap == pytest.approx(0.0, abs=SAME)
    assert set(np.flatnonzero(optimum.mu)) <= set(np.flatnonzero(optimum.active))


def test_wolfe_dual_has_the_value_of_the_lagrangian_at_stationary_weights():
    X, y = separable(1)
    problem = hard_margin(X, y)
    optimum = problem.solve(np.zeros(3))
    alpha = optimum.mu
    w = (alpha * y) @ X
    wolfe = alpha.sum() - w @ w / 2
    assert alpha @ y == pytest.approx(0.0, abs=SAME)
    # Any b: the Lagrangian does not depend on it where Σ α y = 0.
    assert problem.lagrangian([*w, 17.0], mu=alpha) == pytest.approx(wolfe, abs=1e-7)
    assert problem.dual(mu=alpha, start=np.zeros(3)) == pytest.approx(wolfe, abs=SAME)
    assert solve_svc_dual(X @ X.T, y, np.full(len(y), np.inf)).value == pytest.approx(wolfe, abs=SAME)


def test_dual_of_the_dual_is_the_primal():
    X, y = separable(2)
    primal = hard_margin(X, y).solve(np.zeros(3))
    dual = hard_margin_dual(X, y).solve(np.zeros(len(y)))
    w, b = primal.x[:2], primal.x[2]
    assert dual.primal == pytest.approx(-primal.primal, abs=SAME)
    assert dual.dual == pytest.approx(-primal.primal, abs=SAME)
    np.testing.assert_allclose((dual.x * y) @ X, w, atol=1e-7)
    # The multiplier of Σ α y = 0 is the intercept, those of α ≥ 0 are how far the rows are beyond the margin.
    np.testing.assert_allclose(dual.lam, [b], atol=1e-7)
    np.testing.assert_allclose(dual.mu, y * (X @ w + b) - 1, atol=1e-7)


def test_dual_never_exceeds_the_primal_for_any_multipliers():
    rng = np.random.default_rng(0)
    problem = ConstrainedProblem(
        lambda x: np.exp(x[0]) + x[1] ** 2, [lambda x: x[0] - 2 * x[1] - 1], [lambda x: x @ x - 4, lambda x: -x[0]]
    )
    optimum = problem.solve([1.0, 0.0])
    for _ in range(10):
        lam, mu = rng.normal(size=1), rng.exponential(size=2)
        assert problem.dual(lam, mu, start=[0.0, 0.0]) <= optimum.primal + SAME
    assert abs(optimum.gap) <= SAME


def test_dual_is_minus_infinity_where_the_lagrangian_falls_without_end():
    X, y = separable()
    problem = hard_margin(X, y)
    # Σ α y ≠ 0: linear in b.
    assert problem.dual(mu=np.where(y > 0, 1.0, 0.5), start=np.zeros(3)) == -np.inf
    curved = ConstrainedProblem(lambda x: -(x @ x), inequalities=[lambda x: x @ x - 1])
    assert curved.dual(mu=[0.5], start=[0.0, 0.0]) == -np.inf
    assert curved.dual(mu=[1.5], start=[0.3, 0.0]) == pytest.approx(-1.5, abs=SAME)


def test_gap_of_a_problem_that_is_not_convex_is_told():
    # J is lowest at ±√½; the constraint leaves x ≤ 0.3, and −√½ is the lowest, but from 0.2 the way leads to 0.3.
    problem = ConstrainedProblem(lambda x: x[0] ** 4 - x[0] ** 2, inequalities=[lambda x: x[0] - 0.3])
    near, far = problem.solve([0.2]), problem.solve([-0.2])
    assert near.x[0] == pytest.approx(0.3)
    assert near.gap > 0.1
    assert far.x[0] == pytest.approx(-np.sqrt(0.5), abs=SAME)
    assert far.gap == pytest.approx(0.0, abs=SAME)


def test_gradients_that_are_given_are_used_and_agree_with_differences():
    calls = []

    def slope(x):
        calls.append(x)
        return 2 * (x - [3.0, 2.0])

    given = ConstrainedProblem((distance_to(3.0, 2.0), slope), inequalities=[(ellipse, lambda x: x * [0.5, 2.0])])
    taken = ConstrainedProblem(distance_to(3.0, 2.0), inequalities=[ellipse])
    np.testing.assert_allclose(given.solve([0, 0]).x, taken.solve([0, 0]).x, atol=SAME)
    assert calls
    at = np.array([0.3, -1.7])
    assert taken.objective.gradient(at) == pytest.approx(slope(at), abs=1e-11)


@pytest.mark.parametrize(
    ("problem", "start", "words"),
    [
        (ConstrainedProblem(ellipse, [lambda x: x[0] - 5], [ellipse]), [0, 0], "No feasible point"),
        (ConstrainedProblem(lambda x: x[0], [], [lambda x: x[0] - 1]), [0.0], "without end"),
        (ConstrainedProblem(lambda x: -(x[0] ** 2), [], [lambda x: -x[0]]), [1.0], "without end"),
        (ConstrainedProblem(lambda x: -(x @ x), [], [lambda x: x @ x - 1]), [0, 0], "no minimum"),
        # A cusp: no multipliers exist at its tip.
        (ConstrainedProblem(lambda x: x[0], [], [lambda x: x[1] ** 2 - x[0] ** 3]), [1, 0.5], "stalled"),
        (ConstrainedProblem(lambda x: np.inf), [0.0], "finite"),
    ],
)
def test_problem_without_an_optimum_is_refused_with_the_reason(problem, start, words):
    with pytest.raises(NoOptimumError, match=words):
        problem.solve(start)


def test_bad_input_of_a_constrained_problem_is_named():
    problem = ConstrainedProblem(distance_to(1.0, 1.0), inequalities=[ellipse])
    with pytest.raises(ParameterError, match="objective"):
        ConstrainedProblem(3)
    with pytest.raises(ParameterError, match=r"inequalities\[1\]"):
        ConstrainedProblem(ellipse, inequalities=[ellipse, None])
    with pytest.raises(ParameterError, match="equalities"):
        ConstrainedProblem(ellipse, ellipse)
    with pytest.raises(InputError, match="finite"):
        problem.solve([np.nan, 0.0])
    with pytest.raises(InputError, match="start"):
        problem.solve([])
    with pytest.raises(InputError, match="mu: expected a vector of 1"):
        problem.lagrangian([0.0, 0.0], mu=[1.0, 2.0])
    with pytest.raises(InputError, match="≥ 0"):
        problem.dual(mu=[-1.0], start=[0.0, 0.0])
    with pytest.raises(InputError, match="symmetric"):
        ConstrainedProblem.quadratic([[1, 1], [0, 1]], [0, 0])
    with pytest.raises(InputError, match="B: expected finite numbers of shape"):
        ConstrainedProblem.quadratic(np.eye(2), [0, 0], [[1, 2, 3]], [1])
    with pytest.raises(InputError, match="both B and e"):
        ConstrainedProblem.quadratic(np.eye(2), [0, 0], [[1, 2]])
    with pytest.raises(InputError, match="one number"):
        ConstrainedProblem(lambda x: x).solve([1.0, 2.0])


def test_objective_without_lower_bound_is_said_to_have_none():
    for problem, start in (
        (ConstrainedProblem(lambda x: x[0]), [3.0]),
        (ConstrainedProblem.quadratic(-np.eye(2), [1.0, 1.0]), [0.0, 0.0]),
    ):
        with pytest.raises(NoOptimumError, match="falls without end"):
            problem.solve(start)
