"""Coordinate descent: where it arrives, where it creeps, and where it is stopped."""

import numpy as np
import pytest

from mercer import SVC, InputError, ParameterError
from mercer.lectures import NoOptimumError, coordinate_descent

# A step is made where it gains 1e-12 of the value: on a parabola that is a distance of 1e-6 along each coordinate.
ARRIVED = 1e-5

ORDER = pytest.mark.parametrize("order", ["cyclic", "greedy"])


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def quadratic(seed=0, d=4):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(d, d))
    return M @ M.T + np.eye(d), rng.normal(size=d)


@ORDER
def test_coordinate_descent_on_a_quadratic_finds_the_solution_of_its_equations(order):
    A, d = quadratic()
    path = coordinate_descent(lambda x: x @ A @ x / 2 - d @ x, np.zeros(4), order=order)
    assert path.converged
    np.testing.assert_allclose(path.x, np.linalg.solve(A, d), atol=ARRIVED)


def test_cyclic_steps_on_a_quadratic_are_those_of_gauss_and_seidel():
    A, d = quadratic(1)
    path = coordinate_descent(lambda x: x @ A @ x / 2 - d @ x, np.zeros(4), max_steps=12)
    x = np.zeros(4)
    for step, i in enumerate([0, 1, 2, 3] * 3):
        x[i] = (d[i] - A[i] @ x + A[i, i] * x[i]) / A[i, i]
        np.testing.assert_allclose(path.points[step + 1], x, atol=1e-6)
    assert path.coordinates.tolist() == [0, 1, 2, 3] * 3
    assert not path.converged


def test_greedy_step_is_the_one_that_gains_most():
    A, d = quadratic(2)
    path = coordinate_descent(lambda x: x @ A @ x / 2 - d @ x, np.zeros(4), order="greedy", max_steps=8)
    for x, i in zip(path.points, path.coordinates, strict=False):
        gains = (A @ x - d) ** 2 / (2 * np.diagonal(A))
        assert i == gains.argmax()


@ORDER
def test_every_step_moves_one_coordinate_and_goes_down(order):
    path = coordinate_descent(rosenbrock, [-1.0, 1.0], order=order, max_steps=300)
    moved = np.diff(path.points, axis=0) != 0
    np.testing.assert_array_equal(moved.sum(axis=1), 1)
    np.testing.assert_array_equal(moved.argmax(axis=1), path.coordinates)
    assert np.all(np.diff(path.values) < 0)
    np.testing.assert_array_equal(path.values, [rosenbrock(x) for x in path.points])


def test_coordinate_descent_creeps_along_rosenbrocks_valley():
    path = coordinate_descent(rosenbrock, [-1.0, 1.0], max_steps=1000)
    assert not path.converged
    assert 1e-6 < path.values[-1] < 0.05


@ORDER
def test_coordinate_descent_is_stuck_at_a_kink(order):
    # Convex, lowest at 0; on the diagonal each coordinate alone only climbs.
    def kinked(x):
        return abs(x[0] - x[1]) + 0.1 * (x[0] + x[1]) ** 2

    path = coordinate_descent(kinked, [1.0, 1.0], order=order)
    assert path.converged
    np.testing.assert_array_equal(path.points, [[1.0, 1.0]])
    # The first step meets the diagonal exactly enough that no other follows.
    path = coordinate_descent(kinked, [1.5, -0.5], order=order)
    assert path.converged
    assert len(path.coordinates) == 1
    assert path.values[-1] == pytest.approx(0.1, abs=1e-12)


@ORDER
def test_equality_of_the_svm_dual_stops_every_single_coordinate(order):
    rng = np.random.default_rng(0)
    t = np.repeat([1.0, -1.0], 5)
    X = rng.normal(size=(10, 2)) + 2.0 * t[:, None]
    Q = np.outer(t, t) * (X @ X.T)

    def negative_dual(a):
        allowed = np.all(a >= 0) and abs(a @ t) <= 1e-12
        return a @ Q @ a / 2 - a.sum() if allowed else np.inf

    path = coordinate_descent(negative_dual, np.zeros(10), order=order)
    assert path.converged
    assert len(path.points) == 1
    best = SVC(C=np.inf, kernel="linear").fit(X, t).certificate_.dual
    assert path.values[-1] == 0.0 > -best


def test_without_the_equality_the_svm_dual_is_solved_within_its_bounds():
    rng = np.random.default_rng(1)
    t = np.repeat([1.0, -1.0], 4)
    X = rng.normal(size=(8, 2)) + t[:, None]
    Q = np.outer(t, t) * (X @ X.T + 1.0)

    def negative_dual(a):
        return a @ Q @ a / 2 - a.sum() if np.all((a >= 0) & (a <= 1)) else np.inf

    a = coordinate_descent(negative_dual, np.full(8, 0.5)).x
    slope = Q @ a - 1
    # At its lower bound a slope may be positive, at its upper negative; the bounds are met to the search's precision.
    assert np.all(slope[a < 1 - 1e-6] > -1e-4)
    assert np.all(slope[a > 1e-6] < 1e-4)


def test_function_without_a_lower_bound_is_refused():
    with pytest.raises(NoOptimumError, match="coordinate 1"):
        coordinate_descent(lambda x: x[0] ** 2 - x[1], [1.0, 1.0])


@pytest.mark.parametrize(
    ("error", "words", "arguments", "options"),
    [
        (ParameterError, "order", (rosenbrock, [0.0, 0.0]), {"order": "random"}),
        (ParameterError, "tol", (rosenbrock, [0.0, 0.0]), {"tol": -1.0}),
        (ParameterError, "max_steps", (rosenbrock, [0.0, 0.0]), {"max_steps": 0}),
        (ParameterError, "function", (3, [0.0, 0.0]), {}),
        (InputError, "finite numbers", (rosenbrock, [np.nan, 0.0]), {}),
        (InputError, "function is finite", (lambda x: np.inf, [0.0]), {}),
        (InputError, "one number", (lambda x: x, [0.0, 0.0]), {}),
    ],
)
def test_bad_input_of_coordinate_descent_is_named(error, words, arguments, options):
    with pytest.raises(error, match=words):
        coordinate_descent(*arguments, **options)
