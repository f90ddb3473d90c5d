"""The hard margin: solved as often as it takes to find it, or to prove that there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.certificates import prove_inseparable
from mercer.errors import NotSeparableError
from mercer.problems import DualProblem, Start
from mercer.rows import OutOfTime, Subset
from mercer.solvers import DualOutcome, DualSolver, Status, Terms

__all__ = ["solve_hard_margin"]

# Suspect that there is no margin once it is proved to be below this share of the data's radius; try ten times as hard;
# and give up where it is below the last.
_SUSPICIOUS_MARGIN = 1e-3
_HARDER = 0.1
_HOPELESS_MARGIN = 1e-8


def solve_hard_margin(
    problem: DualProblem, start: Start, subsets: Sequence[Subset], solver: DualSolver, terms: Terms
) -> DualOutcome:
    """Solves one group after the other; raises `NotSeparableError` with a proof where no hyperplane separates."""
    found = DualOutcome(start.coef.copy(), [], [], [])
    for k, (run, subset) in enumerate(zip(problem.groups.runs, subsets, strict=True)):
        part, margin, steps = problem.of_groups([k]), _SUSPICIOUS_MARGIN, 0
        while True:
            held = terms.after(steps)._replace(least_margin=margin, first_group=k)
            outcome = solver.solve(part, Start(found.coef[run], is_cold=False), [subset], held)
            found.coef[run] = outcome.coef
            steps += outcome.steps[0]
            if outcome.statuses[0] is not Status.NO_MARGIN:
                break
            try:
                proof = prove_inseparable(subset, part.slope, np.abs(outcome.coef))
            except OutOfTime:
                outcome.statuses[0] = Status.TIME_LIMIT
                break
            if proof.holds or margin < _HOPELESS_MARGIN:
                raise NotSeparableError(
                    "C=inf expects a hyperplane that separates the classes with a margin that float64 can tell from "
                    f"none, and there is no such hyperplane. {proof} Use a finite C, centre and scale the features, or "
                    "choose a kernel that separates these data.",
                    proof,
                )
            margin *= _HARDER
        found.statuses.extend(outcome.statuses)
        found.steps.append(steps)
        found.seconds.extend(outcome.seconds)
    return found
