"""How a problem is solved. A solver takes a problem and training rows and returns a `Result` with an honest status."""

from mercer.solvers.result import Limits, Progress, Report, Result, Status
from mercer.solvers.working_set import WorkingSetSolver

__all__ = ["Limits", "Progress", "Report", "Result", "Status", "WorkingSetSolver"]
