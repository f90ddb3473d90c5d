"""Sparse matrices and data frames: the same numbers in any container give the same machine."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import SVC, InputError

# The same numbers in the same order take the same path.
SUMMATION_ORDER = 1e-9


@pytest.fixture(scope="module")
def sparse_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 30)) * (rng.random((150, 30)) < 0.2)
    X[[0, 70, 149]] = 0
    return X, (X[:, :5].sum(axis=1) + 0.3 * rng.standard_normal(150) > 0).astype(int)


def values_of(X, y, **parameters):
    return SVC(tol=1e-6, **parameters).fit(X, y).decision_function(X)


def unsorted(X):
    X = sp.csr_matrix(X)
    for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        X.indices[first:last] = X.indices[first:last][::-1].copy()
        X.data[first:last] = X.data[first:last][::-1].copy()
    return sp.csr_matrix((X.data, X.indices, X.indptr), shape=X.shape)


def with_duplicates(X):
    """Each value split into two entries of the same place."""
    X = sp.csr_matrix(X)
    return sp.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


def with_explicit_zeros(X):
    X = sp.csr_matrix(X + 1.0)
    X.data -= 1.0
    return X


def wide_indices(X):
    X = sp.csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def read_only(X):
    X = sp.csr_matrix(X)
    for array in (X.data, X.indices, X.indptr):
        array.setflags(write=False)
    return X


SPARSE_FORMS = {
    "CSR array": sp.csr_array,
    "CSC": sp.csc_matrix,
    "COO": sp.coo_matrix,
    "LIL": sp.lil_matrix,
    "DOK": sp.dok_matrix,
    "unsorted CSR": unsorted,
    "duplicate entries": with_duplicates,
    "explicit zeros": with_explicit_zeros,
    "64-bit indices": wide_indices,
    "read-only": read_only,
}


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("form", SPARSE_FORMS)
def test_every_sparse_form_gives_the_machine_of_canonical_csr(sparse_rows, form, kernel):
    X, y = sparse_rows
    expected = values_of(sp.csr_matrix(X), y, kernel=kernel)
    given = SPARSE_FORMS[form](X)
    before = given.copy()
    # Halves add up to within one rounding, and a fit amplifies it by less than its tolerance.
    atol = 1e-5 if form in ("duplicate entries", "explicit zeros") else SUMMATION_ORDER
    np.testing.assert_allclose(values_of(given, y, kernel=kernel), expected, rtol=0, atol=atol)
    if hasattr(given, "data") and isinstance(given.data, np.ndarray) and given.data.dtype != object:
        np.testing.assert_array_equal(given.data, before.data)


def test_sparse_and_dense_give_the_same_machine(sparse_rows):
    X, y = sparse_rows
    np.testing.assert_allclose(values_of(sp.csr_matrix(X), y), values_of(X, y), atol=1e-4)


def test_matrix_without_stored_values_is_fitted():
    X = sp.csr_matrix((20, 5))
    model = SVC().fit(X, np.arange(20) % 2)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("method", ["fit", "predict"])
@pytest.mark.parametrize("part", ["column", "negative column", "pointer"])
def test_malformed_csr_is_refused(sparse_rows, part, method):
    X, y = sparse_rows
    model = SVC().fit(X, y)
    bad = sp.csr_matrix(X)
    if part == "pointer":
        bad.indptr[5] = bad.indptr[4] - 1
    else:
        bad.indices[3] = 10**6 if part == "column" else -1
    with pytest.raises(InputError, match=r"well-formed CSR"):
        model.fit(bad, y) if method == "fit" else model.predict(bad)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    columns = {"height": rng.standard_normal(90), "age": rng.integers(20, 60, 90), "member": rng.random(90) < 0.5}
    return pd.DataFrame(columns), pd.Series(np.where(columns["height"] > 0, "tall", "short"), name="size")


def test_data_frame_gives_the_machine_of_its_numbers_and_keeps_names(frame):
    X, y = frame
    model = SVC().fit(X, y)
    assert model.feature_names_in_.tolist() == ["height", "age", "member"]
    assert model.classes_.tolist() == ["short", "tall"]
    np.testing.assert_array_equal(
        model.decision_function(X),
        SVC().fit(X.to_numpy(dtype=float), y.to_numpy()).decision_function(X.to_numpy(dtype=float)),
    )


def test_array_after_a_data_frame_makes_the_names_be_missed_and_a_new_fit_forgets_them(frame):
    X, y = frame
    model = SVC().fit(X, y)
    array = X.to_numpy(dtype=float)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(array)
    assert not hasattr(model.fit(array, y.to_numpy()), "feature_names_in_")
    with pytest.warns(UserWarning, match="fitted without feature names"):
        model.predict(X)


def test_data_frame_with_other_columns_is_refused_at_predict(frame):
    X, y = frame
    model = SVC().fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["age", "height", "member"]])


def test_failed_fit_leaves_the_names_of_the_earlier_model(frame):
    X, y = frame
    model = SVC().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="classes has to be greater than one"):
        model.fit(X.rename(columns=str.upper), np.zeros(90))
    np.testing.assert_array_equal(model.predict(X), before)


def test_index_of_a_frame_plays_no_role(frame):
    X, y = frame
    shuffled = X.set_axis(np.random.default_rng(0).permutation(90), axis=0)
    np.testing.assert_array_equal(SVC().fit(shuffled, y).decision_function(X), SVC().fit(X, y).decision_function(X))


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "boolean", "category", "string"])
def test_columns_of_pandas_own_types_are_read(frame, dtype):
    X, y = frame
    numbers = pd.DataFrame({"a": (X["height"] > 0).astype(int), "b": X["age"] % 2})
    expected = SVC().fit(numbers, y).predict(numbers)
    typed = numbers.astype(dtype) if dtype != "string" else numbers.astype(str)
    np.testing.assert_array_equal(SVC().fit(typed, y).predict(typed), expected)


def test_missing_values_of_pandas_are_refused(frame):
    X, y = frame
    X = X.astype({"age": "Int64"})
    X.loc[3, "age"] = pd.NA
    with pytest.raises(ValueError, match="NaN"):
        SVC().fit(X, y)


def test_frame_of_polars_is_read(frame):
    polars = pytest.importorskip("polars")
    X, y = frame
    given = polars.DataFrame({name: X[name].to_numpy() for name in X})
    model = SVC().fit(given, polars.Series(y.to_list()))
    assert model.feature_names_in_.tolist() == ["height", "age", "member"]
    np.testing.assert_array_equal(model.predict(given), SVC().fit(X, y).predict(X))
