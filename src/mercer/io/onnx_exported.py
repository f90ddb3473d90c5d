"""What an ONNX graph is made of, whoever fitted it: a machine, its labels, and how classes are decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.calibration import Calibration
from mercer.errors import InputError, ParameterError
from mercer.machines import Machine, OneVsOneMachine, OneVsRestMachine
from mercer.typing import Labels

if TYPE_CHECKING:
    from mercer.tabular import TableModel

__all__ = [
    "ESTIMATORS",
    "Exported",
    "Rule",
    "exported_estimator",
    "exported_machine",
    "exported_table_model",
    "onnx_labels",
]

#: Estimators that are exported.
ESTIMATORS = (
    *("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"),
    *("KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier", "SparseKernelRidge", "SparseKernelRidgeCV"),
    "KernelRegression",
)


class Rule(Enum):
    """How a class is decided."""

    VOTES = "by the votes of the pairs; of two classes the second where the value is not below zero"
    LARGEST = "by the largest value; of two classes the second where the value is above zero"
    TIES_BROKEN = "by the votes of the pairs, with their values as tie breakers"
    PROBABILITY = "by the largest probability"


@dataclass(frozen=True, eq=False)
class Exported:
    """A machine, and what is made of its values.

    Attributes
    ----------
    machine : Machine
    labels : ndarray, optional
        Of the classes, int64 or texts as objects; None where the values are what is predicted.
    calibration : Calibration, optional
        From values to probabilities.
    rule : Rule
    by_class : bool
        Whether decision values are one a class, made of those of the pairs.
    """

    machine: Machine
    labels: Labels | None = None
    calibration: Calibration | None = None
    rule: Rule = Rule.LARGEST
    by_class: bool = False

    @property
    def decision_columns(self) -> int:
        """How many decision values a row has."""
        return len(self.labels) if self.by_class and self.labels is not None else len(self.machine.intercept)


def exported_machine(machine: Machine) -> Exported:
    """A machine by itself: classes where it knows them, else the values of its functions."""
    if isinstance(machine, (OneVsOneMachine, OneVsRestMachine)):
        return Exported(machine, onnx_labels(machine.classes), rule=_rule_of(machine))
    return Exported(machine)


def exported_table_model(model: TableModel) -> Exported:
    """The machine of a table's model, with labels as the table had them."""
    if not model.is_classifier:
        return Exported(model.machine)
    labels = np.array(model.classes, dtype=object)
    return Exported(model.machine, labels, model.calibration, _rule_of(model.machine))


def exported_estimator(model: Any) -> Exported:
    """The machine of a fitted estimator of Mercer's, and how it predicts."""
    from mercer.estimators.classifier import KernelClassifier
    from mercer.estimators.linear import LinearEstimator
    from mercer.estimators.one_class import OneClassSVM
    from mercer.estimators.weights import machine_of_weights

    name = type(model).__name__
    own = {kind.__name__ for kind in type(model).__mro__ if kind.__module__.startswith("mercer.estimators.")}
    if own.isdisjoint(ESTIMATORS):
        raise InputError(
            f"ONNX: expected a model of a table, a pipeline of scikit-learn's, or one of {', '.join(ESTIMATORS)}, got "
            f"{name}."
        )
    is_linear = isinstance(model, LinearEstimator)
    if ("coef_" if is_linear else "_machine") not in model.__dict__:
        raise InputError(f"ONNX: expected a fitted {name}, got one before fit. Call fit first.")
    machine: Any = machine_of_weights(model, model.coef_, model.intercept_) if is_linear else model._machine
    if isinstance(model, KernelClassifier):
        return _exported_classifier(model, machine)
    if isinstance(model, OneClassSVM):
        return Exported(machine, np.array([-1, 1]))
    if hasattr(model, "classes_"):
        return Exported(machine, onnx_labels(np.asarray(model.classes_)))
    return Exported(machine)


def _exported_classifier(model: Any, machine: OneVsOneMachine | OneVsRestMachine) -> Exported:
    is_shape_of_classes = model.decision_function_shape == "ovr"
    if model.break_ties and not is_shape_of_classes:
        raise ParameterError(
            "break_ties must be False when decision_function_shape is 'ovo': expected 'ovr', with a value a class."
        )
    is_paired = isinstance(machine, OneVsOneMachine) and len(machine.classes) > 2
    rule, calibration = _rule_of(machine), model.__dict__.get("calibration_")
    if model.predict_by == "probability":
        if calibration is None:
            raise ParameterError("predict_by='probability' expects a fit with probability=True, got one without.")
        rule = Rule.PROBABILITY
    elif model.break_ties and is_paired:
        rule = Rule.TIES_BROKEN
    labels = onnx_labels(machine.classes)
    return Exported(machine, labels, calibration, rule, by_class=is_paired and is_shape_of_classes)


def _rule_of(machine: Machine) -> Rule:
    return Rule.VOTES if isinstance(machine, OneVsOneMachine) else Rule.LARGEST


def onnx_labels(classes: Labels) -> Labels:
    """Labels as ONNX knows them: int64, or texts as objects."""
    if classes.dtype.kind in "biuf":
        whole = classes.astype(np.int64)
        if np.array_equal(whole, classes):
            return whole
    texts = classes.astype(object)
    if all(isinstance(label, str) for label in texts):
        return np.array([str(label) for label in texts], dtype=object)
    raise InputError(
        f"ONNX: expected labels that are whole numbers or texts, got {classes[:5].tolist()}. Fit on such labels."
    )
