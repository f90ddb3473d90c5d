"""From the donors of missing values to these."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.deadline import check_deadline
from mercer.estimators.neighbour_weights import weights_of_neighbours
from mercer.neighbours import Exactness, Nearest
from mercer.typing import Booleans, Floats, Integers

__all__ = ["imputed_by", "imputed_by_callable"]


def imputed_by(weights: Any, rows: Floats, columns: Integers, found: Nearest) -> Floats:
    """The mean of the donors of each value, and that of its column where there are none.

    Parameters
    ----------
    weights : {"uniform", "distance"} or callable
        A function is called once a column.
    rows : ndarray of shape (rows, features)
        With NaN where values are missing.
    columns : ndarray of shape (values,)
        The column of each missing value.
    found : Nearest
        Its donors; rows below zero are none.
    """
    values = np.empty(len(columns))
    for column in np.unique(columns):
        own = np.flatnonzero(columns == column)
        is_donor = found.rows[own] >= 0
        has_some, count = is_donor.any(axis=1), int(is_donor.sum(axis=1).max(initial=0))
        values[own[~has_some]] = np.nanmean(rows[:, column])
        own, is_donor = own[has_some], is_donor[has_some, :count]
        donated = np.where(is_donor, rows[found.rows[own, :count], column], 0.0)
        distances = np.where(is_donor, found.distances[own, :count], np.nan)
        counted = weights_of_neighbours(weights, distances)
        counted = is_donor.astype(np.float64) if counted is None else np.where(is_donor, counted, 0.0)
        # Where a function gives no weight to any, they count alike.
        counted[counted.sum(axis=1) == 0] = 1.0
        values[own] = (donated * counted).sum(axis=1) / np.where(is_donor, counted, 0.0).sum(axis=1)
    return values


def imputed_by_callable(imputer: Any, Q: Any, is_wanted: Booleans) -> Floats:
    """The same with distances by a function of two rows and of what stands for a missing value."""
    queries, columns = np.nonzero(is_wanted)
    k, pairs = imputer.n_neighbors, len(Q) * len(imputer._rows)
    rows, distances = np.full((len(queries), k), -1), np.full((len(queries), k), np.inf)
    for number, query in enumerate(Q):
        check_deadline()
        apart = np.array([imputer.metric(query, row, missing_values=imputer.missing_values) for row in imputer._rows])
        for place in np.flatnonzero(queries == number):
            donors = np.flatnonzero(~imputer._is_missing[:, columns[place]] & ~np.isnan(apart))
            nearest = donors[np.argsort(apart[donors], kind="stable")[:k]]
            rows[place, : len(nearest)], distances[place, : len(nearest)] = nearest, apart[nearest]
    values = np.array(imputer._rows, dtype=np.float64)
    values[imputer._is_missing] = np.nan
    return imputed_by(imputer.weights, values, columns, Nearest(rows, distances, Exactness(pairs, pairs, pairs)))
