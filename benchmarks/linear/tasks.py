"""What a library is asked: what to minimise, and how far to go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Family(Enum):
    """Machines that are told of together; the value is how the names of their problems begin."""

    LINEAR = ""
    L1 = "l1"
    CRAMMER_SINGER = "crammer_singer"
    KERNEL_MACHINE = "svc"
    DESCENT = "sgd"


@dataclass(frozen=True)
class Task:
    """An estimator and its parameters.

    ``LinearSVC`` and ``LinearSVR`` have LIBLINEAR's intercept, which is penalised as a weight is; that of ``SVC``, with
    the linear kernel, and of ``SGDClassifier``, whose ``alpha`` is 1 / (C n), is free.

    Attributes
    ----------
    estimator : {"LinearSVC", "LinearSVR", "SVC", "SGDClassifier"}
        Its name in scikit-learn and in Mercer.
    loss : str
        scikit-learn's name of the loss.
    C : float
        Price of the losses.
    epsilon : float
        Half-width of the tube of a regression.
    penalty : {"l2", "l1"}
        Half the squares of the weights, or their absolute values.
    multi_class : {"ovr", "crammer_singer"}
        Several classes each against the rest, or all at once; the loss is then that of Crammer and Singer.
    """

    estimator: str
    loss: str
    C: float
    epsilon: float = 0.0
    penalty: str = "l2"
    multi_class: str = "ovr"

    @property
    def family(self) -> Family:
        """The machines it is told of with."""
        if self.is_kernel_machine:
            return Family.KERNEL_MACHINE
        if self.is_descent:
            return Family.DESCENT
        if self.multi_class == "crammer_singer":
            return Family.CRAMMER_SINGER
        return Family.L1 if self.penalty == "l1" else Family.LINEAR

    @property
    def is_kernel_machine(self) -> bool:
        """Whether it is found and judged as a kernel machine."""
        return self.estimator == "SVC"

    @property
    def is_descent(self) -> bool:
        """Whether passes of stochastic gradients are compared, and not times to a value."""
        return self.estimator == "SGDClassifier"

    @property
    def has_free_intercept(self) -> bool:
        """Whether the intercept costs nothing."""
        return self.is_kernel_machine or self.is_descent

    @property
    def is_squared(self) -> bool:
        """Whether the loss is squared: only then LIBLINEAR has a solver in the primal."""
        return self.loss.startswith("squared_")


@dataclass(frozen=True)
class Rung:
    """One setting of a library, a step of its ladder.

    Attributes
    ----------
    solver : {"", "dual", "primal", "optimal", "invscaling"}
        Which of the library's solvers, or learning rates of a descent; empty where there is one.
    tol : float
        Its tolerance; zero where the passes decide.
    passes : int
        Limit on its passes; zero is none.
    is_default : bool
        Whether it is what a user gets who sets no tolerance.
    """

    solver: str
    tol: float
    passes: int = 0
    is_default: bool = False

    def __str__(self) -> str:
        goal = f"tol {self.tol:g}" if self.tol else f"{self.passes} pass{'es' * (self.passes > 1)}"
        return f"{self.solver} {goal}".strip()
