"""How a fit goes about it: a value that says so in a sentence, and as plain data."""

from __future__ import annotations

from typing import Any, NamedTuple

from mercer.checks import choice
from mercer.errors import ParameterError
from mercer.fits.task import Task
from mercer.rows import Budget, GramPlan, plan_gram
from mercer.solvers import (
    DualSolver,
    Formulation,
    LectureSolver,
    Method,
    ThroughWeightsSolver,
    WorkingSetSolver,
    choose_formulation,
)

__all__ = ["Plan", "plan_fit"]

_DEFAULT = Budget()


class Plan(NamedTuple):
    """Formulation, how kernel values are served, and method.

    Attributes
    ----------
    formulation : Formulation or None
        Whether the machine is found through weights or kernel values; None of a method that leaves no choice.
    gram : GramPlan
        Where kernel values come from and what memory is spent on.
    method : Method or None
        That of the lectures, where one is asked for.
    shrinking : bool
        Whether rows that are unlikely to matter may be left out for a while.
    sentence : str
        The same for people.
    """

    formulation: Formulation | None
    gram: GramPlan
    method: Method | None
    shrinking: bool
    sentence: str

    @property
    def threads(self) -> int:
        """Threads that may work at once."""
        return self.gram.all_threads

    def solver(self, seed: int = 0) -> DualSolver:
        """The solver that goes about it this way."""
        if self.method is not None:
            return LectureSolver(self.method, seed)
        is_primal = self.formulation is not None and self.formulation.is_primal
        return (ThroughWeightsSolver if is_primal else WorkingSetSolver)(self.gram, self.shrinking)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        formulation = None if self.formulation is None else self.formulation._asdict()
        method = None if self.method is None else self.method.name
        return {
            "formulation": formulation,
            "method": method,
            "shrinking": self.shrinking,
            **self.gram.to_dict(),
            "sentence": self.sentence,
        }


def plan_fit(
    task: Task,
    budget: Budget = _DEFAULT,
    *,
    formulation: str = "auto",
    method: Method | None = None,
    shrinking: bool = True,
) -> Plan:
    """Chooses how a task is solved within a budget; `formulation` and `method` ask for one."""
    choice("formulation", formulation, ("auto", "primal", "dual"))
    if budget.bytes <= 0 or (budget.threads is not None and budget.threads < 1):
        raise ParameterError(f"budget: expected bytes > 0 and threads ≥ 1, or None, got {budget}.")
    exact, sizes = task.problem.is_hard_margin, task.problem.groups.sizes.tolist()
    gram = plan_gram(task.rows, sizes, budget, exact)
    if method is not None:
        sentence = f"The machine is found by the method {method.name!r} of the lectures, as asked."
        return Plan(None, gram, method, shrinking, sentence)
    chosen = choose_formulation(task.rows, max(sizes), budget.bytes, formulation, exact)
    return Plan(chosen, gram, None, shrinking, str(chosen) if chosen.is_primal else f"{chosen} {gram}")
