"""How a problem is solved. A solver takes a problem and training rows and returns a `Result` with an honest status."""

from mercer.solvers.linear import LinearMethod, LinearPlan, LinearResult, plan_linear, solve_linear
from mercer.solvers.linear_structure import LinearStructureSolver, has_linear_structure, plan_of_structure
from mercer.solvers.result import Limits, Progress, Report, Result, Status
from mercer.solvers.working_set import WorkingSetSolver

__all__ = [
    "Limits",
    "LinearMethod",
    "LinearPlan",
    "LinearResult",
    "LinearStructureSolver",
    "Progress",
    "Report",
    "Result",
    "Status",
    "WorkingSetSolver",
    "has_linear_structure",
    "plan_linear",
    "plan_of_structure",
    "solve_linear",
]
