"""Solvers of the box QP behind kernel machines.

`working_set` drives the core's solver; `through_weights` has a quicker way for kernels with a small explicit map and
chooses between the two. `active_set` is exact up to rounding, and `polish` makes a good solution exact by it. `rounds`
turns what the core did into steps of a trace.
"""

from mercer.solvers.dual.active_set import KernelValues, StoredValues, solve_active_set
from mercer.solvers.dual.polish import MOST_FREE, polish, polish_groups
from mercer.solvers.dual.rounds import steps_of_rounds
from mercer.solvers.dual.through_weights import Formulation, ThroughWeightsSolver, choose_formulation
from mercer.solvers.dual.working_set import WorkingSetSolver

__all__ = [
    "Formulation",
    "KernelValues",
    "MOST_FREE",
    "StoredValues",
    "ThroughWeightsSolver",
    "WorkingSetSolver",
    "choose_formulation",
    "polish",
    "polish_groups",
    "solve_active_set",
    "steps_of_rounds",
]
