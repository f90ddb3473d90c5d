"""What similarity: kernels as values.

A kernel is a frozen dataclass with one formula. `+`, `*`, whole powers and positive factors build `Sum`, `Product` and
`Scaled`, so that `RBF(0.1) + 2 * Polynomial(2)` is a kernel like any other. `lower()` gives the compiled form that the
core evaluates; kernels without one (`Precomputed`, `CallableKernel`, your own) give their values in NumPy.
`feature_map()` gives the explicit map of those that have one: `monomials` holds the formula, `feature_map` the
transformer.

To add a kernel, write a class with `matrix(X, Z)` in a file of its own and add it to `catalogue`:
docs/extending/kernel.md.
"""

from typing import TYPE_CHECKING, Any

from mercer.kernels import catalogue
from mercer.kernels.algebra import Product, Scaled, Sum
from mercer.kernels.base import Gamma, ValuesFrom, squared_norms
from mercer.kernels.catalogue import *  # noqa: F403
from mercer.kernels.named import kernel_from_name
from mercer.kernels.plain import kernel_from_dict

if TYPE_CHECKING:
    from mercer.kernels.feature_map import FeatureMap as FeatureMap
    from mercer.kernels.nested import WithKernel as WithKernel

__all__ = [
    "Gamma",
    "ValuesFrom",
    "Sum",
    "Product",
    "Scaled",
    "FeatureMap",
    "WithKernel",
    "kernel_from_name",
    "kernel_from_dict",
    "squared_norms",
]
__all__ += catalogue.__all__


def __getattr__(name: str) -> Any:
    # Both are scikit-learn's objects, and that takes longer to import than all kernels.
    if name == "FeatureMap":
        from mercer.kernels.feature_map import FeatureMap

        return FeatureMap
    if name == "WithKernel":
        from mercer.kernels.nested import WithKernel

        return WithKernel
    raise AttributeError(f"module 'mercer.kernels' has no attribute {name!r}")
