"""Which rows the machine learns from, and which it is judged by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer import checks
from mercer.errors import InputError
from mercer.tables import Table
from mercer.training.options import TrainingOptions
from mercer.training.target import Target, read_test_target
from mercer.typing import Integers

__all__ = ["Part", "Parts", "split_rows", "stratified_sample"]

# The share of the training rows that sets and intervals are learnt from, where they are asked for.
_APART = 0.2
_FEWEST_TRAINING_ROWS = 10


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows: their columns without the target, their targets, and their numbers in the file, from 1 on."""

    table: Table
    y: Any
    numbers: Integers

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Any) -> Part:
        """Some of these rows."""
        return Part(self.table.take(rows), self.y[rows], self.numbers[rows])

    def without(self, names: list[str]) -> Part:
        """The same rows without some columns."""
        return replace(self, table=self.table.without([name for name in names if name in self.table.names]))


@dataclass(frozen=True, eq=False)
class Parts:
    """The rows in parts.

    Attributes
    ----------
    train, test : Part
        Rows to learn from, and to judge by.
    apart : Part or None
        Rows that sets and intervals are learnt from; no other step looks at them.
    words : str
        How the test rows were chosen.
    test_dropped : int
        Rows of a given test table without a target.
    more_columns : tuple of str
        Columns of a given test table that training does not have.
    """

    train: Part
    test: Part
    apart: Part | None
    words: str
    test_dropped: int = 0
    more_columns: tuple[str, ...] = ()

    def without(self, names: list[str]) -> Parts:
        """The same without some columns."""
        apart = None if self.apart is None else self.apart.without(names)
        return replace(self, train=self.train.without(names), test=self.test.without(names), apart=apart)


def split_rows(table: Table, target: Target, test: Table | float | None, options: TrainingOptions) -> Parts:
    """Holds out a share of the rows, stratified by class, or takes a test table that has the same columns, or none."""
    ignored = [target.name, *(name for name in options.ignore if name != target.name)]
    features = table.without(ignored)
    if not features.columns:
        raise InputError(f"Expected columns to learn from beside the target {target.name!r}, got none.")
    everything = Part(features.take(target.rows), target.y, target.rows + 1)
    random = np.random.default_rng(options.seed)
    strata = target.y if target.is_classification else None
    if isinstance(test, Table):
        held_out, dropped, more = _given(test, features, target)
        source = test.reading.source
        words = f"{len(held_out):,} test rows from {source}; all {len(everything):,} rows of the table train."
        parts = Parts(everything, held_out, None, words, dropped, more)
    elif test is None:
        parts = Parts(everything, everything.take(np.arange(0)), None, "No rows are held out.")
    else:
        share = checks.inner_share("test", test)
        chosen = stratified_sample(len(everything), max(1, round(share * len(everything))), strata, random)
        kept = np.setdiff1d(np.arange(len(everything)), chosen)
        how = "drawn at random within each class" if target.is_classification else "drawn at random"
        words = f"{100 * share:g} % of the rows held out, {how} (seed {options.seed})."
        parts = Parts(everything.take(kept), everything.take(chosen), None, words)
    parts = _with_rows_apart(parts, strata is not None, random) if options.sets else parts
    if len(parts.train) < _FEWEST_TRAINING_ROWS:
        raise InputError(
            f"Expected {_FEWEST_TRAINING_ROWS} rows or more to learn from, got {len(parts.train)} with a value of "
            f"{target.name!r} beside the {len(parts.test)} held out. Add rows."
        )
    return parts


def stratified_sample(rows: int, size: int, strata: Any, random: np.random.Generator) -> Integers:
    """About so many of the rows, in order, of each stratum in proportion and never all of one.

    Each stratum gives one row at least where it has two.
    """
    if strata is None:
        return np.sort(random.permutation(rows)[: min(size, rows - 1)])
    chosen = []
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        number = min(max(1, round(len(members) * size / rows)), len(members) - 1)
        chosen.append(random.permutation(members)[:number])
    return np.sort(np.concatenate(chosen))


def _with_rows_apart(parts: Parts, is_stratified: bool, random: np.random.Generator) -> Parts:
    train = parts.train
    size = max(1, round(_APART * len(train)))
    apart = stratified_sample(len(train), size, train.y if is_stratified else None, random)
    kept = np.setdiff1d(np.arange(len(train)), apart)
    words = f"{parts.words} {len(apart):,} training rows are kept apart, for sets and intervals to be learnt from."
    return replace(parts, train=train.take(kept), apart=train.take(apart), words=words)


def _given(test: Table, features: Table, target: Target) -> tuple[Part, int, tuple[str, ...]]:
    """The rows of a test table with those columns that training has; the encoder says which of them it cannot miss."""
    known = [name for name in features.names if name in test.names]
    if not known:
        raise InputError(
            f"The test table {test.reading.source}: expected the columns of the training table, such as "
            f"{features.names[0]!r}, got none of them. Does one of the files lack its line of names?"
        )
    rows, y, dropped = read_test_target(test[target.name], target)
    more = tuple(name for name in test.names if name not in features.names and name != target.name)
    return Part(test.select(known).take(rows), y, rows + 1), dropped, more
