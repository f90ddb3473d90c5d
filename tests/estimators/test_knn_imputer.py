"""Imputed values are scikit-learn's."""

import numpy as np
import pytest
from sklearn import impute
from sklearn.datasets import load_diabetes

from mercer import InputError, KNeighborsRegressor, KNNImputer, ParameterError


@pytest.fixture(scope="module")
def rows():
    X = load_diabetes().data.copy()
    random = np.random.default_rng(0)
    X[random.random(X.shape) < 0.15] = np.nan
    X[5] = np.nan
    return X


def by_inverse_square(distances):
    return 1 / (1e-6 + distances**2)


@pytest.mark.parametrize("weights", ["uniform", "distance", by_inverse_square])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_values_are_scikit_learns(rows, k, weights):
    own, peer = (kind(n_neighbors=k, weights=weights).fit(rows[:300]) for kind in (KNNImputer, impute.KNNImputer))
    for queries in (rows[:300], rows[300:]):
        np.testing.assert_allclose(own.transform(queries), peer.transform(queries), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{"add_indicator": True}, {"keep_empty_features": True}, {"add_indicator": True, "keep_empty_features": True}],
    ids=str,
)
def test_columns_are_scikit_learns(rows, options):
    X = rows.copy()
    X[:, 2] = np.nan
    own, peer = (kind(**options).fit(X[:300]) for kind in (KNNImputer, impute.KNNImputer))
    for queries in (X[300:], X[:0], np.nan_to_num(X[300:])):
        if len(queries):
            np.testing.assert_allclose(own.transform(queries), peer.transform(queries), rtol=1e-9, atol=1e-12)
    names = own.get_feature_names_out()
    assert len(names) == own.transform(X).shape[1]
    if "keep_empty_features" not in options:  # scikit-learn's then are fewer than its columns
        assert names.tolist() == peer.get_feature_names_out().tolist()


def test_another_number_may_stand_for_what_is_missing(rows):
    expected = KNNImputer().fit_transform(rows)
    marked = np.where(np.isnan(rows), -1.0, rows)
    np.testing.assert_array_equal(KNNImputer(missing_values=-1).fit_transform(marked), expected)
    with pytest.raises(ValueError, match="NaN"):
        KNNImputer(missing_values=-1).fit(rows)


def test_a_function_of_two_rows_is_called_and_it_is_told(rows):
    def apart(a, b, missing_values=np.nan):
        return float(np.nansum(np.abs(a - b)))

    own, peer = (kind(metric=apart).fit(rows[:60]) for kind in (KNNImputer, impute.KNNImputer))
    np.testing.assert_allclose(own.transform(rows[60:90]), peer.transform(rows[60:90]), rtol=1e-12)
    assert "Python function" in own.plan_
    assert "float32" in KNNImputer().fit(rows).plan_


def test_in_place_where_it_is_asked_for(rows):
    X = rows.copy()
    assert KNNImputer(copy=False).fit(rows).transform(X) is not None
    assert not np.isnan(X).any()
    X = rows.copy()
    KNNImputer().fit(rows).transform(X)
    assert np.isnan(X).any()


def test_precision_is_that_of_the_rows(rows):
    found = KNNImputer().fit_transform(rows.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, KNNImputer().fit_transform(rows), rtol=1e-4, atol=1e-4)


BAD = {
    "no neighbours": {"n_neighbors": 0},
    "unknown metric": {"metric": "euclidean"},
    "unknown weights": {"weights": "distances"},
    "text": {"missing_values": "?"},
}


@pytest.mark.parametrize("options", BAD.values(), ids=BAD)
def test_bad_parameters_are_refused(rows, options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        KNNImputer(**options).fit(rows)


def test_a_query_that_shares_no_feature_is_refused_by_regression(rows):
    model = KNeighborsRegressor(metric="nan_euclidean").fit(rows, np.arange(len(rows)))
    with pytest.raises(InputError, match="got 1 that share none, the first of them row 2"):
        model.predict(np.vstack([rows[:2], np.full((1, 10), np.nan)]))
