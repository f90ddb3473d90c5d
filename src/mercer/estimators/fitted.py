"""Fitted attributes that belong to the machine."""

from __future__ import annotations

from typing import Any

__all__ = ["OfTheMachine"]


class OfTheMachine:
    """A fitted attribute that is read from the machine and cannot be set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        machine = estimator.__dict__.get("_machine")
        if machine is None:
            raise AttributeError(f"{type(estimator).__name__} has no {self._name} before fit.")
        return getattr(machine, self._name.removesuffix("_"))

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(
            f"{self._name} is a result of fit and cannot be set: expected to be read only. Call fit to change it."
        )
