"""Probabilities of classes as nodes of an ONNX graph: the twin of `mercer.calibration`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from mercer.calibration import Calibration, IsotonicCalibration, SigmoidCalibration, TemperatureCalibration
from mercer.calibration.calibration import LEAST
from mercer.calibration.combining import LEAST_SHARE
from mercer.errors import InputError
from mercer.io.onnx_nodes import Nodes
from mercer.typing import Floats, Integers

__all__ = ["probabilities"]


def probabilities(add: Nodes, calibration: Calibration, values: str) -> str:
    """The probability of each class, from the values of a machine's functions."""
    kind = type(calibration)
    if kind not in _OF_FUNCTIONS:
        known = ", ".join(one.kind for one in _OF_FUNCTIONS)
        raise InputError(f"ONNX: expected a calibration of a kind among {known}, got {calibration.kind!r}.")
    if isinstance(calibration, TemperatureCalibration) and calibration.against_rest and calibration.classes > 2:
        shares = add("Softmax", add("Mul", values, calibration.inverse), axis=1)
        return _normalised(add, add("Max", shares, LEAST))
    own = add("Clip", _OF_FUNCTIONS[kind](add, calibration, values), LEAST, 1 - LEAST)
    if calibration.classes == 2:
        return add("Concat", add("Sub", 1.0, own), own, axis=1)
    return _normalised(add, own if calibration.against_rest else _coupled(add, own, calibration.classes))


# ---------------------------------------------------------------- of each function


def _sigmoid(add: Nodes, calibration: SigmoidCalibration, values: str) -> str:
    return _expit(add, add("Add", add("Mul", values, calibration.slope), calibration.offset))


def _temperature(add: Nodes, calibration: TemperatureCalibration, values: str) -> str:
    return _expit(add, add("Mul", values, calibration.inverse))


def _expit(add: Nodes, z: str) -> str:
    return add("Div", 1.0, add("Add", add("Exp", add("Neg", z)), 1.0))


def _isotonic(add: Nodes, calibration: IsotonicCalibration, values: str) -> str:
    """Levels between knots: from the first on, of each piece as much as the value has passed of it."""
    pieces = [_pieces(calibration, k) for k in range(calibration.functions)]
    most = max(1, *(len(begins) for begins, _, _ in pieces))
    begins, widths, rises = (
        np.stack([np.pad(one, (0, most - len(one)), constant_values=padded) for one in of_all])
        for of_all, padded in zip(zip(*pieces, strict=True), (0.0, 1.0, 0.0), strict=True)
    )
    passed = add("Div", add("Sub", add("Unsqueeze", values, [2]), begins), widths)
    risen = add("ReduceSum", add("Mul", add("Clip", passed, 0.0, 1.0), rises), [2], keepdims=0)
    return add("Add", risen, calibration.levels[calibration.starts[:-1]])


def _pieces(calibration: IsotonicCalibration, function: int) -> tuple[Floats, Floats, Floats]:
    """Where the pieces between the knots of a function begin, how wide they are, and how far levels rise on them."""
    first, last = calibration.starts[function : function + 2]
    knots, levels = calibration.knots[first:last], calibration.levels[first:last]
    begins = knots[:-1].copy()
    is_step = begins == knots[1:]
    begins[is_step] = np.nextafter(begins[is_step], -np.inf)  # a step is taken at the knot, not behind it
    return begins, knots[1:] - begins, np.diff(levels)


_OF_FUNCTIONS: dict[type[Calibration], Callable[[Nodes, Any, str], str]] = {
    SigmoidCalibration: _sigmoid,
    IsotonicCalibration: _isotonic,
    TemperatureCalibration: _temperature,
}


# ---------------------------------------------------------------- of the classes together


def _normalised(add: Nodes, own: str) -> str:
    least = add("Max", own, LEAST_SHARE)
    return add("Div", least, add("ReduceSum", least, [1], keepdims=1))


def _coupled(add: Nodes, own: str, classes: int) -> str:
    """The solution p, up to a factor, of (Q + 11ᵀ) p = 1, where Q_ii = Σ r_ji² and Q_ij = −r_ji r_ij.

    The matrix is positive definite with a diagonal of one or more, so that elimination needs no exchange of rows.
    """
    first, second = np.triu_indices(classes, 1)
    other = add("Sub", 1.0, own)
    crossed = add("Sub", 1.0, add("Mul", own, other))
    squares = add("Concat", add("Mul", own, own), add("Mul", other, other), axis=1)
    # r_ij counts for its second class, r_ji for its first; the last column is the right-hand side.
    counted = np.zeros((2 * len(first), classes + 1))
    counted[np.arange(len(first)), second] = 1.0
    counted[len(first) + np.arange(len(first)), first] = 1.0
    diagonal = add("Add", add("MatMul", squares, counted), 1.0)
    parts = add("Concat", crossed, diagonal, axis=1)
    flat = add("Gather", parts, _places(classes, first, second), axis=1)
    system = add("Reshape", flat, [0, classes, classes + 1])
    solved = add("Scan", system, np.arange(classes)[:, None], np.eye(classes)[:, :, None], **_elimination(add, classes))
    return add("Squeeze", add("Gather", solved, [classes], axis=2), [2])


def _places(classes: int, first: Integers, second: Integers) -> Integers:
    """Which columns of the pairs, followed by the diagonal and the right-hand side, make up the rows of the system."""
    places = np.empty((classes, classes + 1), dtype=np.int64)
    places[first, second] = places[second, first] = np.arange(len(first))
    every = np.arange(classes)
    places[every, every] = len(first) + every
    places[:, classes] = len(first) + classes
    return places.ravel()


def _elimination(add: Nodes, classes: int) -> dict[str, Any]:
    """A step of Gauss and Jordan's elimination: the column of a pivot becomes one of the unit matrix."""
    inner = add.inner()
    system, pivot, unit = (inner.unique(name) for name in ("system", "pivot", "unit"))
    row = inner("Gather", system, pivot, axis=1)
    column = inner("Gather", system, pivot, axis=2)
    scaled = inner("Div", row, inner("Gather", row, pivot, axis=2))
    left = inner("Sub", system, inner("Mul", inner("Sub", column, unit), scaled))
    shape: list[str | int | None] = ["rows", classes, classes + 1]
    body = inner.graph(
        "a pivot",
        [
            helper.make_tensor_value_info(system, TensorProto.DOUBLE, shape),
            helper.make_tensor_value_info(pivot, TensorProto.INT64, [1]),
            helper.make_tensor_value_info(unit, TensorProto.DOUBLE, [classes, 1]),
        ],
        [helper.make_tensor_value_info(left, TensorProto.DOUBLE, shape)],
    )
    return {"body": body, "num_scan_inputs": 2}
