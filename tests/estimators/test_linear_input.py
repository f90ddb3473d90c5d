"""What LinearSVC and LinearSVR take and what they refuse: a refusal says what was expected and what came, and leaves
the earlier fit as it was."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning, NotFittedError

from mercer import InputError, LinearSVC, LinearSVR, ParameterError, Status, certify

N, D = 120, 4
# Forms of the same float64 numbers; only the order of summation may differ.
SUMMATION_ORDER = 1e-9
MODELS = {"classification": LinearSVC, "regression": LinearSVR}


@pytest.fixture(params=MODELS)
def kind(request):
    return MODELS[request.param]


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    return X, (X[:, 0] + 0.5 * rng.standard_normal(N) > 0).astype(int)


def changed(array, at, value):
    out = np.array(array, dtype=float)
    out[at] = value
    return out


BAD_PARAMETERS = {
    "intercept_scaling beyond its square": (
        {"intercept_scaling": 1e300},
        r"intercept_scaling: expected at most 1e\+150",
    ),
    "C zero": ({"C": 0}, r"C: expected .*> 0.*got 0"),
    "C negative": ({"C": -1.0}, r"C: expected .*> 0.*got -1"),
    "C NaN": ({"C": np.nan}, r"C: expected .*> 0.*got nan"),
    "C infinite": ({"C": np.inf}, r"C: expected .*finite.*got inf"),
    "C a string": ({"C": "1"}, r"C: expected .*> 0.*got '1'"),
    "tol zero": ({"tol": 0}, r"tol: expected a finite number > 0, got 0"),
    "tol negative": ({"tol": -1e-4}, r"tol: expected a finite number > 0, got -0.0001"),
    "tol NaN": ({"tol": np.nan}, r"tol: expected a finite number > 0, got nan"),
    "loss unknown": ({"loss": "log"}, r"loss: expected.*got 'log'"),
    "loss None": ({"loss": None}, r"loss: expected.*got None"),
    "dual unknown": ({"dual": "primal"}, r"dual: expected.*got 'primal'"),
    "intercept_scaling zero": ({"intercept_scaling": 0}, r"intercept_scaling: expected.*> 0, got 0"),
    "fit_intercept a string": ({"fit_intercept": "yes"}, r"fit_intercept: expected True or False, got 'yes'"),
    "regularize_intercept": ({"regularize_intercept": "no"}, r"regularize_intercept: expected True or False, got 'no'"),
    "max_iter below -1": ({"max_iter": -2}, r"max_iter: expected an integer ≥ -1, got -2"),
    "max_iter fractional": ({"max_iter": 10.5}, r"max_iter: expected an integer.*got 10.5"),
    "time_limit negative": ({"time_limit": -1}, r"time_limit: expected a finite number > 0, got -1"),
    "n_jobs zero": ({"n_jobs": 0}, r"n_jobs: expected None or an integer other than 0, got 0"),
    "callback no callable": ({"callback": 1}, r"callback: expected a callable or None, got 1"),
    "warm_start a string": ({"warm_start": "yes"}, r"warm_start: expected True or False, got 'yes'"),
    "random_state a string": ({"random_state": "x"}, r"'x'"),
}
BAD_OF_ONE = {
    "class_weight a wrong name": (LinearSVC(class_weight="balance"), r"class_weight: expected.*'balanced'.*'balance'"),
    "class_weight negative": (LinearSVC(class_weight={0: -1.0}), r"class_weight: expected a finite weight ≥ 0, got -1"),
    "class_weight zero": (LinearSVC(class_weight={0: 0.0}), r"\[0\].*positive weight in every class"),
    "a tube to classify by": (LinearSVC(loss="epsilon_insensitive"), r"loss: expected.*'hinge'.*got 'epsilon_insensi"),
    "a hinge for numbers": (LinearSVR(loss="hinge"), r"loss: expected.*'epsilon_insensitive'.*got 'hinge'"),
    "epsilon negative": (LinearSVR(epsilon=-0.1), r"epsilon: expected.*≥ 0, got -0.1"),
    "epsilon NaN": (LinearSVR(epsilon=np.nan), r"epsilon: expected.*got nan"),
    "epsilon infinite": (LinearSVR(epsilon=np.inf), r"epsilon: expected.*got inf"),
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter_is_refused_by_name(points, kind, name):
    parameters, message = BAD_PARAMETERS[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        kind(**parameters).fit(*points)


@pytest.mark.parametrize("name", BAD_OF_ONE)
def test_bad_parameter_of_one_machine_is_refused_by_name(points, name):
    model, message = BAD_OF_ONE[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        model.fit(*points)


BAD_DATA = {
    "NaN": (lambda X, y: (changed(X, (3, 2), np.nan), y), r"NaN"),
    "infinity": (lambda X, y: (changed(X, (3, 2), np.inf), y), r"infinity"),
    "float32 NaN": (lambda X, y: (changed(X, (3, 2), np.nan).astype(np.float32), y), r"NaN"),
    "sparse NaN": (lambda X, y: (sp.csr_matrix(changed(X, (3, 2), np.nan)), y), r"NaN"),
    "sparse infinity": (lambda X, y: (sp.csr_matrix(changed(X, (3, 2), -np.inf)), y), r"infinity"),
    "no rows": (lambda X, y: (X[:0], y[:0]), r"0 sample"),
    "no features": (lambda X, y: (X[:, :0], y), r"0 feature"),
    "one dimension": (lambda X, y: (X[:, 0], y), r"Expected 2D array, got 1D"),
    "three dimensions": (lambda X, y: (X[None], y), r"dim 3"),
    "strings": (lambda X, y: (np.full(X.shape, "red", dtype=object), y), r"could not convert string to float.*red"),
    "complex numbers": (lambda X, y: (X * 1j, y), r"Complex data not supported"),
    "targets of another length": (lambda X, y: (X, y[:-1]), r"inconsistent numbers of samples.*120.*119"),
    "no targets": (lambda X, y: (X, None), r"requires y"),
    "two columns of targets": (lambda X, y: (X, np.c_[y, y]), r"1d array.*\(120, 2\)"),
    "infinite targets": (lambda X, y: (X, changed(y, 0, np.inf)), r"infinity"),
    "NaN targets": (lambda X, y: (X, changed(y, 0, np.nan)), r"NaN"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_are_refused_with_what_came_and_the_earlier_fit_survives(points, kind, name):
    build, message = BAD_DATA[name]
    model = kind().fit(*points)
    before = model.predict(points[0]), model.certificate_
    with pytest.raises(ValueError, match=f"(?s){message}"):
        model.fit(*build(*points))
    np.testing.assert_array_equal(model.predict(points[0]), before[0])
    assert model.certificate_ is before[1]
    assert model.n_features_in_ == D


def test_labels_that_cannot_be_classified_are_refused(points):
    X, _ = points
    with pytest.raises(ValueError, match=r"classes.*got 1"):
        LinearSVC().fit(X, np.zeros(N, int))
    with pytest.raises(ValueError, match=r"continuous"):
        LinearSVC().fit(X, X[:, 0])


def test_targets_that_are_no_numbers_are_refused(points):
    with pytest.raises(ValueError, match=r"could not convert string|numbers"):
        LinearSVR().fit(points[0], np.array(["a", "b"])[points[1]])


BAD_WEIGHTS = {
    "NaN": (changed(np.ones(N), 5, np.nan), r"finite numbers, got NaN"),
    "infinite": (changed(np.ones(N), 5, np.inf), r"finite numbers, got NaN or infinity"),
    "all zero": (np.zeros(N), r"all samples have zero or negative weights"),
    "another length": (np.ones(N - 1), r"\(119,\), expected \(120,\)"),
    "two dimensions": (np.ones((N, 2)), r"1D array or scalar, got 2D"),
    "strings": (["heavy"] * N, r"expected numbers"),
}


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_bad_weights_are_refused_with_what_came_and_the_earlier_fit_survives(points, kind, name):
    weights, message = BAD_WEIGHTS[name]
    model = kind().fit(*points)
    before = model.predict(points[0])
    with pytest.raises(InputError, match=f"(?s){message}"):
        model.fit(*points, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(points[0]), before)


def test_class_without_weight_is_refused(points):
    X, y = points
    with pytest.raises(InputError, match=r"\[0\].*positive weight in every class"):
        LinearSVC().fit(X, y, sample_weight=(y == 1).astype(float))


BAD_QUERIES = {
    "fewer features": (lambda X: X[:, :3], r"3 features.*expecting 4"),
    "fewer sparse features": (lambda X: sp.csr_matrix(X[:, :3]), r"3 features.*expecting 4"),
    "NaN": (lambda X: changed(X, (0, 0), np.nan), r"NaN"),
    "infinity": (lambda X: changed(X, (0, 0), -np.inf), r"infinity"),
    "no rows": (lambda X: X[:0], r"0 sample"),
    "one dimension": (lambda X: X[0], r"Expected 2D"),
}


@pytest.mark.parametrize("name", BAD_QUERIES)
def test_bad_queries_are_refused_with_what_came(points, kind, name):
    build, message = BAD_QUERIES[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        kind().fit(*points).predict(build(points[0]))


def test_unfitted_model_says_so(points, kind):
    with pytest.raises(NotFittedError, match="not fitted"):
        kind().predict(points[0])
    for name in ("coef_", "intercept_", "certificate_", "status_"):
        assert not hasattr(kind(), name)


FORMS = {
    "lists": lambda X: X.tolist(),
    "Fortran order": np.asfortranarray,
    "every second row and column": lambda X: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
    "reversed strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda X: X.astype(">f8"),
    "object dtype": lambda X: X.astype(object),
    "sparse, 64-bit indices": lambda X: wide_indices(sp.csr_matrix(X)),
    "sparse, unsorted and with duplicates": lambda X: with_duplicates(X),
    "sparse by columns": sp.csc_matrix,
    "sparse, with stored zeros": lambda X: stored_zeros(X),
}


def wide_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_duplicates(X):
    """Each entry as two halves, the columns of a row in falling order."""
    columns = np.tile(np.repeat(np.arange(X.shape[1])[::-1], 2), X.shape[0])
    halves = np.repeat(X[:, ::-1], 2, axis=1).ravel() / 2
    return sp.csr_matrix((halves, columns, 2 * X.shape[1] * np.arange(X.shape[0] + 1)), shape=X.shape)


def stored_zeros(X):
    rows = sp.csr_matrix(np.c_[X, np.ones(len(X))])
    rows.data[X.shape[1] :: X.shape[1] + 1] = 0
    return rows[:, : X.shape[1]]


@pytest.mark.parametrize("solver", ["coordinate-descent", "newton"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_rows_gives_the_same_machine(points, kind, form, solver):
    X, y = points
    plain, other = (kind(solver=solver, tol=1e-9).fit(rows, y) for rows in (X, FORMS[form](X)))
    assert other.status_ is Status.SOLVED
    # Coordinates are taken in the same order; sums of sparse rows are not.
    np.testing.assert_allclose(other.coef_, plain.coef_, atol=1e-3 if "sparse" in form else SUMMATION_ORDER)
    np.testing.assert_allclose(other.predict(FORMS[form](X)), plain.predict(X), atol=1e-3)


def test_read_only_rows_are_taken_and_left_alone(points, kind):
    X, y = (array.copy() for array in points)
    X.setflags(write=False)
    copies = X.copy(), y.copy()
    kind().fit(X, y, sample_weight=np.ones(N))
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    sparse = sp.csr_matrix(X)
    sparse.data.setflags(write=False)
    kind().fit(sparse, y)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, bool, np.float16, np.float32])
def test_every_dtype_gives_the_machine_of_its_numbers(points, kind, dtype):
    X, y = points
    whole = (np.abs(X) * 10).astype(dtype) if np.dtype(dtype).kind in "ib" else X.astype(dtype)
    plain, other = (kind(tol=1e-9).fit(rows, y) for rows in (whole.astype(np.float64), whole))
    np.testing.assert_allclose(other.coef_, plain.coef_, atol=1e-3)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [0.0, 1.0], [10**12, 10**13]])
def test_labels_of_any_kind_come_back_as_they_were(points, labels):
    X, y = points
    named = np.asarray(labels)[y]
    model = LinearSVC().fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    np.testing.assert_array_equal(model.predict(X) == named, LinearSVC().fit(X, y).predict(X) == y)


def test_column_of_targets_is_flattened_with_a_warning(points, kind):
    X, y = points
    with pytest.warns(DataConversionWarning):
        model = kind().fit(X, y[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(X), kind().fit(X, y).predict(X))


def test_targets_whose_squares_overflow_are_refused(points):
    X, _ = points
    with pytest.raises(InputError, match=r"y: expected targets whose squares float64 holds.*got 1e\+308"):
        LinearSVR(loss="squared_epsilon_insensitive").fit(X, changed(X[:, 0], 3, 1e308))


def test_certify_refuses_what_fit_refuses(points):
    X, y = points
    model = LinearSVC().fit(X, y)
    with pytest.raises(InputError, match="features whose squares float64 holds"):
        certify(model, X * 1e200, y)
    with pytest.raises(ParameterError, match="C: expected"):
        certify(model.set_params(C=-5.0), X, y)
