"""What every calibration is: learnt from held-out values, a map from values to probabilities, plain arrays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from mercer.calibration.combining import coupled, normalised
from mercer.errors import InputError
from mercer.typing import Booleans, Floats, Integers

__all__ = ["LEAST", "UNINFORMED", "Calibration", "HeldOutValues"]

#: No function is surer than LIBSVM lets it be: the least probability of either side.
LEAST = 1e-7
#: The slope of a sigmoid where no row could be held out: two of three at the margin, as of a row on either side of it.
UNINFORMED = math.log(2)


class HeldOutValues(NamedTuple):
    """What functions that were fitted without a row say of it, for rows that the function is about.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
    function : ndarray of shape (n_values,)
        The number of the function.
    is_positive : ndarray of shape (n_values,)
        Whether the row is of the class that the function is positive for.
    weights : ndarray of shape (n_values,)
        Of the rows.
    row : ndarray of shape (n_values,)
        The number of the row.
    functions : int
        How many there are.
    """

    values: Floats
    function: Integers
    is_positive: Booleans
    weights: Floats
    row: Integers
    functions: int

    def of(self, function: int) -> HeldOutValues:
        """Those of one function."""
        chosen = self.function == function
        return self._replace(
            values=self.values[chosen],
            function=self.function[chosen],
            is_positive=self.is_positive[chosen],
            weights=self.weights[chosen],
            row=self.row[chosen],
        )

    def targets(self) -> Floats:
        """The probabilities to aim for: one and zero, each with an error more than was seen, as Platt has it."""
        positive = float(self.weights[self.is_positive].sum())
        negative = float(self.weights[~self.is_positive].sum())
        return np.where(self.is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))


@dataclass(frozen=True, eq=False)
class Calibration(ABC):
    """A map from the values of a machine's functions to probabilities of its classes.

    Two classes have one function, positive for the second; more have one for each pair, positive for the first of the
    pair, or, where `against_rest`, one for each class.
    """

    kind: ClassVar[str]

    classes: int
    against_rest: bool

    @classmethod
    @abstractmethod
    def learn(cls, held_out: HeldOutValues, classes: int, against_rest: bool) -> Self:
        """The calibration that makes held-out labels most likely."""

    @abstractmethod
    def of_functions(self, values: Floats) -> Floats:
        """The probability that each function is right to be positive, given its value: shape (rows, functions)."""

    def __call__(self, values: Floats) -> Floats:
        """The probabilities of the classes, shape (rows, classes); each row sums to one."""
        own = self.of_functions(values)
        if self.classes == 2:
            return np.concatenate([1 - own, own], axis=1)
        return normalised(own) if self.against_rest else coupled(own, self.classes)

    def arrays(self) -> dict[str, Any]:
        """Its kind and its fields by name: arrays and numbers; `from_arrays` reads them."""
        return {"kind": self.kind, **{one.name: getattr(self, one.name) for one in fields(self)}}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The calibration that `arrays` tells of, checked."""
        names = {one.name for one in fields(cls)}
        given = {name: value for name, value in arrays.items() if name != "kind"}
        if arrays.get("kind") != cls.kind or set(given) != names:
            raise InputError(
                f"Expected a calibration of the kind {cls.kind!r} with {sorted(names)}, got {arrays.get('kind')!r} "
                f"with {sorted(given)}."
            )
        made = cls(**given)
        made.check()
        return made

    def check(self) -> None:
        """Raises unless there are numbers for every function."""
        if type(self.classes) is not int or self.classes < 2:
            raise InputError(f"{self.kind}: expected two classes or more, got {self.classes!r}.")
        if not isinstance(self.against_rest, (bool, np.bool_)):
            raise InputError(f"{self.kind}: expected `against_rest` to be True or False, got {self.against_rest!r}.")

    @property
    def functions(self) -> int:
        """How many functions the machine has."""
        if self.classes == 2:
            return 1
        return self.classes if self.against_rest else self.classes * (self.classes - 1) // 2

    def _check_numbers(self, name: str, length: int) -> None:
        numbers = getattr(self, name)
        fits = isinstance(numbers, np.ndarray) and numbers.shape == (length,) and numbers.dtype == np.float64
        if not fits or not np.all(np.isfinite(numbers)):
            raise InputError(f"{self.kind}: expected `{name}` to be {length} finite numbers, got {numbers!r}.")
