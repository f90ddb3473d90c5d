"""Weights with an absolute price: LIBLINEAR's optimum, proved by a feasible dual point."""

import os
import signal
import threading
from time import perf_counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.preprocessing import scale

from mercer import Linear
from mercer._runtime import core
from mercer.data import as_core_data, core_ready
from mercer.problems import Intercept, InterceptColumn, LinearProblem, Penalty
from mercer.rows import LinearRows
from mercer.solvers import Status, Terms
from mercer.solvers.linear import solve_lasso
from tests.reference import liblinear

# Where the objective is the same to this share, so are the weights that are unique, about to its root.
SAME_OBJECTIVE = 1e-6
SAME_WEIGHTS = 1e-4


def binary(name):
    load = {"iris": datasets.load_iris, "wine": datasets.load_wine, "digits": datasets.load_digits}
    if name == "breast cancer":
        X, y = datasets.load_breast_cancer(return_X_y=True)
        return scale(X), y
    if name == "text":
        random = np.random.default_rng(6)
        X = sp.random(300, 900, density=0.03, format="csr", random_state=random)
        return X, (np.asarray(X[:, :300].sum(axis=1)).ravel() > np.asarray(X[:, 300:600].sum(axis=1)).ravel()).astype(
            int
        )
    X, y = load[name](return_X_y=True)
    return (X / 16 if name == "digits" else scale(X)), (y == 1).astype(int)


def terms(gap_tol, seconds=np.inf, **others):
    return Terms(tol=gap_tol, ends=perf_counter() + seconds, **others)


def posed(signs, bounds, offset=1.0, free=False):
    """The problem of the squared hinge loss with an l1 penalty on all rows."""
    kind = Intercept.FREE if free else Intercept.REGULARIZED if offset else Intercept.NONE
    column = InterceptColumn(kind, offset or 1.0)
    return LinearProblem.of_signs(np.arange(len(signs)), signs, bounds, True, column, Penalty.ABSOLUTE)


def rows_of(X):
    return LinearRows(Linear(), core_ready(X))


def solve(X, y, C, gap_tol=1e-9, offset=1.0, free=False, **limits):
    signs = np.where(y > 0, 1.0, -1.0)
    bounds = np.broadcast_to(np.asarray(C, dtype=np.float64), len(signs)).copy()
    (found,) = solve_lasso([posed(signs, bounds, offset, free)], rows_of(X), terms(gap_tol, **limits), 1)
    primal = liblinear.lasso_primal(X, signs, bounds, found.start, offset, free)
    dual = liblinear.lasso_dual(X, signs, bounds, found.coef, offset, free)
    return found, primal, dual


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("name", ["iris", "wine", "digits", "breast cancer", "text"])
def test_lasso_is_that_of_liblinear(name, C, weighted):
    X, y = binary(name)
    weights = np.random.default_rng(1).uniform(0.2, 3, len(y)) if weighted else np.ones(len(y))
    found, primal, dual = solve(X, y, C * weights)
    assert found.status is Status.SOLVED
    assert -1e-12 * primal <= primal - dual <= 1e-9 * primal
    theirs = liblinear.lasso(X, y, C, weights)
    signs = np.where(y > 0, 1.0, -1.0)
    assert liblinear.lasso_primal(X, signs, C * weights, theirs) == pytest.approx(primal, rel=SAME_OBJECTIVE)
    np.testing.assert_allclose(found.start, theirs, atol=SAME_WEIGHTS * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize("intercept", [False, True])
def test_lasso_scales_the_offset_column_as_liblinear_does(intercept):
    X, y = binary("iris")
    scaling = 3.0 if intercept else 0.0
    found, _, _ = solve(X, y, 1.0, offset=scaling)
    theirs = liblinear.lasso(X, y, 1.0, intercept=intercept, scaling=scaling or 1.0)
    np.testing.assert_allclose(found.start, theirs, atol=SAME_WEIGHTS)


@pytest.mark.parametrize("name", ["iris", "breast cancer", "text"])
def test_lasso_with_a_free_offset_is_no_dearer(name):
    X, y = binary(name)
    found, primal, dual = solve(X, y, 1.0, free=True)
    assert found.status is Status.SOLVED
    assert primal - dual <= 1e-9 * primal
    assert primal <= solve(X, y, 1.0)[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_lasso_is_the_same_for_every_form_of_the_data(dtype, sparse):
    X, y = binary("text")
    X = sp.csr_matrix(X.astype(np.float32).astype(np.float64))
    expected, primal, _ = solve(X, y, 1.0)
    own = X.astype(dtype)
    found, same, _ = solve(own if sparse else own.toarray(), y, 1.0)
    assert same == pytest.approx(primal, rel=1e-8)
    np.testing.assert_allclose(found.start, expected.start, atol=SAME_WEIGHTS)


def awkward(name):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(90, 4)), random.integers(0, 2, 90)
    if name == "zero columns":
        X[:, 1:3] = 0
    elif name == "constant column":
        X[:, 1] = 5
    elif name == "copied columns":
        X = np.hstack([X, X, -X])
    elif name == "one feature":
        X = X[:, :1]
    elif name == "more features than rows":
        X, y = random.normal(size=(40, 700)), random.integers(0, 2, 40)
    elif name == "separable":
        X[:, 0] = np.where(y > 0, 3, -3) + 0.5 * X[:, 0]
    elif name == "all zero":
        X[:] = 0
    return X, y


AWKWARD = [
    "zero columns",
    "constant column",
    "copied columns",
    "one feature",
    "more features than rows",
    "separable",
    "all zero",
]


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("name", AWKWARD)
def test_lasso_of_awkward_data_is_proved_for_any_bound(name, C, free):
    X, y = awkward(name)
    found, primal, dual = solve(X, y, C, gap_tol=1e-6, free=free, seconds=20)
    assert found.status is Status.SOLVED
    assert primal - dual <= 1.01e-6 * primal
    assert np.all(found.start[:-1][~np.any(X, axis=0)] == 0)


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_lasso_of_unscaled_data_is_proved_or_says_that_it_is_not(C):
    X, y = datasets.load_breast_cancer(return_X_y=True)
    found, primal, dual = solve(X, y, C, gap_tol=1e-6, seconds=20)
    is_proved = primal - dual <= 1.01e-6 * primal
    assert found.status is (Status.SOLVED if is_proved else Status.STALLED)
    assert primal - dual <= 1e-4 * primal


def test_lasso_without_bounds_has_no_weights():
    X, y = binary("iris")
    found, primal, dual = solve(X, y, 0.0)
    assert found.status is Status.SOLVED
    assert not found.start.any()
    assert primal == dual == 0


def test_lasso_stops_at_its_limits_with_a_feasible_point():
    random = np.random.default_rng(4)
    X, y = random.normal(size=(400, 900)), random.integers(0, 2, 400)
    found, primal, dual = solve(X, y, 10.0, gap_tol=1e-13, steps=2)
    assert (found.status, found.steps) == (Status.ITERATION_LIMIT, 2)
    assert primal >= dual >= 0
    found, primal, dual = solve(X, y, 10.0, gap_tol=1e-13, seconds=0.0)
    assert found.status is Status.TIME_LIMIT
    assert primal >= dual >= 0


# Far more than two cores solve in a second, so that there is something to stop.
LARGE = (3000, 4000)


def large():
    random = np.random.default_rng(5)
    X, y = random.normal(size=LARGE), random.integers(0, 2, LARGE[0])
    return [posed(np.where(y > 0, 1.0, -1.0), np.full(LARGE[0], 1e3))], rows_of(X)


def test_lasso_stops_where_the_report_asks_for_it():
    problems, rows = large()
    began = perf_counter()
    (found,) = solve_lasso(problems, rows, terms(1e-12, report=lambda *_: True), 1)
    assert found.status is Status.INTERRUPTED
    assert perf_counter() - began < 5


def test_lasso_hears_ctrl_c():
    problems, rows = large()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve_lasso(problems, rows, terms(1e-12, 20), 1)
    timer.join()


def test_lasso_refuses_signs_and_bounds_of_another_length():
    data = as_core_data(np.ones((4, 2)))
    with pytest.raises(ValueError, match="a sign and a bound for every row"):
        core.solve_lasso(data, np.ones((1, 3)), np.ones((1, 4)), 1.0, False, 1e-4, None, np.inf, 10, 1, None)


def test_lassos_side_by_side_are_those_alone_and_begin_where_they_are_told():
    X, y = datasets.load_wine(return_X_y=True)
    rows, bounds, held = rows_of(scale(X)), np.ones(len(y)), (terms(1e-9), 2)
    problems = [posed(np.where(y == k, 1.0, -1.0), bounds) for k in range(3)]
    together = solve_lasso(problems, rows, *held)
    for problem, found in zip(problems, together, strict=True):
        (alone,) = solve_lasso([problem], rows, *held)
        np.testing.assert_allclose(found.start, alone.start, atol=1e-7)
    again = solve_lasso(problems, rows, *held, starts=[found.start for found in together])
    assert sum(found.steps for found in again) < 0.3 * sum(found.steps for found in together)
    with pytest.raises(ValueError, match="start"):
        solve_lasso(problems, rows, *held, starts=[found.start[1:] for found in together])
