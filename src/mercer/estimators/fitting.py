"""The one way from problems to certified expansions, the same for every estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from mercer._runtime import available_threads
from mercer.certificates import Certificate, accuracy_of_products, certify_classification, prove_inseparable
from mercer.errors import NotSeparableError
from mercer.gram import GramPlan, TrainingRows
from mercer.machines import expand_training_rows
from mercer.problems import BoxQP, SupportVectorClassification
from mercer.solvers import Limits, Report, Result, Status, WorkingSetSolver
from mercer.typing import Floats

__all__ = ["FittedExpansion", "fit_expansions", "products_of", "certificate_of"]

# Hard margin: suspect that there is none once it is proved to be below this share of the data's radius, and give up
# where it is below the last.
_SUSPICIOUS_MARGIN = 1e-3
_HOPELESS_MARGIN = 1e-8


@dataclass(frozen=True)
class FittedExpansion:
    """Coefficients for the training rows, the intercept, and the proof."""

    coef: Floats
    intercept: float
    certificate: Certificate
    status: Status
    steps: int


def fit_expansions(
    problems: Sequence[SupportVectorClassification],
    training: Sequence[TrainingRows],
    plan: GramPlan,
    solver: WorkingSetSolver,
    limits: Limits,
    starts: Sequence[Floats | None],
    report: Report | None = None,
) -> list[FittedExpansion]:
    """Solves each problem on its training rows and certifies what came out.

    Only the certificate can say "solved": a solver that believes so but whose machine violates the tolerance goes on
    with every value verified in float64, and has stalled where that does not help either.
    """
    began = perf_counter()
    threads = max(plan.threads, plan.problems_at_once)
    qps = [problem.lower(start) for problem, start in zip(problems, starts, strict=True)]
    results = _solve(problems, qps, training, plan, replace(solver, verify=False), limits, report)
    fitted = _certified(problems, training, results, solver, threads)

    doubtful = [k for k in range(len(problems)) if fitted[k].status is Status.STALLED]
    unverified = [k for k in doubtful if results[k].status is Status.SOLVED]
    if unverified:
        left = Limits(limits.seconds - (perf_counter() - began), limits.steps)
        chosen = [problems[k] for k in unverified], [training[k] for k in unverified]
        qps = [replace(qps[k], start=results[k].alpha) for k in unverified]
        verified = _solve(chosen[0], qps, chosen[1], plan, solver, left, report)
        verified = [
            replace(new, steps=new.steps + results[k].steps) for k, new in zip(unverified, verified, strict=True)
        ]
        for k, fit in zip(unverified, _certified(*chosen, verified, solver, threads), strict=True):
            fitted[k] = fit
    return fitted


def _certified(
    problems: Sequence[SupportVectorClassification],
    training: Sequence[TrainingRows],
    results: Sequence[Result],
    solver: WorkingSetSolver,
    threads: int,
) -> list[FittedExpansion]:
    """The machines of the results, evaluated anew in float64 on all their rows, with the status they deserve."""
    coefs = [problem.coef(result.alpha) for problem, result in zip(problems, results, strict=True)]
    fitted = []
    all_products = products_of(training, coefs, threads)
    for problem, rows, result, coef, products in zip(problems, training, results, coefs, all_products, strict=True):
        intercept = problem.intercept(result.alpha, products)
        certificate = certificate_of(problem, rows, coef, intercept, products)
        holds = certificate.holds(solver.tol, solver.gap_tol)
        status = Status.SOLVED if holds else Status.STALLED if result.status is Status.SOLVED else result.status
        fitted.append(FittedExpansion(coef, intercept, certificate, status, result.steps))
    return fitted


def products_of(training: Sequence[TrainingRows], coefs: Sequence[Floats], threads: int) -> list[Floats]:
    """Σ_j coef_j k(x_j, x_i) for every row i of each problem, every kernel value in float64."""
    kernel, X = training[0].kernel, training[0].X
    return expand_training_rows(kernel, X, [rows.rows for rows in training], coefs, threads)


def certificate_of(
    problem: SupportVectorClassification,
    training: TrainingRows,
    coef: Floats,
    intercept: float,
    products: Floats,
) -> Certificate:
    """The certificate of an expansion whose values at the training rows are given."""
    data = training.data
    return certify_classification(
        problem,
        coef,
        intercept,
        products,
        convex=data.kernel.is_definite,
        diagonal=data.diagonal[training.rows],
        accuracy=accuracy_of_products(
            training, coef, lambda coefs: products_of([training] * len(coefs), coefs, available_threads())
        ),
    )


def _solve(
    problems: Sequence[SupportVectorClassification],
    qps: Sequence[BoxQP],
    training: Sequence[TrainingRows],
    plan: GramPlan,
    solver: WorkingSetSolver,
    limits: Limits,
    report: Report | None,
) -> list[Result]:
    """Runs the solver; under the hard margin, as often as it takes to find it or to prove that there is none."""
    if not problems[0].is_hard_margin:
        return solver.solve(qps, training, plan, limits, report)
    began = perf_counter()
    results = []
    for problem, qp, rows in zip(problems, qps, training, strict=True):
        margin, steps = _SUSPICIOUS_MARGIN, 0
        while True:
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            patient = replace(solver, least_margin=margin)
            result = patient.solve([qp], [rows], plan, left, report)[0]
            steps += result.steps
            if result.status is not Status.NO_MARGIN:
                results.append(replace(result, steps=steps))
                break
            proof = prove_inseparable(rows, problem.signs, result.alpha)
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
