"""A model of a table as plain values and arrays, and back: what its file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.calibration import calibration_from_arrays, conformal_arrays, conformal_from_arrays
from mercer.errors import InputError
from mercer.machines import OneVsOneMachine, OneVsRestMachine, machine_from_arrays
from mercer.tables import Encoding

if TYPE_CHECKING:
    from mercer.tabular.table_model import TableModel

__all__ = ["fields_from_arrays", "model_arrays"]

_FIELDS = ("encoding", "machine", "task", "target", "classes", "calibration", "conformal", "record")
# Of machines with classes these are the numbers of the model's own, and so need no place.
_WITH_CLASSES = (OneVsOneMachine.kind, OneVsRestMachine.kind)


def model_arrays(model: TableModel) -> tuple[dict[str, Any], dict[str, Any]]:
    """What JSON can hold, and arrays by dotted names such as "machine.support_vectors"."""
    machine = model.machine.arrays()
    machine.pop("classes", None)
    parts = {
        "machine": machine,
        "calibration": None if model.calibration is None else model.calibration.arrays(),
        "conformal": None if model.conformal is None else conformal_arrays(model.conformal),
    }
    arrays = {
        f"{part}.{name}": value
        for part, values in parts.items()
        for name, value in (values or {}).items()
        if isinstance(value, np.ndarray)
    }
    plain = {
        "encoding": model.encoding.plain(),
        "task": model.task,
        "target": model.target,
        "classes": list(model.classes),
        "record": model.record,
        **{part: None if values is None else _without_arrays(values) for part, values in parts.items()},
    }
    return plain, arrays


def fields_from_arrays(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the model that `model_arrays` tells of; what makes them up is checked one by one."""
    if not isinstance(plain, Mapping) or set(plain) != set(_FIELDS):
        given = sorted(map(str, plain))[:20] if isinstance(plain, Mapping) else type(plain).__name__
        raise InputError(f"A model of a table: expected {list(_FIELDS)}, got {given}.")
    parts = _parted(arrays)
    classes = plain["classes"]
    if not isinstance(classes, list) or not all(isinstance(label, str) for label in classes):
        raise InputError(f"classes: expected a list of texts, got {classes!r:.60}.")
    machine = _part(plain, parts, "machine")
    if machine is None:
        raise InputError("machine: expected the arrays of a machine, got none.")
    if machine.get("kind") in _WITH_CLASSES:
        machine = {**machine, "classes": np.arange(len(classes))}
    encoding = Encoding.from_plain(plain["encoding"])
    if machine.get("n_features", encoding.n_features) != encoding.n_features:
        raise InputError(f"machine: expected {encoding.n_features} features, as the encoding makes them, got others.")
    calibration, conformal = _part(plain, parts, "calibration"), _part(plain, parts, "conformal")
    return {
        "encoding": encoding,
        "machine": machine_from_arrays(machine),
        "task": plain["task"],
        "target": plain["target"],
        "classes": tuple(classes),
        "calibration": None if calibration is None else calibration_from_arrays(calibration),
        "conformal": None if conformal is None else conformal_from_arrays(conformal),
        "record": plain["record"],
    }


def _without_arrays(values: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in values.items() if not isinstance(value, np.ndarray)}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in kept.items()}


def _parted(arrays: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Arrays by the part that they are of and their names there."""
    found: dict[str, dict[str, Any]] = {"machine": {}, "calibration": {}, "conformal": {}}
    for name, array in arrays.items():
        part, dot, own = name.partition(".")
        # Encoded rows are dense, and so are machines that were fitted to them: no name has a second dot.
        if part not in found or not dot or "." in own or not isinstance(array, np.ndarray):
            raise InputError(f"A model of a table: expected arrays of {sorted(found)}, got {name!r:.60}.")
        found[part][own] = array
    return found


def _part(plain: Mapping[str, Any], parts: dict[str, dict[str, Any]], part: str) -> dict[str, Any] | None:
    """The values and arrays of one part together; None where there is none."""
    values, arrays = plain[part], parts[part]
    if values is None and not arrays:
        return None
    if not isinstance(values, Mapping) or set(values) & set(arrays):
        raise InputError(f"{part}: expected values and arrays with different names, got others.")
    if any("." in str(name) for name in values):
        raise InputError(f"{part}: expected names without dots, got others.")
    return {**values, **arrays}
