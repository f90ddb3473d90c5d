"""Rows as nobody wants them: each has the neighbours of a naive search, or an error that says what is wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import neighbors
from sklearn.impute import KNNImputer as PeerImputer

from mercer import (
    RBF,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    Laplacian,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from mercer.errors import InputError, ParameterError

RNG = np.random.default_rng(0)
# Sums in another order, of features of about one.
ROUNDING = 1e-12


def by_difference(kind, Q, X):
    """All distances from differences in float64."""
    apart = np.abs(np.asarray(Q, dtype=np.float64)[:, None] - np.asarray(X, dtype=np.float64))
    return {
        "euclidean": lambda: np.sqrt((apart**2).sum(axis=2)),
        "manhattan": lambda: apart.sum(axis=2),
        "chebyshev": lambda: apart.max(axis=2),
        "cubic": lambda: np.cbrt((apart**3).sum(axis=2)),
        "hamming": lambda: (apart > 0).mean(axis=2),
        "rbf": lambda: np.sqrt(-2 * np.expm1(-0.5 * (apart**2).sum(axis=2))),
        "laplacian": lambda: np.sqrt(-2 * np.expm1(-0.5 * apart.sum(axis=2))),
    }[kind]()


METRICS = {
    **{name: {"metric": name} for name in ("euclidean", "manhattan", "chebyshev", "hamming")},
    "cubic": {"p": 3},
    "rbf": {"metric": RBF(0.5)},
    "laplacian": {"metric": Laplacian(0.5)},
}


def read_only(X):
    X.setflags(write=False)
    return X


def spread(rows, d):
    return np.round(RNG.normal(size=(rows, d)), 3)


DATA = {
    "ties and duplicates": (RNG.integers(0, 3, (9, 2)), RNG.integers(0, 3, (50, 2))),
    "booleans": (RNG.random((8, 5)) < 0.5, RNG.random((30, 5)) < 0.5),
    "small integers": (RNG.integers(-2, 3, (9, 4)).astype(np.int8), RNG.integers(-2, 3, (40, 4)).astype(np.int8)),
    "one row": (spread(3, 4), spread(1, 4)),
    "one feature": (spread(7, 1), spread(40, 1)),
    "more features than rows": (spread(3, 60) / 10, spread(6, 60) / 10),
    "all equal": (np.ones((3, 4)), np.ones((9, 4))),
    "objects": (spread(5, 4).astype(object), spread(30, 4).astype(object)),
    "by columns": (np.asfortranarray(spread(5, 4)), np.asfortranarray(spread(30, 4))),
    "read-only": (read_only(spread(5, 4)), read_only(spread(30, 4))),
    "every second": (spread(5, 8)[:, ::2], spread(60, 4)[::-2]),
    "two precisions": (spread(5, 4), spread(30, 4).astype(np.float32)),
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("kind", METRICS)
def test_neighbours_of_hostile_rows_are_those_of_a_naive_search(data, kind):
    Q, X = DATA[data]
    n, apart = len(X), by_difference(kind, Q, X)
    for k in {1, min(5, n), n}:
        own = NearestNeighbors(n_neighbors=k, **METRICS[kind]).fit(X)
        distances, rows = own.kneighbors(Q)
        np.testing.assert_allclose(distances, np.sort(apart, axis=1)[:, :k], rtol=ROUNDING, atol=ROUNDING)
        np.testing.assert_allclose(np.take_along_axis(apart, rows, axis=1), distances, rtol=ROUNDING, atol=ROUNDING)
        is_tie = distances[:, 1:] == distances[:, :-1]
        assert np.all(rows[:, 1:][is_tie] > rows[:, :-1][is_tie])
    found = NearestNeighbors(**METRICS[kind]).fit(X).radius_neighbors(Q, 0.0)[1]
    assert [rows.tolist() for rows in found] == [np.flatnonzero(row == 0).tolist() for row in apart]
    everyone = NearestNeighbors(**METRICS[kind]).fit(X).radius_neighbors(None, np.inf)[1]
    assert [rows.tolist() for rows in everyone] == [[j for j in range(n) if j != i] for i in range(n)]


def sparse_forms():
    base = sp.random(40, 9, 0.3, format="csr", random_state=0)
    dense = base.toarray()
    dense[[0, 11]] = 0
    base = sp.csr_matrix(dense)
    entries = base.tocoo()
    wide = base.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    twice = (np.concatenate([entries.row] * 2), np.concatenate([entries.col] * 2))
    backwards = base.copy()
    for first, last in zip(base.indptr, base.indptr[1:], strict=False):
        backwards.indices[first:last] = base.indices[first:last][::-1]
        backwards.data[first:last] = base.data[first:last][::-1]
    backwards.has_sorted_indices = False
    zeros = base.copy()
    zeros.data[::3] = 0
    frozen = base.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.setflags(write=False)
    return {
        "long indices": wide,
        "entries twice": sp.coo_matrix((np.concatenate([entries.data / 2] * 2), twice), shape=base.shape),
        "entries backwards": backwards,
        "zeros that are held": zeros,
        "read-only": frozen,
        "by columns": base.tocsc(),
        "lists": base.tolil(),
        "an array": sp.csr_array(base),
        "empty rows": sp.csr_matrix((12, 9)),
    }


@pytest.mark.parametrize("form", sparse_forms())
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", RBF(0.5), RBF([0.5] * 9)], ids=str)
def test_sparse_rows_in_any_form_have_the_neighbours_of_dense_ones(form, metric):
    X = sparse_forms()[form]
    Q = sp.random(6, 9, 0.4, format="csr", random_state=1)
    sparse = NearestNeighbors(metric=metric).fit(X).kneighbors(Q)
    dense = NearestNeighbors(metric=metric).fit(X.toarray()).kneighbors(Q.toarray())
    np.testing.assert_array_equal(sparse[1], dense[1])
    np.testing.assert_allclose(sparse[0], dense[0], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000])
@pytest.mark.parametrize("form", ["dense", "sparse", "with missing values"])
def test_units_of_sparse_and_missing_values_change_no_neighbour(unit, form):
    X = sp.random(50, 6, 0.6, random_state=0).toarray()
    options = {}
    if form == "with missing values":
        X[RNG.random(X.shape) < 0.1] = np.nan
        options = {"metric": "nan_euclidean"}
    read = sp.csr_matrix if form == "sparse" else np.asarray
    one, other = (NearestNeighbors(**options).fit(read(X * factor)) for factor in (1.0, unit))
    np.testing.assert_array_equal(one.kneighbors()[1], other.kneighbors()[1])
    np.testing.assert_allclose(other.kneighbors()[0] / unit, one.kneighbors()[0], rtol=ROUNDING)
    radius = float(np.nanmedian(one.kneighbors()[0])) * 1.001
    for near, there in zip(
        one.radius_neighbors(radius=radius)[1], other.radius_neighbors(radius=radius * unit)[1], strict=True
    ):
        np.testing.assert_array_equal(near, there)


def test_queries_beyond_all_squares_are_refused_where_they_cannot_be_answered():
    far = np.array([[1e200, 0.0]])
    with pytest.raises(InputError, match="its square is no number"):
        NearestNeighbors(n_neighbors=1).fit(sp.csr_matrix(np.eye(2))).kneighbors(sp.csr_matrix(far))
    with pytest.raises(InputError, match="its square is no number"):
        NearestNeighbors(n_neighbors=1, metric="nan_euclidean").fit(np.eye(2)).kneighbors(far)
    assert NearestNeighbors(n_neighbors=1).fit(np.eye(2)).kneighbors(far)[1][0, 0] == 0


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_imputed_values_do_not_depend_on_the_unit(unit):
    X = RNG.normal(size=(30, 4))
    X[RNG.random(X.shape) < 0.3] = np.nan
    np.testing.assert_allclose(
        KNNImputer(n_neighbors=3).fit_transform(X * unit) / unit, PeerImputer(n_neighbors=3).fit_transform(X)
    )


def test_rows_and_columns_without_any_value():
    X = RNG.normal(size=(30, 4))
    X[RNG.random(X.shape) < 0.3] = np.nan
    X[[3, 7]] = np.nan
    X[:, 2] = np.nan
    for keep in (False, True):
        options = {"n_neighbors": 3, "keep_empty_features": keep}
        np.testing.assert_allclose(KNNImputer(**options).fit_transform(X), PeerImputer(**options).fit_transform(X))
    own = NearestNeighbors(n_neighbors=30, metric="nan_euclidean").fit(X)
    peer = neighbors.NearestNeighbors(n_neighbors=30, metric="nan_euclidean").fit(X)
    np.testing.assert_allclose(own.kneighbors(X)[0], peer.kneighbors(X)[0], atol=1e-7)
    counts = [[len(rows) for rows in one.radius_neighbors(X, np.inf)[1]] for one in (own, peer)]
    assert counts[0] == counts[1]


def test_rows_without_a_distance_come_last_and_keep_their_numbers():
    X = np.array([[1.0, -1.0], [-1.0, 2.0], [3.0, 3.0], [-1.0, -1.0], [1.5, -1.0]])
    own = NearestNeighbors(n_neighbors=4, metric="nan_euclidean", metric_params={"missing_values": -1.0}).fit(X)
    distances, rows = own.kneighbors()
    np.testing.assert_array_equal(rows[0], [4, 2, 1, 3])
    assert np.isnan(distances[0, 2:]).all()
    np.testing.assert_array_equal(rows[3], [0, 1, 2, 4])


def test_a_function_may_say_that_rows_are_infinitely_far():
    def distance(q, x):
        return 0.0 if q[0] == x[0] else np.inf

    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    own = NearestNeighbors(n_neighbors=3, metric=distance).fit(X)
    np.testing.assert_array_equal(own.kneighbors()[1], [[2, 1, 3], [3, 0, 2], [0, 1, 3], [1, 0, 2]])
    assert [rows.tolist() for rows in own.radius_neighbors(radius=1.0)[1]] == [[2], [3], [0], [1]]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_distances_below_zero_are_refused(form):
    apart = np.array([[0.0, 2.0], [2.0, 0.0]])
    with pytest.raises(InputError, match=r"Negative values in data passed.*got -2"):
        NearestNeighbors(metric="precomputed").fit(form(-apart))
    with pytest.raises(InputError, match="Negative values in data passed"):
        NearestNeighbors(n_neighbors=1, metric="precomputed").fit(form(apart)).kneighbors(form(-apart))


@pytest.mark.parametrize(
    "machine",
    [KNeighborsClassifier(), KNeighborsRegressor(), RadiusNeighborsClassifier(), RadiusNeighborsRegressor()],
    ids=lambda machine: type(machine).__name__,
)
def test_targets_are_asked_for(machine):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        machine.fit(np.eye(3), None)


@pytest.mark.parametrize("k", [0, -1, 2.0, "3", None, True])
def test_what_is_no_number_of_neighbours_is_refused(k):
    with pytest.raises(ParameterError, match="n_neighbors: expected an integer ≥ 1"):
        NearestNeighbors(n_neighbors=k).fit(np.eye(3))


@pytest.mark.parametrize(
    "rows", [[["a", "b"]], np.empty((0, 3)), np.empty((3, 0)), [[np.inf, 1.0]], [[1, 2], [3]], np.eye(2) + 1j]
)
def test_what_is_no_rows_is_refused(rows):
    with pytest.raises(ValueError, match=r"convert|minimum of 1|infinity|inhomogeneous|Complex"):
        NearestNeighbors().fit(rows)


def test_bray_and_curtis_are_scikit_learns_for_signed_features():
    X = RNG.normal(size=(200, 2))
    ours, theirs = (
        kind(n_neighbors=20, metric="braycurtis").fit(X).kneighbors(X)[0]
        for kind in (NearestNeighbors, neighbors.NearestNeighbors)
    )
    np.testing.assert_allclose(ours, theirs, rtol=ROUNDING, atol=ROUNDING)
