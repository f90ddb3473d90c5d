"""From what a solver found to machines with the status that they deserve: only the certificate can say "solved"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from mercer.certificates import (
    Certificate,
    Evidence,
    Products,
    Unevaluated,
    evaluate_in_time,
    evidence_of,
    more_precise,
)
from mercer.fits.fitted import Fitted, Proof
from mercer.fits.task import Task
from mercer.problems import DualProblem, Groups
from mercer.rows import OutOfTime
from mercer.solvers import DualOutcome, Status
from mercer.typing import Floats

__all__ = ["judge"]

# Where rounding may be more than this share of the tolerance, and a certificate does not hold, it is looked at closely.
_DOUBTFUL = 1e-2
# Whoever asked for an end of the fit is not to wait for a closer look.
_STOPPED = {Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.INTERRUPTED}
# Groups are certified together as long as they have no more rows than this: some vectors of 2 MB each.
_ROWS_PER_BATCH = 250_000


def judge(task: Task, outcome: DualOutcome, threads: int) -> Fitted:
    """The machines of an outcome, evaluated anew on all their rows, with the status they deserve."""
    if task.rows.is_hurried:
        return _judged_in_time(task, outcome, threads)
    problem, runs = task.problem, task.problem.groups.runs
    offsets: list[Floats] = []
    statuses: list[Status] = []
    certificates: list[Certificate] = []
    products: list[Floats] = []
    is_precise = False
    batches = list(_batches(problem.groups))
    for first, last in batches:
        run = slice(runs[first].start, runs[last - 1].stop)
        evidence, certainly_holds = _evidence_of_batch(task, outcome, first, last, run, threads)
        is_precise = is_precise or evidence.precise is not None
        offsets.append(evidence.offsets)
        products.append(evidence.products.values)
        if certainly_holds:
            statuses += [Status.SOLVED] * (last - first)
        else:
            claims = zip(evidence.certificates, outcome.statuses[first:last], strict=True)
            statuses += [_final_status(task, certificate, claimed) for certificate, claimed in claims]
        if len(batches) > 1:
            certificates += evidence.certificates
    proof: Proof = Certificate.of_several(certificates) if certificates else evidence
    joined = offsets[0] if len(offsets) == 1 else np.concatenate(offsets, axis=1)
    return Fitted(
        *(task, outcome.coef, joined, proof, statuses, outcome.steps, outcome.low, is_precise),
        products=products[0] if len(products) == 1 else np.concatenate(products),
        of_last_rows=outcome.held_out,
    )


def _evidence_of_batch(
    task: Task, outcome: DualOutcome, first: int, last: int, run: slice, threads: int
) -> tuple[Evidence, bool]:
    """The evidence of some groups, and whether a quick look at it is enough to say that all certificates hold."""
    members = task.members[first:last]
    part = task.problem if len(members) == len(task.members) else task.problem.of_groups(range(first, last))
    own = None if outcome.offsets is None else outcome.offsets[:, first:last]
    low = None if outcome.low is None else outcome.low[run]
    tol = None if task.gap_tol else task.tol
    evidence = evidence_of(part, task.rows, members, outcome.coef[run], own, threads, tol, low)
    if low is None and task.gap_tol is None and evidence.certainly_hold(task.tol):
        return evidence, True
    was_stopped = _STOPPED.issuperset(outcome.statuses[first:last])
    if not was_stopped and _is_doubtful(evidence, task.tol):
        evidence = more_precise(evidence, own)
    return evidence, False


def _is_doubtful(evidence: Evidence, tol: float) -> bool:
    """Whether rounding could be what keeps a certificate from holding."""
    return evidence.precise is None and any(
        certificate.accuracy > _DOUBTFUL * tol and not certificate.holds(tol) for certificate in evidence.certificates
    )


def _judged_in_time(task: Task, outcome: DualOutcome, threads: int) -> Fitted:
    """The same where kernel values may not come in time: then the certificate waits until somebody asks for it."""
    problem, rows, members, coef = task.problem, task.rows, task.members, outcome.coef
    values = evaluate_in_time(problem, rows, members, coef)
    offsets = _offsets_of_known(problem, coef, values) if outcome.offsets is None else outcome.offsets
    if not np.isnan(values).any():
        evidence = evidence_of(problem, rows, members, coef, offsets, threads, products=Products(values, 0.0))
        with suppress(OutOfTime):
            claims = zip(evidence.certificates, outcome.statuses, strict=True)
            statuses = [_final_status(task, certificate, claimed) for certificate, claimed in claims]
            return Fitted(task, coef, offsets, evidence, statuses, outcome.steps)
    offsets = problem.attainable(offsets)
    unproved = [Status.TIME_LIMIT if status is Status.SOLVED else status for status in outcome.statuses]
    proof = Unevaluated(problem, rows, members, coef, offsets, threads)
    return Fitted(task, coef, offsets, proof, unproved, outcome.steps)


def _offsets_of_known(problem: DualProblem, coef: Floats, products: Floats) -> Floats:
    """The offsets by those rows whose products are known; zero where no row tells."""
    known = ~np.isnan(products)
    sides = problem.sides(coef, np.where(known, products, 0.0))
    up, low, free = (tuple(mask & known for mask in masks) for masks in (sides.up, sides.low, sides.free))
    with np.errstate(invalid="ignore"):  # of an interval that is open at both ends
        return problem.offsets(sides._replace(up=up, low=low, free=free)).best


def _final_status(task: Task, certificate: Certificate, claimed: Status) -> Status:
    if certificate.holds(task.tol, task.gap_tol):
        return Status.STATIONARY if certificate.convex is False else Status.SOLVED
    return Status.STALLED if claimed is Status.SOLVED else claimed


def _batches(groups: Groups) -> Iterator[tuple[int, int]]:
    """Runs of groups with few rows together, as their first and the one after the last."""
    if len(groups) == 1 or groups.rows <= _ROWS_PER_BATCH:
        yield 0, len(groups)
        return
    first = rows = 0
    for k, size in enumerate(groups.sizes.tolist()):
        if rows and rows + size > _ROWS_PER_BATCH:
            yield first, k
            first, rows = k, 0
        rows += size
    yield first, len(groups)
