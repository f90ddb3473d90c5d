"""Kernel values as nodes of an ONNX graph: a formula for each kernel of the catalogue that has one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import KernelError
from mercer.io.onnx_distances import Pairs
from mercer.kernels import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    Product,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Sum,
    White,
)
from mercer.typing import Floats

__all__ = ["EXPORTED", "check_kernel", "kernel_values", "without_factor"]

# Distances beyond which exp(−r) is zero, and times a polynomial of r as well.
_BEYOND_DECAY = 1000.0
# Far beyond any distance, and less than infinity, of which differences and ratios are not numbers.
_LARGE = 1e300


def kernel_values(pairs: Pairs, kernel: Kernel) -> str:
    """The matrix of k(x, z) for new rows x and support vectors z."""
    check_kernel(kernel)
    return EXPORTED[type(kernel)](pairs, kernel)


def check_kernel(kernel: Kernel) -> None:
    """Raises for kernels that are no formula."""
    if type(kernel) not in EXPORTED:
        known = ", ".join(sorted(kind.__name__ for kind in EXPORTED))
        raise KernelError(
            f"ONNX: expected a kernel that is a formula ({known}), got {kernel}. Values that a Python function "
            "computes, or that come as a matrix, cannot be made of operators; use one of these kernels."
        )


def _linear(pairs: Pairs, kernel: Linear) -> str:
    return pairs.products(1.0)


def _polynomial(pairs: Pairs, kernel: Polynomial) -> str:
    return pairs.add("Pow", _shifted(pairs, kernel), float(kernel.degree))


def _sigmoid(pairs: Pairs, kernel: Sigmoid) -> str:
    return pairs.add("Tanh", _shifted(pairs, kernel))


def _shifted(pairs: Pairs, kernel: Polynomial | Sigmoid) -> str:
    """gamma · xᵀz + coef0"""
    return pairs.add("Add", pairs.products(_number(kernel.gamma)), float(kernel.coef0))


def _rbf(pairs: Pairs, kernel: RBF) -> str:
    return pairs.add("Exp", pairs.add("Neg", _of_distance(pairs, kernel)))


def _rational_quadratic(pairs: Pairs, kernel: RationalQuadratic) -> str:
    add, alpha = pairs.add, float(kernel.alpha)
    share = add("Min", add("Div", _of_distance(pairs, kernel), alpha), _LARGE)
    # log(1 + s) without the rounding of 1 + s: log(t) · s / (t − 1) with t = 1 + s as it is rounded.
    more = add("Add", share, 1.0)
    rounded = add("Sub", more, 1.0)
    is_lost = add("Equal", rounded, 0.0)
    ratio = add("Mul", add("Log", more), add("Div", share, add("Where", is_lost, 1.0, rounded)))
    logarithm = add("Where", is_lost, share, ratio)
    return add("Exp", add("Mul", logarithm, -alpha))


def _matern(pairs: Pairs, kernel: Matern) -> str:
    add = pairs.add
    if kernel.nu == 0.5:
        scales, gamma = _scales(pairs, kernel.gamma)
        # The root has no slope at zero, so that the least error of a distance would count.
        distance = add("Mul", pairs.summed_squares(scales), gamma)
        return add("Exp", add("Neg", add("Sqrt", add("Mul", distance, 2.0))))
    squared = add("Mul", _of_distance(pairs, kernel), 6.0 if kernel.nu == 1.5 else 10.0)
    r = add("Min", add("Sqrt", squared), _BEYOND_DECAY)
    factor = add("Add", r, 1.0)
    if kernel.nu == 2.5:
        factor = add("Add", factor, add("Div", add("Mul", r, r), 3.0))
    return add("Mul", factor, add("Exp", add("Neg", r)))


def _periodic(pairs: Pairs, kernel: Periodic) -> str:
    add = pairs.add
    squares = pairs.summed_squares(np.ones(pairs.vectors.shape[1]))
    periods = add("Min", add("Mul", add("Sqrt", squares), kernel.frequency), _LARGE)
    sine = add("Sin", add("Mul", add("Sub", periods, add("Floor", periods)), math.pi))
    return add("Exp", add("Mul", add("Mul", sine, sine), -kernel.rate))


def _laplacian(pairs: Pairs, kernel: Laplacian) -> str:
    add = pairs.add
    if isinstance(kernel.gamma, tuple):
        return add("Exp", add("Neg", pairs.manhattan_distances(np.array(kernel.gamma))))
    distances = pairs.manhattan_distances(np.ones(pairs.vectors.shape[1]))
    return add("Exp", add("Mul", distances, -_number(kernel.gamma)))


def _white(pairs: Pairs, kernel: White) -> str:
    add = pairs.add
    is_same = add("Equal", pairs.summed_squares(np.ones(pairs.vectors.shape[1])), 0.0)
    return add("Where", is_same, float(kernel.noise), 0.0)


def _constant(pairs: Pairs, kernel: Constant) -> str:
    return pairs.constants(float(kernel.value))


def _sum(pairs: Pairs, kernel: Sum) -> str:
    return pairs.add("Add", kernel_values(pairs, kernel.left), kernel_values(pairs, kernel.right))


def _product(pairs: Pairs, kernel: Product) -> str:
    return pairs.add("Mul", kernel_values(pairs, kernel.left), kernel_values(pairs, kernel.right))


def _multiple(pairs: Pairs, kernel: Scaled) -> str:
    factor, inner = without_factor(kernel)
    if type(inner) is Linear:
        return pairs.products(factor)  # see `onnx_nodes` on scalars
    return pairs.add("Mul", kernel_values(pairs, inner), factor)


def without_factor(kernel: Kernel) -> tuple[float, Kernel]:
    """What multiplies a kernel, and that kernel."""
    factor = 1.0
    while isinstance(kernel, Scaled):
        factor, kernel = factor * kernel.factor, kernel.kernel
    return factor, kernel


def _of_distance(pairs: Pairs, kernel: RBF | Matern | RationalQuadratic) -> str:
    """gamma ‖x − z‖², or Σ gamma_j (x_j − z_j)²."""
    scales, gamma = _scales(pairs, kernel.gamma)
    return pairs.add("Mul", pairs.squared_distances(scales, gamma), gamma)


def _scales(pairs: Pairs, gamma: Any) -> tuple[Floats, float]:
    """Scales of the features, and what multiplies squared distances of scaled features."""
    if isinstance(gamma, tuple) and len(gamma) > 1:
        return np.sqrt(gamma), 1.0
    return np.ones(pairs.vectors.shape[1]), _number(gamma[0] if isinstance(gamma, tuple) else gamma)


def _number(gamma: Any) -> float:
    if isinstance(gamma, str):
        raise KernelError(f"ONNX: expected a kernel whose gamma is a number, got {gamma!r}. Call resolve(X) on it.")
    return float(gamma)


#: The formula of each kernel.
EXPORTED: dict[type[Kernel], Callable[[Pairs, Any], str]] = {
    Linear: _linear,
    Polynomial: _polynomial,
    RBF: _rbf,
    Laplacian: _laplacian,
    Sigmoid: _sigmoid,
    Matern: _matern,
    RationalQuadratic: _rational_quadratic,
    Periodic: _periodic,
    White: _white,
    Constant: _constant,
    Sum: _sum,
    Product: _product,
    Scaled: _multiple,
}
