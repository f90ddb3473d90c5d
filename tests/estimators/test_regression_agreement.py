"""SVR and NuSVR find the functions that scikit-learn, LIBSVM and an interior-point solver find."""

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
# The dual value is quadratic in the distance from the optimum: rounding is all that is left of it.
OBJECTIVE = 1e-9
# Predictions of two machines differ by a few times what each violates the optimality conditions. LIBSVM stops by a
# running gradient that drifts, so what it really violates is a hundred times tol at times; the certificate tells.
VALUES_FROM_VIOLATION = 10.0
LARGEST_VIOLATION_OF_LIBSVM = 1e-5
# Coefficients follow values through the inverse of the Gram matrix; relative to their bound.
COEFFICIENTS = 1e-4


def laplacian_values(X, Z):
    return np.exp(-0.1 * np.abs(X[:, None] - Z[None]).sum(axis=2))


def _diabetes():
    X, y = datasets.load_diabetes(return_X_y=True)
    return scale(X), y


def _diabetes_standard():
    X, y = datasets.load_diabetes(return_X_y=True)
    return scale(X)[::2], scale(y)[::2]


def _first_feature_of(load):
    X, _ = load(return_X_y=True)
    X = scale(X)[:300]
    return X[:, 1:], X[:, 0]


def _digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:250] / 16, y[:250].astype(float)


def _gram_of_diabetes():
    X, y = _diabetes_standard()
    return rbf_kernel(X, gamma=0.1), y


# name: (data, parameters of both, of SVR, of NuSVR)
CASES = {
    "diabetes": (_diabetes, {"C": 50.0, "gamma": 0.1}, {"epsilon": 10.0}, {"nu": 0.5}),
    "diabetes, gamma by name": (_diabetes_standard, {"C": 1.0}, {"epsilon": 0.1}, {"nu": 0.3}),
    "wine": (lambda: _first_feature_of(datasets.load_wine), {"C": 2.0}, {"epsilon": 0.2}, {"nu": 0.4}),
    "breast cancer": (
        lambda: _first_feature_of(datasets.load_breast_cancer),
        {"C": 1.0, "gamma": 0.05},
        {"epsilon": 0.05},
        {"nu": 0.2},
    ),
    "digits": (_digits, {"C": 3.0, "gamma": 0.3}, {"epsilon": 0.3}, {"nu": 0.2}),
    "a tube of no width": (_digits, {"C": 3.0, "gamma": 0.3}, {"epsilon": 0.0}, {"nu": 0.6}),
    "linear": (_diabetes_standard, {"C": 0.5, "kernel": "linear"}, {"epsilon": 0.2}, {"nu": 0.5}),
    "poly": (
        _diabetes_standard,
        {"C": 0.2, "kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.1},
        {"epsilon": 0.3},
        {"nu": 0.4},
    ),
    "precomputed": (_gram_of_diabetes, {"C": 1.0, "kernel": "precomputed"}, {"epsilon": 0.1}, {"nu": 0.5}),
    "callable": (_diabetes_standard, {"C": 2.0, "kernel": laplacian_values}, {"epsilon": 0.2}, {"nu": 0.3}),
}
UNIQUE = ["diabetes", "diabetes, gamma by name", "wine", "breast cancer", "digits", "a tube of no width", "precomputed"]
KINDS = ["SVR", "NuSVR"]
WEIGHTS = ["unweighted", "weighted"]
LAYOUTS = {"dense": np.asarray, "sparse": sp.csr_matrix}


def weights(n, kernel):
    """A sixth of them zero, the others between one half and three.

    scikit-learn numbers the support among rows of positive weight and then takes columns of given kernel values by
    these numbers, so its predictions are wrong there: no zeros for them.
    """
    rng = np.random.default_rng(5)
    zero = rng.random(n) < (0 if kernel == "precomputed" or callable(kernel) else 1 / 6)
    return np.where(zero, 0.0, rng.uniform(0.5, 3, n))


def load(kind, name):
    data, both, of_svr, of_nu_svr = CASES[name]
    return *data(), {**both, **(of_svr if kind == "SVR" else of_nu_svr)}


@pytest.fixture(scope="module")
def fitted():
    """Both models and their certificates, fitted once a case."""
    cache = {}

    def fit(kind, name, weighted="unweighted", layout="dense"):
        key = kind, name, weighted, layout
        if key not in cache:
            X, y, parameters = load(kind, name)
            v = weights(len(y), parameters.get("kernel")) if weighted == "weighted" else None
            X = LAYOUTS[layout](X)
            ours, theirs = (
                getattr(module, kind)(tol=TOL, **parameters).fit(X, y, sample_weight=v)
                for module in (mercer, sklearn.svm)
            )
            proof = mercer.certify(theirs, X, y, sample_weight=v)
            cache[key] = X, y, v, ours, theirs, proof
        return cache[key]

    return fit


def coefficients(model, n, rows=None):
    """dual_coef_ with an entry for each training row; scikit-learn numbers support_ among rows of positive weight."""
    full = np.zeros(n)
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    full[model.support_ if rows is None else rows[model.support_]] = dual_coef[0]
    return full


def atol(proof):
    assert proof.violation < LARGEST_VIOLATION_OF_LIBSVM * max(1, np.sqrt(abs(proof.dual)))
    return VALUES_FROM_VIOLATION * max(TOL, proof.violation)


def new_rows(X, kernel):
    if kernel == "precomputed" or sp.issparse(X):
        return X[::2]
    return X + 0.3 * np.random.default_rng(0).normal(size=X.shape)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_regression_is_proved_optimal(kind, name, weighted, fitted):
    *_, ours, _, _ = fitted(kind, name, weighted)
    assert ours.status_ is mercer.Status.SOLVED
    assert ours.certificate_.holds(TOL)
    assert (len(ours.support_) == ours.certificate_.rows) == (name == "a tube of no width")


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_dual_objective_of_regression_agrees_with_scikit_learns(kind, name, weighted, fitted):
    *_, ours, _, theirs = fitted(kind, name, weighted)
    assert ours.certificate_.dual == pytest.approx(theirs.dual, rel=OBJECTIVE)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_of_regression_agree_with_scikit_learns(kind, name, weighted, fitted):
    X, y, _, ours, theirs, proof = fitted(kind, name, weighted)
    for rows in (X, new_rows(X, ours.kernel)):
        predicted, expected = ours.predict(rows), theirs.predict(rows)
        assert predicted.shape == expected.shape
        assert predicted.dtype == expected.dtype == np.float64
        np.testing.assert_allclose(predicted, expected, rtol=0, atol=atol(proof))
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-5)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", UNIQUE)
@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_of_regression_agree_with_scikit_learns(kind, name, weighted, fitted):
    _, y, v, ours, theirs, proof = fitted(kind, name, weighted)
    rows = np.arange(len(y)) if v is None else np.flatnonzero(v)
    mine, other = coefficients(ours, len(y)), coefficients(theirs, len(y), rows)
    np.testing.assert_allclose(mine, other, rtol=0, atol=COEFFICIENTS * ours.C)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=atol(proof))
    np.testing.assert_array_equal(ours.support_, rows[theirs.support_])
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_of_regression_have_scikit_learns_shapes_and_types(kind, fitted):
    X, _, _, ours, theirs, _ = fitted(kind, "diabetes")
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype, name
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.n_features_in_ == theirs.n_features_in_
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert np.all(np.diff(ours.support_) > 0)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_features_agree_with_scikit_learns(kind, weighted, layout, fitted):
    *_, ours, theirs, proof = fitted(kind, "linear", weighted, layout)
    assert ours.coef_.shape == theirs.coef_.shape
    assert sp.issparse(ours.coef_) == sp.issparse(theirs.coef_) == (layout == "sparse")
    np.testing.assert_allclose(ours.coef_ @ np.eye(10), theirs.coef_ @ np.eye(10), rtol=0, atol=atol(proof))


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("name", ["digits", "linear", "poly"])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_rows_give_the_function_of_dense_rows_and_of_scikit_learn(kind, name, weighted, fitted):
    *_, dense, _, _ = fitted(kind, name, weighted)
    X, _, _, ours, theirs, proof = fitted(kind, name, weighted, "sparse")
    assert sp.issparse(ours.support_vectors_)
    assert sp.issparse(ours.dual_coef_)
    assert ours.certificate_.dual == pytest.approx(dense.certificate_.dual, rel=OBJECTIVE)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=atol(proof))
    np.testing.assert_allclose(ours.predict(X), dense.predict(X.toarray()), rtol=0, atol=atol(ours.certificate_))


@pytest.mark.parametrize("name", ["diabetes", "wine", "digits", "linear", "precomputed"])
@pytest.mark.parametrize("kind", KINDS)
def test_regression_agrees_with_libsvm(kind, name, fitted):
    X, y, _, ours, _, proof = fitted(kind, name)
    options = f"-s 3 -p {ours.epsilon}" if kind == "SVR" else f"-s 4 -n {ours.nu}"
    model = libsvm.train(X, y, f"{options} -c {ours.C}", ours.kernel, ours.gamma, TOL)
    expected, _ = libsvm.predict(model, X[:50], ours.kernel)
    np.testing.assert_allclose(ours.predict(X[:50]), expected, rtol=0, atol=atol(proof))
    if name in UNIQUE:
        full = libsvm.coefficients(model, len(y))
        np.testing.assert_allclose(coefficients(ours, len(y)), full, rtol=0, atol=COEFFICIENTS * ours.C)


def small(seed):
    rng = np.random.default_rng(seed)
    n = 24 + 7 * seed
    X = rng.normal(size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n), rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_small_svr_is_the_optimum_of_an_interior_point_solver(seed, weighted):
    X, y, v = small(seed)
    v = v if weighted == "weighted" else np.ones(len(y))
    ours = mercer.SVR(gamma=0.7, C=3.0, epsilon=0.15, tol=TOL).fit(X, y, sample_weight=v)
    best = twin.solve_svr_dual(rbf_kernel(X, gamma=0.7), y, v, 3.0, 0.15)
    # Clarabel is asked for a gap of 1e-10, and coefficients are off by about its square root.
    assert ours.certificate_.dual == pytest.approx(best.value, rel=1e-8)
    np.testing.assert_allclose(coefficients(ours, len(y)), best.c, rtol=0, atol=3e-5)


@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize(("seed", "nu"), [(0, 0.2), (1, 0.5), (2, 0.9)])
def test_small_nu_svr_is_the_optimum_of_an_interior_point_solver(seed, nu, weighted):
    X, y, v = small(seed)
    v = v if weighted == "weighted" else np.ones(len(y))
    ours = mercer.NuSVR(gamma=0.7, C=3.0, nu=nu, tol=TOL).fit(X, y, sample_weight=v)
    best = twin.solve_nu_svr_dual(rbf_kernel(X, gamma=0.7), y, v, 3.0, nu)
    assert ours.certificate_.dual == pytest.approx(best.value, rel=1e-8)
    np.testing.assert_allclose(coefficients(ours, len(y)), best.c, rtol=0, atol=3e-5)


def test_nu_svr_is_the_svr_of_its_own_tube(fitted):
    X, y, _, ours, _, _ = fitted("NuSVR", "diabetes")
    svr = mercer.SVR(C=ours.C, gamma=ours.gamma, epsilon=ours.epsilon_, tol=TOL).fit(X, y)
    np.testing.assert_allclose(svr.predict(X), ours.predict(X), rtol=0, atol=atol(ours.certificate_))


@pytest.mark.parametrize("name", UNIQUE)
@pytest.mark.parametrize("weighted", WEIGHTS)
def test_nu_bounds_the_weight_outside_the_tube(name, weighted, fitted):
    X, y, v, ours, _, _ = fitted("NuSVR", name, weighted)
    v = np.ones(len(y)) if v is None else v
    errors = np.abs(y - ours.predict(X))
    slack = 1e-6 * np.ptp(y)
    # At most nu of the weight is outside; and at least nu is outside or on the edge of the tube.
    assert v[errors > ours.epsilon_ + slack].sum() <= ours.nu * v.sum() * (1 + 1e-12)
    assert v[errors > ours.epsilon_ - slack].sum() >= ours.nu * v.sum() * (1 - 1e-12)
