"""Mercer's machines within pipelines of scikit-learn's: converters that skl2onnx calls.

`register_with_skl2onnx()` tells skl2onnx of them, once in a process; `to_onnx` does so itself where it is given a
pipeline. Whoever calls skl2onnx directly registers first: nothing in Mercer is imported by skl2onnx, and importing
skl2onnx takes longer than all of Mercer, so that it does not happen unasked.
"""

from __future__ import annotations

from typing import Any

from onnx import ModelProto

from mercer.errors import InputError, missing_package
from mercer.io.onnx_exported import ESTIMATORS, Exported, exported_estimator
from mercer.io.onnx_nodes import LEAST_OPSET, Nodes
from mercer.io.onnx_outputs import Output, output_kinds, outputs

__all__ = ["pipeline_to_onnx", "register_with_skl2onnx"]

# What skl2onnx asks of every classifier: whether probabilities come as dicts or with an output for each class, and
# whether labels are left out, which ours never are.
_OPTIONS = {"zipmap": [True, False, "columns"], "nocl": [False]}


def register_with_skl2onnx() -> None:
    """Lets skl2onnx convert pipelines with Mercer's machines inside; calling it again changes nothing.

    Inputs of any number type are taken, and everything after that is computed in float64. Classifiers answer `label`,
    `probabilities` where they are calibrated, and `decision`; `OneClassSVM` answers `label` and `scores`, regressions
    `variable`. The option "zipmap" may be "columns", an output for each class; else probabilities are one matrix, for
    ONNX has dicts of them in float32 alone.

    Examples
    --------
    >>> import numpy, skl2onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from mercer import SVC
    >>> from mercer.io.onnx_converter import register_with_skl2onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> register_with_skl2onnx()
    >>> model = skl2onnx.to_onnx(make_pipeline(StandardScaler(), SVC()).fit(X, y), X[:1])
    >>> [output.name for output in model.graph.output]
    ['label', 'decision']
    """
    skl2onnx = _skl2onnx("register_with_skl2onnx")
    from mercer import estimators

    for name in ESTIMATORS:
        kind = getattr(estimators, name)
        decides = hasattr(kind, "decision_function") and name != "OneClassSVM"
        how: dict[str, Any] = {"parser": _parse_classifier, "options": _OPTIONS} if decides else {}
        skl2onnx.update_registered_converter(kind, f"Mercer{name}", _set_types, _convert, **how)


def pipeline_to_onnx(model: Any, opset: int, n_features: int | None) -> ModelProto:
    """A pipeline of scikit-learn's as an ONNX graph with one matrix of float64 for input."""
    skl2onnx = _skl2onnx("to_onnx of a pipeline")
    from skl2onnx.common.data_types import DoubleTensorType

    register_with_skl2onnx()
    features = getattr(model, "n_features_in_", None) if n_features is None else n_features
    if features is None:
        raise InputError(
            "n_features: expected a number, for this pipeline does not say how many features its rows have, got None."
        )
    options = {id(model): {"zipmap": False}} if hasattr(model, "classes_") else None
    given = [("X", DoubleTensorType([None, int(features)]))]
    made: ModelProto = skl2onnx.to_onnx(model, initial_types=given, target_opset=opset, options=options)
    return made


def _skl2onnx(asker: str) -> Any:
    try:
        import skl2onnx
    except ImportError as error:
        raise missing_package(asker, "skl2onnx", "onnx") from error
    return skl2onnx


# ---------------------------------------------------------------- what skl2onnx calls


def _parse_classifier(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """The operator of a classifier and its outputs."""
    from skl2onnx._parse import _parse_sklearn_classifier
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    kinds = output_kinds(exported_estimator(model))
    has_probabilities = any(kind.name == "probabilities" for kind in kinds)
    if has_probabilities and scope.get_options(model, {"zipmap": True})["zipmap"] == "columns":
        return _parse_sklearn_classifier(scope, model, inputs, custom_parsers=custom_parsers)
    operator = scope.declare_local_operator(f"Mercer{_name_of(model)}", model)
    operator.inputs = inputs
    for kind in kinds:
        declared = Int64TensorType() if kind.name == "label" else DoubleTensorType()  # `_set_types` knows better
        operator.outputs.append(scope.declare_local_variable(kind.name, declared))
    return operator.outputs


def _set_types(operator: Any) -> None:
    """Says of each output what type and shape it has."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    types: dict[int, Any] = {
        TensorProto.DOUBLE: DoubleTensorType,
        TensorProto.INT64: Int64TensorType,
        TensorProto.STRING: StringTensorType,
    }
    rows = operator.inputs[0].get_first_dimension()
    for output, kind in _asked(operator, exported_estimator(operator.raw_operator)):
        output.set_type(types[kind.type]([rows] if kind.columns is None else [rows, kind.columns]))


def _asked(operator: Any, exported: Exported) -> list[tuple[Any, Output]]:
    """The outputs of an operator with what they are; where a classifier has two, they are the first two of three."""
    return list(zip(operator.outputs, output_kinds(exported), strict=False))


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Adds the nodes of a machine to the graph that skl2onnx makes."""
    from onnx import TensorProto, helper, numpy_helper

    if container.target_opset < LEAST_OPSET:
        raise InputError(f"target_opset: expected {LEAST_OPSET} or more, got {container.target_opset}.")
    add = Nodes(scope.get_unique_variable_name)
    parts = [add("Cast", one.full_name, to=TensorProto.DOUBLE) for one in operator.inputs]
    exported = exported_estimator(operator.raw_operator)
    found = outputs(add, exported, parts[0] if len(parts) == 1 else add("Concat", *parts, axis=1))
    for output, kind in _asked(operator, exported):
        add("Identity", found[kind.name], named=output.full_name)
    for constant in add.constants:
        values = numpy_helper.to_array(constant)
        container.add_initializer(constant.name, constant.data_type, list(constant.dims), values.ravel())
    for node in add.nodes:
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        name = scope.get_unique_operator_name(node.op_type)
        container.add_node(node.op_type, list(node.input), list(node.output), name=name, **attributes)


def _name_of(model: Any) -> str:
    """The name by which skl2onnx knows the class of an estimator."""
    return next(kind.__name__ for kind in type(model).__mro__ if kind.__name__ in ESTIMATORS)
