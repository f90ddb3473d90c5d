"""The one way from problems to certified expansions, the same for every estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from mercer.certificates import Evidence, evaluate_products, prove_inseparable
from mercer.errors import NotSeparableError
from mercer.gram import GramPlan, TrainingData, TrainingRows
from mercer.kernels import Kernel
from mercer.problems import BoxQP, SupportVectorClassification
from mercer.solvers import Limits, Report, Result, Status, WorkingSetSolver
from mercer.typing import Floats, Integers

__all__ = ["FittedExpansions", "fit_expansions", "evidence_of_expansions"]

# Hard margin: suspect that there is none once it is proved to be below this share of the data's radius, and give up
# where it is below the last.
_SUSPICIOUS_MARGIN = 1e-3
_HOPELESS_MARGIN = 1e-8


@dataclass(frozen=True)
class FittedExpansions:
    """The machines with their proof, and how the fit of each ended."""

    evidence: Evidence
    statuses: Sequence[Status]
    steps: Sequence[int]


def fit_expansions(
    problem: SupportVectorClassification,
    data: TrainingData,
    rows: Sequence[Integers],
    plan: GramPlan,
    solver: WorkingSetSolver,
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
    qps = problem.lower(start)
    results = _solve(problem, qps, training, plan, solver, limits, report)
    fitted = _certified(problem, data, rows, plan, results, solver)

    believed = [k for k, result in enumerate(results) if result.status is Status.SOLVED]
    unverified = [k for k in believed if fitted.statuses[k] is Status.STALLED]
    if unverified:
        steps = max(results[k].steps for k in unverified)
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
        again = [replace(qps[k], start=results[k].alpha) for k in unverified]
        careful = replace(solver, verify=True)
        verified = _solve(problem, again, [training[k] for k in unverified], plan, careful, left, report)
        for k, result in zip(unverified, verified, strict=True):
            results[k] = replace(result, steps=result.steps + results[k].steps)
        fitted = _certified(problem, data, rows, plan, results, solver)
    return fitted


def _certified(
    problem: SupportVectorClassification,
    data: TrainingData,
    rows: Sequence[Integers],
    plan: GramPlan,
    results: Sequence[Result],
    solver: WorkingSetSolver,
) -> FittedExpansions:
    """The machines of the results, evaluated anew on all their rows, with the status they deserve."""
    coef = problem.coef(np.concatenate([result.alpha for result in results]))
    evidence = evidence_of_expansions(
        problem, data, rows, coef, None, plan.all_threads, None if solver.gap_tol else solver.tol
    )
    if solver.gap_tol is None and evidence.surely_hold(solver.tol):
        statuses = [Status.SOLVED] * len(results)
    else:
        statuses = [
            Status.SOLVED
            if certificate.holds(solver.tol, solver.gap_tol)
            else Status.STALLED
            if result.status is Status.SOLVED
            else result.status
            for certificate, result in zip(evidence.certificates, results, strict=True)
        ]
    return FittedExpansions(evidence, statuses, [result.steps for result in results])


def evidence_of_expansions(
    problem: SupportVectorClassification,
    data: TrainingData,
    rows: Sequence[Integers],
    coef: Floats,
    intercept: Floats | None,
    threads: int,
    tol: float | None = None,
) -> Evidence:
    """The machines with these coefficients, one a group, on the rows of the data.

    Every kernel value is in float64, or with a `tol` those that decide whether it is met.

    Where no intercepts are given, they follow from the coefficients.
    """

    products = evaluate_products(problem, data, rows, coef, threads, tol)
    data = TrainingData(data.kernel, data.X)  # without what the solver prepared: evidence may be kept for long

    def expand(kernel: Kernel, weights: Floats) -> Floats:
        return evaluate_products(problem, TrainingData(kernel, data.X), rows, weights, threads)

    allowed = problem.intercepts(problem.alpha(coef), products)
    if intercept is None:
        intercept = allowed.best
    return Evidence(problem, data, np.concatenate(rows), coef, intercept, expand, products, allowed, tol)


def _solve(
    problem: SupportVectorClassification,
    qps: Sequence[BoxQP],
    training: Sequence[TrainingRows],
    plan: GramPlan,
    solver: WorkingSetSolver,
    limits: Limits,
    report: Report | None,
) -> list[Result]:
    """Runs the solver; under the hard margin, as often as it takes to find it or to prove that there is none."""
    if not problem.is_hard_margin:
        return solver.solve(qps, training, plan, limits, report)
    began = perf_counter()
    results = []
    for qp, rows in zip(qps, training, strict=True):
        margin, steps = _SUSPICIOUS_MARGIN, 0
        while True:
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            patient = replace(solver, least_margin=margin)
            result = patient.solve([qp], [rows], plan, left, report)[0]
            steps += result.steps
            if result.status is not Status.NO_MARGIN:
                results.append(replace(result, steps=steps))
                break
            proof = prove_inseparable(rows, qp.signs, result.alpha)
            if proof.holds or margin < _HOPELESS_MARGIN:
                raise NotSeparableError(
                    "C=inf expects a hyperplane that separates the classes with a margin that float64 can tell from "
                    f"none, and there is no such hyperplane. {proof} Use a finite C, centre and scale the features, or "
                    "choose a kernel that separates these data.",
                    proof,
                )
            qp = replace(qp, start=result.alpha)
            margin *= 0.1
    return results
