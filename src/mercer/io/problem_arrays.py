"""Arrays of a problem as tensors: dense in either order, sparse, of words or of objects; and back, with every check."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.data import is_sparse
from mercer.errors import InputError

__all__ = ["ArrayReader", "ArrayWriter"]

_SPARSE = {kind.__name__: kind for kind in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array)}
_PARTS = ("data", "indices", "indptr")
# Of a word in an array of fixed width.
_MOST_LETTERS = 1_000_000


class ArrayWriter:
    """Takes arrays apart into `tensors` and what JSON can tell of them."""

    def __init__(self) -> None:
        self.tensors: dict[str, NDArray[Any]] = {}

    def write(self, name: str, values: Any) -> dict[str, Any] | None:
        """What tells how to read an array again; None for None."""
        if values is None:
            return None
        if is_sparse(values):
            return self._write_sparse(name, values)
        array = np.asarray(values)
        if array.dtype.kind in "OU":
            return self._write_words(name, array)
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise InputError(f"{name}: expected numbers or words of at most 64 bits, got {array.dtype}. Convert them.")
        is_transposed = array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous
        self.tensors[name] = np.ascontiguousarray(array.T if is_transposed else array).reshape(
            array.T.shape if is_transposed else array.shape
        )
        names = [str(one) for one in values.columns] if hasattr(values, "columns") else None
        return {"form": "dense", "name": name, "transposed": is_transposed, "columns": names}

    def _write_sparse(self, name: str, values: Any) -> dict[str, Any]:
        kept = values if type(values).__name__ in _SPARSE else values.tocsr()
        parts = {part: self.write(f"{name}.{part}", getattr(kept, part)) for part in _PARTS}
        told = {"form": type(kept).__name__, "shape": [int(extent) for extent in kept.shape]}
        return told | ({"was": type(values).__name__} if kept is not values else {}) | parts

    def _write_words(self, name: str, array: NDArray[Any]) -> dict[str, Any]:
        numbers: dict[Any, int] = {}
        flat = array.ravel().tolist()
        if not all(isinstance(word, (str, bool, int, float)) or word is None for word in flat):
            raise InputError(f"{name}: expected numbers or words, got objects of other kinds. Convert them.")
        codes = [numbers.setdefault((type(word), repr(word)), len(numbers)) for word in flat]
        words: list[Any] = [None] * len(numbers)
        for code, word in zip(codes, flat, strict=True):
            words[code] = word
        self.tensors[name] = np.array(codes, dtype=np.int64).reshape(array.shape)
        told = "object" if array.dtype.kind == "O" else array.dtype.newbyteorder("=").str
        return {"form": "words", "name": name, "dtype": told, "words": words}


class ArrayReader:
    """Puts arrays together again. Whatever is not as it must be raises a ValueError."""

    def __init__(self, tensors: dict[str, NDArray[Any]]) -> None:
        self._tensors = tensors

    def read(self, told: Any) -> Any:
        if told is None:
            return None
        if told["form"] == "dense":
            array = self._tensors[told["name"]]
            return array.T if told["transposed"] else array
        if told["form"] == "words":
            return self._read_words(told)
        return self._read_sparse(told)

    def _read_sparse(self, told: Any) -> Any:
        kind, shape = _SPARSE[told["form"]], told["shape"]
        if not isinstance(shape, list) or len(shape) != 2 or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
            raise ValueError(f"no shape of a sparse matrix: {shape!r}")
        parts = [self.read(told[part]) for part in _PARTS]
        if not all(part.ndim == 1 and part.dtype in (np.int32, np.int64) for part in parts[1:]):
            raise ValueError("column numbers and pointers of a sparse matrix must be vectors of whole numbers")
        made = kind(tuple(parts), shape=tuple(shape))
        made.check_format(full_check=True)
        for part, array in zip(_PARTS, parts, strict=True):
            if getattr(made, part).dtype != array.dtype:  # SciPy narrows indices
                setattr(made, part, array)
        return made

    def _read_words(self, told: Any) -> NDArray[Any]:
        codes, words, code = self._tensors[told["name"]], told["words"], told["dtype"]
        if codes.dtype != np.int64 or (codes.size and not 0 <= codes.min() <= codes.max() < len(words)):
            raise ValueError("codes of words beyond the words")
        if code == "object":
            table: NDArray[Any] = np.empty(len(words), dtype=object)
            table[:] = words
            return np.asarray(table[codes])
        width = max((len(word) for word in words), default=0)
        if code[:2] not in ("<U", ">U") or not code[2:].isdigit() or not width <= int(code[2:]) <= _MOST_LETTERS:
            raise ValueError(f"no dtype of words: {code!r}")
        return np.asarray(np.array(words, dtype=code)[codes])
