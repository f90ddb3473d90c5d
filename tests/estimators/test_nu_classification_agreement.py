"""NuSVC finds the machine that scikit-learn, LIBSVM and an interior-point solver find."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn import datasets
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

import mercer
from tests.reference import libsvm
from tests.reference import problems as twin
from tests.reference.datasets import load as load_svc_data

TOL = 1e-8
# The dual value is quadratic in the distance from the optimum: what is left is LIBSVM's drift.
OBJECTIVE = 1e-7
# Values of two machines differ by a few times what each violates the optimality conditions, in units of the machine,
# whose margin is at one. LIBSVM stops by a running gradient that drifts, before the division by ρ.
VALUES = 1e-5
# Coefficients follow values through the inverse of the Gram matrix; relative to the largest of them.
COEFFICIENTS = 1e-4


def laplacian_values(X, Z):
    return np.exp(-0.1 * np.abs(X[:, None] - Z[None]).sum(axis=2))


def _wine_by_name():
    X, y = datasets.load_wine(return_X_y=True)
    return scale(X), np.array(["barolo", "grignolino", "barbera"])[y]


def _data(name):
    return lambda: load_svc_data(name)[:2]


# name: (data, parameters)
CASES = {
    "iris": (_data("iris"), {"nu": 0.2, "gamma": 0.5}),
    "wine": (_wine_by_name, {"nu": 0.3}),
    "breast cancer": (_data("breast cancer"), {"nu": 0.2}),
    "digits": (_data("digits"), {"nu": 0.25}),
    "moons": (_data("moons"), {"nu": 0.5, "gamma": 1.0}),
    "imbalanced": (_data("imbalanced"), {"nu": 0.12}),
    "linear": (_data("breast cancer"), {"nu": 0.3, "kernel": "linear"}),
    "poly": (_data("wine"), {"nu": 0.3, "kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.05}),
    "precomputed": (_data("precomputed"), {"nu": 0.4, "kernel": "precomputed"}),
    "callable": (_data("wine"), {"nu": 0.4, "kernel": laplacian_values}),
    "text": (_data("sparse text"), {"nu": 0.6, "kernel": "linear"}),
}
UNIQUE = ["wine", "breast cancer", "digits", "moons", "precomputed"]
WEIGHTS = ["unweighted", "weighted"]
SPARSE = ["digits", "linear", "poly"]


def weights(n, kernel):
    """A sixth of them zero; none with given kernel values, whose columns scikit-learn then takes wrongly."""
    rng = np.random.default_rng(5)
    zero = rng.random(n) < (0 if kernel == "precomputed" or callable(kernel) else 1 / 6)
    return np.where(zero, 0.0, rng.uniform(0.7, 2, n))


@pytest.fixture(scope="module")
def fitted():
    """Both models and scikit-learn's certificate, fitted once a case."""
    cache = {}

    def fit(name, weighted="unweighted", layout=None):
        key = name, weighted, layout
        if key not in cache:
            data, parameters = CASES[name]
            X, y = data()
            X = X if layout is None else layout(X)
            v = weights(len(y), parameters.get("kernel")) if weighted == "weighted" else None
            ours, theirs = (
                module.NuSVC(tol=TOL, decision_function_shape="ovo", **parameters).fit(X, y, sample_weight=v)
                for module in (mercer, sklearn.svm)
            )
            cache[key] = X, y, v, ours, theirs, mercer.certify(theirs, X, y, sample_weight=v)
        return cache[key]

    return fit


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def coefficients(model, n, rows=None):
    """dual_coef_ with a column for each training row; scikit-learn numbers support_ among rows of positive weight."""
    full = np.zeros((len(model.classes_) - 1, n))
    full[:, model.support_ if rows is None else rows[model.support_]] = dense(model.dual_coef_)
    return full


def new_rows(X, kernel):
    if kernel == "precomputed" or sp.issparse(X):
        return X[::2]
    return X + 0.3 * np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_nu_svc_is_proved_optimal(name, weighted, fitted):
    *_, ours, _, _ = fitted(name, weighted)
    assert ours.status_ is mercer.Status.SOLVED
    assert ours.certificate_.holds(TOL)
    pairs = len(ours.classes_) * (len(ours.classes_) - 1) // 2
    assert len(ours.certificate_.parts or (None,)) == pairs


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_dual_objective_of_nu_svc_agrees_with_scikit_learns(name, weighted, fitted):
    *_, ours, _, theirs = fitted(name, weighted)
    for mine, other in zip(ours.certificate_.parts, theirs.parts, strict=True):
        assert mine.dual == pytest.approx(other.dual, rel=OBJECTIVE)
    assert ours.certificate_.dual == pytest.approx(theirs.dual, rel=OBJECTIVE)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_values_and_predictions_of_nu_svc_agree_with_scikit_learns(name, weighted, fitted):
    X, _, _, ours, theirs, _ = fitted(name, weighted)
    for rows in (X, new_rows(X, ours.kernel)):
        values, expected = ours.decision_function(rows), theirs.decision_function(rows)
        assert values.shape == expected.shape
        np.testing.assert_allclose(values, expected, rtol=VALUES, atol=VALUES)
        clear = np.abs(expected).reshape(len(expected), -1).min(axis=1) > VALUES
        assert clear.mean() > 0.9
        predicted = ours.predict(rows)
        assert predicted.dtype == theirs.predict(rows).dtype
        np.testing.assert_array_equal(predicted[clear], theirs.predict(rows)[clear])


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", UNIQUE)
def test_coefficients_of_nu_svc_agree_with_scikit_learns(name, weighted, fitted):
    _, y, v, ours, theirs, _ = fitted(name, weighted)
    rows = np.arange(len(y)) if v is None else np.flatnonzero(v)
    mine, other = coefficients(ours, len(y)), coefficients(theirs, len(y), rows)
    np.testing.assert_allclose(mine, other, rtol=0, atol=COEFFICIENTS * np.abs(other).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=VALUES, atol=VALUES)
    np.testing.assert_array_equal(ours.support_, rows[theirs.support_])
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)


@pytest.mark.parametrize("name", ["iris", "breast cancer", "text"])
def test_attributes_of_nu_svc_have_scikit_learns_shapes_and_types(name, fitted):
    _, _, _, ours, theirs, _ = fitted(name)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for attribute in ("support_", "dual_coef_", "intercept_", "n_support_", "class_weight_"):
        assert getattr(ours, attribute).dtype == getattr(theirs, attribute).dtype, attribute
    for attribute in ("intercept_", "n_support_", "class_weight_"):
        assert getattr(ours, attribute).shape == getattr(theirs, attribute).shape, attribute
    assert ours.dual_coef_.shape == (len(ours.classes_) - 1, len(ours.support_))
    assert sp.issparse(ours.dual_coef_) == sp.issparse(theirs.dual_coef_)
    assert sp.issparse(ours.support_vectors_) == sp.issparse(theirs.support_vectors_)
    assert ours.n_support_.sum() == len(ours.support_)
    assert ours.shape_fit_ == theirs.shape_fit_


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", SPARSE)
def test_sparse_rows_give_the_machine_of_dense_rows_and_of_scikit_learn(name, weighted, fitted):
    X, _, _, written_out, _, _ = fitted(name, weighted)
    rows, _, _, ours, theirs, _ = fitted(name, weighted, sp.csr_matrix)
    assert ours.certificate_.dual == pytest.approx(written_out.certificate_.dual, rel=OBJECTIVE)
    values = ours.decision_function(rows)
    np.testing.assert_allclose(values, theirs.decision_function(rows), rtol=VALUES, atol=VALUES)
    np.testing.assert_allclose(values, written_out.decision_function(X), rtol=VALUES, atol=VALUES)


@pytest.mark.parametrize("name", ["linear", "text"])
def test_weights_of_features_of_nu_svc_agree_with_scikit_learns(name, fitted):
    _, _, _, ours, theirs, _ = fitted(name)
    assert ours.coef_.shape == theirs.coef_.shape
    assert sp.issparse(ours.coef_) == sp.issparse(theirs.coef_)
    np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), rtol=VALUES, atol=VALUES)


@pytest.mark.parametrize("name", ["iris", "wine", "moons"])
@pytest.mark.parametrize("class_weight", [{0: 1.3, 1: 0.8}, {1: 1.4}, "balanced"], ids=str)
@pytest.mark.parametrize("weighted", WEIGHTS)
def test_class_weight_is_a_weight_of_each_row(name, class_weight, weighted, fitted):
    X, y, _, plain, _, _ = fitted(name)
    codes = np.searchsorted(plain.classes_, y)
    v = weights(len(y), None) if weighted == "weighted" else np.ones(len(y))
    if class_weight == "balanced":
        # As if weights were repetitions: the weight of all rows, shared evenly among the classes.
        of_class = v.sum() / (len(plain.classes_) * np.bincount(codes, weights=v))
        named = "balanced"
    else:
        of_class = np.array([class_weight.get(code, 1.0) for code in range(len(plain.classes_))])
        named = {plain.classes_[code]: weight for code, weight in class_weight.items()}
    by_class = mercer.NuSVC(**{**plain.get_params(), "class_weight": named}).fit(X, y, sample_weight=v)
    by_row = mercer.NuSVC(**plain.get_params()).fit(X, y, sample_weight=v * of_class[codes])
    np.testing.assert_allclose(by_class.class_weight_, of_class)
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X), rtol=VALUES, atol=VALUES)
    assert by_class.certificate_.dual == pytest.approx(by_row.certificate_.dual, rel=OBJECTIVE)
    assert by_class.certificate_.holds(TOL)
    theirs = sklearn.svm.NuSVC(nu=plain.nu, gamma=plain.gamma, tol=TOL, decision_function_shape="ovo")
    theirs.fit(X, y, sample_weight=v * of_class[codes])
    np.testing.assert_allclose(by_class.decision_function(X), theirs.decision_function(X), rtol=VALUES, atol=VALUES)


def test_balanced_weights_make_every_nu_feasible():
    X, y = load_svc_data("imbalanced")[:2]
    with pytest.raises(ValueError, match="nu"):
        mercer.NuSVC(nu=0.9).fit(X, y)
    model = mercer.NuSVC(nu=0.9, class_weight="balanced").fit(X, y)
    assert model.status_ is mercer.Status.SOLVED
    assert model.certificate_.holds(1e-3)


@pytest.mark.parametrize("name", ["iris", "digits", "moons", "linear", "precomputed"])
def test_nu_svc_agrees_with_libsvm(name, fitted):
    X, y, _, ours, _, _ = fitted(name)
    model = libsvm.train(X, y, f"-s 1 -n {ours.nu}", ours.kernel, ours.gamma, TOL)
    labels, values = libsvm.predict(model, X[::5], ours.kernel)
    np.testing.assert_array_equal(ours.predict(X[::5]), labels)
    # LIBSVM takes classes in the order they come in, and the value of a pair is positive for the first of the two.
    order = np.searchsorted(ours.classes_, model.get_labels())
    pairs = list(combinations(range(len(order)), 2))
    mine = ours.decision_function(X[::5]).reshape(len(labels), -1)
    mine = -mine if len(pairs) == 1 else mine
    for expected, (i, j) in zip(values.T, pairs, strict=True):
        first, second = order[i], order[j]
        column = mine[:, pairs.index((min(first, second), max(first, second)))]
        np.testing.assert_allclose(column if first < second else -column, expected, rtol=VALUES, atol=VALUES)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize(("seed", "nu"), [(0, 0.1), (1, 0.4), (2, 0.7)])
def test_small_nu_svc_is_the_optimum_of_an_interior_point_solver(seed, nu, weighted):
    rng = np.random.default_rng(seed)
    n = 30 + 7 * seed
    X, v = rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float)
    t = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    v = v if weighted == "weighted" else np.ones(n)
    ours = mercer.NuSVC(gamma=0.7, nu=nu, tol=TOL).fit(X, t, sample_weight=v)
    best = twin.solve_nu_svc_dual(rbf_kernel(X, gamma=0.7), t, v, nu)
    # Clarabel is asked for a gap of 1e-10, and coefficients are off by about its square root.
    assert ours.certificate_.dual == pytest.approx(best.value, rel=1e-7)
    c, _ = twin.nu_svc_before_division(coefficients(ours, n)[0], v, nu)
    np.testing.assert_allclose(c, best.c, rtol=0, atol=3e-5)


@pytest.mark.parametrize("name", ["breast cancer", "moons", "imbalanced", "precomputed"])
@pytest.mark.parametrize("weighted", WEIGHTS)
def test_nu_bounds_the_weight_inside_the_margin(name, weighted, fitted):
    X, y, v, ours, _, _ = fitted(name, weighted)
    v = np.ones(len(y)) if v is None else v
    scores = np.where(y == ours.classes_[1], 1, -1) * ours.decision_function(X)
    # At most nu of the weight is inside the margin; and at least nu is inside or on it.
    assert v[scores < 1 - VALUES].sum() <= ours.nu * v.sum() * (1 + 1e-12)
    assert v[scores < 1 + VALUES].sum() >= ours.nu * v.sum() * (1 - 1e-12)
