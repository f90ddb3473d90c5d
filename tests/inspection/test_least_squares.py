"""Least squares in rows is least squares in features."""

import numpy as np
import pytest

from mercer import InputError
from mercer.inspection import least_squares_in_examples


def test_more_rows_than_features_give_the_slides_alpha(random):
    X, y = random.normal(size=(20, 4)), random.normal(size=20)
    told = least_squares_in_examples(X, y)
    w = np.linalg.solve(X.T @ X, X.T @ y)
    np.testing.assert_allclose(told.w, w)
    np.testing.assert_allclose(told.alpha, X @ np.linalg.solve(X.T @ X, w))
    np.testing.assert_allclose(X.T @ told.alpha, w)
    np.testing.assert_allclose(told.residuals, y - X @ w)


def test_more_features_than_rows_give_the_shortest_weights(random):
    X, y = random.normal(size=(5, 12)), random.normal(size=5)
    told = least_squares_in_examples(X, y)
    np.testing.assert_allclose(told.alpha, np.linalg.solve(X @ X.T, y))
    np.testing.assert_allclose(told.w, np.linalg.lstsq(X, y)[0])
    np.testing.assert_allclose(told.residuals, 0, atol=1e-12)


def test_rows_and_features_that_depend_on_each_other_are_no_obstacle(random):
    X = random.normal(size=(10, 3))
    X, y = np.column_stack([X, X[:, 0]])[[*range(10), 0]], random.normal(size=11)
    told = least_squares_in_examples(X, y)
    np.testing.assert_allclose(told.w, np.linalg.lstsq(X, y)[0])
    np.testing.assert_allclose(X.T @ told.alpha, told.w)
    # Of all such coefficients the shortest: equal rows have equal ones.
    assert told.alpha[0] == pytest.approx(told.alpha[10])


def test_influence_sums_to_the_prediction(random):
    X, y = random.normal(size=(9, 3)), random.normal(size=9)
    told = least_squares_in_examples(X, y)
    queries = random.normal(size=(4, 3))
    np.testing.assert_allclose(told.influence(queries).sum(axis=1), queries @ told.w)
    np.testing.assert_allclose(told.influence(queries[2]), told.alpha * (X @ queries[2]))


def test_result_is_read_only_and_rows_of_zeros_weigh_nothing():
    told = least_squares_in_examples(np.zeros((3, 2)), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(told.w, 0)
    np.testing.assert_array_equal(told.alpha, 0)
    with pytest.raises(ValueError, match="read-only"):
        told.alpha[0] = 1.0
    with pytest.raises(InputError, match="2 features"):
        told.influence([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="NaN"):
        least_squares_in_examples([[np.nan]], [1.0])
