"""The ranges that svm-scale goes by, and the file that keeps them.

The file has a line `x`, the two limits, and for each feature whose values differ its index, least and largest value;
where targets are scaled too, before that a line `y`, their limits, and their least and largest value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats, Integers

__all__ = ["RangeFile", "Ranges", "read_ranges", "write_ranges"]

_MOST_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Ranges:
    """Limits, and the least and the largest value of features by their indices, which are in order.

    Features with one value are left out, and those that are not there have the value zero in all rows.
    """

    lower: float
    upper: float
    indices: Integers
    least: Floats
    largest: Floats
    y_limits: tuple[float, float] | None
    y_range: tuple[float, float]

    def scaled(self, places: Any, values: Floats) -> Floats:
        """Values of the features at these places among the indices, scaled; zero of features that are left out."""
        least, largest = self.least[places], self.largest[places]
        with np.errstate(all="ignore"):
            # In LIBSVM's order of operations, for its bits.
            scaled = self.lower + (self.upper - self.lower) * (values - least) / (largest - least)
        scaled = np.where(values == least, self.lower, np.where(values == largest, self.upper, scaled))
        return np.where(least == largest, 0.0, scaled)

    def scaled_targets(self, y: Floats) -> Floats:
        if self.y_limits is None:
            return y
        (lower, upper), (least, largest) = self.y_limits, self.y_range
        with np.errstate(all="ignore"):
            scaled = lower + (upper - lower) * (y - least) / (largest - least)
        return np.where(y == least, lower, np.where(y == largest, upper, scaled))


@dataclass(frozen=True)
class RangeFile:
    """What a range file says."""

    lower: float | None
    upper: float | None
    features: dict[int, tuple[float, float]]
    y_limits: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None

    def over(self, own: Ranges) -> tuple[Ranges, list[int]]:
        """The ranges of data with those of the file in their place, and the features that the file does not know."""
        if self.y_limits is not None and self.y_range is not None:
            own = replace(own, y_limits=self.y_limits, y_range=self.y_range)
        if self.lower is None or self.upper is None:
            return own, []
        indices = np.union1d(own.indices, np.array(list(self.features), dtype=np.int64))
        ends = np.array([self.features.get(index, (0.0, 0.0)) for index in indices.tolist()]).reshape(-1, 2)
        is_zero = indices == 0  # which no file keeps
        ends[is_zero] = np.stack([own.least, own.largest], axis=1)[own.indices == 0]
        varied = own.indices[(own.least != own.largest) & (own.indices > 0)].tolist()
        found = replace(own, lower=self.lower, upper=self.upper, indices=indices, least=ends[:, 0], largest=ends[:, 1])
        return found, [index for index in varied if index not in self.features]


def read_ranges(path: str) -> RangeFile:
    """The file that `svm-scale -s` wrote."""
    try:
        with open(path, "rb") as file:
            lines = [line.split() for line in file.read().splitlines() if line.strip()]
    except OSError as error:
        raise InputError(f"can't open file {path}: {error.strerror or error}") from error
    y_limits = y_range = lower = upper = None
    features: dict[int, tuple[float, float]] = {}
    if lines and lines[0] == [b"y"]:
        y_limits, y_range = _two(lines, 1), _two(lines, 2)
        lines = lines[3:]
    if lines and lines[0] == [b"x"]:
        lower, upper = _two(lines, 1)
        features = dict(_feature(words) for words in lines[2:])
    elif y_limits is None:
        raise _failed("expected a line 'x' or 'y' first")
    return RangeFile(lower, upper, features, y_limits, y_range)


def _two(lines: list[list[bytes]], number: int) -> tuple[float, float]:
    words = lines[number] if number < len(lines) else []
    try:
        low, high = map(float, words)
    except ValueError as error:
        raise _failed("expected two numbers after a line 'x' or 'y'") from error
    return low, high


def _feature(words: list[bytes]) -> tuple[int, tuple[float, float]]:
    try:
        index, low, high = words
        number, ends = int(index), (float(low), float(high))
    except ValueError as error:
        raise _failed("expected an index and two numbers of each feature") from error
    if not 1 <= number <= _MOST_INDEX or not all(map(math.isfinite, ends)):
        raise _failed(f"expected an index from 1 to {_MOST_INDEX} and finite numbers, got {number}")
    return number, ends


def _failed(why: str) -> InputError:
    return InputError(f"ERROR: failed to read scaling parameters: {why}. Write the file again with svm-scale -s.")


def write_ranges(ranges: Ranges, path: str) -> None:
    """The file that `svm-scale -r` reads."""
    lines = []
    if ranges.y_limits is not None:
        lines += ["y", _numbers(*ranges.y_limits), _numbers(*ranges.y_range)]
    lines += ["x", _numbers(ranges.lower, ranges.upper)]
    for index, low, high in zip(ranges.indices.tolist(), ranges.least.tolist(), ranges.largest.tolist(), strict=True):
        if index >= 1 and low != high:
            lines.append(f"{index} {_numbers(low, high)}")
    try:
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise InputError(f"can't open file {path}: {error.strerror or error}") from error


def _numbers(first: float, second: float) -> str:
    return f"{first:.17g} {second:.17g}"
