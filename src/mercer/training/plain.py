"""Findings from JSON: every field checked by the kind that it is declared to have."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from mercer.errors import InputError
from mercer.training.findings import Findings

__all__ = ["findings_from_plain"]


def findings_from_plain(plain: Any) -> Findings:
    """The findings whose `plain()` this is, as JSON has kept it; fields that are not known are left out.

    Raises
    ------
    InputError
        Where a field is missing or of another kind, by its place.
    """
    found = _read(Findings, plain, "report")
    assert isinstance(found, Findings)
    return found


def _read(kind: Any, value: Any, place: str) -> Any:
    """A value of a kind: a dataclass, a list, a dict, a pair, a number, a text, or one of several."""
    if is_dataclass(kind):
        return _read_fields(kind, value, place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        return _read(next(one for one in inner if one is not type(None)), value, place)
    if origin is list and isinstance(value, list):
        return [_read(inner[0], one, f"{place}[{number}]") for number, one in enumerate(value)]
    if origin is tuple and isinstance(value, (list, tuple)) and len(value) == len(inner):
        return tuple(_read(one, part, place) for one, part in zip(inner, value, strict=True))
    if origin is dict and isinstance(value, Mapping):
        return {str(key): _read(inner[1], one, f"{place}.{key}") for key, one in value.items()}
    if kind is Any:
        return value
    if kind is float and (value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))):
        return float("nan") if value is None else float(value)  # JSON has no NaN
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise InputError(f"{place}: expected {_told(kind)}, got {value!r:.80}. Is it the JSON of a report?")


def _read_fields(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: expected an object, got {type(value).__name__}. Is it the JSON of a report?")
    hints, given = get_type_hints(kind), {}
    for one in fields(kind):
        if one.name in value:
            given[one.name] = _read(hints[one.name], value[one.name], f"{place}.{one.name}")
        elif one.default is MISSING and one.default_factory is MISSING:
            raise InputError(f"{place}: expected the field {one.name!r}, got none. Is it the JSON of a report?")
    return kind(**given)


def _told(kind: Any) -> str:
    return {str: "text", int: "a whole number", float: "a number", bool: "true or false"}.get(kind, str(kind))
