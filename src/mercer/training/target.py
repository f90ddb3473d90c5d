"""What is to be predicted: whether a column holds classes or numbers, why, and the rows that have it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.tables import Column, ColumnKind
from mercer.training.options import TrainingOptions
from mercer.typing import Floats, Integers

__all__ = ["Target", "read_target", "read_test_target"]

# Whole numbers of more values than this are taken for numbers.
_MOST_CLASSES_OF_NUMBERS = 10
# In what share of the rows each of three or more numbers has to be, and in how many rows, to be taken for a class.
_FREQUENT, _FREQUENT_ROWS = 0.002, 10
# A class with fewer rows than this can be neither learnt nor judged: some go into each fold and some into the test.
_FEWEST_ROWS = 5
# Leaving out more rows than this share of them, because their class is rare, would make it another table.
_MOST_LEFT_OUT = 0.1
# Words of which more than this share is different are names, ids or texts, not classes.
_MOSTLY_DISTINCT = 0.5
# Sizes and spreads of numbers whose squares float64 holds, with room for sums of them.
_LARGEST, _LEAST_SPREAD = 1e100, 1e-100


@dataclass(frozen=True, eq=False)
class Target:
    """The target of the rows that have one.

    Attributes
    ----------
    name, task, reason : str
        The column, "classification" or "regression", and why that.
    score : str
        The name of the score that counts.
    classes : tuple of str
        Labels as the table has them, in order; empty in regression.
    rows : ndarray of int
        Rows of the table that take part.
    y : ndarray
        Numbers of classes, or targets, of these rows.
    dropped : int
        Rows without a target.
    rare : dict
        Classes that were left out because they have too few rows, with how many.
    """

    name: str
    task: str
    reason: str
    score: str
    classes: tuple[str, ...]
    rows: Integers
    y: Any
    dropped: int
    rare: dict[str, int]

    @property
    def is_classification(self) -> bool:
        return self.task == "classification"


def read_target(column: Column, options: TrainingOptions) -> Target:
    """Which task the column asks for, and its values as the task takes them.

    Raises `InputError` where nothing can be learnt of it: one value only, dates, nearly all values different words.
    """
    rows = np.flatnonzero(~column.missing)
    dropped = len(column.values) - len(rows)
    present = column.take(rows)
    distinct = len(np.unique(present.values))
    if distinct < 2:
        what = "no value at all" if distinct == 0 else f"one value, {present.texts()[0]!r}, in all {len(rows)} rows"
        raise InputError(
            f"{column.name!r} as the target: expected two different values or more, got {what}. Name another column, "
            "or check that no filter removed the other rows."
        )
    task, reason = _task(present, distinct, options.task)
    score = options.score_of(task)
    if task == "regression":
        values: Floats = present.values.astype(np.float64)
        _check_size(f"{column.name!r} as the target", values)
        return Target(column.name, task, reason, score, (), rows, values, dropped, {})
    labels, codes = _labels(present)
    counts = np.bincount(codes, minlength=len(labels))
    _check_classes(column.name, labels, counts)
    rare = {labels[k]: int(counts[k]) for k in np.flatnonzero(counts < _FEWEST_ROWS)}
    kept = counts >= _FEWEST_ROWS
    classes = tuple(label for label, keep in zip(labels, kept, strict=True) if keep)
    takes_part = kept[codes]
    places = np.cumsum(kept) - 1
    return Target(column.name, task, reason, score, classes, rows[takes_part], places[codes[takes_part]], dropped, rare)


def read_test_target(column: Column, target: Target) -> tuple[Integers, Any, int]:
    """Rows of a test table that take part, their targets, and how many have none.

    Raises `InputError` where there are labels that training has not seen.
    """
    rows = np.flatnonzero(~column.missing)
    dropped = len(column.values) - len(rows)
    if len(rows) == 0:
        raise InputError(f"The test table: expected rows with a value of {column.name!r}, got none.")
    present = column.take(rows)
    if not target.is_classification:
        if column.kind not in (ColumnKind.NUMBER, ColumnKind.BOOLEAN):
            raise InputError(
                f"The test table: expected numbers in the target {column.name!r}, as in training, got "
                f"{column.kind.value}."
            )
        values: Floats = present.values.astype(np.float64)
        _check_size(f"The test table: {column.name!r} as the target", values)
        return rows, values, dropped
    known = {label: code for code, label in enumerate(target.classes)}
    texts = present.texts()
    unseen = sorted({text for text in texts if text not in known and text not in target.rare})
    if unseen:
        raise _unseen_labels(column.name, unseen, target)
    takes_part = np.array([text in known for text in texts])
    codes = np.array([known[text] for text in texts[takes_part]], dtype=np.int64)
    if len(codes) == 0:
        raise InputError(f"The test table: expected rows of the classes {', '.join(target.classes)}, got none.")
    return rows[takes_part], codes, dropped


# ---------------------------------------------------------------- which task


def _task(column: Column, distinct: int, asked: str | None) -> tuple[str, str]:
    name, kind = column.name, column.kind
    if kind is ColumnKind.DATE:
        raise InputError(
            f"{name!r} as the target: expected classes or numbers, got dates. Make numbers of them, such as the days "
            "since some day, in a column of its own."
        )
    if asked == "regression" and kind is ColumnKind.TEXT:
        words = ", ".join(repr(word) for word in column.texts()[:3])
        raise InputError(
            f"{name!r} as the target of a regression: expected numbers, got words such as {words}. Ask for "
            "classification, or name another column."
        )
    if asked is not None:
        return asked, f"{asked.capitalize()}, as asked."
    if kind is ColumnKind.TEXT:
        return "classification", f"Classification, because {name} holds words, {distinct} different ones."
    if kind is ColumnKind.BOOLEAN:
        return "classification", f"Classification, because {name} holds {' and '.join(column.words)}."
    values, counts = np.unique(column.values, return_counts=True)
    if distinct == 2:
        told = " and ".join(f"{value:g}" for value in values)
        return "classification", f"Classification, because {name} holds two numbers, {told}."
    is_whole = bool(np.all(values == np.floor(values)))
    rows = len(column.values)
    wanted = max(_FREQUENT * rows, min(_FREQUENT_ROWS, rows / (3 * distinct)))
    if is_whole and distinct <= _MOST_CLASSES_OF_NUMBERS and counts.min() >= wanted:
        return "classification", (
            f"Classification, because {name} holds {distinct} different whole numbers, each of them often. If they are "
            "amounts, ask for regression."
        )
    if is_whole and distinct <= _MOST_CLASSES_OF_NUMBERS:
        rarest = values[counts.argmin()]
        return "regression", (
            f"Regression, because {name} holds whole numbers of which some are rare ({rarest:g} in {counts.min()} of "
            f"{rows} rows). If they are names of classes, ask for classification."
        )
    return "regression", f"Regression, because {name} holds numbers, {distinct} different ones."


def _check_size(what: str, values: Floats) -> None:
    """Raises where squares of the targets, or of their differences, would overflow or vanish."""
    largest = float(np.abs(values).max())
    if largest > _LARGEST:
        raise InputError(
            f"{what} of a regression: expected numbers up to {_LARGEST:g} in size, got {largest:g}. Rescale the "
            "column, or take its logarithm; a word for missing values such as 1e308 is named by --null."
        )
    spread = float(np.std(values))
    if len(np.unique(values)) > 1 and spread < _LEAST_SPREAD:
        raise InputError(
            f"{what} of a regression: expected numbers that differ by {_LEAST_SPREAD:g} or more, got a standard "
            f"deviation of {spread:g}. Rescale the column."
        )


# ---------------------------------------------------------------- classes


def _labels(column: Column) -> tuple[list[str], Integers]:
    """The labels, in order, and which one each row has."""
    values, codes = np.unique(column.values, return_inverse=True)
    first = np.unique(codes, return_index=True)[1]
    written = [str(text) for text in column.take(first).texts()]
    if column.kind is not ColumnKind.TEXT:
        return written, codes.astype(np.int64)
    order = sorted(range(len(values)), key=written.__getitem__)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [written[k] for k in order], place[codes]


def _check_classes(name: str, labels: list[str], counts: Integers) -> None:
    """Raises where there is nothing to learn of classes like these."""
    rows, few = int(counts.sum()), counts < _FEWEST_ROWS
    if len(labels) > max(_MOSTLY_DISTINCT * rows, 2) and few.any():
        raise InputError(
            f"{name!r} as the target: expected classes that come again and again, got {len(labels)} different values "
            f"in {rows} rows, such as {labels[0]!r} and {labels[1]!r}: they look like names or texts. Name another "
            "column."
        )
    lost = int(counts[few].sum())
    if len(labels) - int(few.sum()) < 2 or lost > _MOST_LEFT_OUT * rows:
        named = ", ".join(f"{labels[k]!r} ({counts[k]})" for k in np.flatnonzero(few)[:8])
        more = f" and {int(few.sum()) - 8} more" if few.sum() > 8 else ""
        raise InputError(
            f"{name!r} as the target: expected classes of {_FEWEST_ROWS} rows or more, got some with fewer: {named}"
            f"{more}. Merge rare classes into others, or add rows of them."
        )


def _unseen_labels(name: str, unseen: list[str], target: Target) -> InputError:
    told = []
    for label in unseen[:5]:
        near = get_close_matches(label, target.classes, n=1, cutoff=0.6)
        told.append(f"{label!r} (near {near[0]!r})" if near else repr(label))
    more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
    known = ", ".join(repr(label) for label in target.classes[:10])
    return InputError(
        f"The test table: expected labels in {name!r} that training has seen ({known}), got {', '.join(told)}{more}. "
        "Write them alike in both files, or leave those rows out."
    )
