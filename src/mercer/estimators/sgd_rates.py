"""Which learning rates descents take, and what to use instead of those that scikit-learn has on top."""

from __future__ import annotations

from typing import Any

from mercer import checks
from mercer.errors import ParameterError
from mercer.solvers import RATES

__all__ = ["check_learning_rate"]


def check_learning_rate(name: str, value: Any) -> None:
    """Raises unless it is one of the rates."""
    if isinstance(value, str) and value in ("pa1", "pa2"):
        raise ParameterError(
            f"{name}: expected one of {', '.join(map(repr, RATES))}, got {value!r}. Passive-aggressive steps are not "
            "here: use LinearSVC, which finds the optimum, or sklearn.linear_model.PassiveAggressiveClassifier."
        )
    checks.choice(name, value, tuple(RATES))
