"""Linear machines by the dense method, against Clarabel and LIBLINEAR."""

from time import perf_counter

import numpy as np
import pytest

from mercer import Linear
from mercer.problems import (
    CrammerSingerProblem,
    Intercept,
    InterceptColumn,
    LinearProblem,
    Penalty,
)
from mercer.solvers import Status, Terms
from mercer.solvers.direct import (
    DenseMachine,
    may_solve_linear_densely,
    solve_linear_dense,
)
from tests.reference import liblinear
from tests.reference.linear import LinearMachine
from tests.solvers.dense_data import drawn, rows, training

# What Clarabel leaves of an objective.
SAME_OPTIMUM = 1e-7

INTERCEPTS = {"none": Intercept.NONE, "regularised": Intercept.REGULARIZED, "free": Intercept.FREE}


def nothing(n, features):
    return DenseMachine(np.zeros(features), 0.0, np.zeros(n))


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("epsilon", [None, 0.0, 0.1])
def test_dense_linear_machines_are_those_of_clarabel(epsilon, squared, intercept):
    for seed, C in ((0, 0.1), (1, 10.0)):
        X, y, t, v = drawn(seed)
        target = t if epsilon is None else y
        machine = LinearMachine(X, target, C * v, squared, intercept, 2.0, epsilon)
        chosen, column = np.arange(len(X), dtype=np.int32), InterceptColumn(INTERCEPTS[intercept], 2.0)
        if epsilon is None:
            problem = LinearProblem.of_signs(chosen, t, C * v, squared, column)
        else:
            problem = LinearProblem.of_targets(chosen, y, C * v, epsilon, squared, column)

        def gap(found, machine=machine, problem=problem):
            coef = found.coef if found.coef_low is None else found.coef + found.coef_low
            primal = machine.primal(found.weights, found.intercept)
            dual = machine.dual(problem.feasible(coef, machine.intercept == "free"))
            return abs(primal - dual) / max(primal, 1e-300)

        own = training(Linear(), X)
        found = solve_linear_dense(problem, own, gap, nothing(*X.shape), Terms(tol=1e-8))
        assert found.status is Status.SOLVED
        assert found.gap <= 1e-8
        primal = machine.primal(found.machine.weights, found.machine.intercept)
        assert primal == pytest.approx(machine.optimum().value, rel=SAME_OPTIMUM)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_dense_absolute_weights_are_proved_and_those_of_liblinear(C, intercept):
    X, _, t, v = drawn(2)
    bounds, free = C * v, intercept == "free"
    offset = {"none": 0.0, "regularised": 1.0, "free": 1.0}[intercept]
    chosen, column = np.arange(len(X), dtype=np.int32), InterceptColumn(INTERCEPTS[intercept])
    problem = LinearProblem.of_signs(chosen, t, bounds, True, column, Penalty.ABSOLUTE)

    def joined(found):
        return np.append(found.weights, found.intercept) if offset else found.weights

    def gap(found):
        """The dual point is scaled into its bounds, and its sum to zero where the intercept is free."""
        coef = t * np.maximum(t * found.coef, 0.0)
        coef = problem.feasible(coef, free)
        sums = np.abs(coef @ liblinear.with_column(X, offset))[: -1 if free else None]
        coef = coef / max(1.0, sums.max(initial=0.0))
        primal = liblinear.lasso_primal(X, t, bounds, joined(found), offset, free)
        return abs(primal - liblinear.lasso_dual(X, t, bounds, coef, offset, free)) / primal

    found = solve_linear_dense(problem, training(Linear(), X), gap, nothing(*X.shape), Terms(tol=1e-7))
    assert found.status is Status.SOLVED
    if not free:
        theirs = liblinear.lasso(X, t, C, v, bool(offset))
        wanted = liblinear.lasso_primal(X, t, bounds, theirs, offset)
        own = liblinear.lasso_primal(X, t, bounds, joined(found.machine), offset)
        assert own == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 0.3])
def test_dense_machines_of_all_classes_are_those_of_liblinear(C):
    X, _, _, v = drawn(3, 45)
    labels = (X @ rows(3, 3, seed=4)).argmax(axis=1)
    column = InterceptColumn(Intercept.REGULARIZED, 1.0)
    problem = CrammerSingerProblem(np.arange(45, dtype=np.int32), labels, 3, C * v, column)

    def objectives(found):
        W = np.hstack([found.weights, np.reshape(found.intercept, (3, 1))])
        coef = problem.feasible(found.coef)
        columns = liblinear.with_column(X, 1.0)
        primal = liblinear.crammer_singer_objectives(X, labels, C * v, W)
        return primal, problem.dual(coef, float(np.square(coef.T @ columns).sum()))

    def gap(found):
        primal, dual = objectives(found)
        return abs(primal - dual) / primal

    start = DenseMachine(np.zeros((3, 3)), np.zeros(3), np.zeros((45, 3)))
    found = solve_linear_dense(problem, training(Linear(), X), gap, start, Terms(tol=1e-8))
    assert found.status is Status.SOLVED
    theirs = liblinear.crammer_singer_objectives(X, labels, C * v, liblinear.crammer_singer(X, labels, C, v))
    assert objectives(found.machine)[0] == pytest.approx(theirs, rel=1e-6)


def test_dense_linear_machines_hear_of_limits_and_are_no_worse_than_the_start():
    X, _, t, v = drawn(0)
    free = InterceptColumn(Intercept.FREE, 1.0)
    problem = LinearProblem.of_signs(np.arange(len(X), dtype=np.int32), t, v, False, free)
    start = nothing(*X.shape)
    own = training(Linear(), X)
    late = solve_linear_dense(problem, own, lambda _: 0.5, start, Terms(tol=1e-8, ends=perf_counter()))
    assert late.status is Status.TIME_LIMIT
    assert late.machine is start
    terms = Terms(tol=1e-8, report=lambda *_: True)
    assert solve_linear_dense(problem, own, lambda _: 0.5, start, terms, 1).status is Status.INTERRUPTED


def test_linear_problems_with_too_many_unknowns_are_left_alone():
    def of_signs(n, **parameters):
        return LinearProblem.of_signs(np.arange(n), np.resize([1.0, -1.0], n), np.ones(n), True, **parameters)

    def all_classes(n):
        return CrammerSingerProblem(np.arange(n), np.arange(n) % 3, 3, np.ones(n))

    assert may_solve_linear_densely(of_signs(3000), np.zeros((3000, 1)))
    assert not may_solve_linear_densely(of_signs(3001), np.zeros((3001, 1)))
    assert may_solve_linear_densely(of_signs(100, penalty=Penalty.ABSOLUTE), np.zeros((100, 1450)))
    assert not may_solve_linear_densely(of_signs(100, penalty=Penalty.ABSOLUTE), np.zeros((100, 1451)))
    assert may_solve_linear_densely(all_classes(740), np.zeros((740, 5)))
    assert not may_solve_linear_densely(all_classes(750), np.zeros((750, 5)))  # more unknowns than 3,000
    assert may_solve_linear_densely(all_classes(240), np.zeros((240, 300)))
    assert not may_solve_linear_densely(all_classes(260), np.zeros((260, 300)))  # a factor of too many columns
