"""What every fitted thing is: functions of a row, held as plain arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.kernels import Kernel, kernel_from_dict
from mercer.plain_state import PlainState
from mercer.typing import Floats

__all__ = ["Machine", "check_labels", "is_array", "locked", "locked_vectors"]

# The arrays of a CSR matrix, in the order in which SciPy takes them.
_OF_SPARSE = ("data", "indices", "indptr")


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
        """Its kind and its fields by name: arrays, numbers, and a kernel as a plain dict; `from_arrays` reads them.

        Sparse vectors are three arrays and a shape, named with a dot behind the field.
        """
        plain: dict[str, Any] = {"kind": self.kind}
        for one in fields(self):  # type: ignore[arg-type]
            plain |= _plain(one.name, getattr(self, one.name))
        return plain

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The machine that `arrays` tells of, each field checked."""
        if not isinstance(arrays, Mapping):
            raise InputError(f"Expected the arrays of a machine by name, got {type(arrays).__name__}.")
        known = {one.name for one in fields(cls)}  # type: ignore[arg-type]
        given = _read(arrays)
        if given.pop("kind", cls.kind) != cls.kind:
            raise InputError(f"Expected the arrays of a machine of the kind {cls.kind!r}, got {arrays['kind']!r}.")
        if set(given) - known:
            raise InputError(
                f"{cls.kind}: expected arrays among {sorted(known)}, got {sorted(set(given) - known)} as well."
            )
        try:
            return cls(**given)
        except TypeError as error:
            raise InputError(f"{cls.kind}: expected arrays named {sorted(known)}, got {sorted(given)}.") from error

    def _check_features(self, X: Any) -> None:
        if X.shape[1] != self.n_features:
            raise InputError(
                f"Expected rows of {self.n_features} features, as the machine was fitted on, got {X.shape[1]}. Fit the "
                "estimator again instead of changing its attributes."
            )


def _plain(name: str, value: Any) -> dict[str, Any]:
    """A field as plain values by name."""
    if isinstance(value, Kernel):
        return {name: value.to_dict()}
    if is_sparse(value):
        parts = {part: getattr(value, part) for part in _OF_SPARSE}
        return {**{f"{name}.{part}": array for part, array in parts.items()}, f"{name}.shape": value.shape}
    return {name: value}


def _read(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Fields from plain values."""
    given = {name: _copied(value) for name, value in arrays.items() if "." not in name}
    for name in {name.partition(".")[0] for name in arrays if "." in name}:
        if name in given:
            raise InputError(f"{name}: expected a dense matrix or the arrays of a sparse one, got both.")
        try:
            parts = tuple(arrays[f"{name}.{part}"] for part in _OF_SPARSE)
            given[name] = sp.csr_matrix(parts, shape=tuple(arrays[f"{name}.shape"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{name}: expected the arrays of a sparse matrix and its shape, got others.") from error
    if isinstance(given.get("kernel"), Mapping):
        given["kernel"] = kernel_from_dict(given["kernel"])
    return given


def _copied(value: Any) -> Any:
    """A value of its own: machines lock their arrays, and take those that are locked as they are.

    Numbers may come as arrays without dimensions.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.item()
    return value.copy() if isinstance(value, np.ndarray) and value.flags.writeable else value


def is_array(values: Any, kinds: str) -> bool:
    """Whether it is one of these kinds of numbers, by NumPy's letters; those with a fraction are float64."""
    return (
        isinstance(values, np.ndarray) and values.dtype.kind in kinds and (kinds != "f" or values.dtype == np.float64)
    )


def check_labels(kind: str, classes: Any) -> None:
    """Raises unless the labels are different and in order."""
    if not np.array_equal(np.unique(classes), classes):
        raise InputError(f"{kind}: expected `classes` to be different labels in order, got {classes.tolist()}.")


def locked(array: Any) -> Any:
    """A read-only view of a read-only array: NumPy lets nobody make it writable again."""
    array.setflags(write=False)
    return array.view()


def locked_vectors(vectors: Any) -> Any:
    """The same of a matrix that may be sparse."""
    if not is_sparse(vectors):
        return locked(vectors)
    for name in _OF_SPARSE:
        setattr(vectors, name, locked(getattr(vectors, name)))
    return vectors
