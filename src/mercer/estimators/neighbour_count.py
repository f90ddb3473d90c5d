"""How many neighbours to look at: each row is left out in turn, for all numbers of neighbours in one search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.deadline import check_deadline
from mercer.errors import InputError
from mercer.estimators.neighbour_weights import weights_of_each_count
from mercer.neighbours import Memory
from mercer.typing import Floats, Integers

__all__ = ["MOST_NEIGHBOURS", "errors_of_means", "errors_of_votes", "neighbours_left_out"]

#: The largest number that is looked at.
MOST_NEIGHBOURS = 100


def neighbours_left_out(memory: Memory, threads: int) -> tuple[Floats, Integers]:
    """The neighbours of all training rows, each without itself, as many as are looked at."""
    count = min(MOST_NEIGHBOURS, memory.size - 1)
    if count < 1:
        raise InputError("n_neighbors='auto' leaves each row out: expected two rows or more, got one.")
    found = memory.nearest(memory.rows, count, threads, np.arange(memory.size))
    return found.distances, found.rows


def _sums(values: Floats, counted: Floats | None, weights: Any, distances: Floats, rows: Integers) -> Iterator[Any]:
    """Σ w v over the first neighbours and Σ w, for each number of them; `values` are of rows."""
    n, total, weight = len(rows), np.zeros((len(rows), values.shape[1])), np.zeros(len(rows))
    for k, own in enumerate(weights_of_each_count(weights, distances)):
        check_deadline()
        if own is not None and callable(weights):  # they may all be others
            together = own if counted is None else own * counted[rows[:, : k + 1]]
            yield np.einsum("nk,nkv->nv", together, values[rows[:, : k + 1]]), together.sum(axis=1)
            continue
        last = np.ones(n) if own is None else own[:, k]
        if counted is not None:
            last = last * counted[rows[:, k]]
        total += last[:, None] * values[rows[:, k]]
        weight += last
        yield total, weight


def errors_of_votes(
    codes: Integers, classes: int, counted: Floats | None, weights: Any, distances: Floats, rows: Integers
) -> Floats:
    """The share of rows that their neighbours get wrong, for each number of these."""
    elected: Iterator[Integers]
    if callable(weights):
        votes = np.eye(classes)[codes]
        elected = (total.argmax(axis=1) for total, _ in _sums(votes, counted, weights, distances, rows))
    else:
        elected = _elected(codes, classes, counted, weights, distances, rows)
    return np.array([np.mean(winner != codes) for winner in elected])


def _elected(
    codes: Integers, classes: int, counted: Floats | None, weights: Any, distances: Floats, rows: Integers
) -> Iterator[Integers]:
    """The class with the most votes, the first of those with as many: it stays until a vote is for another."""
    places = np.arange(len(rows))
    votes, most, winner = np.zeros((len(rows), classes)), np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    for k, own in enumerate(weights_of_each_count(weights, distances)):
        check_deadline()
        voted = codes[rows[:, k]]
        last = np.ones(len(rows)) if own is None else own[:, k]
        if counted is not None:
            last = last * counted[rows[:, k]]
        votes[places, voted] += last
        now = votes[places, voted]
        wins = (now > most) | ((now == most) & (voted < winner))
        winner, most = np.where(wins, voted, winner), np.where(wins, now, most)
        yield winner


def errors_of_means(y: Floats, counted: Floats | None, weights: Any, distances: Floats, rows: Integers) -> Floats:
    """The mean squared error of the means of neighbours, for each number of these."""
    found = []
    for total, weight in _sums(y, counted, weights, distances, rows):
        means = np.divide(total, weight[:, None], out=np.zeros_like(total), where=weight[:, None] != 0)
        found.append(np.mean((means - y) ** 2))
    return np.array(found)
