"""From a task to certified machines: no estimator is needed.

A `task` is a problem on rows with tolerances; a `plan` says how it is to be solved, and why. `fit` solves and certifies
it. `whole` is one such fit: `solving` has the way that all dual problems share (solve, polish, certify, go on),
`hard_margin`, `hard_tube`, `nu_classification` and `nu_regression` what is particular to these, `densely` the last
resort, `judged` the status that each machine deserves. `held_out` asks machines about rows that they were fitted
without. `linear` does the same for linear problems, `ridge` for linear systems, `sparse_ridge` for those of some
landmarks. `path` fits like tasks one after the
other; `certify` judges machines whoever fitted them; `record` keeps traces.
"""

from mercer.fits.certify import certify_kernel_machine, certify_linear_machine
from mercer.fits.fitted import Fitted, LinearFitted, ValuedRows
from mercer.fits.fitting import fit
from mercer.fits.linear import fit_linear
from mercer.fits.path import fit_path
from mercer.fits.plan import Plan, plan_fit
from mercer.fits.record import trace_of
from mercer.fits.ridge import RidgeFitted, RidgeTask, fit_ridge
from mercer.fits.ridge_errors import RidgeErrors, ridge_errors
from mercer.fits.sparse_ridge import PROOFS, SparseRidgeFitted, fit_sparse_ridge, left_out_over_landmarks
from mercer.fits.task import LinearProblems, LinearTask, Task

__all__ = [
    "Fitted",
    "LinearFitted",
    "LinearProblems",
    "LinearTask",
    "PROOFS",
    "Plan",
    "RidgeErrors",
    "RidgeFitted",
    "RidgeTask",
    "SparseRidgeFitted",
    "Task",
    "ValuedRows",
    "certify_kernel_machine",
    "certify_linear_machine",
    "fit",
    "fit_linear",
    "fit_path",
    "fit_ridge",
    "fit_sparse_ridge",
    "left_out_over_landmarks",
    "ridge_errors",
    "plan_fit",
    "trace_of",
]
