"""Kernels by name, as scikit-learn's users write them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from mercer.checks import check_gamma, check_number, integer
from mercer.errors import ParameterError
from mercer.kernels.base import Gamma, Kernel
from mercer.kernels.catalogue import KERNELS
from mercer.kernels.foreign import CallableKernel
from mercer.kernels.translated import is_translatable, translate

__all__ = ["kernel_from_name"]

_PARAMETERS = ("gamma", "degree", "coef0")


def _needed_by(kind: Any) -> set[str]:
    return {one.name for one in fields(kind) if one.default is MISSING}


# Those that need no more than the parameters an estimator has for its kernel.
_NAMED: dict[str, type[Kernel]] = {
    kind._name: kind for kind in KERNELS if kind._name is not None and _needed_by(kind) <= set(_PARAMETERS)
}
_TAKEN: dict[str, list[str]] = {
    name: [one.name for one in fields(kind) if one.name in _PARAMETERS]  # type: ignore[arg-type]
    for name, kind in _NAMED.items()
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
        given = {"gamma": gamma, "degree": degree, "coef0": coef0}
        return _NAMED[kernel](**{name: given[name] for name in _TAKEN[kernel]})
    if is_translatable(kernel):
        return translate(kernel).kernel
    if callable(kernel):
        return CallableKernel(kernel)
    raise ParameterError(f"kernel: expected a name, a kernel object or a callable, got {type(kernel).__name__}.")
