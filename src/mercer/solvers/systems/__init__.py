"""Linear systems of kernel matrices: ridge regression.

`system` is what is solved, `plan` how within a budget. `refinement` is the way that all methods share: something that
solves about (a factor of `cholesky`, `conjugate_gradients` with the preconditioner of `nystroem`) and residuals in
float64. `least_norm` has what is singular, `shifted` all α at once, by a `band` or by the `spectrum`; `left_out` what
machines say of rows that they were fitted without, `estimate` the same of many rows. `landmarks` solves among the
functions of some rows only.
"""

from mercer.solvers.systems.all_alphas import with_all_alphas, with_all_alphas_bytes
from mercer.solvers.systems.estimate import EstimatedErrors, estimate_left_out
from mercer.solvers.systems.landmark_errors import landmark_errors
from mercer.solvers.systems.landmarks import LANDMARK_TOL, Ended, LandmarkOutcome, LandmarkSystem, solve_over_landmarks
from mercer.solvers.systems.left_out import left_out_errors
from mercer.solvers.systems.plan import SystemMethod, SystemPlan, plan_system
from mercer.solvers.systems.ridge import RidgeOutcome, solve_ridge
from mercer.solvers.systems.shifted import Solutions
from mercer.solvers.systems.system import System

__all__ = [
    "LANDMARK_TOL",
    "Ended",
    "EstimatedErrors",
    "LandmarkOutcome",
    "LandmarkSystem",
    "RidgeOutcome",
    "Solutions",
    "System",
    "SystemMethod",
    "SystemPlan",
    "estimate_left_out",
    "landmark_errors",
    "left_out_errors",
    "plan_system",
    "solve_over_landmarks",
    "solve_ridge",
    "with_all_alphas",
    "with_all_alphas_bytes",
]
