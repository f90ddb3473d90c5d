"""The one way from problems to certified expansions, the same for every estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.certificates import (
    Certificate,
    Evidence,
    Products,
    Unevaluated,
    evaluate_in_time,
    prove_inseparable,
)
from mercer.errors import NotSeparableError, NumericsWarning, warn_user
from mercer.estimators.densely import solve_stalled_densely
from mercer.estimators.evidence import Evaluation, evidence_of_expansions, precise_evidence
from mercer.gram import GramPlan, OutOfTime, TrainingData, TrainingRows
from mercer.problems import DualProblem, Groups
from mercer.solvers import (
    MOST_FREE,
    Extended,
    LectureSolver,
    Limits,
    Report,
    Result,
    Status,
    Step,
    WorkingSetSolver,
    polish_groups,
    steps_of_rounds,
)
from mercer.typing import Floats, Integers

__all__ = [
    "FittedExpansions",
    "Solver",
    "certify_expansions",
    "fit_expansions",
    "evidence_of_expansions",
    "precise_evidence",
]

Solver = WorkingSetSolver | LectureSolver

# Hard margin: suspect that there is none once it is proved to be below this share of the data's radius, and give up
# where it is below the last.
_SUSPICIOUS_MARGIN = 1e-3
_HOPELESS_MARGIN = 1e-8

# Where rounding may be more than this share of the tolerance, and a certificate does not hold, it is looked at closely.
_DOUBTFUL = 1e-2

# Whoever asked for an end of the fit is not to wait for a closer look.
_STOPPED = {Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.INTERRUPTED}

# Groups are certified together as long as they have no more rows than this: some vectors of 2 MB each.
_ROWS_A_BATCH = 250_000


class FittedExpansions(NamedTuple):
    """The machines with their proof, and how the fit of each ended.

    `rows` are those of all groups, one after the other, with a coefficient each; `offsets` has one row a sum and one
    column a group. `proof` is the certificate, or what it can be worked out from.
    """

    problem: DualProblem
    rows: Integers
    coef: Floats
    offsets: Floats
    proof: Evidence | Unevaluated | Certificate
    statuses: Sequence[Status]
    steps: Sequence[int]
    tol: float
    #: What float64 leaves of the coefficients, where that matters.
    low: Floats | None = None
    #: Whether the machines were proved in twice the precision of float64, and so have to be evaluated.
    is_precise: bool = False

    @property
    def intercept(self) -> Floats:
        return self.problem.intercept(self.offsets)

    def low_at(self, support: Integers, count: int, divisors: Floats | None) -> Floats | None:
        """What float64 leaves of the coefficients of all machines at their support vectors, one row each."""
        if self.low is None and divisors is None:
            return None
        low = np.zeros_like(self.coef) if self.low is None else self.low
        if divisors is not None:
            low = Extended(self.coef, low).over(self.problem.groups.spread(divisors)).low
        full = np.zeros((len(self.problem.groups), count))
        for row, run in zip(full, self.problem.groups.runs, strict=True):
            row[self.rows[run]] = low[run]
        return full[:, support]

    @property
    def unsolved(self) -> list[Status]:
        """How those ended that do not meet the tolerance."""
        return [status for status in self.statuses if not status.is_within_tolerance]

    @property
    def status(self) -> Status:
        """How all ended together: the first that is unsolved speaks for all, then one that is stationary only."""
        if self.unsolved:
            return self.unsolved[0]
        return Status.STATIONARY if Status.STATIONARY in self.statuses else Status.SOLVED


def fit_expansions(
    problem: DualProblem,
    data: TrainingData,
    rows: Sequence[Integers],
    plan: GramPlan,
    solver: Solver,
    limits: Limits,
    start: Floats | None = None,
    report: Report | None = None,
) -> FittedExpansions:
    """Solves each group of the problem on its rows of the data and certifies what came out.

    Only the certificate can say "solved": a solver that believes so but whose machine violates the tolerance goes on
    with every value verified in float64, and has stalled where that does not help either.
    """
    began = perf_counter()
    training = [data.rows(chosen) for chosen in rows]
    start = problem.start if start is None else problem.continued(start)
    if solver.recorded is not None:
        _close_trace("start", solver.recorded, problem, start, training, plan)
    result = _solve(problem, start, training, plan, solver, limits, report)
    if solver.polish:
        result = _polished(problem, result, training, plan)
    fitted = certify_expansions(problem, data, rows, plan, result, solver)

    believed = [k for k, status in enumerate(result.statuses) if status is Status.SOLVED]
    unverified = [k for k in believed if fitted.statuses[k] is Status.STALLED]
    if unverified:
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps - max(result.steps))
        part, chosen = problem.of_groups(unverified), [training[k] for k in unverified]
        reached, careful = result.coef_of(problem.groups, unverified), solver._replace(verify=True, recorded=None)
        again = _solve(part, reached, chosen, plan, careful, left, report)
        result.take_over(problem.groups, unverified, again)
        if solver.polish:
            result = _polished(problem, result, training, plan)
        fitted = certify_expansions(problem, data, rows, plan, result, solver)
    if isinstance(solver, WorkingSetSolver) and Status.STALLED in fitted.statuses:
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps - max(result.steps))
        terms = (solver.tol, left, plan.all_threads, report, solver.gap_tol is not None)
        result = solve_stalled_densely(problem, result, fitted.statuses, training, *terms)
        fitted = certify_expansions(problem, data, rows, plan, result, solver)
    if solver.recorded is not None:
        _close_trace("refine", solver.recorded, problem, result.coef, training, plan)
    return fitted


def _polished(problem: DualProblem, result: Result, training: Sequence[TrainingRows], plan: GramPlan) -> Result:
    coef, too_large, late = polish_groups(problem, result.coef, training, plan.all_threads)
    late = [k for k in late if result.statuses[k] is Status.SOLVED]  # the status of others says it
    wanted = []
    if too_large:
        wanted.append(
            f"up to {MOST_FREE} coefficients between their bounds, got more in {len(too_large)} of {len(training)} "
            "problems, which stay as they were solved. Lower tol instead."
        )
    if late:
        wanted.append(
            f"more time than time_limit leaves for {len(late)} of {len(training)} problems, which stay as they were "
            "solved. Raise time_limit."
        )
    for expected in wanted:
        warn_user(NumericsWarning(f"polish=True expects {expected}"))
    return result._replace(coef=coef, offsets=None)


def _close_trace(
    kind: str,
    recorded: list[Step],
    problem: DualProblem,
    coef: Floats,
    training: Sequence[TrainingRows],
    plan: GramPlan,
) -> None:
    """Adds what becomes of coefficients outside the recorded steps: a replay begins and ends where the fit does."""
    for k, (run, rows) in enumerate(zip(problem.groups.runs, training, strict=True)):
        reached = np.zeros(len(rows.rows))
        for step in recorded:
            if step.problem == k:
                reached[list(step.rows)] = step.new
        final, sign = coef[run], np.sign(problem.slope[run])
        if not np.array_equal(reached, np.abs(final)):
            part = problem.of_groups([k])
            recorded.extend(steps_of_rounds(part, k, rows, reached * sign, [(kind, final)], plan.all_threads))


def certify_expansions(
    problem: DualProblem,
    data: TrainingData,
    rows: Sequence[Integers],
    plan: GramPlan,
    result: Result,
    solver: Solver,
) -> FittedExpansions:
    """The machines of the result, evaluated anew on all their rows, with the status they deserve."""
    if data.is_hurried:
        return _certified_in_time(problem, data, rows, plan, result, solver)
    tol = None if solver.gap_tol else solver.tol
    offsets: list[Floats] = []
    statuses: list[Status] = []
    certificates: list[Certificate] = []
    is_precise = False
    batches = list(_batches(problem.groups))
    for first, last in batches:
        part = problem.of_groups(range(first, last))
        coef = result.coef[problem.groups.runs[first].start : problem.groups.runs[last - 1].stop]
        own = None if result.offsets is None else result.offsets[:, first:last]
        run = slice(problem.groups.runs[first].start, problem.groups.runs[last - 1].stop)
        low = None if result.low is None else result.low[run]
        evidence = evidence_of_expansions(part, data, rows[first:last], coef, own, plan.all_threads, tol, low)
        surely_hold = low is None and solver.gap_tol is None and evidence.surely_hold(solver.tol)
        was_stopped = _STOPPED.issuperset(result.statuses[first:last])
        if not surely_hold and not was_stopped and _is_doubtful(evidence, solver.tol):
            evidence = precise_evidence(evidence, rows[first:last], own, plan.all_threads)
        is_precise = is_precise or evidence.precise is not None
        offsets.append(evidence.offsets)
        if surely_hold:
            statuses += [Status.SOLVED] * (last - first)
        else:
            statuses += [
                _deserved(certificate, status, solver)
                for certificate, status in zip(evidence.certificates, result.statuses[first:last], strict=True)
            ]
        if len(batches) > 1:
            certificates += evidence.certificates
    proof = Certificate.of_several(certificates) if certificates else evidence
    joined = offsets[0] if len(offsets) == 1 else np.concatenate(offsets, axis=1)
    machines = (problem, np.concatenate(rows), result.coef, joined, proof)
    return FittedExpansions(*machines, statuses, result.steps, solver.tol, result.low, is_precise)


def _is_doubtful(evidence: Evidence, tol: float) -> bool:
    """Whether rounding could be what keeps a certificate from holding."""
    return evidence.precise is None and any(
        certificate.accuracy > _DOUBTFUL * tol and not certificate.holds(tol) for certificate in evidence.certificates
    )


def _certified_in_time(
    problem: DualProblem,
    data: TrainingData,
    rows: Sequence[Integers],
    plan: GramPlan,
    result: Result,
    solver: Solver,
) -> FittedExpansions:
    """The same where kernel values may not come in time: then the certificate waits until somebody asks for it."""
    coef = result.coef
    together = problem, np.concatenate(rows), coef
    values = evaluate_in_time(problem, data, rows, coef)
    offsets = _offsets_of_known(problem, coef, values) if result.offsets is None else result.offsets
    if not np.isnan(values).any():
        products = Products(values, 0.0)
        evidence = evidence_of_expansions(problem, data, rows, coef, offsets, plan.all_threads, products=products)
        with suppress(OutOfTime):
            certified = zip(evidence.certificates, result.statuses, strict=True)
            statuses = [_deserved(certificate, status, solver) for certificate, status in certified]
            return FittedExpansions(*together, offsets, evidence, statuses, result.steps, solver.tol)

    offsets = problem.attainable(offsets)

    evaluate = Evaluation(problem, rows, coef, offsets, plan.all_threads)
    unproved = [Status.TIME_LIMIT if status is Status.SOLVED else status for status in result.statuses]
    return FittedExpansions(*together, offsets, Unevaluated(data, evaluate), unproved, result.steps, solver.tol)


def _offsets_of_known(problem: DualProblem, coef: Floats, products: Floats) -> Floats:
    """The offsets by those rows whose products are known; zero where no row tells."""
    known = ~np.isnan(products)
    sides = problem.sides(coef, np.where(known, products, 0.0))
    up, low, free = (tuple(mask & known for mask in masks) for masks in (sides.up, sides.low, sides.free))
    with np.errstate(invalid="ignore"):  # of an interval that is open at both ends
        return problem.offsets(sides._replace(up=up, low=low, free=free)).best


def _deserved(certificate: Certificate, believed: Status, solver: Solver) -> Status:
    if certificate.holds(solver.tol, solver.gap_tol):
        return Status.STATIONARY if certificate.convex is False else Status.SOLVED
    return Status.STALLED if believed is Status.SOLVED else believed


def _batches(groups: Groups) -> Iterator[tuple[int, int]]:
    """Runs of groups with few rows together, as their first and the one after the last."""
    if len(groups) == 1 or groups.rows <= _ROWS_A_BATCH:
        yield 0, len(groups)
        return
    first = rows = 0
    for k, size in enumerate(groups.sizes.tolist()):
        if rows and rows + size > _ROWS_A_BATCH:
            yield first, k
            first, rows = k, 0
        rows += size
    yield first, len(groups)


def _solve(
    problem: DualProblem,
    start: Floats,
    training: Sequence[TrainingRows],
    plan: GramPlan,
    solver: Solver,
    limits: Limits,
    report: Report | None,
) -> Result:
    """Runs the solver; under the hard margin, as often as it takes to find it or to prove that there is none."""
    if not problem.is_hard_margin:
        return solver.solve(problem, start, training, plan, limits, report)
    began = perf_counter()
    found = Result(start.copy(), [], [], [])
    for k, (run, rows) in enumerate(zip(problem.groups.runs, training, strict=True)):
        part, margin, steps = problem.of_groups([k]), _SUSPICIOUS_MARGIN, 0
        while True:
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            patient = solver._replace(least_margin=margin, first_group=k)
            result = patient.solve(part, found.coef[run], [rows], plan, left, report)
            found.coef[run] = result.coef
            steps += result.steps[0]
            if result.statuses[0] is not Status.NO_MARGIN:
                break
            try:
                proof = prove_inseparable(rows, part.slope, np.abs(result.coef))
            except OutOfTime:
                result.statuses[0] = Status.TIME_LIMIT
                break
            if proof.holds or margin < _HOPELESS_MARGIN:
                raise NotSeparableError(
                    "C=inf expects a hyperplane that separates the classes with a margin that float64 can tell from "
                    f"none, and there is no such hyperplane. {proof} Use a finite C, centre and scale the features, or "
                    "choose a kernel that separates these data.",
                    proof,
                )
            margin *= 0.1
        found.statuses.extend(result.statuses)
        found.steps.append(steps)
        found.seconds.extend(result.seconds)
    return found
