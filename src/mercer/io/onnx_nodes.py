"""Nodes of an ONNX graph as they are written down: one call an operator, numbers and arrays as they are.

Every number is float64. The operators are those of ONNX's own domain from opset 13 on, and comparing texts of opset 19.

No product of matrices is multiplied by a scalar constant, before or after: onnxruntime makes that one operator of its
own, which has the scalar in float32. Scalars are part of a matrix there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from mercer.typing import Floats

__all__ = [
    "LEAST_OPSET",
    "LEAST_OPSET_OF_TEXTS",
    "LEAST_OPSET_OF_WORDS",
    "Nodes",
    "affine",
    "columns",
    "filled",
    "unique_names",
]

#: Since when sums take their axes as an input, as they are written here.
LEAST_OPSET = 13
#: Since when `Equal` compares texts.
LEAST_OPSET_OF_TEXTS = 19
#: The first in which patterns can be looked for in texts.
LEAST_OPSET_OF_WORDS = 20

# Constants of so many numbers are kept once, however often they are asked for.
_SMALL = 64


def unique_names(taken: Iterable[str] = ()) -> Callable[[str], str]:
    """Makes names that differ from each other and from those that are taken."""
    known = set(taken)

    def unique(name: str) -> str:
        found, number = name, 1
        while found in known:
            found, number = f"{name}_{number}", number + 1
        known.add(found)
        return found

    return unique


class Nodes:
    """Nodes and constants of one graph, in order.

    Called with an operator and its inputs it adds a node and returns the name of its output. An input is the name of
    another output, a number, or an array; text comes in arrays of objects.
    """

    def __init__(self, unique: Callable[[str], str] | None = None) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.unique = unique_names() if unique is None else unique
        self._small: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def __call__(self, operator: str, *inputs: Any, named: str | None = None, **attributes: Any) -> str:
        given = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        output = self.unique(operator.lower()) if named is None else named
        self.nodes.append(helper.make_node(operator, given, [output], name=f"{operator} {output}", **attributes))
        return output

    def constant(self, value: Any) -> str:
        """The name of a constant: integers as int64, other numbers as float64, objects as texts."""
        array = np.asarray(value)
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        elif array.dtype.kind == "f":
            array = array.astype(np.float64)
        if array.size > _SMALL or array.dtype.kind == "O":
            return self._keep(array)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._small:
            self._small[key] = self._keep(array)
        return self._small[key]

    def _keep(self, array: NDArray[Any]) -> str:
        name = self.unique("constant")
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def inner(self) -> Nodes:
        """Nodes of a graph within this one, with names of their own."""
        return Nodes(self.unique)

    def graph(self, name: str, inputs: Any, outputs: Any) -> GraphProto:
        """The graph that was written down."""
        return helper.make_graph(self.nodes, name, inputs, outputs, initializer=self.constants)


def affine(add: Nodes, rows: str, weights: Floats, intercept: Floats) -> str:
    """Wx + b of every row, W with one row a function."""
    return add("Add", add("MatMul", rows, np.asarray(weights).T), np.asarray(intercept))


def columns(add: Nodes, matrix: str, which: Any) -> str:
    """Some columns of a matrix, in this order."""
    return add("Gather", matrix, np.asarray(which, dtype=np.int64), axis=1)


def filled(add: Nodes, rows: str, count: int, value: float) -> str:
    """A matrix of one number: as many rows as another, and so many columns."""
    length = add("Slice", add("Shape", rows), [0], [1])
    return add("Expand", value, add("Concat", length, [count], axis=0))
