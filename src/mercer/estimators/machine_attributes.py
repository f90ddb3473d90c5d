"""Fitted attributes that belong to the machine."""

from __future__ import annotations

from typing import Any

__all__ = ["MachineAttribute", "MachineOrOwnAttribute"]


class MachineAttribute:
    """A fitted attribute that is read from the machine and cannot be set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        machine = estimator.__dict__.get("_machine")
        if machine is None:
            raise AttributeError(self._absent(estimator))
        return getattr(machine, self._name.removesuffix("_"))

    def __set__(self, estimator: Any, value: Any) -> None:
        raise AttributeError(
            f"{self._name} is a result of fit and cannot be set: expected to be read only. Call fit to change it."
        )

    def _absent(self, estimator: Any) -> str:
        name = type(estimator).__name__
        if "coef_" in estimator.__dict__:
            return f"{name} has no {self._name}, for it learned weights: expected a kernel other than 'linear'."
        return f"{name} has no {self._name} before fit."


class MachineOrOwnAttribute(MachineAttribute):
    """The same where there is a machine; the estimator's own attribute where it has learned weights instead."""

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None or "_machine" in estimator.__dict__ or self._name not in estimator.__dict__:
            return super().__get__(estimator, owner)
        return estimator.__dict__[self._name]

    def __set__(self, estimator: Any, value: Any) -> None:
        if "_machine" in estimator.__dict__:
            super().__set__(estimator, value)
        estimator.__dict__[self._name] = value
