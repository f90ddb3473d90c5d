"""Kernels by name, as scikit-learn's users write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mercer.checks import check_gamma, check_number, integer
from mercer.errors import ParameterError
from mercer.kernels.base import Gamma, Kernel
from mercer.kernels.distance import RBF, Laplacian
from mercer.kernels.dot import Linear, Polynomial, Sigmoid
from mercer.kernels.foreign import CallableKernel, Precomputed

__all__ = ["kernel_from_name"]

_NAMED: dict[str, Callable[[Gamma, int, float], Kernel]] = {
    "linear": lambda gamma, degree, coef0: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, degree, coef0: RBF(gamma),
    "laplacian": lambda gamma, degree, coef0: Laplacian(gamma),
    "sigmoid": lambda gamma, degree, coef0: Sigmoid(gamma, coef0),
    "precomputed": lambda gamma, degree, coef0: Precomputed(),
}


def kernel_from_name(
    kernel: Any, gamma: Gamma, degree: int, coef0: float, *, owner: str = "kernel", also: tuple[str, ...] = ()
) -> Kernel:
    """A kernel from a name with the parameters of its owner, from a Python function, or as it is.

    Where the name is none, the error tells those that are, and what `also` could be asked for.
    """
    check_gamma(owner, gamma)
    check_number(owner, "coef0", coef0)
    integer("degree", degree, least=0)
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel not in _NAMED:
            names = ", ".join(map(repr, (*also, *_NAMED)))
            raise ParameterError(f"kernel: expected one of {names}, a Kernel or a callable, got {kernel!r}.")
        return _NAMED[kernel](gamma, degree, coef0)
    if callable(kernel):
        return CallableKernel(kernel)
    raise ParameterError(f"kernel: expected a name, a kernel object or a callable, got {type(kernel).__name__}.")
