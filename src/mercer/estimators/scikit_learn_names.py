"""The private names under which tools read scikit-learn's kernel machines, such as converters to other formats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.machines import KernelMachine, OneVsOneMachine

__all__ = ["ScikitLearnNames"]


class ScikitLearnNames:
    """LIBSVM's numbers as scikit-learn keeps them: of two classes, its function is positive for the first."""

    _machine: KernelMachine

    @property
    def _gamma(self) -> Any:
        """gamma as a number, or one for each feature; zero of kernels without one."""
        gamma = getattr(self._machine.kernel, "gamma", 0.0)
        return np.array(gamma) if isinstance(gamma, tuple) else float(gamma)

    @property
    def _intercept_(self) -> Any:
        return self._libsvm_sign * self._machine.intercept

    @property
    def _dual_coef_(self) -> Any:
        return self._libsvm_sign * self.dual_coef_  # type: ignore[attr-defined]

    @_dual_coef_.setter
    def _dual_coef_(self, values: Any) -> None:
        given = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
        self._machine = replace(self._machine, dual_coef=self._libsvm_sign * given)
        self._machine.check()

    @property
    def _n_support(self) -> Any:
        """Support vectors of each class, of one function twice. scikit-learn's can be written to, and are looked at."""
        return self.__dict__.setdefault("_seen_n_support", self._libsvm_counts)

    @property
    def _libsvm_counts(self) -> Any:
        counts = self._machine.n_support
        return np.repeat(counts, 2) if len(counts) == 1 else counts.copy()

    @property
    def _libsvm_sign(self) -> float:
        machine = self._machine
        return -1.0 if isinstance(machine, OneVsOneMachine) and len(machine.classes) == 2 else 1.0

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_seen_n_support"}

    def _check_seen(self) -> None:
        """Raises where somebody changed what they were shown and expects `predict` to follow."""
        seen = self.__dict__.get("_seen_n_support")
        if seen is not None and not np.array_equal(seen, self._libsvm_counts):
            raise InputError(
                f"The internal representation of {type(self).__name__} was altered: expected n_support "
                f"{self._libsvm_counts.tolist()}, got {seen.tolist()}. Fit it again."
            )
