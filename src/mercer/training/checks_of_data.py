"""What there is to say of the table, its columns and its parts. Codes M1.. are of the table, M2.. of the parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.tables import ColumnKind
from mercer.tables.left_out import LeftOut, PresenceCode
from mercer.tables.number_code import NumberCode
from mercer.training.findings import Check
from mercer.training.outcome import Outcome
from mercer.training.outliers import far_values
from mercer.typing import Floats

__all__ = ["checks_of_data"]

_FEW_ROWS, _FEW_TEST_ROWS = 50, 100
# Shares: of missing values in a column, of the largest class, of a class that is rare, of test rows seen in training.
_MANY_MISSING, _DOMINANT, _SMALL_CLASS, _MANY_SEEN = 0.4, 0.8, 0.02, 0.05
# Correlation beyond which two columns say the same.
_SAME = 0.98
# Columns of numbers between which correlations are looked at.
_MOST_COLUMNS = 500
# A column counts for nothing where its loss is below this many of its standard errors.
_ERRORS = 1.0


def checks_of_data(outcome: Outcome) -> Iterator[Check]:
    """One check a question, each with its verdict; where the score is not one of new rows, that comes first."""
    if not outcome.is_mostly_unseen:
        yield _seen_twice(outcome)
    yield _rows(outcome)
    yield _missing(outcome)
    yield _left_out(outcome)
    yield _same_columns(outcome)
    yield _outliers(outcome)
    if outcome.importance:
        yield _useless(outcome)
    if outcome.data.is_classification:
        yield _balance(outcome)
    if outcome.data.target.rare:
        yield _rare(outcome)
    if outcome.data.target.dropped or outcome.data.parts.test_dropped:
        yield _without_target(outcome)
    dates = [name for name, kind in outcome.data.encoding.schema if kind is ColumnKind.DATE]
    if dates:
        yield _time(dates)
    yield _leaks(outcome)
    if outcome.is_mostly_unseen:
        yield _seen_twice(outcome)
    yield _unseen(outcome)
    yield _test_rows(outcome)
    if outcome.data.parts.more_columns:
        yield _more_columns(outcome)


# ---------------------------------------------------------------- the table


def _rows(outcome: Outcome) -> Check:
    rows = len(outcome.data.train) + len(outcome.data.test)
    title = "Number of rows"
    if rows >= _FEW_ROWS:
        return Check("M101", "fine", title, f"{rows:,} rows with a target.")
    words = f"There are {rows} rows only: every figure of this report is uncertain, and the choice of parameters too."
    return Check("M101", "warning", title, words, "Collect more rows before relying on the model.")


def _missing(outcome: Outcome) -> Check:
    title, table = "Missing values", outcome.data.train.table.select(outcome.data.columns)
    shares = {column.name: float(column.missing.mean()) for column in table.columns}
    many = {name: share for name, share in shares.items() if share > _MANY_MISSING}
    some = {name: share for name, share in shares.items() if share > 0}
    if many:
        told = _listed([f"{name} ({100 * share:.0f} %)" for name, share in many.items()])
        words = f"Much is missing in {told}. Missing values are filled, and marked by a feature of their own."
        return Check(
            "M102",
            "note",
            title,
            words,
            "Ask why they are missing: the reason may come with the target, and then --drop COLUMN leaves it out.",
        )
    if some:
        told = _listed([f"{name} ({100 * share:.2g} %)" for name, share in some.items()])
        return Check("M102", "fine", title, f"Some values are missing in {told}; filled and marked.")
    return Check("M102", "fine", title, "No value is missing.")


def _left_out(outcome: Outcome) -> Check:
    title, codes = "Columns left out", outcome.data.encoding.columns
    left_out = [f"{code.name} ({code.note})" for code in codes if isinstance(code, LeftOut)]
    in_part = [f"{code.name} ({code.note})" for code in codes if isinstance(code, PresenceCode)]
    if not left_out and not in_part:
        return Check("M103", "fine", title, "Every column is used.")
    told = [f"Left out: {_listed(left_out, '; ')}"] if left_out else []
    told += [f"Used in part: {_listed(in_part, '; ')}"] if in_part else []
    todo = "Where a text holds something that matters, such as a title or a place, make a column of that."
    return Check("M103", "note", title, f"{'. '.join(told)}.", todo)


def _same_columns(outcome: Outcome) -> Check:
    title, data = "Columns that say the same", outcome.data
    numbers = [code.name for code in data.encoding.columns if isinstance(code, NumberCode)][:_MOST_COLUMNS]
    features = data.X[:, [data.encoding.features_of(name).start for name in numbers]]
    pairs = [f"{numbers[i]} and {numbers[j]} ({value:+.3f})" for i, j, value in _correlated(features)]
    if not pairs:
        return Check("M104", "fine", title, "No two columns of numbers are nearly the same.")
    words = f"Correlated beyond ±{_SAME:g}: {_listed(pairs)}. Each hides the importance of the other."
    return Check("M104", "note", title, words, "Leave one of each pair out (--drop COLUMN); the model will be simpler.")


def _outliers(outcome: Outcome) -> Check:
    title = "Numbers far from all others"
    found = [far for name in outcome.data.columns if (far := far_values(outcome.data.train.table[name])) is not None]
    if not found:
        return Check("M110", "fine", title, "No column of numbers has values far from all others.")
    words = f"{_listed([str(far) for far in found])}. They squeeze the other values of their column together."
    word = next((f"{far.value:g}" for far in found if far.is_code), None)
    named = f"--null {word}" if word else "--null WORD"
    todo = f"Where such a number stands for a missing value, name it ({named}); where it is an error, mend it."
    level = "warning" if any(far.is_code and far.is_outlier for far in found) else "note"
    return Check("M110", level, title, words, todo)


def _correlated(features: Floats) -> list[tuple[int, int, float]]:
    if features.shape[1] < 2 or len(features) < 3:
        return []
    centred = features - features.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    scaled = centred / np.where(lengths > 0, lengths, 1.0)
    matrix = scaled.T @ scaled
    i, j = np.nonzero(np.triu(np.abs(matrix) > _SAME, 1))
    return [(int(a), int(b), float(matrix[a, b])) for a, b in zip(i, j, strict=True)]


def _useless(outcome: Outcome) -> Check:
    title = "Columns that bring nothing"
    found = [one.column for one in outcome.importance if one.loss <= _ERRORS * one.error]
    if not found or len(found) == len(outcome.importance):
        return Check(
            "M105",
            "fine",
            title,
            "Every column counts, by shuffling it between test rows."
            if not found
            else "No column counts for itself: they stand in for each other, or the test rows are too few to tell.",
        )
    words = f"Shuffling {_listed(found)} changes the score by no more than its error."
    todo = "Columns that stand in for each other look like this too: leave out one at a time (--drop COLUMN)."
    return Check("M105", "note", title, words, todo)


def _balance(outcome: Outcome) -> Check:
    title, data = "Balance of the classes", outcome.data
    counts = np.bincount(data.y, minlength=len(data.target.classes))
    shares = counts / counts.sum()
    largest, smallest = int(shares.argmax()), int(shares.argmin())
    names = data.target.classes
    if shares[largest] <= _DOMINANT and shares[smallest] >= _SMALL_CLASS:
        told = ", ".join(f"{names[k]} {100 * shares[k]:.0f} %" for k in np.argsort(-shares, kind="stable")[:5])
        return Check("M106", "fine", title, f"{told}{', …' if len(names) > 5 else ''}.")
    if outcome.options.class_weight == "balanced":
        words = (
            f"{names[smallest]} is rare ({100 * shares[smallest]:.2g} % of the rows); errors on it cost more, as asked."
        )
        return Check("M106", "fine", title, words)
    if shares[largest] > _DOMINANT:
        words = f"{100 * shares[largest]:.0f} % of the rows are {names[largest]}: saying so always is right as often."
    else:
        words = f"{names[smallest]} is rare: {100 * shares[smallest]:.2g} % of the rows."
    todo = "Look at the balanced accuracy and the confusion matrix; --balanced helps rare classes."
    return Check("M106", "note", title, words, todo)


def _rare(outcome: Outcome) -> Check:
    rare = outcome.data.target.rare
    told = _listed([f"{label} ({count})" for label, count in rare.items()])
    words = f"Left out, because so few rows can be neither learnt nor judged: {told}. The model never predicts them."
    return Check("M107", "warning", "Rare classes", words, "Merge them with other classes, or add rows of them.")


def _without_target(outcome: Outcome) -> Check:
    data = outcome.data
    told = [f"{data.target.dropped:,} rows of the table"] if data.target.dropped else []
    told += [f"{data.parts.test_dropped:,} of the test table"] if data.parts.test_dropped else []
    words = f"{' and '.join(told)} have no value of {data.target.name} and take no part."
    return Check("M108", "note", "Rows without a target", words, "Ask whether they are a group of their own.")


def _time(dates: list[str]) -> Check:
    words = (
        f"{_listed(dates)} {'holds' if len(dates) == 1 else 'hold'} dates. Test rows that lie between training rows in "
        "time are easier than those of the future."
    )
    todo = "If the model is to predict what comes later, give the latest rows as the test table."
    return Check("M109", "note", "Order in time", words, todo)


# ---------------------------------------------------------------- the parts


def _leaks(outcome: Outcome) -> Check:
    title, reached = "Leaks", outcome.choice.found.score
    if outcome.dropped_leaks:
        told = _listed([f"{leak.column} ({leak.score:.3f} alone)" for leak in outcome.dropped_leaks])
        words = f"Left out, because they nearly reached the score alone: {told}."
        return Check(
            "M201", "note", title, words, "If one of them is known before the target is, leave out --drop-leaks."
        )
    if not outcome.leaks:
        return Check("M201", "fine", title, "No column reaches the score alone.")
    told = _listed([f"{leak.column} ({leak.score:.3f})" for leak in outcome.leaks])
    several = len(outcome.leaks) > 1
    if any(leak.is_ahead for leak in outcome.leaks):
        ahead = _listed([f"{leak.column} ({leak.score:.3f})" for leak in outcome.leaks if leak.is_ahead])
        words = (
            f"The machine, with all columns, does worse on the folds ({reached:.3f}) than one column alone: {ahead}."
        )
        todo = (
            "Look for outliers, and for numbers that stand for missing values (--null WORD). If the column is "
            "not known before the target is, leave it out (--drop COLUMN)."
        )
        return Check("M201", "warning", title, words, todo)
    words = f"{told} alone nearly {'reach' if several else 'reaches'} what all columns do together ({reached:.3f})."
    todo = "Is it known before the target is? If not, leave it out: --drop-leaks, or --drop COLUMN."
    level = "warning" if any(leak.is_likely for leak in outcome.leaks) else "note"
    return Check("M201", level, title, words, todo)


def _seen_twice(outcome: Outcome) -> Check:
    title, seen, rows = "Rows in both parts", outcome.seen, len(outcome.data.test)
    if not seen:
        return Check("M202", "fine", title, "No test row is the same as a training row in all columns.")
    words = f"{seen:,} of {rows:,} test rows ({100 * seen / rows:.3g} %) are the same as a training row in all columns."
    if outcome.is_mostly_unseen:
        return Check("M202", "fine", title, words)
    todo = (
        "Give test rows that are in no training table, or let --test hold out a share of the rows. Where rows are "
        "copies of one case, remove copies first."
    )
    return Check("M202", "warning", title, f"{words} The score is not one of unseen rows.", todo)


def _unseen(outcome: Outcome) -> Check:
    title, unseen = "New categories in the test rows", outcome.data.unseen
    if not unseen:
        return Check("M203", "fine", title, "Training has seen every category of the test rows.")
    told = _listed([f"{name} ({count:,} rows)" for name, count in unseen.items()])
    words = f"Categories that training has not seen: {told}. They count as rare, or as none."
    many = max(unseen.values()) > _MANY_SEEN * len(outcome.data.test)
    todo = "Are the categories written alike in both tables?" if many else ""
    return Check("M203", "warning" if many else "note", title, words, todo)


def _test_rows(outcome: Outcome) -> Check:
    title, rows = "Number of test rows", len(outcome.data.test)
    error = outcome.judged.counts.error
    told = "unknown" if error is None else f"{error:.3f}"
    if rows >= _FEW_TEST_ROWS:
        return Check("M204", "fine", title, f"{rows:,} test rows; the standard error of the score is {told}.")
    words = f"There are {rows} test rows only: the standard error of the score is {told}."
    return Check("M204", "note", title, words, "Go by the score on the folds as well, or hold out more rows.")


def _more_columns(outcome: Outcome) -> Check:
    words = f"The test table has columns that training does not know: {_listed(list(outcome.data.parts.more_columns))}."
    return Check("M205", "note", "More columns in the test table", words)


def _listed(names: list[str], between: str = ", ") -> str:
    told = between.join(names[:8])
    return f"{told} and {len(names) - 8} more" if len(names) > 8 else told
