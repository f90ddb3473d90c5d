"""Descents that make passes over the rows and prove nothing.

`gradient` goes down a loss in the weights, `kernel_regression` in the coefficients of the rows, `perceptron` learns
from mistakes under a kernel. `watch` tells those in Python when to stop.
"""

from mercer.solvers.descent.gradient import RATES, Descended, DescentState, DescentTargets, GradientDescent
from mercer.solvers.descent.kernel_regression import DualDescended, DualDescent, DualState, RowsToFit, safe_rate
from mercer.solvers.descent.perceptron import (
    KernelRows,
    MistakeLearner,
    MistakeRules,
    RowsToLearn,
    learn_from_mistakes,
)
from mercer.solvers.descent.watch import Stopped, Watch

__all__ = [
    "Descended",
    "DescentState",
    "DescentTargets",
    "DualDescended",
    "DualDescent",
    "DualState",
    "GradientDescent",
    "KernelRows",
    "MistakeLearner",
    "MistakeRules",
    "RATES",
    "RowsToFit",
    "RowsToLearn",
    "Stopped",
    "Watch",
    "learn_from_mistakes",
    "safe_rate",
]
