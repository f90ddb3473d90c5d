"""Every kernel of the registry drives every machine that takes kernels, and means its formula in each."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import (
    SVR,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelDensity,
    KernelRidge,
    KernelRidgeClassifier,
    NearestNeighbors,
    Nystroem,
    OneClassSVM,
    ParameterError,
    Status,
    certify,
)
from tests.contracts.kernel_registry import DEFINITE, ENTRIES, named
from tests.reference import kernels as twin

ROUNDING = 1e-9
TOL = 1e-5

ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=named)
DEFINITE_ENTRY = pytest.mark.parametrize("entry", DEFINITE, ids=named)
LAYOUT = pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])


@pytest.fixture
def X(random):
    return random.normal(size=(24, 3))


@pytest.fixture
def queries(random):
    return random.normal(size=(9, 3))


@pytest.fixture
def y(X, random):
    return np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=len(X))


def enough(K):
    """Noise with which a kernel's matrix is positive definite, whether the kernel is or not."""
    return 1.0 + max(0.0, -2 * float(np.linalg.eigvalsh(K)[0]))


@ENTRY
def test_kernel_in_svr_is_certified(entry, X, y):
    model = SVR(kernel=entry.kernel, tol=TOL).fit(X, y)
    is_indefinite = entry.kernel.is_definite is False
    assert model.status_ is (Status.STATIONARY if is_indefinite else Status.SOLVED)
    assert certify(model, X, y).holds(TOL)


@DEFINITE_ENTRY
def test_kernel_in_one_class_svm_is_certified(entry, X):
    model = OneClassSVM(kernel=entry.kernel, nu=0.3, tol=TOL).fit(X)
    assert certify(model, X).holds(TOL)


@ENTRY
@LAYOUT
def test_kernel_ridge_equals_the_closed_form(entry, layout, X, y, queries):
    K = twin.gram(entry.twin, X)
    alpha = enough(K)
    model = KernelRidge(alpha, kernel=entry.kernel).fit(layout(X), y)
    coef = np.linalg.solve(K + alpha * np.eye(len(X)), y)
    np.testing.assert_allclose(model.dual_coef_, coef, rtol=0, atol=1e-7 * np.abs(coef).max())
    expected = twin.gram(entry.twin, queries, X) @ coef
    np.testing.assert_allclose(model.predict(layout(queries)), expected, rtol=0, atol=1e-7 * np.abs(expected).max())
    assert certify(model, layout(X), y).holds(ROUNDING)


@ENTRY
def test_kernel_ridge_classifier_equals_ridge_regression_of_signs(entry, X, y, queries):
    alpha = enough(twin.gram(entry.twin, X))
    model = KernelRidgeClassifier(alpha, kernel=entry.kernel).fit(X, y > 0)
    other = KernelRidge(alpha, kernel=entry.kernel, fit_intercept=True).fit(X, np.where(y > 0, 1.0, -1.0))
    np.testing.assert_allclose(model.decision_function(queries), other.predict(queries), rtol=0, atol=ROUNDING)


@ENTRY
def test_mean_of_a_gaussian_process_is_kernel_ridge_regression(entry, X, y, queries):
    K, across = twin.gram(entry.twin, X), twin.gram(entry.twin, queries, X)
    alpha = enough(K)
    model = GaussianProcessRegressor(entry.kernel, alpha=alpha, optimizer=None).fit(X, y)
    mean, std = model.predict(queries, return_std=True)
    ridge = KernelRidge(alpha, kernel=entry.kernel).fit(X, y).predict(queries)
    np.testing.assert_allclose(mean, ridge, rtol=0, atol=ROUNDING * max(1.0, np.abs(ridge).max()))
    own = np.diagonal(twin.gram(entry.twin, queries))
    variance = own - np.einsum("qi,iq->q", across, np.linalg.solve(K + alpha * np.eye(len(X)), across.T))
    np.testing.assert_allclose(std**2, np.maximum(variance, 0.0), rtol=0, atol=ROUNDING * np.abs(own).max())


@DEFINITE_ENTRY
def test_kernel_in_a_gaussian_process_of_classes(entry, X, y, queries):
    model = GaussianProcessClassifier(entry.kernel, optimizer=None).fit(X, y > 0)
    shares = model.predict_proba(queries)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=ROUNDING)
    assert np.all((shares >= 0) & (shares <= 1))
    np.testing.assert_array_equal(model.predict(queries), shares[:, 1] > 0.5)


@DEFINITE_ENTRY
@LAYOUT
def test_kernel_as_a_metric_of_neighbours(entry, layout, X, queries):
    found, _ = NearestNeighbors(n_neighbors=5, metric=entry.kernel).fit(layout(X)).kneighbors(layout(queries))
    own, others = (np.diagonal(twin.gram(entry.twin, rows)) for rows in (queries, X))
    squares = own[:, None] + others - 2 * twin.gram(entry.twin, queries, X)
    expected = np.sort(np.sqrt(np.maximum(squares, 0.0)), axis=1)[:, :5]
    # Of a difference of almost equal squares, rounding leaves its root.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.sqrt(others.max()))


@DEFINITE_ENTRY
@LAYOUT
def test_features_of_all_rows_have_the_products_of_the_kernel(entry, layout, X):
    features = Nystroem(kernel=entry.kernel, n_components=len(X), random_state=0).fit_transform(layout(X))
    K = twin.gram(entry.twin, X)
    np.testing.assert_allclose(features @ features.T, K, rtol=0, atol=1e-5 * np.abs(K).max())


@ENTRY
def test_kernel_as_a_window_is_proportional_to_its_values_or_refused(entry, X, queries):
    model = KernelDensity(kernel=entry.kernel, bandwidth=1.0)
    if not entry.window:
        with pytest.raises(ParameterError, match="kernel: expected"):
            model.fit(X)
        return
    model.fit(X)
    sums = twin.gram(entry.twin, queries, X).sum(axis=1)
    ratios = np.exp(model.score_samples(queries)) / sums
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
