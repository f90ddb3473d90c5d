"""A table's model as a plain dict and arrays by name, which is what it offers itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import ModelFileError
from mercer.io.arrays import read_array
from mercer.io.tensor_file import is_storable_dtype

__all__ = ["is_table_model", "read_table_model", "write_table_model"]

_NUMBER = "mercer:number"
_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def is_table_model(model: Any) -> bool:
    """Whether it is a TableModel, without importing it for those that are not."""
    return any(
        one.__module__.startswith("mercer.tabular.") and one.__name__ == "TableModel" for one in type(model).__mro__
    )


def write_table_model(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The dict, which JSON holds, and the arrays."""
    plain, arrays = model.arrays()
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or not is_storable_dtype(array.dtype):
            raise ModelFileError(f"{name}: expected an array of numbers, got {getattr(array, 'dtype', type(array))}.")
    return _encoded(plain), arrays


def _encoded(value: Any) -> Any:
    """Numbers that JSON has no name for as objects, such as scores of nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return {_NUMBER: repr(value)}
    if isinstance(value, dict):
        return {key: _encoded(one) for key, one in value.items()}
    return [_encoded(one) for one in value] if isinstance(value, (list, tuple)) else value


def _decoded(value: Any) -> Any:
    if isinstance(value, dict):
        return (
            float(_NUMBERS[value[_NUMBER]]) if set(value) == {_NUMBER} else {k: _decoded(v) for k, v in value.items()}
        )
    return [_decoded(one) for one in value] if isinstance(value, list) else value


def read_table_model(plain: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The model, by its own checks."""
    from mercer.tabular import TableModel

    if not isinstance(plain, dict):
        raise ModelFileError("expected a table's model.")
    # Locked, so that machines take them as they are.
    given = _decoded(plain)
    return TableModel.from_arrays(given, {name: read_array(array, False, True) for name, array in arrays.items()})
