"""Small objects of scikit-learn's that parameters hold, and that are nothing but what their constructors are given."""

from __future__ import annotations

import inspect
from typing import Any

from mercer.errors import ModelFileError
from mercer.io.addresses import address_of, found_at
from mercer.io.nodes import Reader, Writer

__all__ = ["BUILT_NAMES", "read_built", "write_built"]

_FOLDS = "sklearn.model_selection._split"
_KERNELS = "sklearn.gaussian_process.kernels"
_BUILT = {
    **{
        name: f"{_FOLDS}:{name}"
        for name in (
            *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "RepeatedKFold"),
            *("RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit"),
            *("LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "TimeSeriesSplit", "PredefinedSplit"),
        )
    },
    **{
        f"sklearn.{name}": f"{_KERNELS}:{name}"
        for name in (
            *("RBF", "Matern", "RationalQuadratic", "ExpSineSquared", "DotProduct", "WhiteKernel", "ConstantKernel"),
            *("Sum", "Product", "Exponentiation", "CompoundKernel"),
        )
    },
    "make_column_selector": "sklearn.compose._column_transformer:make_column_selector",
}
#: By where their classes are.
BUILT_NAMES = {address: name for name, address in _BUILT.items()}


def write_built(writer: Writer, value: Any, where: str) -> dict[str, Any]:
    """The node of an object by what its constructor takes."""
    own = value.get_params(deep=False) if hasattr(value, "get_params") else value.__dict__
    given = {name: own[name] for name in inspect.signature(type(value)).parameters if name in own}
    return {
        "built": BUILT_NAMES[address_of(type(value))],
        "parameters": {name: writer.node(one, f"{where}.{name}") for name, one in given.items()},
    }


def read_built(reader: Reader, node: Any) -> Any:
    """The object that its constructor makes."""
    name, parameters = node["built"], node["parameters"]
    if not isinstance(name, str) or name not in _BUILT or not isinstance(parameters, dict):
        raise ModelFileError(f"Expected an object of scikit-learn's among {list(_BUILT)}, got {name!r}.")
    return found_at(_BUILT[name])(**{key: reader.value(value) for key, value in parameters.items()})
