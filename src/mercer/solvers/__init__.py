"""How a problem is solved. A solver takes a problem and training rows and returns a `Result` with an honest status."""

from mercer.solvers.crammer_singer import CrammerSingerResult, solve_crammer_singer
from mercer.solvers.descent import RATES, Descended, DescentState, DescentTargets, GradientDescent
from mercer.solvers.lasso import LassoResult, solve_lasso
from mercer.solvers.linear import LinearMethod, LinearPlan, LinearResult, LinearTerms, plan_linear, solve_linear
from mercer.solvers.linear_structure import Formulation, LinearStructureSolver, choose_formulation
from mercer.solvers.perceptron import Learned, Learner, MistakeCounts, learn_from_mistakes, weights_for
from mercer.solvers.result import Limits, Progress, Report, Result, Status
from mercer.solvers.working_set import WorkingSetSolver

__all__ = [
    "CrammerSingerResult",
    "Descended",
    "DescentState",
    "DescentTargets",
    "Formulation",
    "GradientDescent",
    "LassoResult",
    "Learned",
    "Learner",
    "Limits",
    "LinearMethod",
    "LinearPlan",
    "LinearResult",
    "LinearStructureSolver",
    "LinearTerms",
    "MistakeCounts",
    "Progress",
    "RATES",
    "Report",
    "Result",
    "Status",
    "WorkingSetSolver",
    "choose_formulation",
    "learn_from_mistakes",
    "plan_linear",
    "solve_crammer_singer",
    "solve_lasso",
    "solve_linear",
    "weights_for",
]
