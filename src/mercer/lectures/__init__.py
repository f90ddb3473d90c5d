"""What the lectures on support vector machines build on, for small problems that one wants to look at.

A leaf: nothing else imports it. `duality` solves a constrained problem and shows its multipliers, its optimality
conditions and its dual; `coordinate_descent` walks down a function one coordinate at a time. The lectures' own ways to
train a machine are methods for `SVC(solver=…)`, each an object with its parameters.
"""

from mercer.lectures.coordinate_descent import Path, coordinate_descent
from mercer.lectures.duality import ConstrainedProblem
from mercer.lectures.optimum import KKTResiduals, NoOptimumError, Optimum
from mercer.solvers import ActiveSet, CoordinateAscent, HingeSgd, QpBidual, QpDual, QpPrimal, SmoSketch

__all__ = [
    "ActiveSet",
    "ConstrainedProblem",
    "CoordinateAscent",
    "HingeSgd",
    "KKTResiduals",
    "NoOptimumError",
    "Optimum",
    "Path",
    "QpBidual",
    "QpDual",
    "QpPrimal",
    "SmoSketch",
    "coordinate_descent",
]
