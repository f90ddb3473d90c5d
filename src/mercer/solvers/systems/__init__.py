"""Linear systems of kernel matrices: ridge regression.

`system` is what is solved, `plan` how within a budget. `refinement` is the way that all methods share: something that
solves about (a factor of `cholesky`, `conjugate_gradients` with the preconditioner of `nystroem`) and residuals in
float64. `least_norm` has what is singular, `spectrum` all α at once, `left_out` what machines say of rows that they
were fitted without.
"""

from mercer.solvers.systems.plan import SystemMethod, SystemPlan, plan_system
from mercer.solvers.systems.ridge import RidgeOutcome, solve_ridge
from mercer.solvers.systems.system import System

__all__ = ["RidgeOutcome", "System", "SystemMethod", "SystemPlan", "plan_system", "solve_ridge"]
