"""Several classes at once: LIBLINEAR's optimum, proved by the dual point that the weights are made of."""

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
from mercer.problems import CrammerSingerProblem, Intercept, InterceptColumn
from mercer.rows import LinearRows
from mercer.solvers import Status, Terms
from mercer.solvers.linear import solve_crammer_singer
from tests.reference import liblinear

SAME_OBJECTIVE = 1e-6
# Both stop within a share of the objective, which bounds the distance of the weights by its root.
SAME_WEIGHTS = 1e-4


def several(name):
    if name == "text":
        random = np.random.default_rng(6)
        X = sp.random(300, 500, density=0.04, format="csr", random_state=random)
        return X, np.asarray(X @ random.normal(size=(500, 4))).argmax(axis=1)
    load = {"iris": datasets.load_iris, "wine": datasets.load_wine, "digits": datasets.load_digits}
    X, y = load[name](return_X_y=True)
    return (X[:500] / 16, y[:500]) if name == "digits" else (scale(X), y)


def terms(gap_tol, seconds=np.inf, **others):
    return Terms(tol=gap_tol, ends=perf_counter() + seconds, **others)


def posed(labels, bounds, offset=1.0):
    column = InterceptColumn(Intercept.REGULARIZED if offset else Intercept.NONE, offset or 1.0)
    return CrammerSingerProblem(np.arange(len(labels)), labels, int(labels.max()) + 1, bounds, column)


def rows_of(X):
    return LinearRows(Linear(), core_ready(X))


def weights_of(found, offset=1.0):
    """The weights of all classes, with that of the offset column behind them where there is one."""
    if not offset:
        return found.weights
    return np.column_stack([found.weights, found.intercept / offset])


def solve(X, labels, C, gap_tol=1e-8, offset=1.0, seed=0, **limits):
    bounds = np.broadcast_to(np.asarray(C, dtype=np.float64), len(labels)).copy()
    found = solve_crammer_singer(posed(labels, bounds, offset), rows_of(X), terms(gap_tol, **limits), 1, seed)
    W = weights_of(found, offset)
    return found, *liblinear.crammer_singer_objectives(X, labels, bounds, W, found.coef, offset)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.01, 0.3])
@pytest.mark.parametrize("name", ["iris", "wine", "digits", "text"])
def test_crammer_singer_is_that_of_liblinear(name, C, weighted):
    X, y = several(name)
    weights = np.random.default_rng(1).uniform(0.2, 3, len(y)) if weighted else np.ones(len(y))
    found, primal, dual = solve(X, y, C * weights, gap_tol=1e-10)
    assert found.status is Status.SOLVED
    assert -1e-12 * primal <= primal - dual <= 1e-10 * primal
    theirs = liblinear.crammer_singer(X, y, C, weights)
    their_primal = liblinear.crammer_singer_objectives(X, y, C * weights, theirs)
    assert their_primal == pytest.approx(primal, rel=SAME_OBJECTIVE)
    np.testing.assert_allclose(weights_of(found), theirs, atol=SAME_WEIGHTS * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_crammer_singer_is_the_same_for_every_form_of_the_data(dtype, sparse):
    X, y = several("text")
    X = sp.csr_matrix(X.astype(np.float32).astype(np.float64))
    _, primal, _ = solve(X, y, 1.0)
    own = X.astype(dtype)
    assert solve(own if sparse else own.toarray(), y, 1.0)[1] == pytest.approx(primal, rel=1e-7)


def test_crammer_singer_has_the_same_bits_for_the_same_seed():
    X, y = several("iris")
    one, again, other = (solve(X, y, 1.0, gap_tol=1e-4, seed=seed)[0] for seed in (3, 3, 4))
    assert np.array_equal(one.weights, again.weights)
    assert np.array_equal(one.coef, again.coef)
    assert not np.array_equal(one.weights, other.weights)


def awkward(name):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(90, 4)), np.arange(90) % 3
    if name == "zero columns":
        X[:, 1:3] = 0
    elif name == "constant column":
        X[:, 1] = 5
    elif name == "copied columns":
        X = np.hstack([X, X, -X])
    elif name == "one feature":
        X = X[:, :1]
    elif name == "more features than rows":
        X, y = random.normal(size=(40, 700)), np.arange(40) % 5
    elif name == "separable":
        X[:, :3] += 6 * np.eye(3)[y]
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


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("name", AWKWARD)
def test_crammer_singer_of_awkward_data_is_proved_or_says_that_it_is_not(name, C):
    X, y = awkward(name)
    found, primal, dual = solve(X, y, C, gap_tol=1e-4, seconds=20)
    assert dual <= primal * (1 + 1e-12)
    is_proved = primal - dual <= 1.01e-4 * primal
    assert found.status is (Status.SOLVED if is_proved else Status.STALLED)
    assert is_proved or C >= 1e3


def test_crammer_singer_stops_at_its_limits():
    X, y = several("digits")
    found, primal, dual = solve(X, y, 10.0, gap_tol=1e-13, steps=2)
    assert (found.status, found.steps) == (Status.ITERATION_LIMIT, 2)
    assert primal >= dual >= 0
    found, primal, dual = solve(X, y, 10.0, gap_tol=1e-13, seconds=0.0)
    assert found.status is Status.TIME_LIMIT
    assert primal >= dual >= 0


def noise():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(4000, 50)), random.integers(0, 8, 4000)
    return posed(y, np.full(4000, 1e3)), rows_of(X)


def test_crammer_singer_stops_where_the_report_asks_for_it():
    found = solve_crammer_singer(*noise(), terms(1e-12, 20, report=lambda *_: True), 1)
    assert found.status is Status.INTERRUPTED


def test_crammer_singer_hears_ctrl_c():
    problem = noise()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solve_crammer_singer(*problem, terms(1e-12, 20), 1)
    timer.join()


def test_crammer_singer_refuses_labels_that_are_no_classes():
    data, held = as_core_data(np.ones((4, 2))), (1.0, 1e-4, None, 0, np.inf, 10, 1, None)
    with pytest.raises(ValueError, match="labels from 0"):
        core.solve_crammer_singer(data, np.array([0, 1, 2, 3], dtype=np.int32), 3, np.ones(4), *held)
    with pytest.raises(ValueError, match="a label and a bound for every row"):
        core.solve_crammer_singer(data, np.zeros(3, dtype=np.int32), 3, np.ones(4), *held)


def test_crammer_singer_begins_where_it_is_told():
    X, y = several("digits")
    problem, rows, held = posed(y, np.ones(len(y))), rows_of(X), (terms(1e-6), 1)
    found = solve_crammer_singer(problem, rows, *held)
    warm = solve_crammer_singer(problem, rows, *held, start=found.start)
    assert warm.steps < 0.3 * found.steps
    half = np.full(len(y), 0.5)
    less = solve_crammer_singer(posed(y, half), rows, *held, start=found.start)
    liblinear.crammer_singer_objectives(X, y, half, weights_of(less), less.coef)
    with pytest.raises(ValueError, match="start"):
        solve_crammer_singer(problem, rows, *held, start=found.start[1:])
