"""OneClassSVM finds the region that scikit-learn, LIBSVM and an interior-point solver find."""

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

TOL = 1e-8
# The dual value is quadratic in the distance from the optimum: what is left is LIBSVM's drift.
OBJECTIVE = 1e-8
# Values of two machines differ by a few times what each violates the optimality conditions; the certificate tells what
# LIBSVM really violates, since it stops by a running gradient that drifts.
VALUES_FROM_VIOLATION = 10.0
# Coefficients follow values through the inverse of the Gram matrix; relative to the largest weight.
COEFFICIENTS = 1e-4


def laplacian_values(X, Z):
    return np.exp(-0.1 * np.abs(X[:, None] - Z[None]).sum(axis=2))


def _scaled(load, n=300):
    X, _ = load(return_X_y=True)
    return scale(X)[:n]


def _digits():
    return datasets.load_digits(return_X_y=True)[0][:300] / 16


CASES = {
    "diabetes": (lambda: _scaled(datasets.load_diabetes), {"nu": 0.3}),
    "iris": (lambda: _scaled(datasets.load_iris), {"nu": 0.1}),
    "wine": (lambda: _scaled(datasets.load_wine), {"nu": 0.5, "gamma": 0.1}),
    "breast cancer": (lambda: _scaled(datasets.load_breast_cancer), {"nu": 0.2, "gamma": "auto"}),
    "digits": (_digits, {"nu": 0.7, "gamma": 0.2}),
    "linear": (lambda: 2 + _scaled(datasets.load_diabetes, 150), {"nu": 0.4, "kernel": "linear"}),
    "poly": (
        lambda: _scaled(datasets.load_wine),
        {"nu": 0.3, "kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.05},
    ),
    "precomputed": (
        lambda: rbf_kernel(_scaled(datasets.load_wine), gamma=0.1),
        {"nu": 0.25, "kernel": "precomputed"},
    ),
    "callable": (lambda: _scaled(datasets.load_diabetes, 150), {"nu": 0.2, "kernel": laplacian_values}),
}
# No row twice (iris has some), and a kernel whose Gram matrix is positive definite.
UNIQUE = ["diabetes", "wine", "breast cancer", "digits", "precomputed"]
WEIGHTS = ["unweighted", "weighted"]
LAYOUTS = {"dense": np.asarray, "sparse": sp.csr_matrix}
NOT_SPARSE = [("precomputed", "sparse"), ("callable", "sparse")]


def weights(n, kernel):
    """A sixth of them zero; none with given kernel values, whose columns scikit-learn then takes wrongly."""
    rng = np.random.default_rng(5)
    zero = rng.random(n) < (0 if kernel == "precomputed" or callable(kernel) else 1 / 6)
    return np.where(zero, 0.0, rng.uniform(0.5, 3, n))


@pytest.fixture(scope="module")
def fitted():
    """Both models and scikit-learn's certificate, fitted once a case."""
    cache = {}

    def fit(name, weighted="unweighted", layout="dense"):
        key = name, weighted, layout
        if key not in cache:
            data, parameters = CASES[name]
            X = LAYOUTS[layout](data())
            v = weights(X.shape[0], parameters.get("kernel")) if weighted == "weighted" else None
            ours, theirs = (
                module.OneClassSVM(tol=TOL, **parameters).fit(X, sample_weight=v) for module in (mercer, sklearn.svm)
            )
            cache[key] = X, v, ours, theirs, mercer.certify(theirs, X, sample_weight=v)
        return cache[key]

    return fit


def coefficients(model, n, rows=None):
    """dual_coef_ with an entry for each training row; scikit-learn numbers support_ among rows of positive weight."""
    full = np.zeros(n)
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    full[model.support_ if rows is None else rows[model.support_]] = dual_coef[0]
    return full


def atol(*proofs):
    return VALUES_FROM_VIOLATION * max(TOL, *(proof.violation for proof in proofs))


def new_rows(X, kernel):
    if kernel == "precomputed" or sp.issparse(X):
        return X[::2]
    return X + 0.3 * np.random.default_rng(0).normal(size=X.shape)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_one_class_is_proved_optimal(name, weighted, fitted):
    _, _, ours, _, _ = fitted(name, weighted)
    assert ours.status_ is mercer.Status.SOLVED
    assert ours.certificate_.holds(TOL)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
def test_dual_objective_of_one_class_agrees_with_scikit_learns(name, weighted, fitted):
    *_, ours, _, theirs = fitted(name, weighted)
    assert ours.certificate_.dual == pytest.approx(theirs.dual, rel=OBJECTIVE)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize(
    ("name", "layout"),
    # scikit-learn takes neither callables nor given kernel values sparse.
    [(name, layout) for name in CASES for layout in LAYOUTS if (name, layout) not in NOT_SPARSE],
)
def test_values_of_one_class_agree_with_scikit_learns(name, weighted, layout, fitted):
    X, _, ours, theirs, proof = fitted(name, weighted, layout)
    for rows in (X, new_rows(X, ours.kernel)):
        near = atol(proof, ours.certificate_)
        values, expected = ours.decision_function(rows), theirs.decision_function(rows)
        assert values.shape == expected.shape
        np.testing.assert_allclose(values, expected, rtol=0, atol=near)
        np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=0, atol=near)
        clear = np.abs(expected) > near
        assert clear.mean() > 0.3
        predicted = ours.predict(rows)
        assert predicted.dtype == theirs.predict(rows).dtype
        np.testing.assert_array_equal(predicted[clear], theirs.predict(rows)[clear])
    assert ours.offset_.shape == theirs.offset_.shape
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=0, atol=near)
    np.testing.assert_array_equal(ours.offset_, -ours.intercept_)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", UNIQUE)
def test_coefficients_of_one_class_agree_with_scikit_learns(name, weighted, fitted):
    X, v, ours, theirs, _ = fitted(name, weighted)
    n = X.shape[0]
    rows = np.arange(n) if v is None else np.flatnonzero(v)
    np.testing.assert_allclose(coefficients(ours, n), coefficients(theirs, n, rows), rtol=0, atol=3 * COEFFICIENTS)
    np.testing.assert_array_equal(ours.support_, rows[theirs.support_])


def test_attributes_of_one_class_have_scikit_learns_shapes_and_types(fitted):
    X, _, ours, theirs, _ = fitted("wine")
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_", "offset_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype, name
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.fit_status_ == theirs.fit_status_ == 0
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])
    np.testing.assert_array_equal(ours.fit_predict(X), ours.predict(X))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_of_features_of_one_class_agree_with_scikit_learns(layout, fitted):
    _, _, ours, theirs, proof = fitted("linear", "weighted", layout)
    assert ours.coef_.shape == theirs.coef_.shape
    assert sp.issparse(ours.coef_) == sp.issparse(theirs.coef_) == (layout == "sparse")
    np.testing.assert_allclose(ours.coef_ @ np.eye(10), theirs.coef_ @ np.eye(10), rtol=0, atol=atol(proof))


@pytest.mark.parametrize("name", ["diabetes", "wine", "digits", "linear", "precomputed"])
def test_one_class_agrees_with_libsvm(name, fitted):
    X, _, ours, _, proof = fitted(name)
    model = libsvm.train(X, np.ones(len(X)), f"-s 2 -n {ours.nu}", ours.kernel, ours.gamma, TOL)
    labels, values = libsvm.predict(model, X[:50], ours.kernel)
    near = atol(proof, ours.certificate_)
    np.testing.assert_allclose(ours.decision_function(X[:50]), values[:, 0], rtol=0, atol=near)
    clear = np.abs(values[:, 0]) > near
    np.testing.assert_array_equal(ours.predict(X[:50])[clear], labels[clear])
    if name in UNIQUE:
        full = libsvm.coefficients(model, len(X))
        np.testing.assert_allclose(coefficients(ours, len(X)), full, rtol=0, atol=COEFFICIENTS)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize(("seed", "nu"), [(0, 0.1), (1, 0.4), (2, 0.8)])
def test_small_one_class_is_the_optimum_of_an_interior_point_solver(seed, nu, weighted):
    rng = np.random.default_rng(seed)
    n = 24 + 7 * seed
    X, v = rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float)
    v = v if weighted == "weighted" else np.ones(n)
    ours = mercer.OneClassSVM(gamma=0.7, nu=nu, tol=TOL).fit(X, sample_weight=v)
    best = twin.solve_one_class_dual(rbf_kernel(X, gamma=0.7), v, nu)
    # Clarabel is asked for a gap of 1e-10, and coefficients are off by about its square root.
    assert ours.certificate_.dual == pytest.approx(best.value, rel=1e-8)
    np.testing.assert_allclose(coefficients(ours, n), best.c, rtol=0, atol=3e-5)


@pytest.mark.parametrize("name", UNIQUE)
@pytest.mark.parametrize("weighted", WEIGHTS)
def test_nu_bounds_the_weight_of_outliers(name, weighted, fitted):
    X, v, ours, _, _ = fitted(name, weighted)
    v = np.ones(X.shape[0]) if v is None else v
    values, near = ours.decision_function(X), atol(ours.certificate_)
    # At most nu of the weight is outside; and at least nu is outside or on the edge.
    assert v[values < -near].sum() <= ours.nu * v.sum() * (1 + 1e-12)
    assert v[values < near].sum() >= ours.nu * v.sum() * (1 - 1e-12)
