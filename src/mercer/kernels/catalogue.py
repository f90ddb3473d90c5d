"""The kernels there are: `mercer` exports what `__all__` says, strings and plain dicts find them by their names.

A new kernel has a line here among the imports, in `__all__` and in `KERNELS`, and is listed nowhere else.
"""

from mercer.kernels.algebra import Constant, Product, Scaled, Sum
from mercer.kernels.base import Kernel
from mercer.kernels.distance import RBF, Laplacian
from mercer.kernels.dot import Linear, Polynomial, Sigmoid
from mercer.kernels.foreign import CallableKernel, Precomputed
from mercer.kernels.periodic import Periodic
from mercer.kernels.smooth import Matern, RationalQuadratic
from mercer.kernels.white import White

__all__ = [
    "Kernel",
    "Linear",
    "Polynomial",
    "RBF",
    "Laplacian",
    "Sigmoid",
    "Matern",
    "RationalQuadratic",
    "Periodic",
    "White",
    "Constant",
    "Precomputed",
    "CallableKernel",
]

KERNELS: tuple[type[Kernel], ...] = (
    *(Linear, Polynomial, RBF, Laplacian, Sigmoid, Constant, Precomputed, CallableKernel),
    *(Matern, RationalQuadratic, Periodic, White),
    *(Sum, Product, Scaled),
)
