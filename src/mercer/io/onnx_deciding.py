"""From values of functions to classes, as nodes of an ONNX graph: the twin of `mercer.machines.deciding`."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mercer.io.onnx_nodes import Nodes
from mercer.typing import Floats

__all__ = ["largest", "pair_class_values", "second_where", "voted"]


def largest(add: Nodes, values: str) -> str:
    """The number of the largest column of each row, the lowest of several."""
    return add("ArgMax", values, axis=1, keepdims=0)


def second_where(add: Nodes, is_second: str) -> str:
    """Class numbers of rows from a column of booleans: 1 where it is true, else 0."""
    return add("Squeeze", add("Cast", is_second, to=TensorProto.INT64), [1])


def voted(add: Nodes, values: str, classes: int) -> str:
    """The class number with the most votes of the pairs, the lowest of several with as many."""
    if classes == 2:
        return second_where(add, add("GreaterOrEqual", values, 0.0))
    return largest(add, _votes(add, add("Greater", values, 0.0), classes))


def pair_class_values(add: Nodes, values: str, classes: int) -> str:
    """Votes of the pairs for each class, with their values as tie breakers: scikit-learn's shape "ovr"."""
    first, second = _sides(classes)
    sums = add("MatMul", values, first - second)
    size = add("Mul", add("Add", add("Abs", sums), 1.0), 3.0)
    # A value that is neither above nor below zero is a vote for the first, unlike where votes alone decide.
    is_won = add("GreaterOrEqual", values, 0.0)
    return add("Add", _votes(add, is_won, classes), add("Div", sums, size))


def _votes(add: Nodes, is_won: str, classes: int) -> str:
    """Votes for each class: of a pair that is won for its first class, else for its second."""
    first, second = _sides(classes)
    won = add("Cast", is_won, to=TensorProto.DOUBLE)
    return add("Add", add("MatMul", won, first - second), second.sum(axis=0))


def _sides(classes: int) -> tuple[Floats, Floats]:
    """For each pair a row with a one for its first class, and for its second."""
    first, second = np.triu_indices(classes, 1)
    every = np.eye(classes)
    return every[first], every[second]
