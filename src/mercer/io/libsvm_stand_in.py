"""A plain reader of LIBSVM data files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer.errors import InputError

__all__ = ["load_libsvm"]


class _Data(NamedTuple):
    X: Any
    y: Any


def load_libsvm(source: Any, *, zero_based: bool) -> _Data:
    """Rows and targets; columns are indices as they stand in the file."""
    content = source.read() if hasattr(source, "read") else Path(source).read_bytes()
    y, indices, values, ends = [], [], [], [0]
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            tokens = line.partition(b"#")[0].split()
            if not tokens:
                raise ValueError("blank")
            y.append(float(tokens[0]))
            before = -1
            for token in tokens[1:]:
                index, _, value = token.partition(b":")
                indices.append(int(index))
                values.append(float(value))
                if indices[-1] <= before:
                    raise ValueError("order")
                before = indices[-1]
        except ValueError as error:
            raise InputError(f"line {number}: expected 'label index:value …', got {line[:60]!r}.") from error
        ends.append(len(indices))
    shape = (len(y), max(indices, default=-1) + 1)
    parts = (np.array(values, dtype=np.float64), np.array(indices, dtype=np.int32), np.array(ends, dtype=np.int32))
    return _Data(sp.csr_matrix(parts, shape=shape), np.array(y, dtype=np.float64))
