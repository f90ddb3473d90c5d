"""The libraries of the race by name; each is imported only in its own worker process."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.linear.libraries.base import Library
from benchmarks.linear.libraries.of_liblinear import Liblinear
from benchmarks.linear.libraries.of_mercer import Mercer
from benchmarks.linear.libraries.of_sgd import StochasticGradient
from benchmarks.linear.libraries.of_sklearn import Sklearn

#: In the order of the report's columns.
LIBRARIES: dict[str, Callable[[], Library]] = {
    "mercer": Mercer,
    "sklearn": Sklearn,
    "liblinear": Liblinear,
    "sgd": StochasticGradient,
}
PEERS = tuple(name for name in LIBRARIES if name != "mercer")
#: Those with a tolerance by default.
SOLVERS = ("sklearn", "liblinear")
#: Those that have kernel machines.
KERNEL_MACHINES = ("mercer", "sklearn")
#: Those whose stochastic gradients are compared pass by pass.
DESCENTS = ("mercer", "sklearn")
