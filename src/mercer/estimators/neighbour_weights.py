"""What the neighbours of a query count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.typing import Floats, Integers

__all__ = [
    "check_some_count",
    "check_weights",
    "joined_weights",
    "weights_of_each_count",
    "weights_of_neighbours",
    "weights_within",
]


def check_weights(name: str, value: Any) -> None:
    """A check of the parameter `weights`."""
    if value is not None and not callable(value) and value not in ("uniform", "distance"):
        raise ParameterError(
            f"{name}: expected 'uniform', 'distance', a function of the distances or None, got {value!r}."
        )


def weights_of_neighbours(weights: Any, distances: Floats) -> Floats | None:
    """Of each neighbour of each query; None where all count alike.

    By "distance" they count the inverse of theirs; where some are zero, only these count. Those at distance NaN, which
    share no feature with the query, do not count.
    """
    is_apart = np.isnan(distances)
    if is_apart.any():
        alone = np.flatnonzero(is_apart.all(axis=1))
        if len(alone):
            raise InputError(
                f"Expected queries that share a feature with a training row, got {len(alone)} that share none, the "
                f"first of them row {alone[0]}. Impute their values or leave them out."
            )
        found = _weights(weights, np.where(is_apart, np.inf, distances))
        return np.where(is_apart, 0.0, 1.0 if found is None else found)
    return _weights(weights, distances)


def _weights(weights: Any, distances: Floats) -> Floats | None:
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        answer = weights(distances)
        if answer is None:
            return None
        found = np.asarray(answer, dtype=np.float64)
        if found.shape != distances.shape:
            raise InputError(
                f"weights: expected a function that gives a weight for each distance, of shape {distances.shape}, got "
                f"{found.shape}."
            )
        return found
    is_zero = distances == 0
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / distances
    # Inverses of the least distances overflow: what counts is their ratio to the nearest.
    tiny = np.isinf(inverse).any(axis=1) & ~is_zero.any(axis=1)
    if tiny.any():
        inverse[tiny] = distances[tiny].min(axis=1, keepdims=True) / distances[tiny]
    return np.where(is_zero.any(axis=1, keepdims=True), is_zero.astype(np.float64), inverse)


def check_some_count(total: Floats) -> None:
    """Raises InputError where the neighbours of a query weigh nothing, all of them: nothing can be said of it."""
    if not np.all(total > 0):
        # The beginning is scikit-learn's, which people match.
        raise InputError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            "are using a user-defined function. Expected one that counts among the neighbours of each query, got none "
            f"for {np.count_nonzero(~(total > 0))} queries; else raise n_neighbors, or leave rows out whose "
            "sample_weight or class_weight is zero: they take a place among the neighbours."
        )


def weights_within(weights: Any, distances: Floats, begins: Integers) -> Floats | None:
    """The same of neighbours within a radius, whose numbers differ from query to query."""
    if weights in (None, "uniform"):
        return None
    found = [weights_of_neighbours(weights, own[None]) for own in np.split(distances, begins[1:-1])]
    return np.concatenate([np.empty(0), *(own.ravel() for own in found if own is not None)])


def weights_of_each_count(weights: Any, distances: Floats) -> Iterator[Floats | None]:
    """Of the first neighbour, of the first two, and so on; of the usual weights, the last of these alone.

    Distances ascend, so that those of "distance" do not change with the neighbours that follow: a function may do as it
    likes, and is asked each time.
    """
    if callable(weights):
        yield from (weights_of_neighbours(weights, distances[:, : k + 1]) for k in range(distances.shape[1]))
        return
    found = weights_of_neighbours(weights, distances)
    yield from (None if found is None else found[:, : k + 1] for k in range(distances.shape[1]))


def joined_weights(known: Floats | None, count: int, more: Floats | None, learnt: int) -> Floats | None:
    """Weights of rows that are known and of rows that are learnt; None stands for ones."""
    if known is None and more is None:
        return None
    return np.concatenate([np.ones(count) if known is None else known, np.ones(learnt) if more is None else more])
