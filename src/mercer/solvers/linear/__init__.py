"""Solvers of linear problems, which work with weights.

`methods` chooses one by the shape of the data and calls it: the core's method of multipliers or coordinate descent,
`lasso` for the l1 penalty, `crammer_singer` for all classes at once.
"""

from mercer.solvers.linear.crammer_singer import solve_crammer_singer
from mercer.solvers.linear.lasso import solve_lasso
from mercer.solvers.linear.methods import MOST_FACTORED, LinearMethod, LinearPlan, plan_linear, solve_linear

__all__ = [
    "MOST_FACTORED",
    "LinearMethod",
    "LinearPlan",
    "plan_linear",
    "solve_crammer_singer",
    "solve_lasso",
    "solve_linear",
]
