"""The values of a machine's functions as nodes of an ONNX graph."""

from __future__ import annotations

from itertools import accumulate, combinations, pairwise

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.io.onnx_distances import Pairs
from mercer.io.onnx_kernels import check_kernel, kernel_values, without_factor
from mercer.io.onnx_nodes import Nodes, affine, columns
from mercer.kernels import Linear
from mercer.machines import KernelMachine, LinearMachine, Machine, OneVsOneMachine
from mercer.typing import Floats

__all__ = ["machine_values"]


def machine_values(add: Nodes, machine: Machine, rows: str) -> str:
    """The functions at every row, shape (rows, functions)."""
    if isinstance(machine, LinearMachine):
        return affine(add, rows, machine.weights, machine.intercept)
    if not isinstance(machine, KernelMachine):
        raise InputError(f"ONNX: expected a machine of weights or of support vectors, got {machine.kind!r}.")
    machine.check()
    check_kernel(machine.kernel)
    weights = _weights(machine)
    if weights is not None:
        return affine(add, rows, weights, machine.intercept)
    if machine.is_precise:
        raise InputError(
            "ONNX: expected a machine whose sums float64 tells, got one that Mercer evaluates in twice that precision, "
            f"for the values of {machine.kernel} cancel on these data. Scale the features, as with StandardScaler, and "
            "fit it again."
        )
    given = machine.support_vectors
    vectors = np.asarray(given.toarray() if is_sparse(given) else given, dtype=np.float64)
    factor, kernel = without_factor(machine.kernel)
    values, coef = kernel_values(Pairs(add, rows, vectors), kernel), factor * machine.dual_coef
    if isinstance(machine, OneVsOneMachine) and len(machine.classes) > 2:
        return add("Add", _pair_sums(add, values, coef, machine.n_support.tolist()), machine.intercept)
    return affine(add, values, coef, machine.intercept)


def _weights(machine: KernelMachine) -> Floats | None:
    """Weights of the features where that is all there is to a machine, as of linear kernels; else None."""
    if not len(machine.support):
        return np.zeros((len(machine.intercept), machine.n_features))
    if type(machine.kernel) is not Linear:
        return None
    expansion = machine.expansion
    return np.asarray(expansion.precise_weights if machine.is_precise else expansion.weights)  # type: ignore[attr-defined]


def _pair_sums(add: Nodes, values: str, coef: Floats, n_support: list[int]) -> str:
    """The sums of all pairs of classes, from LIBSVM's layout of coefficients.

    Each class has its vectors against every other in a block of columns, of which a pair takes two.
    """
    classes = len(n_support)
    ends = list(accumulate(n_support, initial=0))
    blocks = []
    for first, last in pairwise(ends):
        if first == last:  # no vector of this class: zeros, made of any column
            blocks.append(add("MatMul", columns(add, values, [0]), np.zeros((1, classes - 1))))
            continue
        own = add("Slice", values, [first], [last], [1])
        blocks.append(add("MatMul", own, coef[:, first:last].T))
    against = add("Concat", *blocks, axis=1)
    pairs = list(combinations(range(classes), 2))
    of_first = columns(add, against, [i * (classes - 1) + j - 1 for i, j in pairs])
    of_second = columns(add, against, [j * (classes - 1) + i for i, j in pairs])
    return add("Add", of_first, of_second)
