"""How a problem is solved. A solver takes a problem and training rows and returns a `Result` with an honest status."""

from mercer.solvers.crammer_singer import CrammerSingerResult, solve_crammer_singer
from mercer.solvers.descent import RATES, Descended, DescentState, DescentTargets, GradientDescent
from mercer.solvers.kernel_regression import DualDescended, DualDescent, DualState, RowsToFit, safe_rate
from mercer.solvers.lasso import LassoResult, solve_lasso
from mercer.solvers.linear import LinearMethod, LinearPlan, LinearResult, LinearTerms, plan_linear, solve_linear
from mercer.solvers.linear_structure import Formulation, LinearStructureSolver, choose_formulation
from mercer.solvers.result import Limits, Progress, Report, Result, Status
from mercer.solvers.working_set import WorkingSetSolver

__all__ = [
    "CrammerSingerResult",
    "Descended",
    "DescentState",
    "DescentTargets",
    "DualDescended",
    "DualDescent",
    "DualState",
    "Formulation",
    "GradientDescent",
    "LassoResult",
    "Limits",
    "LinearMethod",
    "LinearPlan",
    "LinearResult",
    "LinearStructureSolver",
    "LinearTerms",
    "Progress",
    "RATES",
    "Report",
    "Result",
    "RowsToFit",
    "Status",
    "WorkingSetSolver",
    "choose_formulation",
    "plan_linear",
    "safe_rate",
    "solve_crammer_singer",
    "solve_lasso",
    "solve_linear",
]
