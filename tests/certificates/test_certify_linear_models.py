"""`mercer.certify` proves linear machines from their weights alone, Mercer's and scikit-learn's alike."""

import copy
import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale
from sklearn.utils.class_weight import compute_class_weight

import mercer
from mercer import InputError, LinearSVC, LinearSVR, Status
from tests.reference.linear import machine_of

TOL = 1e-8
# LIBLINEAR's tolerance bounds its last steps; what they leave of the gap is not far from it on scaled data.
PROVED = 1e-6
# Clarabel's tolerance, with room for what scaling makes of it.
OPTIMUM = 1e-7
SUMMATION_ORDER = 1e-11
# What the dual point may add to the gap: a tenth of it, or a billionth of the objective.
LOOSE, LEAST = 1.12, 1.1e-9

CLASSIFIERS = {
    "hinge": {"loss": "hinge"},
    "squared hinge": {"loss": "squared_hinge"},
    "absolute weights": {"penalty": "l1", "dual": False},
    "Crammer and Singer": {"multi_class": "crammer_singer"},
}
REGRESSORS = {
    "tube": {"loss": "epsilon_insensitive"},
    "squared tube": {"loss": "squared_epsilon_insensitive"},
    "absolute error": {"loss": "epsilon_insensitive", "epsilon": 0.0},
}
INTERCEPTS = {
    "regularised": {},
    "scaled": {"intercept_scaling": 3.0},
    "none": {"fit_intercept": False},
    "free": {"regularize_intercept": False},
}


def wine():
    X, y = datasets.load_wine(return_X_y=True)
    return scale(X), np.array(["red", "rosé", "white"])[y]


def two_wines():
    X, y = wine()
    return X[y != "white"][::2], y[y != "white"][::2]


def diabetes():
    X, y = datasets.load_diabetes(return_X_y=True)
    return scale(X[:150]), y[:150] / 50


def row_weights(y):
    return np.random.default_rng(0).uniform(0.2, 2.0, len(y))


def fitted(kind, X, y, weights=None, **parameters):
    """A model at TOL; scikit-learn's where it has such a one, else the test is skipped."""
    if kind == "mercer":
        family = LinearSVR if y.dtype.kind == "f" else LinearSVC
        return family(tol=TOL, **parameters).fit(X, y, sample_weight=weights)
    if "regularize_intercept" in parameters:
        pytest.skip("scikit-learn has no free intercept")
    family = sklearn.svm.LinearSVR if y.dtype.kind == "f" else sklearn.svm.LinearSVC
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        model = family(tol=TOL, max_iter=200_000, random_state=0, **parameters)
        return model.fit(X, y, sample_weight=weights)


@pytest.fixture(params=["mercer", "scikit-learn"])
def kind(request):
    return request.param


@pytest.fixture(params=INTERCEPTS)
def intercept(request):
    return request.param


def skip_what_does_not_go_together(machine, intercept):
    if machine == "Crammer and Singer" and intercept == "free":
        pytest.skip("Crammer and Singer's intercept is not free")


# ---------------------------------------------------------------- what is proved


@pytest.mark.parametrize("data", [two_wines, wine])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_certify_proves_a_classifier(kind, machine, intercept, data):
    skip_what_does_not_go_together(machine, intercept)
    X, y = data()
    model = fitted(kind, X, y, C=0.3, **CLASSIFIERS[machine], **INTERCEPTS[intercept])
    certificate = mercer.certify(model, X, y)
    assert certificate.holds(np.inf, gap_tol=PROVED)
    assert certificate.relative_gap >= -SUMMATION_ORDER
    if kind == "mercer":
        assert certificate.primal == pytest.approx(model.certificate_.primal, rel=SUMMATION_ORDER)
        assert certificate.problem == model.certificate_.problem
        assert len(certificate.parts) == len(model.certificate_.parts)


@pytest.mark.parametrize("machine", REGRESSORS)
def test_certify_proves_a_regression(kind, machine, intercept):
    X, y = diabetes()
    model = fitted(kind, X, y, **{"epsilon": 0.2, **REGRESSORS[machine]}, **INTERCEPTS[intercept])
    certificate = mercer.certify(model, X, y)
    assert certificate.holds(np.inf, gap_tol=PROVED)
    if kind == "mercer":
        assert certificate.primal == pytest.approx(model.certificate_.primal, rel=SUMMATION_ORDER)


@pytest.mark.parametrize("data", [two_wines, wine])
@pytest.mark.parametrize("machine", CLASSIFIERS)
@pytest.mark.parametrize("class_weight", ["balanced", {"red": 0.5, "rosé": 2.0}])
def test_certify_counts_weights_of_rows_and_classes(kind, machine, class_weight, data):
    X, y = data()
    weights = row_weights(y)
    model = fitted(kind, X, y, weights, C=0.3, class_weight=class_weight, **CLASSIFIERS[machine])
    assert mercer.certify(model, X, y, sample_weight=weights).holds(np.inf, gap_tol=PROVED)
    assert not mercer.certify(model, X, y).holds(np.inf, gap_tol=PROVED)


@pytest.mark.skipif(
    "sample_weight" not in inspect.signature(compute_class_weight).parameters, reason="not before scikit-learn 1.7"
)
def test_certify_balances_classes_as_scikit_learn_does():
    X, y = two_wines()
    weights = row_weights(y) * np.where(y == "red", 5.0, 1.0)
    model = fitted("scikit-learn", X, y, weights, loss="hinge", class_weight="balanced")
    per_class = {label: weights.sum() / (2 * weights[y == label].sum()) for label in model.classes_}
    together = weights * np.array([per_class[label] for label in y])
    certificate = mercer.certify(model, X, y, sample_weight=weights)
    by_hand = machine_of(model, X, y, together).primal(model.coef_[0], model.intercept_[0])
    assert certificate.primal == pytest.approx(by_hand, rel=SUMMATION_ORDER)


def test_certify_counts_weights_of_rows_in_regression(kind):
    X, y = diabetes()
    weights = row_weights(y)
    weights[::5] = 0.0
    model = fitted(kind, X, y, weights, epsilon=0.2)
    certificate = mercer.certify(model, X, y, sample_weight=weights)
    assert certificate.holds(np.inf, gap_tol=PROVED)
    assert certificate.rows == np.count_nonzero(weights)


@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_certify_takes_sparse_rows(kind, machine, layout):
    X, y = wine()
    X = np.where(np.abs(X) < 0.3, 0, X)
    model = fitted(kind, layout(X), y, C=0.3, **CLASSIFIERS[machine])
    sparse, dense = mercer.certify(model, layout(X), y), mercer.certify(model, X, y)
    assert sparse.holds(np.inf, gap_tol=PROVED)
    assert sparse.primal == pytest.approx(dense.primal, rel=SUMMATION_ORDER)


def test_certify_takes_sparse_weights(kind):
    X, y = wine()
    model = fitted(kind, X, y, C=0.1, **CLASSIFIERS["absolute weights"]).sparsify()
    assert mercer.certify(model, X, y).holds(np.inf, gap_tol=PROVED)


def test_certify_takes_float32_rows():
    X, y = wine()
    X = X.astype(np.float32)
    assert mercer.certify(fitted("mercer", X, y, loss="hinge"), X, y).holds(np.inf, gap_tol=PROVED)


def test_certify_does_not_change_the_model(kind):
    X, y = wine()
    model = fitted(kind, X, y, loss="hinge")
    before = copy.deepcopy(model.__dict__)
    mercer.certify(model, X, y)
    assert model.__dict__.keys() == before.keys()
    np.testing.assert_array_equal(model.coef_, before["coef_"])
    np.testing.assert_array_equal(model.intercept_, before["intercept_"])


# ---------------------------------------------------------------- how tight, and true


@given(
    seed=st.integers(0, 2**31),
    C=st.sampled_from([1e-3, 1.0, 1e2]),
    squared=st.booleans(),
    regression=st.booleans(),
    intercept=st.sampled_from(sorted(INTERCEPTS)),
    disturbance=st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 3.0]),
)
def test_gap_is_that_of_the_true_optimum(seed, C, squared, regression, intercept, disturbance):
    """A bound, and a tight one, whatever the weights are."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 4)) + 0.5
    y = X[:, 0] + random.normal(size=30)
    weights = random.uniform(0.5, 2.0, 30)
    if regression:
        model = LinearSVR(epsilon=0.2, loss="squared_" * squared + "epsilon_insensitive")
    else:
        y = np.where(y > np.median(y), 1, -1)
        model = LinearSVC(loss="squared_" * squared + "hinge")
    model.set_params(C=C, tol=1e-4, **INTERCEPTS[intercept]).fit(X, y, sample_weight=weights)
    model.coef_ = model.coef_ + disturbance * np.abs(model.coef_).max() * random.normal(size=model.coef_.shape)
    machine = machine_of(model, X, y, weights)
    primal, optimum = machine.primal(np.ravel(model.coef_), model.intercept_[0]), machine.optimum().value
    certificate = mercer.certify(model, X, y, sample_weight=weights)
    assert certificate.primal == pytest.approx(primal, rel=SUMMATION_ORDER)
    assert certificate.dual <= optimum * (1 + OPTIMUM)
    assert certificate.gap <= LOOSE * max(primal - optimum, 0.0) + (LEAST + OPTIMUM) * primal


@pytest.mark.parametrize("share", [1e-3, 0.03, 1.0])
@pytest.mark.parametrize("machine", ["absolute weights", "Crammer and Singer"])
@pytest.mark.parametrize("data", [two_wines, wine])
def test_gap_is_that_of_a_long_fit(data, machine, share):
    X, y = data()
    best = LinearSVC(tol=1e-11, C=0.3, **CLASSIFIERS[machine]).fit(X, y)
    assert best.status_ is Status.SOLVED
    rough = copy.copy(best)
    rough.coef_ = best.coef_ + share * np.random.default_rng(0).normal(size=best.coef_.shape)
    certificate = mercer.certify(rough, X, y)
    optimum = best.certificate_.primal
    assert certificate.dual <= optimum * (1 + SUMMATION_ORDER)
    assert certificate.gap <= LOOSE * (certificate.primal - best.certificate_.dual) + LEAST * optimum


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_disturbed_weight_costs_what_it_must(kind, machine):
    X, y = wine()
    model = fitted(kind, X, y, C=0.3, **CLASSIFIERS[machine])
    sound = mercer.certify(model, X, y)
    model.coef_[1, 3] += 0.5
    broken = mercer.certify(model, X, y)
    assert not broken.holds(np.inf, gap_tol=1e-3)
    assert broken.dual <= sound.primal * (1 + SUMMATION_ORDER)
    assert broken.gap == pytest.approx(broken.primal - sound.primal, rel=0.12)


def test_machine_of_other_data_is_not_proved(kind):
    X, y = wine()
    model = fitted(kind, X, y, loss="hinge")
    assert not mercer.certify(model, X[::-1].copy(), y).holds(np.inf, gap_tol=1e-2)
    assert not mercer.certify(model, 2 * X, y).holds(np.inf, gap_tol=1e-2)


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_certify_of_unscaled_columns_is_a_bound_all_the_same(machine):
    X, y = wine()
    X = X * np.logspace(-6, 6, X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.UnsolvedWarning)
        model = LinearSVC(C=0.3, time_limit=5, **CLASSIFIERS[machine]).fit(X, y)
    certificate = mercer.certify(model, X, y)
    assert np.isfinite(certificate.gap)
    assert certificate.dual <= model.certificate_.primal
    assert certificate.primal >= model.certificate_.dual


# ---------------------------------------------------------------- what is refused


def test_other_features_or_classes_are_refused(kind):
    X, y = wine()
    model = fitted(kind, X, y)
    with pytest.raises(InputError, match="expected 13 features as in fit, got 5"):
        mercer.certify(model, X[:, :5], y)
    with pytest.raises(InputError, match=r"expected the classes.*got"):
        mercer.certify(model, X[y != "red"], y[y != "red"])


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVR(), sklearn.svm.LinearSVC(), sklearn.svm.LinearSVR()])
def test_model_that_is_not_fitted_is_refused(model):
    with pytest.raises(NotFittedError):
        mercer.certify(model, *diabetes())
