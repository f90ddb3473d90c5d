"""Polished machines are exact up to rounding, and never worse than before."""

import importlib

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.preprocessing import scale

from mercer import RBF, SVC, SVR, Linear, NumericsWarning, NuSVC, NuSVR, OneClassSVM, Status
from mercer.problems import SupportVectorClassification, SupportVectorRegression
from mercer.solvers import polish
from mercer.solvers.dual.active_set import StoredValues, solve_active_set, solve_bordered
from tests.reference.qp import solve_svc_dual


def cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_polished_machine_is_exact(kernel, C):
    X, y = cancer()
    plain = SVC(C=C, kernel=kernel).fit(X, y)
    model = SVC(C=C, kernel=kernel, polish=True).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.violation <= 1e-9
    assert abs(model.certificate_.relative_gap) <= 1e-11
    assert model.certificate_.violation < plain.certificate_.violation
    assert model.certificate_.dual >= plain.certificate_.dual - 1e-9


def test_polished_multipliers_are_those_of_the_qp():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    model = SVC(kernel=RBF(0.3), polish=True).fit(X, y)
    best = solve_svc_dual(RBF(0.3)(X), y.astype(float), np.ones(60))
    alpha = np.zeros(60)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, best.alpha, atol=1e-7)


def test_several_classes_are_polished_each():
    X, y = datasets.load_iris(return_X_y=True)
    model = SVC(C=10.0, polish=True).fit(X, y)
    assert all(part.violation <= 1e-9 for part in model.certificate_.parts)


def test_polish_changes_nothing_where_it_cannot_help():
    rng = np.random.default_rng(2)
    X, t = rng.normal(size=(20, 2)), np.repeat([1.0, -1.0], 10)
    problem = SupportVectorClassification.several([t], np.full(20, 1e-5))
    exact = t * 1e-5  # all at their bounds
    np.testing.assert_array_equal(polish(problem, StoredValues(Linear()(X)), exact), exact)


def test_active_set_solves_regression_with_its_tube():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    K = RBF(0.5)(X)
    problem = SupportVectorRegression.of(y, np.full(40, 1.0), 0.1)
    found = solve_active_set(problem, StoredValues(K), np.zeros(40), 1e-10)
    from sklearn.svm import SVR

    theirs = SVR(kernel="precomputed", epsilon=0.1, tol=1e-10).fit(K, y)
    coef = np.zeros(40)
    coef[theirs.support_] = theirs.dual_coef_[0]
    assert found.status is Status.SOLVED
    np.testing.assert_allclose(found.coef, coef, atol=1e-5)  # as near as LIBSVM comes


@pytest.mark.parametrize("rank", [2, 5])
def test_bordered_system_is_solved_with_and_without_a_factor(rank):
    rng = np.random.default_rng(5)
    half = rng.normal(size=(5, rank))
    K, sums = half @ half.T, np.ones((1, 5))
    wanted = rng.normal(size=5)
    wanted -= wanted.mean()
    right = K @ wanted + 0.7
    c = solve_bordered(K, sums, right)
    assert sums @ c == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(K @ c - right, np.full(5, (K @ c - right).mean()), atol=1e-9)
    if rank == 5:
        np.testing.assert_allclose(c, wanted, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("machine", [SVR(epsilon=0.2), NuSVR(nu=0.4), NuSVC(nu=0.7), OneClassSVM(nu=0.3)], ids=repr)
def test_every_kernel_machine_can_be_polished(machine, kernel):
    X, y = datasets.load_diabetes(return_X_y=True)
    X, y = scale(X)[:200], (y[:200] - y.mean()) / 50
    y = (y > 0).astype(int) if isinstance(machine, NuSVC) else y
    plain = clone(machine).set_params(kernel=kernel).fit(X, y)
    model = clone(machine).set_params(kernel=kernel, polish=True).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.violation <= 1e-8
    assert model.certificate_.dual >= plain.certificate_.dual - 1e-8
    np.testing.assert_allclose(
        model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X),
        plain.decision_function(X) if hasattr(plain, "decision_function") else plain.predict(X),
        atol=0.02,
    )


def test_polish_that_the_time_limit_leaves_no_time_for_says_so(monkeypatch):
    X, y = datasets.load_iris(return_X_y=True)
    plain = SVC(C=10.0, tol=1e-6).fit(X, y)
    monkeypatch.setattr(importlib.import_module("mercer.solvers.dual.polish"), "perf_counter", lambda: np.inf)
    model = SVC(C=10.0, polish=True, time_limit=60)
    with pytest.warns(NumericsWarning, match=r"polish=True expects more time than time_limit leaves for 3 of 3"):
        model.fit(X, y)
    assert model.status_ is Status.SOLVED
    np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
