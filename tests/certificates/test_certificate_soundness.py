"""On data that are hard on floating point the certificate stays true: it may say less, but nothing wrong."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from tests.reference.svc import binary_machines

TOL = 1e-4
# What may come on top of tol before a machine that is called solved is not.
SOLVED = 10 * TOL


def rows():
    return np.random.default_rng(0).normal(size=(80, 4))


LABELS = (rows()[:, 0] * rows()[:, 1] > 0).astype(int)


def with_outlier(value):
    X = rows()
    X[0] = value
    return X


def with_feature(values):
    return np.column_stack([rows(), values])


def gram(kernel, X):
    """Differences first, in extended precision: nothing cancels and nothing overflows."""
    X = (X.toarray() if sp.issparse(X) else X).astype(np.longdouble)
    differences = X[:, None] - X[None]
    if kernel == "rbf":
        return np.exp(-0.5 * np.square(differences).sum(axis=2)).astype(np.float64)
    if kernel == "laplacian":
        return np.exp(-0.5 * np.abs(differences).sum(axis=2)).astype(np.float64)
    products = X @ X.T
    return (products if kernel == "linear" else (0.5 * products + 1) ** 3).astype(np.float64)


SPREAD = np.random.default_rng(1).normal(size=80)
CASES = [
    pytest.param("rbf", rows(), id="plain"),
    pytest.param("rbf", rows() + 1e8, id="offset"),
    pytest.param("rbf", sp.csr_matrix(rows() + 1e4), id="sparse offset"),
    pytest.param("rbf", sp.csr_matrix(rows() + 1e6), id="large sparse offset"),
    pytest.param("rbf", with_feature(np.full(80, 1e8)), id="large constant feature"),
    pytest.param("rbf", with_feature(1e4 * SPREAD), id="one feature of size 1e4"),
    pytest.param("rbf", with_feature(1e8 * SPREAD), id="one feature of size 1e8"),
    pytest.param("rbf", with_outlier(1e4), id="outlier 1e4"),
    pytest.param("rbf", with_outlier(1e6), id="outlier 1e6"),
    pytest.param("rbf", with_outlier(1e8), id="outlier 1e8"),
    pytest.param("rbf", with_outlier(1e12), id="outlier 1e12"),
    pytest.param("rbf", with_outlier(1e200), id="outlier 1e200"),
    pytest.param("rbf", sp.csr_matrix(with_outlier(1e8)), id="sparse outlier 1e8"),
    pytest.param("laplacian", with_outlier(1e12), id="laplacian outlier 1e12"),
    pytest.param("laplacian", with_outlier(1e200), id="laplacian outlier 1e200"),
    pytest.param("linear", rows() + 1e3, id="linear offset"),
    pytest.param("poly", 5 * rows(), id="poly"),
]


def fit(kernel, X):
    with warnings.catch_warnings():
        # Whether it is solved is what the tests look at.
        warnings.simplefilter("ignore", mercer.UnsolvedWarning)
        warnings.simplefilter("ignore", mercer.NumericsWarning)
        return mercer.SVC(kernel=kernel, gamma=0.5, coef0=1.0, C=10.0, tol=TOL, max_iter=1_000_000).fit(X, LABELS)


@pytest.mark.parametrize(("kernel", "X"), CASES)
def test_violation_is_reported_to_within_the_stated_accuracy(kernel, X):
    model = fit(kernel, X)
    (machine,) = binary_machines(model, gram(kernel, X), LABELS)
    certificate = model.certificate_
    assert abs(machine.violation() - certificate.violation) <= 2 * certificate.accuracy + 1e-12
    assert abs(machine.margin() - certificate.margin) <= certificate.margin * (certificate.accuracy + 1e-6)


@pytest.mark.parametrize(("kernel", "X"), CASES)
def test_machine_that_is_called_solved_is_optimal(kernel, X):
    model = fit(kernel, X)
    if model.status_ is not mercer.Status.SOLVED:
        return
    (machine,) = binary_machines(model, gram(kernel, X), LABELS)
    assert machine.violation() <= SOLVED
    np.testing.assert_allclose(model.decision_function(X), machine.values(), atol=SOLVED)


@pytest.mark.parametrize(("kernel", "X"), CASES)
def test_certificate_less_accurate_than_its_tolerance_does_not_hold(kernel, X):
    """Where rounding may have moved the violation by more than tol, nobody knows whether it is within tol."""
    certificate = fit(kernel, X).certificate_
    if certificate.accuracy > 10 * TOL:
        assert not certificate.holds(TOL)
