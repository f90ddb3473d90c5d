"""Arrays as nodes: of numbers among the arrays of the file, of texts and objects in its JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.errors import ModelFileError
from mercer.io.tensor_file import is_storable_dtype
from mercer.io.unstorable import unstorable

if TYPE_CHECKING:
    from mercer.io.nodes import Reader, Writer

__all__ = ["read_array", "read_sparse", "read_texts", "write_array", "write_sparse"]

_SPARSE = {one.__name__: one for one in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array)}
# Letters of a text, of arrays that keep them side by side.
_MOST_LETTERS = 100_000
_PARTS = ("data", "indices", "indptr")


def write_array(writer: Writer, array: NDArray[Any], where: str) -> dict[str, Any]:
    """The node of an array; its order and whether it can be written to are kept, as sums follow the order."""
    locked = {} if array.flags.writeable else {"locked": True}
    if array.dtype.kind in "OUS":
        return _write_texts(writer, array, where) | locked
    if not is_storable_dtype(array.dtype):
        raise unstorable(array, where)
    name = writer.name_of(array, where)
    is_transposed = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    writer.tensors[name] = array.T if is_transposed else array
    return {"array": name} | ({"order": "F"} if is_transposed else {}) | locked


def _write_texts(writer: Writer, array: NDArray[Any], where: str) -> dict[str, Any]:
    values: list[Any] = array.ravel().tolist()
    if array.dtype.kind == "S":
        values = [one.decode("latin-1") for one in values]
    dtype = "object" if array.dtype.kind == "O" else array.dtype.newbyteorder("=").str
    return {"values": writer.nodes(values, where), "dtype": dtype, "shape": list(array.shape)}


def read_array(array: NDArray[Any], is_transposed: bool, is_locked: bool) -> NDArray[Any]:
    """An array of the file; integers are copied from files that are mapped, lest they change after their check."""
    if isinstance(array, np.memmap) and array.dtype.kind != "f":
        array = np.array(array)
    made = array.T if is_transposed else array
    if is_locked and made.flags.writeable:
        made.setflags(write=False)
        made = made.view()
    return made


def read_texts(reader: Reader, node: Any) -> NDArray[Any]:
    """An array of texts or objects."""
    values, code, shape = node["values"], node["dtype"], node["shape"]
    if not isinstance(values, list) or not isinstance(shape, list) or not _is_shape(shape, len(values)):
        raise ModelFileError("Expected an array of texts and its shape, got others.")
    made = np.empty(len(values), dtype=_dtype_of(code, len(values)))
    given = reader.value(values)
    if made.dtype.kind == "O":
        for place, value in enumerate(given):
            made[place] = value
    else:
        width = made.dtype.itemsize // (4 if made.dtype.kind == "U" else 1)
        if not all(isinstance(one, str) and len(one) <= width for one in given):
            raise ModelFileError(f"Expected texts of at most {width} letters, got others.")
        made[:] = given if made.dtype.kind == "U" else [one.encode("latin-1") for one in given]
    made = made.reshape(shape)
    if node.get("locked") is True:
        made.setflags(write=False)
        made = made.view()
    return made


def _is_shape(shape: list[Any], size: int) -> bool:
    return (
        all(type(one) is int and 0 <= one <= 2**62 for one in shape) and len(shape) <= 32 and math.prod(shape) == size
    )


def _dtype_of(code: Any, size: int) -> np.dtype[Any]:
    if code == "object":
        return np.dtype(object)
    if not isinstance(code, str) or code[:2] not in ("<U", "|S") or not code[2:].isascii() or not code[2:].isdigit():
        raise ModelFileError(f"Expected an array of texts or objects, got one of {code!r}.")
    letters = int(code[2:]) if len(code) < 10 else _MOST_LETTERS + 1
    if letters > _MOST_LETTERS or letters * size > 2**28:
        raise ModelFileError(f"Expected texts of at most {_MOST_LETTERS} letters, got {code[2:]}.")
    return np.dtype(code)


def write_sparse(writer: Writer, value: Any, where: str) -> dict[str, Any]:
    """The node of a sparse matrix."""
    kind = type(value).__name__
    if kind not in _SPARSE:
        raise unstorable(value, where)
    parts = {part: write_array(writer, getattr(value, part), f"{where}.{part}") for part in _PARTS}
    return {"sparse": kind, "shape": list(value.shape), **parts}


def read_sparse(reader: Reader, node: Any) -> Any:
    """A sparse matrix whose row pointers and column numbers were checked."""
    kind, shape = node["sparse"], node["shape"]
    data, indices, indptr = (reader.value(node[part]) for part in _PARTS)
    if kind not in _SPARSE:
        raise ModelFileError(f"Expected a sparse matrix among {list(_SPARSE)}, got {kind!r}.")
    if (
        not isinstance(shape, list)
        or len(shape) != 2
        or not all(type(one) is int and 0 <= one < 2**62 for one in shape)
    ):
        raise ModelFileError(f"Expected the shape of a sparse matrix, got {shape!r}.")
    is_by_rows = kind.startswith("csr")
    if not _is_compressed(data, indices, indptr, *(shape if is_by_rows else shape[::-1])):
        raise ModelFileError("Expected the pointers and numbers of a sparse matrix to fit its shape, got others.")
    made = _SPARSE[kind](tuple(shape))
    for part, array in zip(_PARTS, (data, indices, indptr), strict=True):
        setattr(made, part, array)  # as they are: SciPy would narrow their dtypes
    return made


def _is_compressed(data: Any, indices: Any, indptr: Any, major: int, minor: int) -> bool:
    if not all(isinstance(one, np.ndarray) and one.ndim == 1 for one in (data, indices, indptr)):
        return False
    if data.dtype.kind not in "fiub" or indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
        return False
    return (
        len(indptr) == major + 1
        and len(data) == len(indices) == int(indptr[-1])
        and int(indptr[0]) == 0
        and bool(np.all(indptr[1:] >= indptr[:-1]))
        and (len(indices) == 0 or (int(indices.min()) >= 0 and int(indices.max()) < minor))
    )
