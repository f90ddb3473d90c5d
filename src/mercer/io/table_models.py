"""A table's model as a plain dict and arrays by name, which is what it offers itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import ModelFileError
from mercer.io.addresses import address_of, found_at
from mercer.io.arrays import read_array
from mercer.io.tensor_file import is_storable_dtype

__all__ = ["is_table_model", "read_table_model", "write_table_model"]

_TABLE_MODEL = "mercer.tabular.table_model:TableModel"


def is_table_model(model: Any) -> bool:
    """Whether it is a TableModel, without importing it for those that are not."""
    return address_of(type(model)) == _TABLE_MODEL


def write_table_model(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The dict, which JSON holds, and the arrays."""
    plain, arrays = model.arrays()
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or not is_storable_dtype(array.dtype):
            raise ModelFileError(f"{name}: expected an array of numbers, got {getattr(array, 'dtype', type(array))}.")
    return plain, arrays


def read_table_model(plain: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The model, by its own checks."""
    if not isinstance(plain, dict):
        raise ModelFileError("expected a table's model.")
    # Locked, so that machines take them as they are.
    kind = found_at(_TABLE_MODEL)
    return kind.from_arrays(plain, {name: read_array(array, False, True) for name, array in arrays.items()})
