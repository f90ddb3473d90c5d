"""Objects of the closed lists as nodes: kernels, machines, calibrations, enumerations, records and estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from typing import Any

from mercer.calibration import CALIBRATIONS, Calibration, calibration_from_arrays
from mercer.errors import ModelFileError
from mercer.io.addresses import address_of, found_at
from mercer.io.built import BUILT_NAMES, read_built, write_built
from mercer.io.estimator_nodes import read_estimator, write_estimator
from mercer.io.kernel_nodes import read_kernel, read_pairwise, write_kernel
from mercer.io.nodes import Reader, Writer
from mercer.io.records import ENUMS, RECORDS
from mercer.io.states import STATES
from mercer.io.unstorable import unstorable
from mercer.kernels import Kernel
from mercer.machines import MACHINES, Machine, machine_from_arrays

__all__ = ["read_object", "write_object"]

_RECORD_NAMES = {record.address: name for name, record in RECORDS.items()}
_ENUM_NAMES = {address: name for name, address in ENUMS.items()}
_STATE_NAMES = {state.address: name for name, state in STATES.items()}


def write_object(writer: Writer, value: Any, where: str) -> Any:
    """The node of an object; raises for one of a class that is in no list."""
    kind, address = type(value), address_of(type(value))
    if isinstance(value, Kernel):
        return write_kernel(writer, value, where)
    if MACHINES.get(getattr(kind, "kind", "")) is kind:
        return {"machine": kind.kind, "fields": _fields(writer, _attributes(value, _names_of(kind)), where)}
    if CALIBRATIONS.get(getattr(kind, "kind", "")) is kind:
        return {"calibration": kind.kind, "fields": _fields(writer, _attributes(value, _names_of(kind)), where)}
    if isinstance(value, Enum) and address in _ENUM_NAMES:
        return {"enum": _ENUM_NAMES[address], "name": value.name}
    if address in _RECORD_NAMES:
        record = RECORDS[_RECORD_NAMES[address]]
        return {"record": _RECORD_NAMES[address], "fields": _fields(writer, record.values_of(value), where)}
    if address in _STATE_NAMES:
        return write_estimator(writer, value, _STATE_NAMES[address], where)
    if address in BUILT_NAMES:
        return write_built(writer, value, where)
    raise unstorable(value, where)


def _names_of(kind: Any) -> list[str]:
    return [one.name for one in fields(kind)]


def _attributes(value: Any, names: list[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _fields(writer: Writer, values: dict[str, Any], where: str) -> dict[str, Any]:
    return {name: writer.node(value, f"{where}.{name}") for name, value in values.items()}


def read_object(reader: Reader, node: Any) -> Any:
    """The object of a node."""
    tag = next(iter(node), None) if isinstance(node, dict) else None
    if tag not in _READERS:
        raise ModelFileError(f"Expected a value of a kind that this version of Mercer knows, got {tag!r}.")
    names, read = _READERS[tag]
    if set(node) != set(names):
        raise ModelFileError(f"Expected {list(names)} of a value that is a {tag}, got {list(node)}.")
    return read(reader, node)


def _read_fields(reader: Reader, node: Any) -> dict[str, Any]:
    fields = node["fields"]
    if not isinstance(fields, dict):
        raise ModelFileError("Expected values by name, got others.")
    return {name: reader.value(value) for name, value in fields.items()}


def _read_machine(reader: Reader, node: Any) -> Machine:
    return machine_from_arrays({"kind": node["machine"], **_read_fields(reader, node)})


def _read_calibration(reader: Reader, node: Any) -> Calibration:
    return calibration_from_arrays({"kind": node["calibration"], **_read_fields(reader, node)})


def _read_enum(reader: Reader, node: Any) -> Any:
    name, member = node["enum"], node["name"]
    if not isinstance(name, str) or name not in ENUMS:
        raise ModelFileError(f"Expected an enumeration among {list(ENUMS)}, got {name!r}.")
    members = found_at(ENUMS[name]).__members__
    if not isinstance(member, str) or member not in members:
        raise ModelFileError(f"Expected a {name} among {list(members)}, got {member!r}.")
    return members[member]


def _read_record(reader: Reader, node: Any) -> Any:
    name = node["record"]
    if not isinstance(name, str) or name not in RECORDS:
        raise ModelFileError(f"Expected a record that this version of Mercer knows, got {name!r}.")
    return RECORDS[name].made_of(name, _read_fields(reader, node))


_READERS: dict[Any, tuple[tuple[str, ...], Callable[[Reader, Any], Any]]] = {
    "kernel": (("kernel",), read_kernel),
    "pairwise": (("pairwise", "params"), read_pairwise),
    "machine": (("machine", "fields"), _read_machine),
    "calibration": (("calibration", "fields"), _read_calibration),
    "enum": (("enum", "name"), _read_enum),
    "record": (("record", "fields"), _read_record),
    "built": (("built", "parameters"), read_built),
    "estimator": (("estimator", "parameters", "fitted"), read_estimator),
}
