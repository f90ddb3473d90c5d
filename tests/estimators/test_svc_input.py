"""What SVC takes and what it refuses: every refusal says what was expected, and every accepted form of the same numbers
gives the same machine."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils.multiclass import check_classification_targets

import mercer
from mercer import SVC

N, D = 120, 4

# Forms of the same float64 numbers take the same path; only the order of summation may differ.
SUMMATION_ORDER = 1e-9
# Two fits to tol = 1e-6, one of them on float32 data.
FIT_TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    y = (X[:, 0] + 0.5 * rng.standard_normal(N) > 0).astype(int)
    return X, y


def changed(array, at, value):
    out = np.array(array, dtype=float)
    out[at] = value
    return out


BAD_PARAMETERS = {
    "C zero": ({"C": 0}, r"C: expected a number > 0.*got 0"),
    "C negative": ({"C": -1.0}, r"C: expected a number > 0.*got -1"),
    "C NaN": ({"C": np.nan}, r"C: expected a number > 0.*got nan"),
    "C a string": ({"C": "1"}, r"C: expected a number > 0.*got '1'"),
    "gamma negative": ({"gamma": -0.1}, r"gamma.*≥ 0.*got -0.1"),
    "gamma NaN": ({"gamma": np.nan}, r"gamma.*finite.*got nan"),
    "gamma infinite": ({"gamma": np.inf}, r"gamma.*finite.*got inf"),
    "gamma a wrong name": ({"gamma": "scala"}, r"gamma.*'scale', 'auto'.*got 'scala'"),
    "gamma negative under a kernel without it": ({"kernel": "linear", "gamma": -1.0}, r"gamma.*got -1"),
    "degree negative": ({"kernel": "poly", "degree": -1}, r"degree.*integer ≥ 0.*got -1"),
    "degree fractional": ({"kernel": "poly", "degree": 2.5}, r"degree.*integer.*got 2.5"),
    "degree negative under a kernel without it": ({"degree": -1}, r"degree.*got -1"),
    "coef0 infinite": ({"kernel": "poly", "coef0": np.inf}, r"coef0.*finite.*got inf"),
    "kernel unknown": ({"kernel": "rbg"}, r"kernel: expected one of .*'rbf'.*got 'rbg'"),
    "kernel of a wrong type": ({"kernel": 3}, r"kernel: expected a name, a kernel object or a callable, got int"),
    "tol zero": ({"tol": 0}, r"tol: expected a finite number > 0, got 0"),
    "gap_tol negative": ({"gap_tol": -1e-3}, r"gap_tol: expected a finite number > 0, got -0.001"),
    "cache_size zero": ({"cache_size": 0}, r"cache_size: expected a finite number > 0, got 0"),
    "max_iter below -1": ({"max_iter": -2}, r"max_iter: expected an integer ≥ -1, got -2"),
    "max_iter fractional": ({"max_iter": 10.0}, r"max_iter: expected an integer.*got 10.0"),
    "time_limit negative": ({"time_limit": -1}, r"time_limit: expected a finite number > 0, got -1"),
    "n_jobs zero": ({"n_jobs": 0}, r"n_jobs: expected None or an integer other than 0, got 0"),
    "n_jobs beyond integers": ({"n_jobs": 2**40}, r"n_jobs"),
    "callback no callable": ({"callback": 1}, r"callback: expected a callable or None, got 1"),
    "class_weight a wrong name": ({"class_weight": "balance"}, r"class_weight: expected.*'balanced'.*'balance'"),
    "class_weight negative": ({"class_weight": {0: -1.0}}, r"class_weight: expected a finite weight ≥ 0, got -1"),
    "class_weight NaN": ({"class_weight": {0: np.nan}}, r"class_weight: expected a finite weight ≥ 0, got nan"),
    "class_weight a string": ({"class_weight": {0: "heavy"}}, r"class_weight: expected.*'heavy'"),
    "class_weight zero for a class": ({"class_weight": {0: 0.0}}, r"\[0\].*positive weight in every class"),
    "decision_function_shape": ({"decision_function_shape": "ovn"}, r"'ovr', 'ovo', got 'ovn'"),
    "random_state a string": ({"random_state": "x"}, r"'x'"),
    "shrinking a string": ({"shrinking": "yes"}, r"shrinking: expected True or False, got 'yes'"),
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter_is_refused_by_name(points, name):
    parameters, message = BAD_PARAMETERS[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        SVC(**parameters).fit(*points)


def test_max_iter_of_any_size_is_a_limit(points):
    assert SVC(max_iter=2**70).fit(*points).status_ is mercer.Status.SOLVED


def test_class_weight_for_an_absent_label_is_ignored_where_all_present_ones_are_named(points):
    # scikit-learn does so, and cross-validation on rare classes needs it.
    weighted = SVC(class_weight={0: 1.0, 1: 2.0, 7: 3.0}).fit(*points)
    assert weighted.class_weight_.tolist() == [1.0, 2.0]


BAD_DATA = {
    "NaN": (lambda X, y: (changed(X, (3, 2), np.nan), y), r"NaN"),
    "infinity": (lambda X, y: (changed(X, (3, 2), np.inf), y), r"infinity"),
    "minus infinity": (lambda X, y: (changed(X, (3, 2), -np.inf), y), r"infinity"),
    "sparse NaN": (lambda X, y: (sp.csr_matrix(changed(X, (3, 2), np.nan)), y), r"NaN"),
    "no rows": (lambda X, y: (X[:0], y[:0]), r"0 sample"),
    "no features": (lambda X, y: (X[:, :0], y), r"0 feature"),
    "one dimension": (lambda X, y: (X[:, 0], y), r"Expected 2D array, got 1D"),
    "three dimensions": (lambda X, y: (X[None], y), r"dim 3"),
    "strings": (lambda X, y: (np.full(X.shape, "red", dtype=object), y), r"could not convert string to float.*red"),
    "complex numbers": (lambda X, y: (X * 1j, y), r"Complex data not supported"),
    "one class": (lambda X, y: (X, np.zeros(N, int)), r"classes has to be greater than one; got 1"),
    "labels of another length": (lambda X, y: (X, y[:-1]), r"inconsistent numbers of samples.*120.*119"),
    "no labels": (lambda X, y: (X, None), r"requires y"),
    "two columns of labels": (lambda X, y: (X, np.c_[y, y]), r"1d array.*\(120, 2\)"),
    "real targets": (lambda X, y: (X, X[:, 0]), r"continuous"),
    "infinite labels": (lambda X, y: (X, changed(y, 0, np.inf)), r"infinity"),
    "NaN labels": (lambda X, y: (X, changed(y, 0, np.nan)), r"NaN"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_are_refused_with_what_came(points, name):
    build, message = BAD_DATA[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        SVC().fit(*build(*points))


BAD_WEIGHTS = {
    "NaN": (lambda y: changed(np.ones(N), 5, np.nan), r"finite numbers, got NaN"),
    "infinite": (lambda y: changed(np.ones(N), 5, np.inf), r"finite numbers, got NaN or infinity"),
    "all zero": (lambda y: np.zeros(N), r"all samples have zero or negative weights"),
    "a class without weight": (lambda y: (y == 1).astype(float), r"\[0\].*positive weight in every class"),
    "another length": (lambda y: np.ones(N - 1), r"\(119,\), expected \(120,\)"),
    "two dimensions": (lambda y: np.ones((N, 2)), r"1D array or scalar, got 2D"),
    "strings": (lambda y: ["heavy"] * N, r"expected numbers"),
}


def test_rows_of_negative_weight_count_as_absent_as_in_scikit_learn(points):
    X, y = points
    weights, kept = changed(np.ones(N), slice(5, 9), -1.0), np.ones(N)
    kept[5:9] = 0
    with pytest.warns(mercer.NumericsWarning, match="4 below zero, the least -1.*count as absent"):
        model = SVC().fit(X, y, sample_weight=weights)
    absent = SVC().fit(X, y, sample_weight=kept)
    np.testing.assert_array_equal(model.decision_function(X), absent.decision_function(X))
    theirs = sklearn.svm.SVC(tol=1e-6).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_bad_weights_are_refused_with_what_came(points, name):
    X, y = points
    build, message = BAD_WEIGHTS[name]
    with pytest.raises(mercer.InputError, match=f"(?s){message}"):
        SVC().fit(X, y, sample_weight=build(y))


def test_class_of_three_without_weight_is_refused(points):
    X, _ = points
    y = np.arange(N) % 3
    with pytest.raises(mercer.InputError, match=r"\[2\]"):
        SVC().fit(X, y, sample_weight=(y != 2).astype(float))


BAD_GRAMS = {
    "not square": (lambda K: K[:, :-1], r"square matrix.*\(120, 119\)"),
    "not symmetric": (lambda K: changed(K, (0, 1), 9.0), r"symmetric"),
    "NaN": (lambda K: changed(K, (0, 1), np.nan), r"NaN"),
    "sparse": (sp.csr_matrix, r"(?i)sparse.*toarray"),
}


@pytest.mark.parametrize("name", BAD_GRAMS)
def test_bad_precomputed_matrix_is_refused(points, name):
    X, y = points
    build, message = BAD_GRAMS[name]
    with pytest.raises((ValueError, TypeError), match=f"(?s){message}"):
        SVC(kernel="precomputed").fit(build(X @ X.T), y)


def test_precomputed_predict_refuses_columns_that_are_not_the_training_rows(points):
    X, y = points
    model = SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match=r"50 features.*expecting 120"):
        model.predict(X @ X[:50].T)


class KernelFault(Exception):
    pass


def raising(X, Z):
    raise KernelFault("no values today")


BAD_CALLABLES = {
    "a wrong shape": (lambda X, Z: np.ones((3, 3)), mercer.KernelError, r"shape \(120, 120\).*got \(3, 3\)"),
    "one dimension": (lambda X, Z: np.ones(len(X)), mercer.KernelError, r"shape \(120, 120\).*got \(120,\)"),
    "NaN": (lambda X, Z: np.full((len(X), len(Z)), np.nan), mercer.KernelError, r"finite kernel values"),
    "nothing": (lambda X, Z: None, mercer.KernelError, r"shape \(120, 120\)|matrix of numbers"),
    "text": (lambda X, Z: "similar", mercer.KernelError, r"matrix of numbers, got str"),
    "complex numbers": (lambda X, Z: (X @ Z.T) * 1j, mercer.KernelError, r"(?i)complex|numbers"),
    "an exception": (raising, mercer.KernelError, r"kernel raising: expected.*KernelFault: no values today"),
}


@pytest.mark.parametrize("budget", [1000, 0.01], ids=["stored", "asked row by row"])
@pytest.mark.parametrize("name", BAD_CALLABLES)
def test_callable_that_gives_something_else_is_refused(points, name, budget):
    function, error, message = BAD_CALLABLES[name]
    with pytest.raises(error, match="(?s)" + (message if budget == 1000 else message.split(r" \(120")[0])):
        SVC(kernel=function, cache_size=budget).fit(*points)


BAD_QUERIES = {
    "fewer features": (lambda X: X[:, :3], r"3 features.*expecting 4"),
    "more features": (lambda X: np.c_[X, X], r"8 features.*expecting 4"),
    "fewer sparse features": (lambda X: sp.csr_matrix(X[:, :3]), r"3 features.*expecting 4"),
    "NaN": (lambda X: changed(X, (0, 0), np.nan), r"NaN"),
    "infinity": (lambda X: changed(X, (0, 0), -np.inf), r"infinity"),
    "no rows": (lambda X: X[:0], r"0 sample"),
    "no sparse rows": (lambda X: sp.csr_matrix(X[:0]), r"0 sample"),
    "one dimension": (lambda X: X[0], r"Expected 2D"),
    "strings": (lambda X: [["a", "b", "c", "d"]], r"could not convert string to float"),
}


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("name", BAD_QUERIES)
def test_bad_queries_are_refused_with_what_came(points, name, method):
    build, message = BAD_QUERIES[name]
    model = SVC().fit(*points)
    with pytest.raises(ValueError, match=f"(?s){message}"):
        getattr(model, method)(build(points[0]))


@pytest.mark.parametrize("use", ["predict", "decision_function"])
def test_unfitted_model_says_so(points, use):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(SVC(), use)(points[0])


def machine_of(X, y, **parameters):
    model = SVC(tol=1e-6, **parameters).fit(X, y)
    return model.decision_function(X), model.predict(X)


def read_only(X):
    out = X.copy()
    out.setflags(write=False)
    return out


FORMS = {
    "lists": lambda X, tmp: X.tolist(),
    "Fortran order": lambda X, tmp: np.asfortranarray(X),
    "every second row and column of a larger array": lambda X, tmp: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
    "reversed strides": lambda X, tmp: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X, tmp: read_only(X),
    "big-endian": lambda X, tmp: X.astype(">f8"),
    "unaligned": lambda X, tmp: np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape),
    "object dtype": lambda X, tmp: X.astype(object),
    "long doubles": lambda X, tmp: X.astype(np.longdouble),
    "memory-mapped": lambda X, tmp: mapped(X, tmp),
}


def mapped(X, tmp):
    np.save(tmp / "X.npy", X)
    return np.load(tmp / "X.npy", mmap_mode="r")


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_array_gives_the_same_machine(points, tmp_path, form, kernel):
    X, y = points
    values, labels = machine_of(X, y, kernel=kernel)
    other_values, other_labels = machine_of(FORMS[form](X, tmp_path), y, kernel=kernel)
    np.testing.assert_allclose(other_values, values, rtol=0, atol=SUMMATION_ORDER)
    np.testing.assert_array_equal(other_labels, labels)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool, np.float16, np.float32])
def test_every_dtype_gives_the_machine_of_its_numbers(points, dtype):
    X, y = points
    whole = (np.abs(X) * 10).astype(dtype) if np.dtype(dtype).kind in "iub" else X.astype(dtype)
    values, labels = machine_of(whole.astype(np.float64), y)
    other_values, other_labels = machine_of(whole, y)
    np.testing.assert_allclose(other_values, values, rtol=0, atol=FIT_TOLERANCE)
    np.testing.assert_array_equal(other_labels, labels)


def test_values_whose_sum_overflows_are_taken(points):
    X, y = points
    large = np.where(X > 0, 1e307, 0.0)
    model = SVC(kernel="laplacian", gamma=1e-307).fit(large, y)
    assert np.all(np.isfinite(model.decision_function(large)))


def warnings_of(function, *arguments):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        function(*arguments)
    return [str(warning.message) for warning in heard]


@pytest.mark.parametrize("classes", [3, 14, 15, 16, 20])
def test_labels_that_nearly_all_differ_make_scikit_learns_warning(points, classes):
    X, y = points[0][:30], np.arange(30) % classes
    assert warnings_of(SVC().fit, X, y) == warnings_of(check_classification_targets, y)


def test_column_of_labels_is_flattened_with_a_warning(points):
    X, y = points
    with pytest.warns(DataConversionWarning):
        model = SVC().fit(X, y[:, None])
    np.testing.assert_array_equal(model.predict(X), SVC().fit(X, y).predict(X))


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [0.0, 1.0], [10**12, 10**13]])
def test_labels_of_any_kind_come_back_as_they_were(points, labels):
    X, y = points
    named = np.asarray(labels)[y]
    model = SVC(C=10.0).fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    np.testing.assert_array_equal(model.predict(X) == named, SVC(C=10.0).fit(X, y).predict(X) == y)


def test_fit_leaves_the_users_arrays_alone(points):
    X, y = points
    copies, weights = (X.copy(), y.copy()), np.ones(N)
    SVC().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    assert X.flags.writeable
    assert y.flags.writeable
    assert weights.flags.writeable
