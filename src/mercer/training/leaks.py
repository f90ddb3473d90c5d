"""Columns that nearly reach the score alone: they may tell of the target what nobody knows beforehand.

A column alone predicts by the rows that share its value, or a bin of its values: their commonest class, or their mean,
on folds as the machine was judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.tables import Column, ColumnKind
from mercer.training import measures
from mercer.training.prepared import Prepared
from mercer.training.split import stratified_sample
from mercer.typing import Integers

__all__ = ["Leak", "find_leaks"]

# A column that reaches this share of what all columns add to the best constant guess is pointed at.
_NEARLY = 0.9
# Beyond this share of perfect there is hardly anything left that others could add.
_PERFECT = 0.97
# A score below this, or one that all columns together stay behind by more than the other, or more than chance has it,
# is no sign of a leak.
_HIGH, _BEHIND = 0.95, 0.02
# Other columns that reach less than this share of it alone leave it standing out.
_ALONE = 0.75
# The gain of all columns, or of one, has to be more than this, or nothing is learnt that could leak.
_LEAST_GAIN = 0.1
_MOST_ROWS, _FOLDS, _BINS = 5000, 5, 32


@dataclass(frozen=True)
class Leak:
    """A column, what it reaches alone, and what that may mean.

    Attributes
    ----------
    is_likely : bool
        Whether it stands out so much, and reaches so much, that it is likely to be a leak.
    is_ahead : bool
        Whether all columns together do worse than it does alone.
    """

    column: str
    score: float
    is_likely: bool
    is_ahead: bool = False


def find_leaks(data: Prepared, reached: float, seed: int) -> list[Leak]:
    """Columns that alone nearly reach what all of them do on held-out folds, the best first."""
    rows = np.arange(len(data.train))
    random = np.random.default_rng(seed)
    if len(rows) > _MOST_ROWS:
        rows = stratified_sample(len(rows), _MOST_ROWS, data.y if data.is_classification else None, random)
    y, score_name = data.y[rows], data.score_name
    folds = random.permutation(np.arange(len(rows)) % _FOLDS)
    nothing = np.zeros(len(rows), dtype=np.int64)
    guess = _alone(nothing, y, folds, data.is_classification, score_name)
    gain, behind = reached - guess, max(_BEHIND, 1 / np.sqrt(len(rows)))
    # Where all columns together reach little, one that reaches more still tells that something is wrong.
    wanted = _NEARLY * gain if gain >= _LEAST_GAIN else max(_LEAST_GAIN, gain + behind)
    scores = {
        name: _alone(_bins(data.train.table[name].take(rows)), y, folds, data.is_classification, score_name)
        for name in data.columns
    }
    near = {name: score for name, score in scores.items() if score - guess >= wanted}
    found = []
    for name, score in sorted(near.items(), key=lambda one: -one[1]):
        others = max((other - guess for one, other in scores.items() if one != name), default=0.0)
        stands_out = score - guess >= _PERFECT * (1 - guess) or others < _ALONE * (score - guess)
        is_ahead = bool(score > reached + behind)
        is_likely = stands_out and score >= _HIGH and not is_ahead and len(data.columns) > 1
        found.append(Leak(name, score, is_likely, is_ahead))
    return found


def _alone(bins: Integers, y: Any, folds: Integers, is_classification: bool, score_name: str) -> float:
    """The score of the commonest class, or of the mean, of each bin on rows that are held out."""
    number = int(bins.max()) + 1
    predicted = np.empty(len(y), dtype=y.dtype)
    for fold in range(_FOLDS):
        train, test = folds != fold, folds == fold
        if is_classification:
            classes = int(y.max()) + 1
            counts = np.bincount(bins[train] * classes + y[train], minlength=number * classes).reshape(number, classes)
            overall = int(counts.sum(axis=0).argmax())
            best = np.where(counts.any(axis=1), counts.argmax(axis=1), overall)
        else:
            rows = np.bincount(bins[train], minlength=number)
            overall_mean = y[train].mean()
            best = np.bincount(bins[train], y[train] - overall_mean, minlength=number) / np.maximum(rows, 1)
            best = best + overall_mean
        predicted[test] = best[bins[test]]
    return measures.score(score_name, y, predicted).value


def _bins(column: Column) -> Integers:
    """The number of each row's bin: words and few values as they are, else quantiles; missing ones have the last."""
    missing = column.missing
    values = column.values.astype(np.int64) if column.kind is ColumnKind.DATE else column.values
    present = values[~missing]
    places = np.zeros(len(values), dtype=np.int64)
    distinct = np.unique(present)
    if column.kind is ColumnKind.TEXT or len(distinct) <= 2 * _BINS:
        edges = distinct
    else:
        edges = np.unique(np.quantile(present, np.linspace(0, 1, _BINS + 1)[1:-1]))
    places[~missing] = np.searchsorted(edges, present)
    places[missing] = len(edges) + 1
    return places
