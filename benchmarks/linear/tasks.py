"""What a library is asked: what to minimise, and how far to go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """An estimator and its parameters.

    ``LinearSVC`` and ``LinearSVR`` have LIBLINEAR's intercept, whose square is regularised; that of ``SVC``, with the
    linear kernel, is free.

    Attributes
    ----------
    estimator : {"LinearSVC", "LinearSVR", "SVC"}
        Its name in scikit-learn and in Mercer.
    loss : str
        scikit-learn's name of the loss.
    C : float
        Price of the losses.
    epsilon : float
        Half-width of the tube of a regression.
    """

    estimator: str
    loss: str
    C: float
    epsilon: float = 0.0

    @property
    def is_kernel_machine(self) -> bool:
        """Whether it is found and judged as a kernel machine."""
        return self.estimator == "SVC"

    @property
    def is_squared(self) -> bool:
        """Whether the loss is squared: only then LIBLINEAR has a solver in the primal."""
        return self.loss.startswith("squared_")


@dataclass(frozen=True)
class Rung:
    """One setting of a library, a step of its ladder.

    Attributes
    ----------
    solver : {"", "dual", "primal"}
        Which of the library's solvers; empty where there is one.
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
