"""Models as ONNX graphs of plain operators in float64: what they answer is what Mercer answers, to rounding.

`onnx_exported` says what a model is made of; `onnx_encoding`, `onnx_machines` with `onnx_kernels` and `onnx_distances`,
`onnx_calibration` and `onnx_deciding` write its parts down as nodes (`onnx_nodes`); `onnx_outputs` puts them together,
and here they become a model. `onnx_converter` does the same for Mercer's machines within pipelines of scikit-learn's.
The package onnx is imported when it is asked for.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.atomic_file import atomic_file
from mercer.checks import integer
from mercer.errors import InputError, ParameterError, missing_package
from mercer.machines import Machine
from mercer.tables import ColumnKind, Encoding
from mercer.tables.date_code import days_since_1970
from mercer.tables.expected_kind import column_of_kind
from mercer.tables.words_code import WordsCode
from mercer.tabular import TableModel
from mercer.typing import Floats

if TYPE_CHECKING:
    from onnx import ModelProto

    from mercer.io.onnx_exported import Exported

__all__ = ["DEFAULT_OPSET", "onnx_inputs", "save_onnx", "to_onnx"]

#: The first in which texts can be compared, which onnxruntime knows since its release 1.15.
DEFAULT_OPSET = 20

# What the format of the files can hold.
_MOST_BYTES = 2**31 - 2**20


def to_onnx(model: Any, *, opset: int = DEFAULT_OPSET, n_features: int | None = None) -> ModelProto:
    """The model as an ONNX graph of plain operators in float64.

    Parameters
    ----------
    model : estimator, TableModel, Machine or Pipeline
        A fitted machine of Mercer's, a search or a tuned estimator that holds one, a model of a table, or a pipeline of
        scikit-learn's that ends in such a machine, for which skl2onnx has to be installed. Kernels that are Python
        functions or given matrices are refused.
    opset : int, default=20
        The version of ONNX's operators, 13 or more, 19 or more where columns are text, 20 where they are free text.
    n_features : int, optional
        How many features rows have, where a pipeline does not know.

    Returns
    -------
    onnx.ModelProto
        Its input is `X`, float64 of shape (rows, features). Of a `TableModel` each column is an input of its own, of
        shape (rows, 1), named as the column: numbers, booleans as 0 and 1, and dates as days since 1970-01-01 are
        float64, NaN where missing; texts are strings, empty where missing. `onnx_inputs` makes them of a table.

        Its outputs are `label` (int64 or strings), `probabilities` where the machine is calibrated, and `decision`,
        one column a function as `decision_function` has them; of a regression `variable`, one column a target. An
        output is named otherwise, as `label_1`, where a column has its name.

    Notes
    -----
    All rows of a batch are computed at once, which takes the memory of a few matrices of rows by support vectors.
    A graph cannot refuse what Mercer refuses: infinite numbers count as very large ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.io.onnx_graph import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = to_onnx(SVC().fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['label', 'decision']
    """
    _check_package()
    from mercer.io.onnx_exported import exported_estimator, exported_machine, exported_table_model
    from mercer.io.onnx_nodes import LEAST_OPSET

    integer("opset", opset, LEAST_OPSET)
    if isinstance(model, TableModel):
        return _table_graph(model, exported_table_model(model), opset)
    if isinstance(model, Machine):
        return _matrix_graph(exported_machine(model), opset, n_features)
    if hasattr(model, "best_estimator_"):
        return to_onnx(model.best_estimator_, opset=opset, n_features=n_features)
    if hasattr(model, "to_estimator"):
        return to_onnx(model.to_estimator(), opset=opset, n_features=n_features)
    if hasattr(model, "steps"):
        from mercer.io.onnx_converter import pipeline_to_onnx

        return pipeline_to_onnx(model, opset, n_features)
    return _matrix_graph(exported_estimator(model), opset, n_features)


def save_onnx(
    model: Any, path: str | os.PathLike[str], *, opset: int = DEFAULT_OPSET, n_features: int | None = None
) -> Path:
    """Writes the model as an ONNX file, which is there as a whole or not at all.

    Parameters
    ----------
    model, opset, n_features
        As in `to_onnx`.
    path : str or path
        The file, which is replaced where there is one.

    Returns
    -------
    Path
        That of the file.
    """
    content = to_onnx(model, opset=opset, n_features=n_features).SerializeToString()
    with atomic_file(path) as file:
        file.write(content)
    return Path(path)


def onnx_inputs(model: TableModel | Encoding, table: Any) -> dict[str, Any]:
    """The rows of a table as the graph of a `TableModel` takes them: an array of shape (rows, 1) for each input.

    Parameters
    ----------
    model : TableModel or Encoding
        Whose graph it is.
    table : Table
        With the columns of the training table, in any order.

    Returns
    -------
    dict
        What `onnxruntime.InferenceSession.run` takes.
    """
    encoding = model.encoding if isinstance(model, TableModel) else model
    words = {code.name: getattr(code, "words", ()) for code in encoding.columns}
    names = _input_names(encoding)
    return {names[name]: _as_input(column_of_kind(table, name, kind, words[name])) for name, kind in encoding.schema}


def _as_input(column: Any) -> Any:
    missing = column.missing
    if column.kind is ColumnKind.TEXT:
        return np.where(missing, "", column.texts()).astype(object)[:, None]
    values: Floats = days_since_1970(column.values) if column.kind is ColumnKind.DATE else column.values
    return np.where(missing, np.nan, values)[:, None]


def _input_names(encoding: Encoding) -> dict[str, str]:
    """The names of inputs by column: those of the columns, but for one that has none."""
    from mercer.io.onnx_nodes import unique_names

    unique = unique_names(name for name, _ in encoding.schema)
    return {name: name or unique("column") for name, _ in encoding.schema}


def _check_package() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise missing_package("to_onnx", "onnx", "onnx") from error


# ---------------------------------------------------------------- graphs


def _matrix_graph(exported: Exported, opset: int, n_features: int | None) -> ModelProto:
    """The graph of a machine, whose input is a matrix of features."""
    from onnx import TensorProto, helper

    from mercer.io.onnx_nodes import Nodes, unique_names

    features = int(exported.machine.n_features)
    if n_features not in (None, features):
        raise ParameterError(f"n_features: expected {features}, as the machine was fitted on, got {n_features!r}.")
    given = helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", features])
    return _model(Nodes(unique_names(["X"])), exported, "X", [given], opset)


def _table_graph(model: TableModel, exported: Exported, opset: int) -> ModelProto:
    """The graph of a model of a table, with an input for each column."""
    from mercer.io.onnx_encoding import column_inputs, encoded_rows
    from mercer.io.onnx_nodes import LEAST_OPSET_OF_TEXTS, LEAST_OPSET_OF_WORDS, Nodes, unique_names

    encoding = model.encoding
    if any(kind is ColumnKind.TEXT for _, kind in encoding.schema):
        integer("opset: of a model with columns of text", opset, LEAST_OPSET_OF_TEXTS)
    if any(isinstance(code, WordsCode) for code in encoding.columns):
        integer("opset: of a model with columns of free text", opset, LEAST_OPSET_OF_WORDS)
    names = _input_names(encoding)
    add = Nodes(unique_names(names.values()))
    rows = encoded_rows(add, encoding, names)
    return _model(add, exported, rows, column_inputs(encoding, names), opset, {"mercer.target": model.target})


def _model(
    add: Any, exported: Exported, rows: str, inputs: list[Any], opset: int, properties: dict[str, str] | None = None
) -> ModelProto:
    """The graph of what is written down already and of what is made of the rows of features."""
    from onnx import helper

    from mercer.io.onnx_outputs import output_kinds, outputs

    kinds = output_kinds(exported)
    named = {kind.name: add.unique(kind.name) for kind in kinds}
    found = outputs(add, exported, rows)
    for kind in kinds:
        add("Identity", found[kind.name], named=named[kind.name])
    told = [
        helper.make_tensor_value_info(named[kind.name], kind.type, ["rows", *([kind.columns] if kind.columns else [])])
        for kind in kinds
    ]
    if sum(len(constant.raw_data) for constant in add.constants) > _MOST_BYTES:
        raise InputError(
            f"ONNX: expected a model of at most {_MOST_BYTES / 1e9:.1f} GB, which is what its files hold, got a larger "
            "one. Fit a machine of fewer support vectors, or save it as a model of Mercer's."
        )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(
        add.graph("mercer", inputs, told),
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="mercer",
        producer_version=getattr(sys.modules["mercer"], "__version__", ""),
    )
    helper.set_model_props(model, {"mercer.machine": exported.machine.kind, **(properties or {})})
    return model
