"""The largest likelihood of many observations, by way of samples of them.

A likelihood of n rows costs n³, so that the way to the neighbourhood of the maximum is made on a sample, from every
start, at next to no cost. What is left to do on all rows are some steps of Newton's kind, with the curvature that the
sample has. What runs off to where nothing changes any more, as length scales of features that do not matter do, begins
where the sample notices it, and is sent off again if all rows agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer.processes.optimum import OUT_OF_TIME, Objective, Optimum, SearchEnded, maximise, maximise_each
from mercer.processes.quasi_newton import climb_curved, curvature_at
from mercer.typing import Floats, Integers

__all__ = ["maximise_by_samples", "takes_samples"]

# A sample is this share of the next larger one.
_GROWTH = 4
# The least rows of a sample, and those for every number that is sought.
_LEAST_ROWS = 400
_ROWS_PER_NUMBER = 25
# A maximum of a sample whose likelihood is this many e-folds below that of the best one is not followed.
_FAR_BELOW = 10.0
# Maxima that are this close are the same.
_SAME = 0.05
# A number has run off if this way back towards its start takes fewer e-folds than these from the likelihood of the
# sample; it is then taken back until it takes some, to so many halves of the way.
_FAR = 1.0
_UNNOTICED = 0.05
_NOTICED = 0.5
_BISECTIONS = 6
# Decides which rows are in a sample; those of a sample are in the next one too.
_SEED = 0

#: The objective of some of the rows; of all where there is None.
ObjectiveOf = Callable[[Integers | None], Objective]


class _Guess(NamedTuple):
    """A maximum of a sample, and where numbers ran off to, NaN of those that did not."""

    theta: Floats
    drawn: Floats


def takes_samples(rows: int, numbers: int) -> bool:
    """Whether there are enough rows for samples of them to tell as many numbers."""
    return len(_sizes(rows, numbers)) > 1


def _sizes(rows: int, numbers: int) -> list[int]:
    """Of the samples, the least first, and of all rows at last."""
    least, sizes = max(_LEAST_ROWS, _ROWS_PER_NUMBER * numbers), [rows]
    while sizes[0] // _GROWTH >= least:
        sizes.insert(0, sizes[0] // _GROWTH)
    return sizes


def maximise_by_samples(
    objective_of: ObjectiveOf, starts: Sequence[Floats], bounds: Floats, rows: int, ends: float = math.inf
) -> Optimum | None:
    """The best of the maxima that the starts lead to; None where none is found on the sample.

    Of a search that is out of time before it came to all rows, the value is −∞: it is not known.
    """
    sizes = _sizes(rows, len(bounds))
    order = np.random.default_rng(_SEED).permutation(rows)
    first = _timed(objective_of(np.sort(order[: sizes[0]])), ends)
    found = maximise_each(first, starts, bounds, sizes[0], ends=ends)
    best = max(found, key=lambda one: one.value)
    asked = sum(one.evaluations for one in found)
    if best.trouble == OUT_OF_TIME:
        return best._replace(value=-math.inf, evaluations=asked)
    if best.trouble is not None or not math.isfinite(best.value):
        return None
    try:
        guesses = [_guess(first, one, np.clip(starts[0], bounds[:, 0], bounds[:, 1])) for one in _distinct(found)]
    except SearchEnded:
        return Optimum(best.theta, -math.inf, asked, OUT_OF_TIME)
    smaller = first
    for before, size in pairwise(sizes):
        objective = _timed(objective_of(None if size == rows else np.sort(order[:size])), ends)

        def curvature(theta: Floats, smaller: Objective = smaller, share: float = size / before) -> Floats:
            return share * curvature_at(smaller, theta, bounds)

        climbed = [climb_curved(objective, guess.theta, curvature, bounds, guess.drawn) for guess in guesses]
        asked += sum(one.evaluations for one in climbed)
        best = max(climbed, key=lambda one: one.value)
        if best.trouble == OUT_OF_TIME:
            return best._replace(value=best.value if size == rows else -math.inf, evaluations=asked)
        guesses = [guess._replace(theta=one.theta) for guess, one in zip(guesses, climbed, strict=True)]
        smaller = objective
    if best.trouble is not None:
        best = maximise(objective, [best.theta], bounds, rows, ends=ends)
        asked += best.evaluations
    return best._replace(evaluations=asked)


def _timed(objective: Objective, ends: float) -> Objective:
    def timed(theta: Floats) -> tuple[float, Floats]:
        if perf_counter() >= ends:
            raise SearchEnded
        return objective(theta)

    return timed


def _distinct(found: Sequence[Optimum]) -> list[Optimum]:
    """The maxima that are worth following, each once, the best first."""
    ranked = sorted(found, key=lambda one: -one.value)
    kept: list[Optimum] = []
    for one in ranked:
        is_new = all(np.abs(one.theta - other.theta).max() > _SAME for other in kept)
        if is_new and one.value >= ranked[0].value - _FAR_BELOW:
            kept.append(one)
    return kept


def _guess(objective: Objective, found: Optimum, start: Floats) -> _Guess:
    """A maximum of a sample, with what ran off to where nothing changes taken back to where the sample notices it."""
    theta, drawn = found.theta.copy(), np.full(len(start), np.nan)
    for k, way in enumerate(start - found.theta):
        if abs(way) > _FAR and not _changes(objective, found, k, float(np.copysign(_FAR, way))):
            drawn[k] = found.theta[k]
            theta[k] = _noticed(objective, found, k, start[k])
    return _Guess(theta, drawn)


def _changes(objective: Objective, found: Optimum, place: int, way: float) -> bool:
    """Whether the likelihood tells a number from another one."""
    theta = found.theta.copy()
    theta[place] += way
    return found.value - objective(theta)[0] > _UNNOTICED


def _noticed(objective: Objective, found: Optimum, place: int, start: float) -> float:
    """Between where a number ran off to and its start, where the likelihood is some less than it was there."""
    theta, near, far = found.theta.copy(), float(found.theta[place]), start
    for _ in range(_BISECTIONS):
        theta[place] = 0.5 * (near + far)
        if found.value - objective(theta)[0] > _NOTICED:
            far = float(theta[place])
        else:
            near = float(theta[place])
    return near
