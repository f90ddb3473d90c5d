"""The encoding of a table as nodes of an ONNX graph: one input a column, features out.

Numbers come as they are, booleans as 0 and 1, dates as days since 1970-01-01 with their fractions, all as float64 of
shape (rows, 1), NaN where missing; text comes as strings of shape (rows, 1), empty where missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, ValueInfoProto, helper

from mercer.errors import InputError
from mercer.io.onnx_nodes import Nodes
from mercer.tables import ColumnKind, Encoding
from mercer.tables.boolean_code import BooleanCode
from mercer.tables.category_code import CategoryCode
from mercer.tables.column_code import ColumnCode
from mercer.tables.date_code import CYCLES, DateCode
from mercer.tables.left_out import PresenceCode
from mercer.tables.number_code import NumberCode, within_reach
from mercer.tables.step_code import StepCode
from mercer.tables.words_code import AROUND, WordsCode

__all__ = ["column_inputs", "encoded_rows"]

_REACH = float(within_reach(np.array(math.inf)))

_MEANINGS = {
    ColumnKind.NUMBER: "a number, NaN where missing",
    ColumnKind.BOOLEAN: "0 or 1, NaN where missing",
    ColumnKind.DATE: "days since 1970-01-01 with their fractions, NaN where missing",
    ColumnKind.TEXT: "a text, empty where missing",
}


def column_inputs(encoding: Encoding, names: dict[str, str]) -> list[ValueInfoProto]:
    """The inputs of the graph, given their names by column."""
    found = []
    for code in _used(encoding):
        kind = code.column_kind
        meaning = f"{code.name}: {_MEANINGS[kind]}"
        if isinstance(code, BooleanCode):
            meaning += f"; 0 is {code.words[0]!r}, 1 is {code.words[1]!r}"
        number = TensorProto.STRING if kind is ColumnKind.TEXT else TensorProto.DOUBLE
        found.append(helper.make_tensor_value_info(names[code.name], number, ["rows", 1], meaning))
    return found


def encoded_rows(add: Nodes, encoding: Encoding, names: dict[str, str]) -> str:
    """The matrix of features of all rows."""
    parts = [part for code in _used(encoding) for part in _FEATURES[type(code)](add, code, names[code.name])]
    return parts[0] if len(parts) == 1 else add("Concat", *parts, axis=1)


def _used(encoding: Encoding) -> list[ColumnCode]:
    return [code for code in encoding.columns if code.n_features]


def _number(add: Nodes, code: NumberCode, column: str) -> list[str]:
    missing = add("IsNaN", column)
    given = add("Where", missing, code.fill, column)
    return [_scaled(add, given, code.mean, code.scale), *_indicator(add, code, missing)]


def _steps(add: Nodes, code: StepCode, column: str) -> list[str]:
    steps = np.arange(code.first, code.first + code.n_steps, dtype=np.float64)[None]
    return [*_number(add, code, column), _number_of(add, add("Equal", column, steps))]


def _boolean(add: Nodes, code: BooleanCode, column: str) -> list[str]:
    missing = add("IsNaN", column)
    return [add("Where", missing, code.fill, column), *_indicator(add, code, missing)]


def _date(add: Nodes, code: DateCode, column: str) -> list[str]:
    missing = add("IsNaN", column)
    features = [_scaled(add, column, code.mean, code.scale)]
    whole = add("Floor", column)
    for cycle in code.cycles:
        days = CYCLES[cycle]
        passed = add("Mul", add("Floor", add("Div", whole, days)), days)
        since = add("Sub", column, whole) if cycle == "day" else add("Sub", whole, passed)
        angle = add("Div", add("Mul", since, 2 * math.pi), days)
        features += [add("Sin", angle), add("Cos", angle)]
    given = [add("Where", missing, 0.0, feature) for feature in features]
    return [*given, *_indicator(add, code, missing)]


def _category(add: Nodes, code: CategoryCode, column: str) -> list[str]:
    if "" in (*code.categories, *code.pooled):
        raise InputError(
            f"ONNX: expected no category of column {code.name!r} to be an empty text, which stands for a missing "
            "value, got one. Make it missing in the training table, or give it a name."
        )
    own = _number_of(add, add("Equal", column, _texts(*code.categories)[None]))
    missing = [_number_of(add, add("Equal", column, _texts("")))] if code.has_missing else []
    if not code.n_pooled:
        return [own, *missing]
    # Whatever has no feature of its own shares one: rare values, new ones, and missing ones that have no indicator.
    others = add("Sub", 1.0, add("ReduceSum", own, [1], keepdims=1))
    return [own, add("Sub", others, missing[0]) if missing else others, *missing]


def _words(add: Nodes, code: WordsCode, column: str) -> list[str]:
    if not all(word.isascii() for word in code.vocabulary):
        raise InputError(
            f"ONNX: expected words of column {code.name!r} in the letters of ASCII, whose case its operators know, got "
            "others. Leave the column out, or make categories of it."
        )
    found = [_number_of(add, add("RegexFullMatch", column, pattern=_pattern(word))) for word in code.vocabulary]
    return [*found, *([_number_of(add, add("Equal", column, _texts("")))] if code.has_indicator else [])]


def _pattern(word: str) -> str:
    """What a text is that has a word between blanks, with stops around it."""
    stops = f"[{re.escape(AROUND)}]*"
    return rf"(?is)(?:.*\s)?{stops}{word}{stops}(?:\s.*)?"


def _presence(add: Nodes, code: PresenceCode, column: str) -> list[str]:
    is_text = code.column_kind is ColumnKind.TEXT
    return [_number_of(add, add("Equal", column, _texts("")) if is_text else add("IsNaN", column))]


def _scaled(add: Nodes, column: str, mean: float, scale: float) -> str:
    return add("Clip", add("Div", add("Sub", column, mean), scale), -_REACH, _REACH)


def _indicator(add: Nodes, code: Any, missing: str) -> list[str]:
    return [_number_of(add, missing)] if code.has_indicator else []


def _number_of(add: Nodes, is_so: str) -> str:
    return add("Cast", is_so, to=TensorProto.DOUBLE)


def _texts(*texts: str) -> NDArray[np.object_]:
    return np.array(texts, dtype=object)


_FEATURES: dict[type[ColumnCode], Callable[[Nodes, Any, str], list[str]]] = {
    NumberCode: _number,
    StepCode: _steps,
    WordsCode: _words,
    BooleanCode: _boolean,
    DateCode: _date,
    CategoryCode: _category,
    PresenceCode: _presence,
}
