"""What an ONNX graph answers: labels, probabilities and decision values, or numbers."""

from __future__ import annotations

from typing import NamedTuple

from onnx import TensorProto

from mercer.io.onnx_calibration import probabilities
from mercer.io.onnx_deciding import largest, pair_class_values, second_where, voted
from mercer.io.onnx_exported import Exported, Rule
from mercer.io.onnx_machines import machine_values
from mercer.io.onnx_nodes import Nodes

__all__ = ["Output", "output_kinds", "outputs"]


class Output(NamedTuple):
    """An answer: its name, the number of its type in ONNX, and how many columns it has; None of one value a row."""

    name: str
    type: int
    columns: int | None


def output_kinds(exported: Exported) -> list[Output]:
    """The answers that there are, in order."""
    labels, functions = exported.labels, len(exported.machine.intercept)
    if labels is None:
        return [Output("variable", TensorProto.DOUBLE, functions)]
    found = [Output("label", TensorProto.STRING if labels.dtype.kind == "O" else TensorProto.INT64, None)]
    if exported.calibration is not None:
        found.append(Output("probabilities", TensorProto.DOUBLE, len(labels)))
    return [*found, Output("decision", TensorProto.DOUBLE, exported.decision_columns)]


def outputs(add: Nodes, exported: Exported, rows: str) -> dict[str, str]:
    """Nodes for the answers of every row; the names of their outputs by those of the answers."""
    values = machine_values(add, exported.machine, rows)
    if exported.labels is None:
        return {"variable": values}
    count = len(exported.labels)
    found = {"decision": pair_class_values(add, values, count) if exported.by_class else values}
    if exported.calibration is not None:
        found["probabilities"] = probabilities(add, exported.calibration, values)
    found["label"] = add("Gather", exported.labels, _codes(add, exported, values, found))
    return found


def _codes(add: Nodes, exported: Exported, values: str, found: dict[str, str]) -> str:
    """The class number of every row."""
    assert exported.labels is not None
    rule, count = exported.rule, len(exported.labels)
    if rule is Rule.PROBABILITY:
        return largest(add, found["probabilities"])
    if rule is Rule.TIES_BROKEN:
        return largest(add, pair_class_values(add, values, count))
    if rule is Rule.VOTES:
        return voted(add, values, count)
    if len(exported.machine.intercept) == 1:
        return second_where(add, add("Greater", values, 0.0))
    return largest(add, values)
