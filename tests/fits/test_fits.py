"""Fits without an estimator are the same machines bit by bit, and keep their limits."""

import numpy as np
import pytest

from mercer import (
    RBF,
    SVC,
    SVR,
    InputError,
    Linear,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Status,
)
from mercer.fits import certify_kernel_machine, fit, plan_fit
from mercer.rows import rows_of
from mercer.solvers import Terms
from tests.fits.by_hand import (
    BUDGET,
    TOL,
    assert_same_bits,
    assert_same_end,
    classification,
    diabetes,
    iris,
    machine_of_pairs,
    regression,
    single_machine,
)

KERNELS = [RBF(0.4), Linear(), RBF(0.1) + Linear()]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_fit_by_hand_is_the_machine_of_svc(kernel, classes, C):
    X, y = iris(classes)
    model = SVC(kernel=kernel, C=C).fit(X, y)
    task = classification(X, y, kernel, C, tol=TOL)
    plan = plan_fit(task, BUDGET)
    fitted = fit(task, plan)
    assert_same_bits(machine_of_pairs(fitted, y), model)
    assert_same_end(fitted, model)
    assert str(plan) == model.plan_


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_fit_by_hand_is_the_machine_of_svr(kernel, epsilon):
    X, y = diabetes()
    model = SVR(kernel=kernel, C=2.0, epsilon=epsilon).fit(X, y)
    task = regression(X, y, kernel, 2.0, epsilon, tol=TOL)
    plan = plan_fit(task, BUDGET)
    fitted = fit(task, plan)
    assert_same_bits(single_machine(fitted), model)
    assert_same_end(fitted, model)
    assert str(plan) == model.plan_


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel=RBF(0.4)),
        SVR(kernel=RBF(0.1)),
        NuSVC(kernel=RBF(0.4), nu=0.2),
        NuSVR(kernel=RBF(0.1), nu=0.3),
        NuSVR(kernel="linear", nu=1.0, C=0.1),
        OneClassSVM(kernel=RBF(0.1), nu=0.2),
        SVC(kernel=RBF(0.4), polish=True),
        SVC(kernel=RBF(0.4), gap_tol=1e-6),
        SVR(kernel="linear", formulation="primal"),
    ],
    ids=str,
)
def test_fit_of_an_estimators_task_is_its_machine(model):
    is_classifier = isinstance(model, (SVC, NuSVC))
    X, y = iris() if is_classifier else diabetes()
    model.fit(X, y)
    rows = rows_of(model._machine.kernel, X)
    task = model._task(rows, model._read_targets(y, None, len(X)))
    plan = plan_fit(task, BUDGET, formulation=model.formulation)
    fitted = fit(task, plan)
    assert_same_bits(machine_of_pairs(fitted, y) if is_classifier else single_machine(fitted), model)
    assert fitted.status is model.status_ is Status.SOLVED
    assert sum(fitted.steps) == np.sum(model.n_iter_)
    for part, own in zip(fitted.certificate.parts or [fitted.certificate], _parts(model.certificate_), strict=True):
        assert part.primal == pytest.approx(own.primal, rel=1e-12)
        assert part.dual == pytest.approx(own.dual, rel=1e-12)
        assert part.violation == pytest.approx(own.violation, abs=1e-12)


def _parts(certificate):
    return certificate.parts or [certificate]


def test_fit_leaves_the_task_and_its_rows_as_they_are():
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    before = X.copy(), task.problem.start.copy(), task.problem.slope.copy()
    one, two = (fit(task, plan_fit(task, BUDGET)) for _ in range(2))
    for now, then in zip((X, task.problem.start, task.problem.slope), before, strict=True):
        np.testing.assert_array_equal(now, then)
    np.testing.assert_array_equal(one.coef, two.coef)
    np.testing.assert_array_equal(one.offsets, two.offsets)


def test_certificate_of_a_fit_is_that_of_its_machine():
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    fitted = fit(task, plan_fit(task, BUDGET))
    again = certify_kernel_machine(task, machine_of_pairs(fitted, y))
    for part, own in zip(again.parts, fitted.certificate.parts, strict=True):
        assert part.primal == pytest.approx(own.primal, rel=1e-12)
        assert part.dual == pytest.approx(own.dual, rel=1e-12)
        assert part.violation == pytest.approx(own.violation, abs=1e-12)
        assert part.holds(TOL)


def test_certificate_of_another_task_does_not_hold():
    """The judge is told the problem by the task, and not by the machine."""
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    machine = machine_of_pairs(fit(task, plan_fit(task, BUDGET)), y)
    assert certify_kernel_machine(task, machine).holds(TOL)
    assert not certify_kernel_machine(classification(X, y, RBF(0.4), C=0.5), machine).holds(TOL)
    assert not certify_kernel_machine(classification(X, y, RBF(0.8)), machine).holds(TOL)


def test_solver_that_is_passed_is_the_one_that_solves():
    X, y = iris(2)
    task = classification(X, y, Linear())
    plan = plan_fit(task, BUDGET)

    class Watched:
        leaves_hard_problems = False
        asked = ()

        def require(self, problem, subsets):
            Watched.asked += ("require",)

        def solve(self, problem, start, subsets, terms):
            Watched.asked += ("solve",)
            assert (terms.tol, terms.gap_tol) == (task.tol, task.gap_tol)
            return plan.solver().solve(problem, start, subsets, terms)

    fitted = fit(task, plan, Watched())
    assert Watched.asked == ("require", "solve")
    assert fitted.status is Status.SOLVED
    np.testing.assert_array_equal(fitted.coef, fit(task, plan).coef)


def test_solver_that_claims_what_it_did_not_do_is_not_believed():
    """Only the certificate says "solved"; such a solver is asked once more, and to be careful."""
    X, y = iris(2)
    task = classification(X, y, RBF(0.4))
    plan = plan_fit(task, BUDGET)
    asked = []

    class Idle:
        leaves_hard_problems = False

        def require(self, problem, subsets):
            pass

        def solve(self, problem, start, subsets, terms):
            asked.append(terms.is_careful)
            found = plan.solver().solve(problem, start, subsets, terms.used_up())
            return found._replace(coef=start.coef.copy(), statuses=[Status.SOLVED] * len(subsets))

    fitted = fit(task, plan, Idle())
    assert asked == [False, True]
    assert fitted.status is Status.STALLED
    assert not fitted.coef.any()
    assert not fitted.certificate.holds(TOL)


@pytest.mark.parametrize("limits", [Terms(steps=3), Terms(ends=-np.inf), Terms(report=lambda *_: True)])
def test_limits_of_a_fit_are_kept_and_told(limits):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(3000, 3)), random.integers(0, 2, 3000)
    task = classification(X, y, RBF(1.0), C=1e4, tol=1e-9)
    fitted = fit(task, plan_fit(task, BUDGET), limits=limits)
    expected = Status.ITERATION_LIMIT if limits.steps == 3 else Status.TIME_LIMIT
    assert fitted.status is (Status.INTERRUPTED if limits.report else expected)
    assert fitted.unsolved == [fitted.status]
    assert np.isfinite(fitted.certificate.gap)
    assert fitted.certificate.dual <= fitted.certificate.primal


def test_start_of_another_length_is_refused():
    task = classification(*iris(), RBF(0.4))
    with pytest.raises(InputError, match=r"start: expected a coefficient for each of \d+ rows"):
        fit(task, plan_fit(task), start=np.zeros(3))
