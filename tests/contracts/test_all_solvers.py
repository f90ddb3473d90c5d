"""Every solver of the registry against Clarabel on the problems that it takes: optima, starts, limits and records."""

from functools import cache
from itertools import product
from time import perf_counter

import numpy as np
import pytest

import mercer
from mercer import RBF, SVC, Linear, MercerError, Polynomial, Status
from mercer.fits import Task, fit, plan_fit, trace_of
from mercer.problems import (
    ClassificationWithoutIntercept,
    SupportVectorClassification,
)
from mercer.rows import Budget, rows_of
from mercer.solvers import METHODS, DualOutcome, DualSolver, LectureSolver, Step, Terms
from tests.contracts import problem_registry
from tests.contracts.solver_registry import ENTRIES, Entry, named
from tests.reference import kernels as twin
from tests.reference.box_qp import solve_box_qp

BUDGET = Budget(100_000_000, 1)
ROWS = 24
# Rows of a problem that is not solved within a report of progress.
LONG = 2500
TOL = 1e-5
# A violation of tol on some dozens of rows is a gap of some dozen times tol, and twice that beside the reference.
VALUE = 100 * TOL
# Coefficients of a definite kernel are as far from the optimum as the violation, over the least eigenvalue.
COEF = 1e-2
# What a step at the optimum moves: rounding, over the same eigenvalue.
STAYS = 1e-8
# Sums of some dozens of numbers.
ROUNDING = 1e-11


# ---------------------------------------------------------------- a solver that nobody knows


class PairAscent:
    """The pair that violates most, again and again: slow, and all that a solver has to be."""

    leaves_hard_problems = False

    def require(self, problem, subsets):
        if type(problem) is not SupportVectorClassification or problem.is_hard_margin:
            raise mercer.ParameterError(f"solver: PairAscent expects soft-margin classification, got {problem.name}.")

    def solve(self, problem, start, subsets, terms):
        coef, statuses, steps = start.coef.copy(), [], []
        for k, (run, subset) in enumerate(zip(problem.groups.runs, subsets, strict=True)):
            box = problem.slope[run], problem.lower[run], problem.upper[run]
            count, status = self._ascend(subset.values(), *box, coef[run], terms, terms.first_group + k)
            statuses.append(status)
            steps.append(count)
        return DualOutcome(coef, statuses, steps, [None] * len(subsets))

    def _ascend(self, K, slope, lower, upper, coef, terms, number):
        """Changes the coefficients in place."""
        began, tol, count = perf_counter(), terms.tol * (0.1 if terms.is_careful else 0.5), 0
        while True:
            gain = slope - K @ coef
            i, j = np.argmax(np.where(coef < upper, gain, -np.inf)), np.argmin(np.where(coef > lower, gain, np.inf))
            violation = gain[i] - gain[j]
            if violation <= tol:
                return count, Status.SOLVED
            if count >= terms.steps:
                return count, Status.ITERATION_LIMIT
            if perf_counter() >= terms.ends:
                return count, Status.TIME_LIMIT
            if terms.report is not None and terms.report(perf_counter() - began, count, violation, len(K), number):
                return count, Status.INTERRUPTED
            room = min(upper[i] - coef[i], coef[j] - lower[j])
            step = min(room, violation / max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12))
            old = coef[i], coef[j]
            # A bound that is reached is reached exactly.
            coef[i] = upper[i] if step == upper[i] - coef[i] else coef[i] + step
            coef[j] = lower[j] if step == coef[j] - lower[j] else coef[j] - step
            count += 1
            if terms.record is not None:
                numbers = {"low": -np.inf, "high": np.inf, "dual": np.nan, "primal": np.nan, "violation": violation}
                new = float(coef[i]), float(coef[j])
                step_taken = Step(number, "pair", (int(i), int(j)), old, new, **numbers, intercept=np.nan)
                terms.record.append(step_taken)


def takes_soft_margins(problem):
    return type(problem) is SupportVectorClassification and not problem.is_hard_margin


# ---------------------------------------------------------------- cases

SOLVERS = [*ENTRIES, Entry("pair ascent", lambda plan: PairAscent(), takes_soft_margins)]
# Kernels that separate the rows, with their twins; the second has a finite feature map.
KERNELS = {
    "rbf": (RBF(0.1), twin.rbf(0.1)),
    "polynomial": (Polynomial(2, 0.1, 1.0), twin.polynomial(2, 0.1, 1.0)),
}


@cache
def task(name, kernel):
    """A problem of the registry on rows under a kernel."""
    X = np.random.default_rng(5).normal(size=(ROWS, 8))
    (entry,) = [one for one in problem_registry.ENTRIES if one.name == name]
    problem, members, _ = entry.make(X, 3, True)
    return Task(problem, rows_of(KERNELS[kernel][0], X), members, tol=TOL)


@cache
def optima(name, kernel):
    """The coefficients and the values of each group's optimum."""
    posed = task(name, kernel)
    problem, found = posed.problem, []
    kink = np.zeros(len(problem.slope)) if problem.kink is None else problem.kink
    kept = 2 if problem.two_sums else problem.sums_kept
    for k, run in enumerate(problem.groups.runs):
        K = twin.gram(KERNELS[kernel][1], posed.rows.X[posed.members[k]])
        box = (array[run] for array in (problem.slope, problem.lower, problem.upper, kink))
        found.append(solve_box_qp(K, *box, problem.fixed_sums[:kept, k]))
    return np.concatenate([one.coef for one in found]), np.array([one.value for one in found])


NO_LIMITS = Terms()


def run(entry, posed, limits=NO_LIMITS, start=None):
    plan = plan_fit(posed, BUDGET)
    return fit(posed, plan, entry.make(plan), limits, start)


def parts(certificate):
    return certificate.parts or [certificate]


def pairs(is_accepted):
    """Solvers with each problem that they take and each kernel, or with each problem that they do not take."""
    found = []
    for entry, name, kernel in product(SOLVERS, [one.name for one in problem_registry.ENTRIES], KERNELS):
        problem = task(name, kernel).problem
        is_taken = kernel != "rbf" or (is_accepted and not entry.needs_map)
        if entry.accepts(problem) is is_accepted and is_taken:
            found.append(pytest.param(entry, name, kernel, id=f"{entry.name}-{name}-{kernel}"))
    return pytest.mark.parametrize(("entry", "problem", "kernel"), found)


ACCEPTED = pairs(True)
SOLVER = pytest.mark.parametrize("entry", SOLVERS, ids=named)


def assert_feasible(fitted):
    problem, coef = fitted.problem, fitted.coef
    assert np.all((problem.lower <= coef) & (coef <= problem.upper))
    size = 1 + np.abs(coef).sum()
    np.testing.assert_allclose(problem.sums(coef), problem.fixed_sums, rtol=0, atol=ROUNDING * size)


# ---------------------------------------------------------------- the contract


@ACCEPTED
def test_solver_reaches_the_optimum_and_its_certificate_holds(entry, problem, kernel):
    fitted = run(entry, task(problem, kernel))
    _, values = optima(problem, kernel)
    assert fitted.status is Status.SOLVED
    assert fitted.certificate.holds(fitted.task.tol)
    assert_feasible(fitted)
    for part, value in zip(parts(fitted.certificate), values, strict=True):
        assert part.dual == pytest.approx(value, rel=VALUE, abs=VALUE)
        assert part.primal == pytest.approx(value, rel=VALUE, abs=VALUE)


@ACCEPTED
def test_start_at_the_optimum_ends_there(entry, problem, kernel):
    posed = task(problem, kernel)
    best, _ = optima(problem, kernel)
    cold, warm = run(entry, posed), run(entry, posed, start=best)
    assert warm.status is Status.SOLVED
    np.testing.assert_allclose(warm.coef, best, rtol=0, atol=STAYS if entry.uses_start else COEF)
    if entry.uses_start:
        # A step or two are to see that there is nothing to do.
        assert sum(warm.steps) <= sum(cold.steps) // 5


@pairs(True)
def test_limit_of_steps_is_kept_and_leaves_feasible_coefficients(entry, problem, kernel):
    fitted = run(entry, task(problem, kernel), Terms(steps=1))
    assert fitted.status is Status.ITERATION_LIMIT
    assert max(fitted.steps) <= 1
    assert_feasible(fitted)
    assert fitted.certificate.dual <= fitted.certificate.primal


@pairs(True)
def test_limit_of_time_is_kept_and_leaves_feasible_coefficients(entry, problem, kernel):
    fitted = run(entry, task(problem, kernel), Terms(ends=-np.inf))
    assert fitted.status is Status.TIME_LIMIT
    assert_feasible(fitted)
    assert fitted.certificate.dual <= fitted.certificate.primal


@ACCEPTED
def test_record_replays_to_the_coefficients(entry, problem, kernel):
    posed, record = task(problem, kernel), []
    fitted = run(entry, posed, Terms(record=record))
    trace = trace_of(fitted.task, plan_fit(posed, BUDGET), record)
    for k, own in enumerate(fitted.problem.groups.split(fitted.coef)):
        *_, (_, coef) = trace.replay(k)
        np.testing.assert_array_equal(coef, own)
        assert len(trace.of_problem(k)) > 0


@ACCEPTED
def test_solver_gives_the_same_bits_when_it_is_run_twice(entry, problem, kernel):
    one, two = (run(entry, task(problem, kernel)) for _ in range(2))
    np.testing.assert_array_equal(one.coef, two.coef)
    np.testing.assert_array_equal(one.offsets, two.offsets)
    assert (one.steps, one.statuses) == (two.steps, two.statuses)


def assert_refused(entry, posed, monkeypatch):
    """In one sentence with what is expected and what came; nothing is solved before."""

    def work(*arguments):
        raise AssertionError("solved what it does not take")

    monkeypatch.setattr(type(entry.make(plan_fit(posed, BUDGET))), "solve", work)
    with pytest.raises(MercerError, match=r"expect(s|ed) .* got .*"):
        run(entry, posed)


@pairs(False)
def test_problem_that_a_solver_does_not_take_is_refused_before_any_work(entry, problem, kernel, monkeypatch):
    assert_refused(entry, task(problem, kernel), monkeypatch)


@pytest.mark.parametrize("entry", [one for one in SOLVERS if one.needs_map], ids=named)
def test_kernel_without_a_map_is_refused_before_any_work_by_solvers_that_need_one(entry, monkeypatch):
    assert_refused(entry, task("C-SVC", "rbf"), monkeypatch)


def long_task(entry):
    """Noise that takes seconds at least, at a tolerance near to rounding."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(LONG, 30)), np.where(rng.random(LONG) > 0.5, 1.0, -1.0)
    rows = rows_of(Polynomial(2, 0.1, 1.0), X) if entry.needs_map else rows_of(RBF(1.0), X[:, :3])
    kinds = (SupportVectorClassification, ClassificationWithoutIntercept)
    problems = [kind.several([t], np.full(LONG, 1e4)) for kind in kinds]
    return Task(next(filter(entry.accepts, problems)), rows, [np.arange(LONG)], tol=1e-10)


@SOLVER
def test_report_that_returns_true_interrupts(entry, monkeypatch):
    # The methods of the lectures report about ten times a second; here, at every step.
    monkeypatch.setattr("mercer.solvers.lectures.pace._SECONDS_BETWEEN_REPORTS", 0.0)
    heard = []
    fitted = run(entry, long_task(entry), Terms(report=lambda *progress: heard.append(progress) or True))
    assert fitted.status is Status.INTERRUPTED
    assert_feasible(fitted)
    for seconds, steps, _, rows, problem in heard:
        assert seconds >= 0
        assert steps >= 0
        assert 0 <= rows <= LONG
        assert problem == 0
    # One that is asked twice is answered alike, and does not go on.
    assert 1 <= len(heard) <= 2


@SOLVER
def test_solver_has_what_the_protocol_asks_for(entry):
    solver = entry.make(plan_fit(task("C-SVC", "rbf"), BUDGET))
    assert isinstance(solver, DualSolver)
    assert isinstance(solver.leaves_hard_problems, bool)


def test_registry_holds_every_solver_and_every_exact_method_of_the_lectures():
    plan = plan_fit(task("C-SVC", "rbf"), BUDGET)
    solvers = [entry.make(plan) for entry in ENTRIES]
    public = [getattr(mercer.solvers, name) for name in mercer.solvers.__all__]
    kinds = {kind for kind in public if isinstance(kind, type) and hasattr(kind, "leaves_hard_problems")}
    assert kinds - {DualSolver} == {type(solver) for solver in solvers}
    methods = {solver.method.name for solver in solvers if isinstance(solver, LectureSolver)}
    assert methods == {*METHODS} - {"sgd"}


def test_solver_of_ones_own_fits_an_estimator():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(45, 2)), np.arange(45) % 3
    toy = SVC(kernel=RBF(0.5), tol=1e-6, solver=PairAscent()).fit(X, y)
    plain = SVC(kernel=RBF(0.5), tol=1e-6).fit(X, y)
    assert toy.status_ is Status.SOLVED
    assert toy.certificate_.dual == pytest.approx(plain.certificate_.dual, rel=1e-6)
    np.testing.assert_allclose(toy.decision_function(X), plain.decision_function(X), atol=1e-4)
    assert "PairAscent" in toy.plan_
    with pytest.raises(mercer.ParameterError, match=r"expects soft-margin classification, got Hard-margin"):
        SVC(kernel=Linear(), C=np.inf, solver=PairAscent()).fit(X, y)
