"""Fits without an estimator: the same machines bit by bit, plans as plain data, paths, and warnings that wait."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.preprocessing import scale

from mercer import (
    RBF,
    SVC,
    SVR,
    InputError,
    Linear,
    NumericsWarning,
    NuSVC,
    NuSVR,
    OneClassSVM,
    ParameterError,
    Precomputed,
    Status,
    certify,
)
from mercer.data import one_vs_one, read_class_targets
from mercer.fits import Task, certify_kernel_machine, fit, fit_path, plan_fit
from mercer.machines import OneVsOneMachine, SingleMachine
from mercer.problems import SupportVectorClassification, SupportVectorRegression
from mercer.rows import Budget, rows_of
from mercer.solvers import SmoSketch, Terms

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


KERNELS = [RBF(0.4), Linear(), RBF(0.1) + Linear()]


# ---------------------------------------------------------------- the machines of estimators, without these


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


# ---------------------------------------------------------------- plans


@pytest.mark.parametrize(
    ("X", "kernel", "method"),
    [
        (iris()[0], RBF(0.4), None),
        (iris()[0], Linear(), None),
        (iris()[0] @ iris()[0].T, Precomputed(), None),
        (iris()[0], RBF(0.4), SmoSketch(20)),
    ],
    ids=["computed", "through weights", "stored", "lectures"],
)
def test_plan_is_plain_data_and_its_sentence_that_of_the_estimator(X, kernel, method):
    y = iris()[1]
    task = classification(X, y, kernel)
    plan = plan_fit(task, BUDGET, method=method)
    content = plan.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["sentence"] == str(plan)
    assert content["sentence"] == SVC(kernel=kernel, solver=method or "auto").fit(X, y).plan_
    assert content["method"] == (None if method is None else "smo-sketch")
    assert (content["formulation"] is None) == (method is not None)
    assert content["source"] == ("stored" if kernel == Precomputed() else "computed")
    assert content["threads"] >= 1
    assert plan.threads >= max(content["threads"], content["problems_at_once"])


def test_plan_asks_for_what_it_is_told():
    X, y = iris()
    task = classification(X, y, Linear())
    assert plan_fit(task, BUDGET, formulation="primal").to_dict()["formulation"]["is_primal"]
    assert not plan_fit(task, BUDGET, formulation="dual").to_dict()["formulation"]["is_primal"]
    assert plan_fit(task, BUDGET, shrinking=False).to_dict()["shrinking"] is False
    less = plan_fit(task, Budget(1_000_000))
    assert less.gram.cache_bytes < plan_fit(task, BUDGET).gram.cache_bytes
    hard = classification(X, y, RBF(0.4), C=np.inf)
    assert list(plan_fit(hard, BUDGET).to_dict()["block_rows"]) == ["float64"]
    assert list(plan_fit(task, BUDGET).to_dict()["block_rows"]) == ["float32", "float64"]


# ---------------------------------------------------------------- paths


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


# ---------------------------------------------------------------- warnings


def overlapping():
    return np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2


def test_warning_of_an_unknown_margin_is_collected_and_not_raised():
    X, y = overlapping()
    model = NuSVC(nu=0.1, kernel=Linear())
    rows = rows_of(Linear(), X)
    task = model._task(rows, model._read_targets(y, None, len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(task, plan_fit(task, BUDGET))
    (warning,) = fitted.warnings
    assert isinstance(warning, NumericsWarning)
    assert "margin ρ" in str(warning)
    with pytest.warns(NumericsWarning, match="margin ρ") as heard:
        model.fit(X, y)
    assert [str(one.message) for one in heard] == [str(warning)]


def test_warning_of_polishing_is_collected_and_not_raised(monkeypatch):
    monkeypatch.setattr("mercer.fits.solving.polish_groups", lambda problem, coef, *others: (coef, [0], [1]))
    X, y = iris()
    task = classification(X, y, RBF(0.4), polish=True)
    fitted = fit(task, plan_fit(task, BUDGET))
    assert [type(one) for one in fitted.warnings] == [NumericsWarning, NumericsWarning]
    assert "1 of 3 problems" in str(fitted.warnings[0])
    assert "time_limit" in str(fitted.warnings[1])


def test_unsolved_fit_raises_no_warning():
    X, y = iris()
    task = classification(X, y, RBF(0.4), C=100.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(task, plan_fit(task, BUDGET), limits=Terms(steps=1))
    assert fitted.status is Status.ITERATION_LIMIT
    assert fitted.warnings == ()


def test_solved_fit_has_nothing_to_warn_of():
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    fitted = fit(task, plan_fit(task, BUDGET))
    assert fitted.warnings == ()
    assert fitted.unsolved == []


def test_budget_is_shared_by_fits_side_by_side():
    whole = Budget(1_000_000, 4)
    assert whole.shared(2) == Budget(500_000, 2)
    assert whole.shared(8) == Budget(125_000, 1)
    task = classification(*iris(), RBF(0.4))
    each = plan_fit(task, whole.shared(4)).gram
    assert each.cache_bytes < plan_fit(task, whole).gram.cache_bytes
    assert each.all_threads == 1


def test_plan_refuses_what_it_does_not_know():
    task = classification(*iris(), RBF(0.4))
    with pytest.raises(ParameterError, match=r"formulation: expected one of 'auto', 'primal', 'dual', got 'primel'"):
        plan_fit(task, formulation="primel")
    for budget in (Budget(0), Budget(-1), Budget(threads=0)):
        with pytest.raises(ParameterError, match=r"budget: expected bytes > 0 and threads ≥ 1"):
            plan_fit(task, budget)


def test_start_of_another_length_is_refused():
    task = classification(*iris(), RBF(0.4))
    with pytest.raises(InputError, match=r"start: expected a coefficient for each of \d+ rows"):
        fit(task, plan_fit(task), start=np.zeros(3))
