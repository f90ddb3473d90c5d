"""How a problem is solved. A solver takes a problem and training rows and returns a `Result` with an honest status."""

from mercer.solvers.crammer_singer import CrammerSingerResult, solve_crammer_singer
from mercer.solvers.dense import (
    DenseMachine,
    DenseResult,
    Extended,
    may_solve_densely,
    may_solve_linear_densely,
    rounded_sum,
    seconds_of_dense,
    solve_dense,
    solve_linear_dense,
)
from mercer.solvers.descent import RATES, Descended, DescentState, DescentTargets, GradientDescent
from mercer.solvers.kernel_regression import DualDescended, DualDescent, DualState, RowsToFit, safe_rate
from mercer.solvers.lasso import LassoResult, solve_lasso
from mercer.solvers.lectures import (
    METHODS,
    ActiveSet,
    CoordinateAscent,
    HingeSgd,
    LectureSolver,
    Method,
    QpBidual,
    QpDual,
    QpPrimal,
    SmoSketch,
)
from mercer.solvers.linear import LinearMethod, LinearPlan, LinearResult, LinearTerms, plan_linear, solve_linear
from mercer.solvers.linear_structure import Formulation, LinearStructureSolver, choose_formulation
from mercer.solvers.perceptron import KernelRows, MistakeLearner, MistakeRules, RowsToLearn, learn_from_mistakes
from mercer.solvers.polish import MOST_FREE, polish, polish_groups
from mercer.solvers.result import Limits, Progress, Report, Result, Status
from mercer.solvers.rounds import steps_of_rounds
from mercer.solvers.trace import Step, Trace
from mercer.solvers.watch import Stopped, Watch
from mercer.solvers.working_set import WorkingSetSolver

__all__ = [
    "ActiveSet",
    "CoordinateAscent",
    "CrammerSingerResult",
    "DenseMachine",
    "DenseResult",
    "Extended",
    "Descended",
    "DescentState",
    "DescentTargets",
    "DualDescended",
    "DualDescent",
    "DualState",
    "Formulation",
    "GradientDescent",
    "HingeSgd",
    "KernelRows",
    "LassoResult",
    "LectureSolver",
    "Limits",
    "LinearMethod",
    "LinearPlan",
    "LinearResult",
    "LinearStructureSolver",
    "LinearTerms",
    "METHODS",
    "MOST_FREE",
    "Method",
    "MistakeLearner",
    "MistakeRules",
    "Progress",
    "QpBidual",
    "QpDual",
    "QpPrimal",
    "RATES",
    "Report",
    "Result",
    "RowsToFit",
    "RowsToLearn",
    "SmoSketch",
    "Status",
    "Step",
    "Stopped",
    "Trace",
    "Watch",
    "WorkingSetSolver",
    "choose_formulation",
    "learn_from_mistakes",
    "may_solve_densely",
    "may_solve_linear_densely",
    "plan_linear",
    "polish",
    "polish_groups",
    "rounded_sum",
    "safe_rate",
    "seconds_of_dense",
    "solve_crammer_singer",
    "solve_dense",
    "solve_lasso",
    "solve_linear",
    "solve_linear_dense",
    "steps_of_rounds",
]
