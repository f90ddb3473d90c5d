"""Kernels as nodes: as plain dicts, and scikit-learn's own kernels by their names."""

from __future__ import annotations

from typing import Any

from mercer.errors import KernelError, ModelFileError
from mercer.io.addresses import address_of, found_at
from mercer.io.nodes import Reader, Writer
from mercer.io.unstorable import unstorable
from mercer.kernels import CallableKernel, Kernel, kernel_from_dict

__all__ = ["read_kernel", "read_pairwise", "write_kernel"]

# scikit-learn's kernels that Mercer takes by name.
_PAIRWISE = ("additive_chi2", "chi2", "cosine", "polynomial")
_PAIRWISE_FUNCTION = "mercer.estimators.ridge_kernel:PairwiseFunction"


def write_kernel(writer: Writer, kernel: Kernel, where: str) -> dict[str, Any]:
    """The node of a kernel that is a formula, or one of scikit-learn's by name."""
    function: Any = getattr(kernel, "function", None)
    if isinstance(kernel, CallableKernel) and address_of(type(function)) == _PAIRWISE_FUNCTION:
        if function.metric not in _PAIRWISE:
            raise unstorable(function.metric, where)
        return {"pairwise": function.metric, "params": writer.node(function.params, f"{where}.params")}
    try:
        return {"kernel": kernel.to_dict()}
    except KernelError as error:
        raise unstorable(function or kernel, where) from error


def read_kernel(reader: Reader, node: Any) -> Kernel:
    return kernel_from_dict(node["kernel"])


def read_pairwise(reader: Reader, node: Any) -> Kernel:
    metric, params = node["pairwise"], reader.value(node["params"])
    if metric not in _PAIRWISE or not isinstance(params, dict) or not set(params) <= {"gamma", "degree", "coef0"}:
        raise ModelFileError(f"Expected a kernel of scikit-learn's among {_PAIRWISE} with numbers, got {metric!r}.")
    if not all(isinstance(value, (int, float)) for value in params.values()):
        raise ModelFileError(f"Expected numbers for the parameters of {metric}, got {params!r}.")
    return CallableKernel(found_at(_PAIRWISE_FUNCTION)(metric, params))
