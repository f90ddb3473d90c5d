"""Kernel machines by the dense method, against Clarabel."""

from time import perf_counter

import numpy as np
import pytest

from mercer import RBF, Linear, Sigmoid
from mercer.problems import (
    NuClassification,
    NuRegression,
    OneClass,
    SupportVectorClassification,
    SupportVectorRegression,
)
from mercer.solvers import Status, Terms
from mercer.solvers.direct import (
    may_solve_densely,
    solve_dense,
)
from tests.reference import problems
from tests.reference.qp import solve_svc_dual
from tests.solvers.dense_data import drawn, rows, training

# What Clarabel leaves of an objective.
SAME_OPTIMUM = 1e-7


def posed(name, seed, C=2.0):
    """A problem, its optimum by Clarabel, and the objective of coefficients as it is maximised."""
    X, y, t, v = drawn(seed)
    K = RBF(0.5).matrix(X, X)
    bounds = C * v
    if name == "SVC":
        best = solve_svc_dual(K, t, bounds)
        return SupportVectorClassification.several([t], bounds), X, best.value, lambda c: t @ c - 0.5 * c @ K @ c
    if name == "SVR":
        best = problems.solve_svr_dual(K, y, v, C, 0.1)
        objective = lambda c: problems.svr_dual(K, c, y, 0.1)  # noqa: E731
        return SupportVectorRegression.of(y, bounds, 0.1), X, best.value, objective
    if name == "SVR without a tube":
        best = problems.solve_svr_dual(K, y, v, C, 0.0)
        objective = lambda c: problems.svr_dual(K, c, y, 0.0)  # noqa: E731
        return SupportVectorRegression.of(y, bounds, 0.0), X, best.value, objective
    if name == "NuSVC":
        best = problems.solve_nu_svc_dual(K, t, v, 0.4)
        return NuClassification.several([t], v, 0.4), X, best.value, lambda c: problems.nu_svc_dual(K, c)
    if name == "NuSVR":
        best = problems.solve_nu_svr_dual(K, y, v, C, 0.3)
        return NuRegression.of(y, bounds, 0.3), X, best.value, lambda c: problems.nu_svr_dual(K, c, y)
    best = problems.solve_one_class_dual(K, v, 0.3)
    return OneClass.of(v, 0.3), X, best.value, lambda c: problems.one_class_dual(K, c)


KERNEL_PROBLEMS = ["SVC", "SVR", "SVR without a tube", "NuSVC", "NuSVR", "OneClassSVM"]


@pytest.mark.parametrize("name", KERNEL_PROBLEMS)
def test_dense_optimum_is_that_of_clarabel(name):
    for seed in range(4):
        problem, X, value, objective = posed(name, seed)
        found = solve_dense(problem, training(RBF(0.5), X), problem.start, Terms(tol=1e-8))
        assert found.status is Status.SOLVED
        assert found.violation <= 1e-8
        assert objective(found.coef) == pytest.approx(value, rel=SAME_OPTIMUM, abs=SAME_OPTIMUM)
        assert np.all((found.coef >= problem.lower) & (found.coef <= problem.upper))
        if name == "NuSVR":
            assert np.all(np.abs(problem.sums(found.coef)) <= np.abs(problem.fixed_sums) * (1 + 1e-12))
        else:
            np.testing.assert_allclose(problem.sums(found.coef), problem.fixed_sums, atol=1e-12)


def test_coefficients_end_exactly_at_their_bounds():
    problem, X, _, _ = posed("SVC", 0)
    found = solve_dense(problem, training(RBF(0.5), X), problem.start, Terms(tol=1e-8))
    inside = (found.coef != problem.lower) & (found.coef != problem.upper)
    gradient = RBF(0.5).matrix(X, X) @ found.coef - problem.slope
    offset = -gradient[inside].mean()
    assert 0 < inside.sum() < len(X) / 2
    # Rows at a bound are pushed against it, those between are on the margin.
    np.testing.assert_allclose(gradient[inside] + offset, 0, atol=1e-7)
    pushed = np.where(found.coef == problem.lower, 1.0, -1.0) * (gradient + offset)
    assert np.all(pushed[~inside] >= -1e-7)


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("seed", [1, 7, 11, 21, 25, 34])
def test_sums_of_nu_regression_never_exceed_what_is_asked_for(seed, is_exact):
    """Two variables of a row may pass through sums that no ν allows; such points solve another problem."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    X = rng.normal(size=(n, 2))
    y, bounds = X[:, 0] + 0.1 * rng.normal(size=n), np.full(n, 6.0)
    problem = NuRegression.of(y, bounds, 0.9)
    terms = Terms(tol=1e-6, gap_tol=1e-6 if is_exact else None)
    found = solve_dense(problem, training(Linear(), X), problem.start, terms, 1)
    for coef in (found.coef, found.exact.high):
        assert np.all(np.abs(problem.sums(coef)) <= np.abs(problem.fixed_sums) * (1 + 1e-9))
    K = X @ X.T
    best = problems.solve_nu_svr_dual(K, y, np.ones(n), 6.0, 0.9)
    assert found.status is Status.SOLVED
    assert problems.nu_svr_dual(K, found.exact.high, y) == pytest.approx(best.value, rel=1e-6)


def test_dense_method_goes_on_below_the_tolerance_where_that_is_asked_for():
    problem, X, _, _ = posed("SVR", 1)
    given = (problem, training(RBF(0.5), X), problem.start)
    plain, exact = (solve_dense(*given, Terms(tol=1e-1, gap_tol=gap_tol), 1) for gap_tol in (None, 1e-1))
    assert plain.violation <= 1e-1
    assert min(exact.violation, exact.exact_violation) <= 1e-13
    assert exact.status is Status.SOLVED


def test_dense_method_hears_of_limits_and_reports():
    problem, X, _, _ = posed("SVC", 0)
    given, terms = (problem, training(RBF(0.5), X), problem.start), Terms(tol=1e-8)
    late = solve_dense(*given, terms._replace(ends=perf_counter()))
    assert (late.status, late.steps) == (Status.TIME_LIMIT, 1)
    seen = []
    stopped = solve_dense(*given, terms._replace(report=lambda *numbers: seen.append(numbers) or len(seen) == 3), 1)
    assert (stopped.status, stopped.steps) == (Status.INTERRUPTED, 3)
    assert [numbers[1] for numbers in seen] == [1, 2, 3]
    for found in (late, stopped):
        np.testing.assert_allclose(problem.sums(found.coef), problem.fixed_sums, atol=1e-12)


def test_what_is_found_is_no_worse_than_the_start():
    problem, X, _, _ = posed("SVC", 0)
    own = training(RBF(0.5), X)
    good = solve_dense(problem, own, problem.start, Terms(tol=1e-10))
    again = solve_dense(problem, own, good.coef, Terms(tol=1e-10, ends=perf_counter()))
    np.testing.assert_array_equal(again.coef, good.coef)
    assert again.violation == good.violation


def test_sums_that_take_all_there_is_leave_one_point():
    _, _, _, v = drawn(0, 10)
    problem = OneClass.of(v, 1.0)
    found = solve_dense(problem, training(RBF(0.5), rows(10)), problem.start, Terms(tol=1e-6))
    assert (found.status, found.steps) == (Status.SOLVED, 0)
    np.testing.assert_allclose(found.coef, v)


def test_problems_with_many_rows_or_several_optima_are_left_alone():
    problem, X, _, _ = posed("SVC", 0)
    assert may_solve_densely(problem, training(RBF(0.5), X))
    assert not may_solve_densely(problem, training(Sigmoid(0.5, 0.0), X))
    many = SupportVectorClassification.several([np.resize([1.0, -1.0], 3001)], np.ones(3001))
    assert not may_solve_densely(many, training(RBF(0.5), rows(3001)))
    hard = SupportVectorClassification.several([np.array([1.0, -1.0])], np.full(2, np.inf))
    assert not may_solve_densely(hard, training(RBF(0.5), rows(2)))
