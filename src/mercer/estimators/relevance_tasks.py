"""What scales are to be learnt for: the objective of a machine, and whether its targets are classes or numbers."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import type_of_target

from mercer.data import read_class_targets
from mercer.errors import InputError, ParameterError
from mercer.typing import Floats, Integers

__all__ = ["Criterion", "Targets", "Task", "check_machine", "read_targets", "task_of"]


class Criterion(Enum):
    """By what scales are judged."""

    NEIGHBOURS = "soft votes of the other rows"
    LEFT_OUT = "errors of ridge regression at rows left out"
    EVIDENCE = "the marginal likelihood of a Gaussian process"


class Task(NamedTuple):
    """A criterion, and whether targets are classes; None where they tell that themselves."""

    criterion: Criterion
    is_classes: bool | None


class Targets(NamedTuple):
    """Targets as columns, and the number of each row's class where there are some."""

    columns: Floats
    codes: Integers | None


# Support vector machines are judged by votes as neighbours are: at equal rows that won back as much accuracy under
# added noise as errors of a least-squares SVM at rows left out, in a tenth of the time, and more than the alignment of
# the kernel with the targets (benchmarks/smooth).
_BY_NAME = {
    "auto": Task(Criterion.NEIGHBOURS, None),
    "knn": Task(Criterion.NEIGHBOURS, None),
    "parzen": Task(Criterion.NEIGHBOURS, None),
    "svc": Task(Criterion.NEIGHBOURS, True),
    "svr": Task(Criterion.NEIGHBOURS, False),
    "ridge": Task(Criterion.LEFT_OUT, None),
    "gp": Task(Criterion.EVIDENCE, None),
}
# Beginnings of the names of classes, Mercer's and scikit-learn's, whose own criterion is not votes.
_BY_CLASS = {"KernelRidge": Criterion.LEFT_OUT, "GaussianProcess": Criterion.EVIDENCE}


def check_machine(name: str, value: Any) -> Any:
    """A name, or an estimator with targets."""
    task_of(value)
    return value


def task_of(machine: Any) -> Task:
    """The task of a name or of an estimator; of a pipeline that of its last step."""
    if isinstance(machine, str) and machine in _BY_NAME:
        return _BY_NAME[machine]
    if isinstance(machine, Pipeline):
        return task_of(machine.steps[-1][1])
    if isinstance(machine, BaseEstimator) and (is_classifier(machine) or is_regressor(machine)):
        kinds = [kind.__name__ for kind in type(machine).__mro__]
        own = (found for start, found in _BY_CLASS.items() if any(kind.startswith(start) for kind in kinds))
        return Task(next(own, Criterion.NEIGHBOURS), bool(is_classifier(machine)))
    raise ParameterError(
        f"machine: expected one of {', '.join(map(repr, _BY_NAME))}, or a classifier or regressor, got {machine!r}."
    )


def read_targets(y: Any, task: Task, told: str) -> Targets:
    """Targets as columns: signs or zeros and ones of classes, or numbers with variance 1 in sum.

    `told` is the user's word on what they are: "classes", "numbers" or "auto".
    """
    is_classes = task.is_classes
    if told != "auto":
        if is_classes is not None and is_classes != (told == "classes"):
            wanted = "classes" if is_classes else "numbers"
            raise ParameterError(f"targets: expected {wanted!r} or 'auto' for this machine, got {told!r}.")
        is_classes = told == "classes"
    if is_classes is None:
        is_classes = type_of_target(y, input_name="y") in ("binary", "multiclass")
    if is_classes:
        read = read_class_targets(y, None, None)
        return Targets(np.eye(len(read.classes))[read.codes], read.codes)
    return Targets(_standardised(y), None)


def _standardised(y: Any) -> Floats:
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("y: expected numbers, got labels. Name a machine for classes, or targets='classes'.") from None
    columns = numbers[:, None] if numbers.ndim == 1 else numbers
    largest = np.abs(columns).max(axis=0)
    columns = columns / np.where(largest > 0, largest, 1.0)
    columns = columns - columns.mean(axis=0)
    spread = columns.std(axis=0)
    is_constant = spread <= len(columns) * np.finfo(np.float64).eps
    return np.asarray(np.where(is_constant, 0.0, columns) / np.where(is_constant, 1.0, spread * np.sqrt(len(spread))))
