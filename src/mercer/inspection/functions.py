"""One function f(x) = wᵀφ(x) + b of a fitted model, whoever fitted it: from dual coefficients, or from weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import svm
from sklearn.utils.validation import check_array, check_is_fitted

from mercer._runtime import available_threads
from mercer.data import core_ready
from mercer.errors import InputError
from mercer.machines import KernelMachine, OneVsOneMachine, OneVsRestMachine, machine_of_sklearn
from mercer.typing import Floats, Labels

__all__ = ["Function", "KernelFunction", "LinearFunction", "Sides", "function_of", "machine_of", "read_rows"]

_SKLEARN_MACHINES = (svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM)


@dataclass(frozen=True)
class Sides:
    """The class on which a function is positive, and the one on which it is negative; None means all others."""

    positive: Any
    negative: Any

    def __str__(self) -> str:
        return f"{self.positive!s} against {'the rest' if self.negative is None else self.negative!s}"

    def signs(self, y: Any, rows: int) -> Floats:
        """+1 and −1 for labels on either side."""
        labels = np.asarray(y)
        if labels.shape != (rows,):
            raise InputError(f"y: expected one label for each of {rows} rows, got shape {labels.shape}.")
        positive = labels == self.positive
        strangers = np.zeros(rows, dtype=bool) if self.negative is None else ~positive & (labels != self.negative)
        if np.any(strangers):
            raise InputError(
                f"y: expected labels of {self}, got {np.unique(labels[strangers]).tolist()[:5]}. Pass the rows of "
                "these classes only."
            )
        return np.where(positive, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Function(ABC):
    """One function, and the classes it tells apart; None where it tells no classes apart."""

    sides: Sides | None

    @abstractmethod
    def values(self, X: Any) -> Floats:
        """f at every row."""

    @abstractmethod
    def norm(self, gram: Any) -> float:
        """‖w‖ in the space of the features; a precomputed kernel needs its values between the training rows."""


@dataclass(frozen=True, eq=False)
class KernelFunction(Function):
    """f(x) = Σ c_j k(x_j, x) + b, number `index` of those of a machine."""

    machine: KernelMachine
    index: int

    @property
    def coef(self) -> Floats:
        """One coefficient for each support vector of the machine, zero for those of other functions."""
        positions, coef = self.machine.coef_of(self.index)
        full = np.zeros(len(self.machine.support))
        full[positions] = coef
        return full

    def values(self, X: Any) -> Floats:
        X = read_rows(X, self.machine.n_features, self.machine)
        return np.asarray(self.machine.values(X, None)[:, self.index])

    def kernel_values(self, X: Any) -> Floats:
        """k(x, x_j) for every row x and support vector x_j."""
        machine = self.machine
        return machine.expansion.values(read_rows(X, machine.n_features, machine))

    def norm(self, gram: Any) -> float:
        machine, coef = self.machine, self.coef
        values = gram if gram is None else read_rows(gram, machine.n_features, machine)
        products = machine.expansion.at_centres(values, available_threads())[:, self.index]
        squared = float(coef @ products)
        if squared < 0:
            raise InputError(
                f"‖w‖² = Σ c_i c_j k(x_i, x_j) is {squared:.3g}: expected a positive semi-definite kernel, got "
                f"{machine.kernel}. Without one there is no space of features in which to measure a distance."
            )
        return float(np.sqrt(squared))


@dataclass(frozen=True, eq=False)
class LinearFunction(Function):
    """f(x) = wᵀx + b."""

    w: Floats
    b: float

    def values(self, X: Any) -> Floats:
        return np.asarray(read_rows(X, len(self.w), None) @ self.w + self.b)

    def norm(self, gram: Any) -> float:
        return float(np.linalg.norm(self.w))


def read_rows(X: Any, features: int, machine: KernelMachine | None) -> Any:
    """Rows as the core reads them; a callable kernel gets them sparse where it was trained on sparse ones."""
    X = core_ready(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True))
    if X.shape[1] != features:
        raise InputError(f"X: expected {features} columns as in fit, got {X.shape[1]}.")
    return X if machine is None else machine.expansion.as_in_fit(X)


def machine_of(model: Any) -> KernelMachine | None:
    """The kernel machine in a fitted model; None of one that keeps weights instead of training rows."""
    check_is_fitted(model)
    machine = getattr(model, "__dict__", {}).get("_machine")
    if isinstance(machine, KernelMachine):
        return machine
    if not isinstance(model, _SKLEARN_MACHINES):
        return None
    found = machine_of_sklearn(model)
    assert isinstance(found, KernelMachine)
    return found


def function_of(model: Any, number: int | None) -> Function:
    """The function of a fitted model that a number asks for; the only one where none is given."""
    machine = machine_of(model)
    if machine is not None:
        sides = _sides_of_machine(machine, getattr(model, "classes_", None))
        index = _chosen(number, sides or [None] * len(machine.intercept))
        return KernelFunction(sides[index] if sides else None, machine, index)
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        raise InputError(
            f"Expected a fitted kernel machine, or a linear one with coef_ and intercept_, got {type(model).__name__}. "
            "Of a pipeline or a search pass the fitted last step, with the rows as that step sees them."
        )
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else np.asarray(model.coef_, dtype=np.float64)
    weights = np.atleast_2d(coef)
    intercepts = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), len(weights))
    classes = getattr(model, "classes_", None)
    sides = [] if classes is None else _sides_of_weights(classes, len(weights))
    index = _chosen(number, sides or [None] * len(weights))
    return LinearFunction(sides[index] if sides else None, weights[index], float(intercepts[index]))


def _sides_of_machine(machine: KernelMachine, labels: Labels | None) -> list[Sides]:
    """`labels` are those of a model whose machine, of one function, does not know them."""
    if isinstance(machine, OneVsRestMachine):
        return _sides_of_weights(machine.classes, len(machine.classes))
    if not isinstance(machine, OneVsOneMachine):
        return [] if labels is None else _sides_of_weights(labels, 1)
    classes = machine.classes
    if len(classes) == 2:
        return [Sides(classes[1], classes[0])]
    return [Sides(first, second) for first, second in combinations(classes, 2)]


def _sides_of_weights(classes: Labels, functions: int) -> list[Sides]:
    if functions == 1:
        return [Sides(classes[1], classes[0])]
    return [Sides(label, None) for label in classes]


def _chosen(number: int | None, sides: list[Any]) -> int:
    if number is None and len(sides) == 1:
        return 0
    if isinstance(number, (int, np.integer)) and not isinstance(number, bool) and 0 <= number < len(sides):
        return int(number)
    named = "; ".join(f"{k}: {side}" for k, side in enumerate(sides) if side is not None)
    raise InputError(
        f"function: expected the number of one of the {len(sides)} functions of this model, got {number!r}."
        + (f" They are {named}." if named else "")
    )
