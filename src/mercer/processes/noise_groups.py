"""Groups of observations whose noise has one variance each, which the likelihood decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats, Integers

__all__ = ["GroupNoise", "NoiseGroups"]

# Labels that an error names; there may be thousands.
_NAMED = 10


class GroupNoise(NamedTuple):
    """The variance of the noise of each group, and the group of each observation."""

    codes: Integers
    variances: Floats

    def slopes(self, by_noise: Floats) -> list[float]:
        """By the logarithms of the variances, of what has these slopes by the noise of each observation."""
        sums = np.bincount(self.codes, weights=by_noise, minlength=len(self.variances))
        return (self.variances * sums).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False, repr=False)
class NoiseGroups:
    """The labels of the groups, sorted, and the group of each observation by its place among them."""

    labels: tuple[Any, ...]
    codes: Integers

    @classmethod
    def of(cls, labels: Any, rows: int) -> NoiseGroups:
        """Those of one label for each row."""
        given = _labels("noise_groups", labels)
        if given.shape != (rows,):
            raise InputError(f"noise_groups: expected one label for each of the {rows} rows, got shape {given.shape}.")
        try:
            found, codes = np.unique(given, return_inverse=True)
        except TypeError as error:
            raise InputError(
                "noise_groups: expected labels that can be sorted, all numbers or all strings, got a mixture."
            ) from error
        return cls(tuple(found.tolist()), codes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"noise_groups[{label!r}]" for label in self.labels)

    def places(self, labels: Any, rows: int) -> Integers:
        """The groups of other rows: of one label for all, or of one for each."""
        given = _labels("noise_groups", labels)
        if given.shape not in ((), (rows,)):
            raise InputError(
                f"noise_groups: expected one label, or one for each of the {rows} rows, got shape {given.shape}."
            )
        place = {label: code for code, label in enumerate(self.labels)}
        unknown = [label for label in dict.fromkeys(given.ravel().tolist()) if label not in place]
        if unknown:
            raise InputError(
                f"noise_groups: expected groups of the fit, {_some(list(self.labels))}, got {_some(unknown)}, whose "
                "noise is not known."
            )
        return np.array([place[label] for label in np.broadcast_to(given, rows).tolist()], dtype=np.intp)


def _labels(name: str, labels: Any) -> Any:
    """As an array without what is missing."""
    try:
        given = np.asarray(labels)
    except ValueError as error:
        raise InputError(f"{name}: expected one label for each row, got {labels!r}.") from error
    if given.dtype.kind not in "biufUSO":
        raise InputError(f"{name}: expected numbers or strings, got dtype {given.dtype}.")
    if given.dtype.kind == "S":
        given = given.astype(str)
    if given.dtype.kind in "fO":
        missing = [place for place, label in enumerate(given.ravel().tolist()) if _is_missing(label)]
        if missing:
            raise InputError(f"{name}: expected a label for each row, got NaN or None at row {missing[0]}. Name them.")
    return given


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # of pandas, NA compared with itself is neither
        return True


def _some(labels: list[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:_NAMED])
    return shown if len(labels) <= _NAMED else f"{shown} and {len(labels) - _NAMED} more"
