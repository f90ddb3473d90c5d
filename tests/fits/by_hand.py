"""Tasks and machines made by hand, as estimators make theirs, and when the two are the same."""

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.preprocessing import scale

from mercer import (
    Status,
)
from mercer.data import one_vs_one, read_class_targets
from mercer.fits import Task
from mercer.machines import OneVsOneMachine, SingleMachine
from mercer.problems import SupportVectorClassification, SupportVectorRegression
from mercer.rows import Budget, rows_of

BUDGET = Budget()
TOL = 1e-3


def iris(classes=3):
    X, y = load_iris(return_X_y=True)
    return X[y < classes], np.array(["setosa", "versicolor", "virginica"])[y[y < classes]]


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X)[:150], (y[:150] - y.mean()) / 50


def classification(X, y, kernel, C=1.0, **tolerances):
    """The task of SVC by hand: a group for each pair of classes."""
    pairs = one_vs_one(read_class_targets(y, None, None))
    members = [pair.rows for pair in pairs]
    bounds = np.full(sum(map(len, members)), C)
    problem = SupportVectorClassification.several([pair.signs for pair in pairs], bounds)
    return Task(problem, rows_of(kernel, X), members, pairs, **tolerances)


def regression(X, y, kernel, C=1.0, epsilon=0.1, **tolerances):
    """The task of SVR by hand."""
    problem = SupportVectorRegression.of(y, np.full(len(y), C), epsilon)
    return Task(problem, rows_of(kernel, X), [np.arange(len(y))], **tolerances)


def machine_of_pairs(fitted, y):
    targets = read_class_targets(y, None, None)
    return OneVsOneMachine.of_pairs(fitted.task.rows, targets, fitted.task.pairs, *fitted.expansions())


def single_machine(fitted):
    return SingleMachine.of_rows(fitted.task.rows, *fitted.expansions())


def assert_same_bits(machine, model):
    for name in ("support", "support_vectors", "n_support", "dual_coef", "intercept"):
        np.testing.assert_array_equal(getattr(machine, name), getattr(model._machine, name), err_msg=name)


def assert_same_end(fitted, model):
    assert fitted.status is model.status_ is Status.SOLVED
    assert sum(fitted.steps) == np.sum(model.n_iter_)
    assert fitted.certificate == model.certificate_
