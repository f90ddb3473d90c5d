"""Every solver of dual problems, and which of the problems it takes. A new solver is tested by adding a line here."""

from collections.abc import Callable
from dataclasses import dataclass

from mercer.problems import ClassificationWithoutIntercept, DualProblem, SupportVectorClassification
from mercer.solvers import METHODS, DualSolver, LectureSolver, ThroughWeightsSolver, WorkingSetSolver


@dataclass(frozen=True)
class Entry:
    """A solver; `make(plan)` makes it, and `accepts(problem)` tells whether it takes a problem.

    One that `needs_map` takes kernels with a finite feature map only; one without `uses_start` begins in the interior,
    wherever it is told to start.
    """

    name: str
    make: Callable[[object], DualSolver]
    accepts: Callable[[DualProblem], bool]
    needs_map: bool = False
    uses_start: bool = True


def has_intercept(problem):
    return problem.two_sums or problem.sums_kept == 1


def _method_accepts(method):
    kind = SupportVectorClassification if method.takes_intercept else ClassificationWithoutIntercept
    return lambda problem: type(problem) is kind and (method.takes_hard_margin or not problem.is_hard_margin)


def _of_method(method):
    return Entry(
        method.name,
        lambda plan: LectureSolver(method),
        _method_accepts(method),
        needs_map=method.needs_map,
        uses_start=not method.name.startswith("qp-"),
    )


ENTRIES = [
    Entry("working set", lambda plan: WorkingSetSolver(plan.gram), has_intercept),
    Entry("without shrinking", lambda plan: WorkingSetSolver(plan.gram, shrinking=False), has_intercept),
    Entry("through weights", lambda plan: ThroughWeightsSolver(plan.gram), has_intercept, needs_map=True),
    # SGD comes near to the optimum, and says that it proves nothing.
    *(_of_method(method) for name, method in METHODS.items() if name != "sgd"),
]


def named(entry):
    return entry.name
