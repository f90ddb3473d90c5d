"""Named arrays and some texts in one file, in the format of safetensors, with every check before anything is read.

A file is the length of its header in eight bytes, a header in JSON, and the bytes of all arrays. The header tells the
dtype, shape and place of each array, and texts under `__metadata__`. The places follow each other from the first byte
to the last, so that nothing overlaps and nothing is left over. Arrays of wide numbers come first and the header is
filled up with blanks, so that all are aligned when the file is mapped into memory.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from io import FileIO
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.atomic_file import atomic_file
from mercer.errors import ModelFileError
from mercer.io.foreign_files import told_of
from mercer.io.strict_json import MOST_BYTES, check_size, parse_json

__all__ = ["Tensor", "TensorFile", "is_storable_dtype", "write_tensors"]

_METADATA = "__metadata__"
_LENGTH_BYTES = 8
# Of the first array in the file: that of a line of the processor's cache.
_ALIGNMENT = 64
# NumPy's own limit is no lower than this.
_MOST_DIMENSIONS = 32

_DTYPES = {
    "F64": "<f8",
    "I64": "<i8",
    "U64": "<u8",
    "F32": "<f4",
    "I32": "<i4",
    "U32": "<u4",
    "F16": "<f2",
    "I16": "<i2",
    "U16": "<u2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}


def is_storable_dtype(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of it can be in such a file."""
    return dtype.newbyteorder("<") in _NAMES


@dataclass(frozen=True)
class Tensor:
    """The dtype, shape and place of an array: its first byte after the header, and that behind its last."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def dtype_name(self) -> str:
        return self.dtype.name


@dataclass(frozen=True)
class TensorFile:
    """A file whose header was read and checked; arrays are read when they are asked for."""

    path: str
    size: int
    data_begins: int
    tensors: dict[str, Tensor]
    metadata: dict[str, str]

    @classmethod
    def open(cls, path: str) -> Self:
        """Reads the header."""
        with _opened(path) as file:
            return cls._of(path, file)

    @classmethod
    def open_and_read(cls, path: str, mapped: bool) -> tuple[Self, dict[str, NDArray[Any]]]:
        """Reads the header and all arrays; where `mapped`, arrays are read-only views on the file.

        Those that are read are writable, and share one block of memory.
        """
        with _opened(path) as file:
            found = cls._of(path, file)
            block = found._mapped(file) if mapped else found._read(file)
        return found, {name: _placed(block, tensor) for name, tensor in found.tensors.items()}

    @classmethod
    def _of(cls, path: str, file: FileIO) -> Self:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise ModelFileError(f"{path}: expected a file, got something else, such as a pipe or a device.")
        size = state.st_size
        start = file.read(_LENGTH_BYTES)
        length = int.from_bytes(start, "little")
        if len(start) < _LENGTH_BYTES or not 2 <= length <= min(MOST_BYTES, size - _LENGTH_BYTES):
            raise _no_model(path, start + file.read(_LENGTH_BYTES), size)
        text = file.read(length)
        if len(text) < length or not text.startswith(b"{"):
            raise _no_model(path, start + text[:_LENGTH_BYTES], size)
        header = parse_json(text, f"The header of {path}")
        begins = _LENGTH_BYTES + length
        try:
            metadata = _metadata_of(header)
            tensors = _tensors_of(header, size - begins)
        except ModelFileError as error:
            raise ModelFileError(f"{path} is damaged or no model file: {error}") from error
        return cls(path, size, begins, tensors, metadata)

    def _read(self, file: FileIO) -> NDArray[np.uint8]:
        count = self.size - self.data_begins
        try:
            block = np.empty(count, dtype=np.uint8)
        except MemoryError as error:
            raise ModelFileError(
                f"{self.path}: expected room for {count} bytes in memory, got none. Load it with mapped=True."
            ) from error
        got = 0
        while got < count:
            more = file.readinto(block[got:].data)
            if not more:
                raise ModelFileError(f"{self.path}: expected {self.size} bytes, got fewer. It is being written to.")
            got += more
        return block

    def _mapped(self, file: FileIO) -> NDArray[np.uint8]:
        count = self.size - self.data_begins
        if count == 0:
            return np.empty(0, dtype=np.uint8)
        return np.memmap(file, dtype=np.uint8, mode="r", offset=self.data_begins, shape=(count,))


def write_tensors(path: str, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Writes arrays, in C order, and texts to a file that is there as a whole or not at all."""
    given = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in tensors.items()}
    ordered = sorted(given, key=lambda name: -given[name].itemsize)
    header: dict[str, Any] = {_METADATA: dict(metadata)}
    end = 0
    for name in ordered:
        array, begin = given[name], end
        end += array.nbytes
        # Arrays of no dimensions become vectors on the way to C order.
        shape = list(tensors[name].shape)
        header[name] = {"dtype": _NAMES[array.dtype], "shape": shape, "data_offsets": [begin, end]}
    plain = json.dumps(header, allow_nan=False, separators=(",", ":"))
    plain += " " * (-(len(plain) + _LENGTH_BYTES) % _ALIGNMENT)
    check_size(plain, f"{path}, whose header has what is no array of numbers, such as texts and traces")
    text = plain.encode("ascii")
    try:
        with atomic_file(path) as file:
            file.write(len(text).to_bytes(_LENGTH_BYTES, "little"))
            file.write(text)
            for name in ordered:
                if given[name].nbytes:
                    file.write(given[name].reshape(-1).view(np.uint8).data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileError(
            f"{path}: expected to write a file there, got: {reason}. What was there before is unchanged; free "
            "space, or give another place."
        ) from error


def _opened(path: str) -> FileIO:
    try:
        return FileIO(path)
    except (OSError, ValueError) as error:
        reason = "a folder" if isinstance(error, IsADirectoryError) else getattr(error, "strerror", None) or error
        raise ModelFileError(f"{path}: expected a model file that can be read, got {reason}.") from error


def _no_model(path: str, start: bytes, size: int) -> ModelFileError:
    told = told_of(start, size)
    return ModelFileError(f"{path}: expected a model file that mercer.save wrote, got {told}")


def _metadata_of(header: Any) -> dict[str, str]:
    if not isinstance(header, dict):
        raise ModelFileError("expected a header that is an object.")
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ModelFileError("expected metadata of texts.")
    return metadata


def _tensors_of(header: dict[str, Any], room: int) -> dict[str, Tensor]:
    tensors = {name: _tensor_of(name, told) for name, told in header.items()}
    end = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.begin != end:
            raise ModelFileError(f"expected {name!r} to begin at byte {end}, where the one before ends.")
        end = tensor.end
    if end != room:
        raise ModelFileError(f"expected {end} bytes of arrays, got {room}.")
    return tensors


def _tensor_of(name: str, told: Any) -> Tensor:
    if not isinstance(told, dict) or set(told) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"expected the dtype, shape and place of {name!r}.")
    code, shape, place = told["dtype"], told["shape"], told["data_offsets"]
    if not isinstance(code, str) or code not in _DTYPES:
        raise ModelFileError(f"expected {name!r} to be of a dtype among {list(_DTYPES)}.")
    if not _are_counts(shape) or len(shape) > _MOST_DIMENSIONS:
        raise ModelFileError(f"expected the shape of {name!r} to be at most {_MOST_DIMENSIONS} whole numbers ≥ 0.")
    dtype = np.dtype(_DTYPES[code])
    if not _are_counts(place) or len(place) != 2 or place[1] - place[0] != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(f"expected the place of {name!r} to be as large as its shape.")
    return Tensor(dtype, tuple(shape), place[0], place[1])


def _are_counts(numbers: Any) -> bool:
    # Products of more are beyond any file, and take long.
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < 2**63 for number in numbers)


def _placed(block: NDArray[np.uint8], tensor: Tensor) -> NDArray[Any]:
    part = block[tensor.begin : tensor.end]
    if tensor.begin % tensor.dtype.itemsize:  # of files that others wrote
        part = np.array(part)
    return part.view(tensor.dtype).reshape(tensor.shape)
