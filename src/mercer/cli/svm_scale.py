"""`mercer svm-scale`: LIBSVM's program, with its options, files and words.

Each feature goes linearly from its least and its largest value to the limits; features of one value are left out. What
it writes are the bytes that LIBSVM writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.cli.libsvm_rows import LibsvmRows, read_rows
from mercer.cli.svm_ranges import Ranges, read_ranges, write_ranges
from mercer.cli.svm_words import UsageError, closing_pipes, real_number, told_errors
from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["main"]

USAGE = """\
Usage: svm-scale [options] data_filename
options:
-l lower : x scaling lower limit (default -1)
-u upper : x scaling upper limit (default +1)
-y y_lower y_upper : y scaling limits (default: no y scaling)
-s save_filename : save scaling parameters to save_filename
-r restore_filename : restore scaling parameters from restore_filename
"""


@dataclass(frozen=True)
class _Asked:
    lower: float = -1.0
    upper: float = 1.0
    y_limits: tuple[float, float] | None = None
    save: str | None = None
    restore: str | None = None
    data: str = ""


@closing_pipes
def main(arguments: list[str]) -> int:
    """Scales the rows of a data file to standard output; returns the exit code."""
    with told_errors(USAGE) as ended:
        _run(_read_options(arguments))
    return ended.code


def _read_options(arguments: list[str]) -> _Asked:
    asked, rest = _Asked(), list(arguments)

    def taken() -> str:
        if not rest:
            raise UsageError
        return rest.pop(0)

    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = taken()[1]
        if option == "l":
            asked = replace(asked, lower=real_number(taken()))
        elif option == "u":
            asked = replace(asked, upper=real_number(taken()))
        elif option == "y":
            asked = replace(asked, y_limits=(real_number(taken()), real_number(taken())))
        elif option == "s":
            asked = replace(asked, save=taken())
        elif option == "r":
            asked = replace(asked, restore=taken())
        else:
            raise UsageError("unknown option")
    if not asked.upper > asked.lower or (asked.y_limits is not None and not asked.y_limits[1] > asked.y_limits[0]):
        raise InputError("inconsistent lower/upper specification")
    if asked.save is not None and asked.restore is not None:
        raise InputError("cannot use -r and -s simultaneously")
    if len(rest) != 1:
        raise UsageError
    return replace(asked, data=rest[0])


def _run(asked: _Asked) -> None:
    try:
        rows = read_rows(asked.data)
    except OSError as error:
        raise InputError(f"can't open file {asked.data}: {error.strerror or error}") from error
    if rows.begins_at_zero:
        _warn("WARNING: minimal feature index is 0, but indices should start from 1")
    ranges = _ranges_of(rows, asked)
    if asked.restore is not None:
        ranges, unseen = read_ranges(asked.restore).over(ranges)
        for index in unseen:
            _warn(
                f"WARNING: feature index {index} appeared in file {asked.data} was not seen in the scaling factor file "
                f"{asked.restore}. The feature is scaled to 0."
            )
    if asked.save is not None:
        write_ranges(ranges, asked.save)
        if rows.begins_at_zero:
            _warn(f"WARNING: scaling factors with indices smaller than 1 are not stored to the file {asked.save}.")
    scaled = _Scaled(ranges)
    targets = ranges.scaled_targets(rows.y)
    for target, line in zip(targets.tolist(), scaled.lines(rows.X), strict=True):
        sys.stdout.write(f"{target:.17g} {line}\n")
    if scaled.nonzeros > rows.X.nnz:
        _warn(
            f"WARNING: original #nonzeros {rows.X.nnz}\n       > new      #nonzeros {scaled.nonzeros}\n"
            "If feature values are non-negative and sparse, use -l 0 rather than the default -l -1"
        )


def _warn(message: str) -> None:
    sys.stdout.flush()
    print(message, file=sys.stderr)


def _ranges_of(rows: LibsvmRows, asked: _Asked) -> Ranges:
    """From the least to the largest value of each feature; zeros that are not written count, but of the index 0."""
    X = rows.X
    indices, place = np.unique(X.indices, return_inverse=True)
    least, largest = np.full(len(indices), np.inf), np.full(len(indices), -np.inf)
    np.minimum.at(least, place, X.data)
    np.maximum.at(largest, place, X.data)
    lacks_some = (np.bincount(place, minlength=len(indices)) < X.shape[0]) & (indices > 0)
    least[lacks_some], largest[lacks_some] = np.minimum(least[lacks_some], 0), np.maximum(largest[lacks_some], 0)
    y_range = (float(rows.y.min()), float(rows.y.max())) if len(rows.y) else (0.0, 0.0)
    return Ranges(asked.lower, asked.upper, indices.astype(np.int64), least, largest, asked.y_limits, y_range)


class _Scaled:
    """Rows with their features scaled, as text; counts what is not zero."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.nonzeros = 0
        indices = ranges.indices
        zeros = ranges.scaled(np.arange(len(indices)), np.zeros(len(indices)))
        zeros[indices == 0] = 0.0  # nothing is written of it where a row does not have it
        self._filled = np.flatnonzero(zeros)
        self._zeros = zeros[self._filled]

    def lines(self, X: Any) -> Iterator[str]:
        every = np.searchsorted(self.ranges.indices, X.indices)
        for k in range(X.shape[0]):
            run = slice(X.indptr[k], X.indptr[k + 1])
            places, values = self._merged(every[run], X.data[run])
            kept = values != 0
            indices, values = self.ranges.indices[places[kept]], values[kept]
            self.nonzeros += len(indices)
            yield "".join(
                [f"{index}:{value:g} " for index, value in zip(indices.tolist(), values.tolist(), strict=True)]
            )

    def _merged(self, places: Any, values: Floats) -> tuple[Any, Floats]:
        """The features of a row, and those that become something else than zero where the row does not have them."""
        scaled = self.ranges.scaled(places, values)
        if not len(self._filled):
            return places, scaled
        among = np.searchsorted(self._filled, places)
        present = self._filled[np.minimum(among, len(self._filled) - 1)] == places
        absent = np.ones(len(self._filled), dtype=bool)
        absent[among[present]] = False
        every = np.concatenate([places, self._filled[absent]])
        order = np.argsort(every, kind="stable")
        return every[order], np.concatenate([scaled, self._zeros[absent]])[order]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
