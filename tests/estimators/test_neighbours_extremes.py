"""Neighbours at the ends of the numbers, of rows that count nothing, and of windows that are empty everywhere."""

import numpy as np
import pytest

from mercer import (
    RBF,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    ParameterError,
    ParzenRegressor,
    RadiusNeighborsClassifier,
)
from mercer.errors import InputError

LINE = [[0.0], [1.0], [2.0]]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_queries_that_all_have_no_neighbour_are_outliers(weights):
    model = RadiusNeighborsClassifier(0.1, outlier_label=0, weights=weights).fit(LINE, [0, 1, 1])
    np.testing.assert_array_equal(model.predict([[9.0], [8.0]]), [0, 0])
    with pytest.raises(InputError, match="No neighbors found"):
        RadiusNeighborsClassifier(0.1).fit(LINE, [0, 1, 1]).predict([[9.0]])


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
@pytest.mark.parametrize("far", [1e39, -1e200, 1e300])
def test_queries_far_out_find_rows(algorithm, far):
    distances, rows = NearestNeighbors(n_neighbors=2, algorithm=algorithm).fit(LINE).kneighbors([[far], [1.9]])
    np.testing.assert_array_equal(rows, [[0, 1], [2, 1]])
    np.testing.assert_allclose(distances[0], abs(far), rtol=1e-15)
    found = NearestNeighbors(algorithm=algorithm).fit(LINE).radius_neighbors([[far]], radius=np.inf)[1]
    np.testing.assert_array_equal(found[0], [0, 1, 2])


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_rows_of_any_size_are_told_apart(size):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(200, 3)), rng.normal(size=(20, 3))
    expected, rows = NearestNeighbors(n_neighbors=3).fit(X).kneighbors(Q)
    distances, found = NearestNeighbors(n_neighbors=3).fit(X * size).kneighbors(Q * size)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_allclose(distances / size, expected, rtol=1e-12)


def test_small_rows_beside_an_ordinary_query():
    X = np.random.default_rng(0).normal(size=(500, 3)) * 1e-40
    np.testing.assert_allclose(NearestNeighbors(n_neighbors=2).fit(X).kneighbors([[1.0, 0, 0]])[0], 1.0)


def test_neighbours_that_all_weigh_nothing_answer_nothing():
    X, weights = [[0.0], [1], [2], [50]], [0, 0, 0, 1]
    for model, y in ((KNeighborsRegressor(3), [1.0, 2, 6, 7]), (KNeighborsClassifier(3), list("aaab"))):
        with pytest.raises(InputError, match="zero weights"):
            model.fit(X, y, sample_weight=weights).predict([[1.0]])
    with pytest.raises(ParameterError, match="class_weight: expected weights ≥ 0"):
        KNeighborsClassifier(1, class_weight={0: -1, 1: 1}).fit(LINE, [0, 1, 1])


def test_cosine_of_float32_rows_is_that_of_float64():
    rng = np.random.default_rng(0)
    X = (1 + 1e-3 * rng.normal(size=(300, 3))).astype(np.float32)
    wide = X.astype(np.float64)
    narrow, full = (NearestNeighbors(n_neighbors=4, metric="cosine").fit(rows).kneighbors(rows) for rows in (X, wide))
    np.testing.assert_array_equal(narrow[1], full[1])
    np.testing.assert_array_equal(narrow[0], full[0])


def test_functions_that_are_no_distances_are_refused():
    for wrong in (np.nan, -1.0):
        with pytest.raises(InputError, match="expected a function whose values are distances"):
            NearestNeighbors(n_neighbors=1, metric=lambda a, b, wrong=wrong: wrong).fit(LINE).kneighbors([[0.0]])


def test_what_does_not_go_together_is_refused_in_fit():
    import scipy.sparse as sp

    with pytest.raises(ParameterError, match="Metric 'chebyshev' not valid for sparse input"):
        NearestNeighbors(metric="chebyshev").fit(sp.csr_matrix(LINE))
    with pytest.raises(ParameterError, match="not valid with algorithm='kd_tree'"):
        NearestNeighbors(metric="cosine", algorithm="kd_tree").fit(LINE)
    with pytest.raises(ParameterError, match="leaf_size"):
        NearestNeighbors(leaf_size=-3).fit(LINE)
    with pytest.raises(ParameterError, match="n_neighbors: expected None where kernel is an object"):
        ParzenRegressor(kernel=RBF(0.5), bandwidth=1.0, n_neighbors=1).fit(LINE, [0.0, 1.0, 2.0])


def test_rows_that_were_kept_are_forgotten_with_the_next_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    model = KNeighborsClassifier(edit=True, condense=True).fit(X, y)
    model.set_params(edit=False, condense=False).fit(X, y)
    assert not hasattr(model, "edited_")
    assert not hasattr(model, "condensed_")
