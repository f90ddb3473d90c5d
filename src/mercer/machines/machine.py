"""What every fitted thing is: functions of a row, held as plain arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.plain_state import PlainState
from mercer.typing import Floats

__all__ = ["Machine", "is_array", "locked"]


class Machine(PlainState, ABC):
    """Functions of a row, one or several. Immutable, checked when it is made, and all that prediction needs.

    Subclasses are frozen dataclasses whose fields are arrays, numbers and, of kernel machines, a kernel.
    """

    #: The name of its kind, in files and messages.
    kind: ClassVar[str]

    n_features: int
    intercept: Floats

    @abstractmethod
    def values(self, X: Any, threads: int | None, dtype: type = np.float64) -> Floats:
        """The values of the functions at every row, shape (rows, functions)."""

    def arrays(self) -> dict[str, Any]:
        """Its fields by name, of which `from_arrays` makes it again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The machine with these fields, each checked."""
        known = {one.name for one in fields(cls)}  # type: ignore[arg-type]
        if set(arrays) - known:
            raise InputError(
                f"{cls.kind}: expected arrays among {sorted(known)}, got {sorted(set(arrays) - known)} as well."
            )
        try:
            return cls(**arrays)
        except TypeError as error:
            raise InputError(f"{cls.kind}: expected arrays named {sorted(known)}, got {sorted(arrays)}.") from error

    def _check_features(self, X: Any) -> None:
        if X.shape[1] != self.n_features:
            raise InputError(
                f"Expected rows of {self.n_features} features, as the machine was fitted on, got {X.shape[1]}. Fit the "
                "estimator again instead of changing its attributes."
            )


def is_array(values: Any, kinds: str) -> bool:
    """Whether it is one of these kinds of numbers, by NumPy's letters; those with a fraction are float64."""
    return (
        isinstance(values, np.ndarray) and values.dtype.kind in kinds and (kinds != "f" or values.dtype == np.float64)
    )


def locked(array: Any) -> Any:
    """A read-only view of a read-only array: NumPy lets nobody make it writable again."""
    if is_sparse(array):
        for name in ("data", "indices", "indptr"):
            setattr(array, name, locked(getattr(array, name)))
        return array
    array.setflags(write=False)
    return array.view()
