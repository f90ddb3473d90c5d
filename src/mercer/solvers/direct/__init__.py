"""Dense methods for small problems that are too ill-conditioned for the others.

`interior_point` has the method; a *program* says what is minimised and solves its Newton systems: `box_program` that of
every dual problem of kernel machines and of linear ones, `simplex_program` that of all classes at once,
`lasso_program` that of absolute weights. Gradients come from sums in twice the precision of float64, so that what
rounding leaves of one step is made good by the next. `vertex` ends where coefficients are exactly at their bounds.
"""

from mercer.solvers.direct.box_program import BoxProgram, Intercepts
from mercer.solvers.direct.dual import DenseResult, may_solve_densely, seconds_of_dense, solve_dense
from mercer.solvers.direct.extended import Extended, rounded_sum
from mercer.solvers.direct.interior_point import Iterate, follow_central_path
from mercer.solvers.direct.linear import DenseMachine, may_solve_linear_densely, solve_linear_dense
from mercer.solvers.direct.threads import few_threads

__all__ = [
    "BoxProgram",
    "DenseMachine",
    "DenseResult",
    "Extended",
    "Intercepts",
    "Iterate",
    "few_threads",
    "follow_central_path",
    "may_solve_densely",
    "may_solve_linear_densely",
    "rounded_sum",
    "seconds_of_dense",
    "solve_dense",
    "solve_linear_dense",
]
