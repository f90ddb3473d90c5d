"""Solvers that follow the lectures: readable, step by step, for small data; the certificate judges them like any other.

Each file is one `method` on the dual as the lectures write it (`dual`): `smo_sketch`, `active_set`, `qp` (primal, dual
and bidual), `sgd`, `coordinate_ascent`. `pace` keeps to the limits and records steps. `solver` makes a solver of any of
them that takes problems and training rows, as all solvers do.
"""

from mercer.solvers.lectures.active_set import ActiveSet
from mercer.solvers.lectures.coordinate_ascent import CoordinateAscent
from mercer.solvers.lectures.dual import SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.qp import QpBidual, QpDual, QpPrimal
from mercer.solvers.lectures.sgd import HingeSgd
from mercer.solvers.lectures.smo_sketch import Segment, SmoSketch
from mercer.solvers.lectures.solver import METHODS, LectureSolver

__all__ = [
    "ActiveSet",
    "CoordinateAscent",
    "HingeSgd",
    "LectureSolver",
    "METHODS",
    "Method",
    "QpBidual",
    "QpDual",
    "QpPrimal",
    "Segment",
    "SmallDual",
    "SmoSketch",
]
