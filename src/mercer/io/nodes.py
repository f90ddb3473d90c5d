"""Values as JSON and arrays, and back.

None, booleans, whole numbers, finite numbers, texts and lists are themselves; everything else is an object with a tag:
{"tuple": [...]}, {"dict": [[key, value], ...]}, {"number": "nan"}, {"array": "its name among the arrays"} and so on.
What is an object of a class is written and read by the functions that a writer and a reader are given (`objects`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.data import is_sparse
from mercer.errors import ModelFileError
from mercer.io.arrays import read_array, read_sparse, read_texts, write_array, write_sparse
from mercer.io.unstorable import unstorable

__all__ = ["Reader", "Writer"]

_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# What NumPy calls its booleans differs from version to version.
_SCALARS: dict[str, Any] = {
    **{name: np.dtype(name).type for name in ("float64", "float32", "float16", "int64", "int32", "int16", "int8")},
    **{name: np.dtype(name).type for name in ("uint64", "uint32", "uint16", "uint8")},
    "bool_": np.bool_,
    "str_": np.str_,
}
_TYPES: dict[str, type] = {
    **_SCALARS,
    **{one.__name__: one for one in (float, int, str, bool, object, np.number, np.integer, np.floating)},
}
_TYPE_NAMES = {one: name for name, one in _TYPES.items()}
# Lists within lists.
_MOST_DEPTH = 100
_MOST_SIZE = 2**63
# Of a range, which takes little to write and much to look through.
_MOST_STEPS = 1_000_000


class Writer:
    """Makes nodes of values, and collects their arrays by name."""

    def __init__(self, write_object: Callable[[Writer, Any, str], Any]) -> None:
        self._write_object = write_object
        self.tensors: dict[str, NDArray[Any]] = {}
        #: What is not kept, in sentences.
        self.dropped: list[str] = []
        self._known: dict[int, tuple[Any, str]] = {}

    def node(self, value: Any, where: str) -> Any:
        """The node of a value; `where` it is within the model names its arrays."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return self._integer(value, where)
        if kind is float:
            return value if math.isfinite(value) else {"number": repr(value)}
        write = _WRITERS.get(kind)
        if write is not None:
            return write(self, value, where)
        if isinstance(value, np.ma.MaskedArray):
            parts = {"mask": np.ma.getmaskarray(value), "fill": value.fill_value}
            return {"masked": self.node(value.data, f"{where}.data")} | {
                name: self.node(part, f"{where}.{name}") for name, part in parts.items()
            }
        if isinstance(value, np.ndarray):
            return write_array(self, value, where)
        if is_sparse(value):
            return write_sparse(self, value, where)
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if isinstance(value, np.dtype):
            return {"dtype": self._type_name(value.type, where)}
        if isinstance(value, type):
            return {"type": self._type_name(value, where)}
        if isinstance(value, Path):
            return {"path": str(value)}
        return self._write_object(self, value, where)

    def name_of(self, array: NDArray[Any], where: str) -> str:
        """The name of an array among the arrays of the file; the same array has one name, wherever it is."""
        known = self._known.get(id(array))
        if known is None:
            name = where
            while name in self.tensors:  # keys of dicts can look like places
                name += "'"
            known = self._known[id(array)] = (array, name)  # held, so that no other gets its number
        return known[1]

    def _scalar(self, value: Any, where: str) -> Any:
        name = _TYPE_NAMES.get(type(value), value.dtype.name)
        if name not in _SCALARS:
            raise unstorable(value, where)
        return {"scalar": name, "value": self.node(value.item(), where)}

    def _type_name(self, kind: Any, where: str) -> str:
        if kind not in _TYPE_NAMES:
            raise unstorable(kind, where)
        return _TYPE_NAMES[kind]

    @staticmethod
    def _integer(value: int, where: str) -> int:
        if abs(value) >= _MOST_SIZE:
            raise ModelFileError(f"{where}: expected a whole number of 64 bits, got {value}.")
        return value

    def nodes(self, values: Any, where: str) -> list[Any]:
        return [self.node(one, f"{where}.{place}") for place, one in enumerate(values)]

    def _pairs(self, value: dict[Any, Any], where: str) -> Any:
        return {
            "dict": [
                [self.node(key, f"{where}.key"), self.node(one, f"{where}.{key if isinstance(key, str) else place}")]
                for place, (key, one) in enumerate(value.items())
            ]
        }


_WRITERS: dict[type, Callable[[Writer, Any, str], Any]] = {
    list: lambda writer, value, where: writer.nodes(value, where),
    tuple: lambda writer, value, where: {"tuple": writer.nodes(value, where)},
    dict: Writer._pairs,
    slice: lambda writer, value, where: {"slice": writer.nodes((value.start, value.stop, value.step), where)},
    range: lambda writer, value, where: {"range": writer.nodes((value.start, value.stop, value.step), where)},
}


class Reader:
    """Makes values of nodes and arrays."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]], read_object: Callable[[Reader, Any], Any]) -> None:
        self._read_object = read_object
        self._tensors = tensors
        self._made: dict[tuple[Any, ...], Any] = {}
        self._depth = 0
        #: Names of arrays that were asked for.
        self.used: set[str] = set()
        #: Whether there is an estimator of scikit-learn's among the values.
        self.has_foreign = False

    def value(self, node: Any) -> Any:
        """The value of a node."""
        kind = type(node)
        if kind is float and not math.isfinite(node):
            raise ModelFileError("Expected finite numbers, got one that is too large.")
        if kind is int and abs(node) >= _MOST_SIZE:
            raise ModelFileError("Expected whole numbers of 64 bits, got one that is larger.")
        if node is None or kind in (bool, str, int, float):
            return node
        if self._depth >= _MOST_DEPTH:
            raise ModelFileError(f"Expected values of at most {_MOST_DEPTH} levels, got more.")
        self._depth += 1
        try:
            return [self.value(one) for one in node] if kind is list else self._tagged(node)
        finally:
            self._depth -= 1

    def array(self, name: Any, is_transposed: bool, is_locked: bool) -> NDArray[Any]:
        """An array of the file; the same one whenever it is asked for."""
        if not isinstance(name, str) or name not in self._tensors:
            raise ModelFileError(f"Expected an array of the file, got {name!r}, which it does not have.")
        key = (name, is_transposed, is_locked)
        if key not in self._made:
            self.used.add(name)
            self._made[key] = read_array(self._tensors[name], is_transposed, is_locked)
        return self._made[key]  # type: ignore[no-any-return]

    def unused(self) -> set[str]:
        return set(self._tensors) - self.used

    def _tagged(self, node: Any) -> Any:
        tag = next(iter(node), None)
        read = _READERS.get(tag) if isinstance(tag, str) else None
        if read is None:
            return self._read_object(self, node)
        names, make = read
        if not set(names) >= set(node) or not all(name in node for name in names if name not in _OPTIONAL):
            raise ModelFileError(f"Expected {list(names)} of a value that is a {tag}, got {list(node)}.")
        return make(self, node)

    def _scalar(self, node: Any) -> Any:
        kind, value = _SCALARS.get(node["scalar"]), self.value(node["value"])
        if kind is None:
            raise ModelFileError(f"Expected a number of NumPy's, got {node['scalar']!r}.")
        made = kind(value)
        if made.item() != value and value == value:
            raise ModelFileError(f"Expected a number that {node['scalar']} holds, got {value!r}.")
        return made

    def _pairs(self, node: Any) -> dict[Any, Any]:
        pairs = [(self.value(key), self.value(value)) for key, value in node["dict"]]
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ModelFileError("Expected different keys, got one twice.")
        return found

    def _masked(self, node: Any) -> Any:
        data, mask, fill = (self.value(node[name]) for name in ("masked", "mask", "fill"))
        if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != np.shape(data):
            raise ModelFileError("Expected a mask as large as what it masks, got another.")
        return np.ma.MaskedArray(data, mask=mask, fill_value=fill)

    def _indices(self, node: Any) -> list[Any]:
        (given,) = node.values()
        found = [self.value(one) for one in given]
        if len(found) != 3 or not all(one is None or isinstance(one, (int, str)) for one in found):
            raise ModelFileError("Expected a start, an end and a step, got others.")
        return found

    def _range(self, node: Any) -> range:
        found = range(*self._indices(node))
        if len(found) > _MOST_STEPS:
            raise ModelFileError(f"Expected a range of at most {_MOST_STEPS} numbers, got more.")
        return found


_OPTIONAL = ("order", "locked")
_READERS: dict[str, tuple[tuple[str, ...], Callable[[Reader, Any], Any]]] = {
    "tuple": (("tuple",), lambda reader, node: tuple(reader.value(list(node["tuple"])))),
    "dict": (("dict",), Reader._pairs),
    "number": (("number",), lambda reader, node: _NUMBERS[node["number"]]),
    "scalar": (("scalar", "value"), Reader._scalar),
    "array": (
        ("array", "order", "locked"),
        lambda reader, node: reader.array(node["array"], node.get("order") == "F", node.get("locked") is True),
    ),
    "masked": (("masked", "mask", "fill"), Reader._masked),
    "sparse": (("sparse", "shape", "data", "indices", "indptr"), read_sparse),
    "values": (("values", "dtype", "shape", "locked"), read_texts),
    "dtype": (("dtype",), lambda reader, node: np.dtype(_TYPES[node["dtype"]])),
    "type": (("type",), lambda reader, node: _TYPES[node["type"]]),
    "path": (("path",), lambda reader, node: Path(node["path"])),
    "slice": (("slice",), lambda reader, node: slice(*reader._indices(node))),
    "range": (("range",), Reader._range),
}
