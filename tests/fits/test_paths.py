"""A path begins each fit where the last one ended, and has the machines of separate fits."""

import numpy as np
import pytest

from mercer import (
    RBF,
    SVC,
    SVR,
    Linear,
    Status,
    certify,
)
from mercer.fits import certify_kernel_machine, fit, fit_path, plan_fit
from tests.fits.by_hand import BUDGET, TOL, classification, diabetes, iris, machine_of_pairs, regression, single_machine

CS = np.logspace(-2, 3, 9)


@pytest.mark.parametrize("kernel", [RBF(0.4), Linear()], ids=str)
def test_path_along_c_has_the_machines_of_separate_fits(kernel):
    X, y = iris()
    tasks = [classification(X, y, kernel, C, tol=1e-6) for C in CS]
    plan = plan_fit(tasks[0], BUDGET)
    path = list(fit_path(tasks, plan))
    assert len(path) == len(CS)
    for C, task, fitted in zip(CS, tasks, path, strict=True):
        assert fitted.problem is task.problem
        assert fitted.status is Status.SOLVED
        alone = SVC(kernel=kernel, C=C, tol=1e-6).fit(X, y)
        machine = machine_of_pairs(fitted, y)
        np.testing.assert_allclose(
            machine.values(X, 1) - machine.intercept, alone._machine.values(X, 1) - alone.intercept_, atol=1e-3
        )
        # Where no row is between its bounds, any intercept of an interval is optimal.
        for intercept, part in zip(machine.intercept, alone.certificate_.parts, strict=True):
            least, largest = part.intercept_interval
            assert least - 1e-3 <= intercept <= largest + 1e-3
        assert fitted.certificate.dual == pytest.approx(alone.certificate_.dual, rel=1e-6)
        again = certify_kernel_machine(task, machine)
        assert again.holds(1.01e-6)
        # A certificate of the one bounds the optimum of the other.
        assert again.dual <= alone.certificate_.primal * (1 + 1e-9)
        assert alone.certificate_.dual <= again.primal * (1 + 1e-9)


def test_path_of_regression_is_certified_by_certify():
    X, y = diabetes()
    tasks = [regression(X, y, RBF(0.1), C) for C in CS]
    for C, fitted in zip(CS, fit_path(tasks, plan_fit(tasks[0], BUDGET)), strict=True):
        assert fitted.certificate.holds(TOL)
        model = SVR(kernel=RBF(0.1), C=C).fit(X, y)
        model._machine = single_machine(fitted)
        assert certify(model, X, y).holds(TOL)


def test_path_begins_each_fit_where_the_last_one_ended():
    X, y = diabetes()
    task = regression(X, y, RBF(0.1), 10.0)
    plan = plan_fit(task, BUDGET)
    first, second = fit_path([task, task], plan)
    assert sum(first.steps) > 0
    assert sum(second.steps) == 0
    np.testing.assert_allclose(second.coef, first.coef, atol=1e-12)
    # One by one: nothing is solved before it is asked for.
    assert next(fit_path(iter([task]), plan)).status is Status.SOLVED


def test_fit_from_any_start_is_the_same_machine():
    X, y = iris(2)
    task = classification(X, y, RBF(0.4), tol=1e-8)
    plan = plan_fit(task, BUDGET)
    cold = fit(task, plan)
    start = np.random.default_rng(0).normal(size=len(y))
    warm = fit(task, plan, start=start)
    assert warm.status is Status.SOLVED
    np.testing.assert_allclose(warm.coef, cold.coef, atol=1e-6)
