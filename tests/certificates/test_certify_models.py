"""`mercer.certify` proves the optimality of fitted models, Mercer's and scikit-learn's alike."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC as SklearnSVC

import mercer
from tests.reference import kernels as twin
from tests.reference.svc import binary_machines

TOL = 1e-6
# LIBSVM judges its running gradient, which by the end has gathered the rounding of all its steps.
DRIFT_OF_LIBSVM = 1e-6
ROUNDING = 1e-9


def linear(X, Z):
    return X @ Z.T


KERNELS = [
    pytest.param({"kernel": "linear"}, twin.linear(), id="linear"),
    pytest.param({"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 0.2}, twin.polynomial(3, 0.2, 1.0), id="poly"),
    pytest.param({"kernel": "rbf", "gamma": 0.5}, twin.rbf(0.5), id="rbf"),
    pytest.param({"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1}, twin.sigmoid(0.05, 0.1), id="sigmoid"),
    pytest.param({"kernel": linear}, twin.linear(), id="callable"),
]
MODELS = [pytest.param(mercer.SVC, id="mercer"), pytest.param(SklearnSVC, id="scikit-learn")]


def two_classes():
    return make_moons(80, noise=0.3, random_state=4)


def three_classes():
    X, y = load_iris(return_X_y=True)
    return X[::2] - X.mean(axis=0), np.array(["setosa", "versicolor", "virginica"])[y[::2]]


def assert_certified(certificate, machines):
    assert certificate.holds(TOL + DRIFT_OF_LIBSVM)
    for part, machine in zip(certificate.parts or (certificate,), machines, strict=True):
        assert part.primal == pytest.approx(machine.primal(), rel=ROUNDING)
        assert part.dual == pytest.approx(machine.dual(), rel=ROUNDING)
        assert part.violation == pytest.approx(machine.violation(), abs=ROUNDING)


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize(("parameters", "formula"), KERNELS)
@pytest.mark.parametrize("kind", MODELS)
def test_certify_proves_a_model_of_any_kernel(kind, parameters, formula, data):
    X, y = data()
    model = kind(tol=TOL, **parameters).fit(X, y)
    assert_certified(mercer.certify(model, X, y), binary_machines(model, twin.gram(formula, X), y))


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("kind", MODELS)
def test_certify_takes_precomputed_values(kind, data):
    X, y = data()
    K = twin.gram(twin.rbf(0.5), X)
    model = kind(kernel="precomputed", tol=TOL).fit(K, y)
    assert_certified(mercer.certify(model, K, y), binary_machines(model, K, y))


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("kind", MODELS)
def test_certify_takes_sparse_rows(kind, layout, data):
    X, y = data()
    X = np.where(np.abs(X) < 0.3, 0, X)
    model = kind(gamma=0.5, tol=TOL).fit(layout(X), y)
    certificate = mercer.certify(model, layout(X), y)
    assert_certified(certificate, binary_machines(model, twin.gram(twin.rbf(0.5), X), y))


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("kind", MODELS)
def test_certify_counts_weights_of_rows_and_classes(kind, data):
    X, y = data()
    labels = np.unique(y)
    per_class = {labels[0]: 2.0, labels[1]: 0.5}
    weights = np.linspace(0.5, 2, len(y))
    model = kind(gamma=0.5, tol=TOL, class_weight=per_class).fit(X, y, sample_weight=weights)
    together = weights * np.array([per_class.get(label, 1.0) for label in y])
    machines = binary_machines(model, twin.gram(twin.rbf(0.5), X), y, together)
    assert_certified(mercer.certify(model, X, y, sample_weight=weights), machines)
    assert not mercer.certify(model, X, y).holds(TOL + DRIFT_OF_LIBSVM)


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("kind", MODELS)
def test_certify_leaves_out_rows_of_weight_zero(kind, data):
    """scikit-learn numbers support_ among the rows that are left; the certificate is about the same machine."""
    X, y = data()
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0)
    left = weights > 0
    certificate = mercer.certify(kind(gamma=0.5, tol=TOL).fit(X, y, sample_weight=weights), X, y, sample_weight=weights)
    expected = mercer.certify(kind(gamma=0.5, tol=TOL).fit(X[left], y[left]), X[left], y[left])
    assert certificate.holds(TOL + DRIFT_OF_LIBSVM)
    assert certificate.rows == expected.rows
    assert certificate.dual == pytest.approx(expected.dual, rel=1e-6)
    assert certificate.primal == pytest.approx(expected.primal, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", MODELS)
def test_certify_counts_balanced_classes(kind, weighted):
    X, y = two_classes()
    X, y = X[15:], np.sort(y)[15:]
    weights = np.linspace(0.5, 2, len(y)) if weighted else None
    model = kind(gamma=0.5, tol=TOL, class_weight="balanced").fit(X, y, sample_weight=weights)
    together = model.class_weight_[y] * (1.0 if weights is None else weights)
    machines = binary_machines(model, twin.gram(twin.rbf(0.5), X), y, together)
    assert_certified(mercer.certify(model, X, y, sample_weight=weights), machines)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_certify_finds_the_gamma_that_was_named(gamma):
    X, y = two_classes()
    number = 1 / (2 * X.var()) if gamma == "scale" else 0.5
    model = SklearnSVC(gamma=gamma, tol=TOL).fit(X, y)
    assert_certified(mercer.certify(model, X, y), binary_machines(model, twin.gram(twin.rbf(number), X), y))


@pytest.mark.parametrize("kind", MODELS)
def test_certify_of_an_indefinite_kernel_is_stationary_only(kind):
    X, y = two_classes()
    model = kind(kernel="sigmoid", gamma=1.0, coef0=-1.0, tol=1e-3).fit(X, y)
    certificate = mercer.certify(model, X, y)
    assert certificate.convex is False
    assert "stationary" in str(certificate)
    assert "only" in str(certificate)
    assert "at most" not in str(certificate).split("violated")[0]


@pytest.mark.parametrize("kind", MODELS)
def test_certify_of_an_unknown_kernel_says_if(kind):
    X, y = two_classes()
    certificate = mercer.certify(kind(kernel=linear).fit(X, y), X, y)
    assert certificate.convex is None
    assert "If the kernel is positive semi-definite" in str(certificate)


def test_certify_agrees_with_the_certificate_of_the_fit():
    X, y = three_classes()
    model = mercer.SVC(gamma=0.5).fit(X, y)
    anew = mercer.certify(model, X, y)
    assert anew.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert anew.dual == pytest.approx(model.certificate_.dual, rel=1e-12)
    assert anew.counts == model.certificate_.counts


def test_certify_does_not_change_the_model():
    X, y = two_classes()
    model = SklearnSVC(gamma=0.5).fit(X, y)
    before = model.dual_coef_.copy(), model.decision_function(X)
    mercer.certify(model, X, y)
    np.testing.assert_array_equal(model.dual_coef_, before[0])
    np.testing.assert_array_equal(model.decision_function(X), before[1])
    assert model.dual_coef_.flags.writeable
    assert model.support_.flags.writeable


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_certify_of_a_machine_without_an_intercept_agrees_with_its_fit(data, C):
    X, y = data()
    model = mercer.SVC(solver="coordinate-ascent", kernel="linear", C=C, tol=TOL).fit(X, y)
    own, again = model.certificate_, mercer.certify(model, X, y)
    assert "without intercept" in again.problem
    assert again.problem == own.problem
    assert again.holds(TOL)
    assert again.primal == pytest.approx(own.primal, rel=ROUNDING)
    assert again.dual == pytest.approx(own.dual, rel=ROUNDING)
    assert again.violation == pytest.approx(own.violation, abs=ROUNDING)
    assert again.kkt_residuals == pytest.approx(own.kkt_residuals, abs=ROUNDING)
    assert again.counts == own.counts
    assert not model.intercept_.any()
    # The same machine as one of a problem with an intercept is not optimal.
    with_intercept = mercer.certify(model.set_params(solver="auto"), X, y)
    assert not with_intercept.holds(TOL)
