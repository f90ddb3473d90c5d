"""Linear machines: solve, certify, go on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mercer.certificates import Certificate
from mercer.fits.fitted import LinearFitted
from mercer.fits.linear_judged import certify_outcome, solved_densely
from mercer.fits.task import LinearTask
from mercer.solvers import LinearOutcome, LinearPlan, Status, Terms, may_solve_linear_densely, solve_linear
from mercer.typing import Floats

__all__ = ["fit_linear", "is_proved"]

# Passes or steps after which a dense method is quicker, of problems that are small enough for one.
_MOST_PASSES = 3000
# The share of the tolerance that is asked for where a certificate is not content.
_HARDER = 0.1


def fit_linear(
    task: LinearTask,
    plan: LinearPlan,
    limits: Terms,
    threads: int,
    seed: int = 0,
    starts: Sequence[Floats] | None = None,
) -> LinearFitted:
    """Solves all problems and certifies them.

    What a solver believes to be solved but no certificate proves goes on at a tenth of the tolerance; what is small and
    still not proved is solved densely.
    """
    problems, rows = task.problems, task.rows
    is_small = [may_solve_linear_densely(problem, rows.X) for problem in problems]

    def solve(chosen: Sequence[int], gap_tol: float, starts: Sequence[Floats] | None) -> list[LinearOutcome]:
        gives_up = all(is_small[k] for k in chosen) and limits.steps > _MOST_PASSES
        terms = limits._replace(tol=gap_tol, steps=_MOST_PASSES if gives_up else limits.steps)
        found = solve_linear([problems[k] for k in chosen], plan, rows, terms, threads, seed, starts)
        return [_stalled_at_limit(one) for one in found] if gives_up else found

    outcomes = solve(range(len(problems)), task.tol, starts)
    certify = [partial(certify_outcome, problem, rows, threads=threads) for problem in problems]
    certificates = [judge(found) for judge, found in zip(certify, outcomes, strict=True)]
    unproved = [k for k, certificate in enumerate(certificates) if not is_proved(certificate, task.tol)]
    claimed = [k for k in unproved if outcomes[k].status is Status.SOLVED]
    if claimed:
        again = solve(claimed, _HARDER * task.tol, [outcomes[k].start for k in claimed])
        for k, found in zip(claimed, again, strict=True):
            certificate, steps = certify[k](found), outcomes[k].steps + found.steps
            if np.isfinite(certificate.gap) and certificate.relative_gap <= certificates[k].relative_gap:
                outcomes[k], certificates[k] = found, certificate
            outcomes[k] = outcomes[k]._replace(steps=steps)
    for k in unproved:
        if outcomes[k].status in (Status.SOLVED, Status.STALLED) and not is_proved(certificates[k], task.tol):
            terms = limits._replace(tol=task.tol)
            outcomes[k] = solved_densely(problems[k], rows, certify[k], outcomes[k], terms, threads)
            certificates[k] = certify[k](outcomes[k])
    for k, found in enumerate(outcomes):
        if k not in unproved or is_proved(certificates[k], task.tol):
            outcomes[k] = found._replace(status=Status.SOLVED)
        elif found.status is Status.SOLVED:
            outcomes[k] = found._replace(status=Status.STALLED)
    return LinearFitted(outcomes, certificates)


def is_proved(certificate: Certificate, tol: float) -> bool:
    """Whether the gap is within the tolerance; one that is negative beyond it is no proof but rounding."""
    return certificate.holds(np.inf, tol) and certificate.relative_gap >= -tol


def _stalled_at_limit(found: LinearOutcome) -> LinearOutcome:
    return found._replace(status=Status.STALLED) if found.status is Status.ITERATION_LIMIT else found
