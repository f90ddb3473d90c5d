"""What the lectures on support vector machines build on, for small problems that one wants to look at.

A leaf: nothing else imports it. `duality` solves a constrained problem and shows its multipliers, its optimality
conditions and its dual; `coordinate_descent` walks down a function one coordinate at a time. The machines themselves
are solved elsewhere, by methods made for them.
"""

from mercer.lectures.coordinate_descent import Path, coordinate_descent
from mercer.lectures.duality import ConstrainedProblem
from mercer.lectures.optimum import KKTResiduals, NoOptimumError, Optimum

__all__ = ["ConstrainedProblem", "KKTResiduals", "NoOptimumError", "Optimum", "Path", "coordinate_descent"]
