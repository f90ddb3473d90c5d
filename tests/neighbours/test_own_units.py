"""Minkowski distances of huge and tiny features, against the same rows in other units and exact arithmetic."""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mercer import NearestNeighbors
from mercer.neighbours.own_units import in_own_units

# Powers and roots of them.
ROUNDING = 1e-13


@pytest.mark.parametrize("p", [1.5, 3, 7.0])
@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e-30, 1.0, 1e150, 1e300])
@pytest.mark.parametrize("w", [None, [1.0, 0.5, 0.0, 3.0]])
def test_units_change_no_neighbour(p, unit, w):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(60, 4)), rng.normal(size=(20, 4))
    params = {} if w is None else {"metric_params": {"w": w}}
    own = NearestNeighbors(p=p, **params).fit(X * unit)
    distances, rows = own.kneighbors(Q * unit)
    apart = cdist(Q, X, "minkowski", p=p, **({} if w is None else {"w": w}))
    np.testing.assert_array_equal(rows, np.argsort(apart, axis=1)[:, :5])
    np.testing.assert_allclose(distances / unit, np.sort(apart, axis=1)[:, :5], rtol=ROUNDING)


def test_small_and_large_distances_beside_each_other():
    X = np.array([[0.0, 0.0], [3e-160, 4e-160], [3.0, 4.0], [3e160, 4e160], [-1.7e308, 0.0]])
    getcontext().prec = 40
    for p in (2.0, 3.0):
        exact = [
            float(sum(abs(Decimal(value)) ** int(p) for value in row) ** (1 / Decimal(p))) if any(row) else 0.0
            for row in X.tolist()
        ]
        np.testing.assert_allclose(in_own_units(X[:1], X, p)[0], exact, rtol=ROUNDING)
        distances, rows = NearestNeighbors(n_neighbors=5, p=p).fit(X).kneighbors(X[:1])
        np.testing.assert_array_equal(rows, [[0, 1, 2, 3, 4]])
        np.testing.assert_allclose(distances[0], exact, rtol=ROUNDING)


def test_differences_beyond_all_numbers_are_infinite():
    X = np.array([[1.7e308], [-1.7e308], [1.6e308]])
    np.testing.assert_allclose(in_own_units(X[:1], X)[0], [0, np.inf, 1e307], rtol=ROUNDING)
