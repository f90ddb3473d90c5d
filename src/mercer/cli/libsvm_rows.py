"""Data files as LIBSVM's programs take them: columns are the indices of the file, whatever the first is."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mercer.data.libsvm_data import load_libsvm
from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["LibsvmRows", "read_rows"]

# Dense rows are quicker to compute with unless most numbers are zero.
_SHARE_OF_DENSE = 0.25


class LibsvmRows(NamedTuple):
    """Rows of a file, and their targets; zeros where it has none.

    The column of a feature is its index, so that the first is empty unless indices begin at zero; of kernel values it
    has the serial numbers.
    """

    X: Any
    y: Floats
    is_labelled: bool

    @property
    def largest_index(self) -> int:
        return max(0, int(self.X.shape[1]) - 1)

    @property
    def begins_at_zero(self) -> bool:
        """Whether some row has a feature with the index 0."""
        return bool(len(self.X.indices) and int(self.X.indices.min()) == 0)

    def features(self, first_index: int = 1) -> Any:
        """The columns from an index on; dense where most numbers are not zero."""
        X = self.X
        if first_index == 1:
            shape = (X.shape[0], max(0, X.shape[1] - 1))
            X = X[:, 1:] if self.begins_at_zero else type(X)((X.data, X.indices - 1, X.indptr), shape=shape)
        return X.toarray() if X.nnz >= _SHARE_OF_DENSE * X.shape[0] * X.shape[1] else X

    def serials(self) -> Any:
        """The serial numbers of rows of kernel values; raises where they are none, with LIBSVM's words."""
        first = np.zeros(self.X.shape[0])
        has_first = np.diff(self.X.indptr) > 0
        places = self.X.indptr[:-1][has_first]
        is_zero = self.X.indices[places] == 0
        first[np.flatnonzero(has_first)[is_zero]] = self.X.data[places[is_zero]]
        if not has_first.all() or not is_zero.all():
            raise InputError("Wrong input format: first column must be 0:sample_serial_number")
        serials = first.astype(np.int64)
        if np.any((serials <= 0) | (serials > self.largest_index)):
            raise InputError("Wrong input format: sample_serial_number out of range")
        return serials


def read_rows(path: str, *, may_lack_labels: bool = False) -> LibsvmRows:
    """The rows of a file, or of standard input for `-`; lines may begin with features where labels may be lacking."""
    content = sys.stdin.buffer.read() if path == "-" else None
    begin = content[:_LOOKED_AT] if content is not None else _begin_of(path)
    is_labelled = not (may_lack_labels and b":" in (begin.split(None, 1) or [b""])[0])
    if not is_labelled:
        content = Path(path).read_bytes() if content is None else content
        content = b"".join(b"0 " + line for line in content.splitlines(keepends=True) if line.strip())
    try:
        found = load_libsvm(path if content is None else io.BytesIO(content), zero_based=True)
    except InputError as error:
        # LIBSVM's words first, which scripts may know.
        place = re.search(r"line (\d+)", str(error))
        told = "Wrong input format" if place is None else f"Wrong input format at line {place[1]}"
        raise InputError(f"{told}\n{error}") from error
    return LibsvmRows(found.X, np.asarray(found.y, dtype=np.float64), is_labelled)


# More than any label is long.
_LOOKED_AT = 4096


def _begin_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_LOOKED_AT)
