"""A certificate fails where the machine is not optimal, and `certify` refuses what it cannot judge."""

import copy
import dataclasses
import math
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC as SklearnSVC

import mercer
from mercer import Certificate, InputError
from tests.contracts.estimator_registry import ENTRIES, named

TOL = 1e-3


@pytest.fixture
def data():
    return make_moons(80, noise=0.3, random_state=4)


@pytest.fixture
def model(data):
    return SklearnSVC(gamma=0.5, tol=1e-6).fit(*data)


def free_vectors(model):
    alpha = np.abs(model.dual_coef_[0])
    return np.flatnonzero((alpha > 0.01) & (alpha < 0.99 * model.C))


def with_coefficients(model, dual_coef):
    other = copy.deepcopy(model)
    other._dual_coef_ = other.dual_coef_ = dual_coef
    return other


def with_intercept(model, intercept):
    other = copy.deepcopy(model)
    other._intercept_ = other.intercept_ = intercept
    return other


def test_undisturbed_model_is_proved(model, data):
    assert mercer.certify(model, *data).holds(TOL)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_disturbed_pair_of_coefficients_fails(model, data, share):
    """Both sides change alike, so the sum condition still holds: only optimality is lost."""
    sound = mercer.certify(model, *data)
    free = free_vectors(model)
    up = free[model.dual_coef_[0, free] > 0][0]
    down = free[model.dual_coef_[0, free] < 0][0]
    dual_coef = model.dual_coef_.copy()
    step = share * min(abs(dual_coef[0, up]), abs(dual_coef[0, down]))
    dual_coef[0, up] -= step
    dual_coef[0, down] += step
    broken = mercer.certify(with_coefficients(model, dual_coef), *data)
    assert not broken.holds(TOL)
    assert broken.violation > 10 * sound.violation
    assert broken.gap > 10 * sound.gap
    assert broken.dual < sound.dual


def test_disturbed_coefficient_breaks_the_sum_condition(model, data):
    sound = mercer.certify(model, *data)
    dual_coef = model.dual_coef_.copy()
    dual_coef[0, free_vectors(model)[0]] *= 1.1
    broken = mercer.certify(with_coefficients(model, dual_coef), *data)
    assert not broken.holds(TOL)
    assert broken.feasibility_residuals["sum"] > 1e-5
    assert broken.gap > 10 * sound.gap


def test_coefficients_beyond_the_box_fail(model, data):
    sound = mercer.certify(model, *data)
    broken = mercer.certify(with_coefficients(model, 1.5 * model.dual_coef_), *data)
    assert not broken.holds(TOL)
    assert broken.feasibility_residuals["box"] > 0.1
    assert broken.gap > 10 * sound.gap
    # The dual is taken at a feasible point, so it stays a lower bound of the optimum.
    assert broken.dual <= sound.primal


def test_coefficient_of_wrong_sign_fails(model, data):
    dual_coef = model.dual_coef_.copy()
    dual_coef[0, 0] = -dual_coef[0, 0]
    assert not mercer.certify(with_coefficients(model, dual_coef), *data).holds(TOL)


@pytest.mark.parametrize("shift", [-0.5, -0.1, 0.1, 0.5])
def test_disturbed_intercept_fails(model, data, shift):
    sound = mercer.certify(model, *data)
    broken = mercer.certify(with_intercept(model, model.intercept_ + shift), *data)
    assert broken.gap > 100 * sound.gap
    assert broken.kkt_residuals["free"] == pytest.approx(abs(shift), abs=1e-4)
    assert broken.dual == pytest.approx(sound.dual)
    assert not broken.holds(TOL)


def test_model_of_another_C_fails(data):
    model = SklearnSVC(gamma=0.5, tol=1e-6, C=1.0).fit(*data)
    model.C = 2.0
    assert not mercer.certify(model, *data).holds(TOL)


def test_model_stopped_early_fails(data):
    with pytest.warns(mercer.UnsolvedWarning, match=r"Solver terminated early \(max_iter=10\)"):
        rough = mercer.SVC(gamma=0.5, max_iter=10).fit(*data)
    fine = mercer.SVC(gamma=0.5, tol=1e-6).fit(*data)
    assert not mercer.certify(rough, *data).holds(TOL)
    assert mercer.certify(rough, *data).gap > mercer.certify(fine, *data).gap


def test_one_disturbed_pair_of_classes_fails_the_whole():
    X, y = load_iris(return_X_y=True)
    model = SklearnSVC(gamma=0.5, tol=1e-6).fit(X, y)
    assert mercer.certify(model, X, y).holds(TOL)
    dual_coef = model.dual_coef_.copy()
    dual_coef[:, 0] *= 0.5
    broken = mercer.certify(with_coefficients(model, dual_coef), X, y)
    assert not broken.holds(TOL)
    assert broken.parts[2].holds(TOL), "the third pair has no part in the disturbed vector"


def test_holds_asks_for_the_gap_as_well(data):
    certificate = mercer.SVC(gamma=0.5, tol=1e-2).fit(*data).certificate_
    assert certificate.relative_gap > 0
    assert certificate.holds(1e-2, gap_tol=2 * certificate.relative_gap)
    assert not certificate.holds(1e-2, gap_tol=0.5 * certificate.relative_gap)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("max_iter", [0, 1, 5, 20])
@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_interval_is_in_order_and_the_violation_shows_that_its_limits_cross(entry, max_iter, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.UnsolvedWarning)
        warnings.simplefilter("ignore", mercer.NumericsWarning)
        certificate = entry.kind(**entry.parameters, max_iter=max_iter).fit(X, y).certificate_
    for part in (certificate, *certificate.parts):
        least, largest = part.intercept_interval
        assert least <= largest
        if "Nu" not in named(entry):  # of two sums, the violation is that of the worse
            assert largest - least == pytest.approx(abs(part.violation))
    if certificate.parts:
        worst = max(certificate.parts, key=lambda part: part.violation)
        assert certificate.intercept_interval == worst.intercept_interval


@pytest.mark.parametrize(
    ("primal", "dual", "expected"),
    [
        (2.0, 1.0, 0.5),
        (1.0, -3.0, 1.0),
        (-1.0, -4.0, 0.75),
        (0.0, -1.0, 1.0),
        (0.0, 0.0, 0.0),
        (1.0, 1.0 + 1e-12, -1e-12),
    ],
)
def test_relative_gap_is_one_at_most(primal, dual, expected, model, data):
    certificate = dataclasses.replace(mercer.certify(model, *data), primal=primal, dual=dual)
    assert certificate.relative_gap == pytest.approx(expected)


@pytest.mark.parametrize(
    ("primal", "dual"), [(math.inf, 1.0), (1.0, -math.inf), (math.nan, 1.0), (1.0, math.nan), (math.inf, math.inf)]
)
def test_gap_that_is_no_number_is_a_relative_gap_of_one_and_never_holds(primal, dual, model, data):
    certificate = dataclasses.replace(mercer.certify(model, *data), primal=primal, dual=dual)
    assert certificate.relative_gap == 1.0
    assert not certificate.holds(1e3, gap_tol=2.0)
    assert "How far it is from the optimum is not known" in str(certificate)


def test_warning_calls_a_machine_usable_only_near_the_optimum(data):
    said = {}
    for max_iter in (2, 20, 30, 60):
        model = mercer.SVC(gamma=0.5, tol=1e-9, max_iter=max_iter)
        with pytest.warns(mercer.UnsolvedWarning) as heard:
            model.fit(*data)
        usable = "The machine is usable" in str(heard[0].message)
        assert usable == (model.certificate_.relative_gap <= 0.01)
        assert usable != ("may be far from the optimum and should not be relied on" in str(heard[0].message))
        said[usable] = max_iter
    assert set(said) == {True, False}


@pytest.mark.parametrize("wrong", [{"violation": math.nan}, {"violation": math.inf}, {"dual": -math.inf}])
def test_machine_is_not_called_usable_where_a_number_is_missing(wrong, data):
    model = mercer.SVC(gamma=0.5).fit(*data)
    assert "is usable" in model._unsolved_message(1e-3)
    model._proof = dataclasses.replace(model.certificate_, **wrong)
    assert "should not be relied on" in model._unsolved_message(1e-3)


def test_certificate_that_is_not_a_number_does_not_hold():
    """Comparisons with NaN are false; a proof must not pass because of that."""
    certificate = Certificate(
        problem="C-SVC",
        rows=2,
        primal=math.nan,
        dual=math.nan,
        violation=math.nan,
        kkt_residuals={"free": math.nan},
        feasibility_residuals={"box": 0.0, "sum": math.nan},
        counts={},
        intercept_interval=(math.nan, math.nan),
        margin=math.nan,
        convex=True,
        accuracy=math.nan,
    )
    assert not certificate.holds(1e3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:, :1], y), "features"),
        (lambda X, y: (X[::-1], y), "same order"),
        (lambda X, y: (X[:10], y[:10]), "the data the model was fitted on"),
        (lambda X, y: (X + 1e-3, y), "the data the model was fitted on"),
        (lambda X, y: (X, np.array(["a", "b"])[y]), "classes"),
        (lambda X, y: (X, np.zeros_like(y)), "class"),
        (lambda X, y: (X, y[:-1]), "inconsistent"),
    ],
    ids=["features", "order", "too few", "moved", "labels", "one class", "lengths"],
)
@pytest.mark.parametrize("kind", [mercer.SVC, SklearnSVC], ids=["mercer", "scikit-learn"])
def test_certify_refuses_other_data(kind, change, message, data):
    model = kind(gamma=0.5).fit(*data)
    with pytest.raises(ValueError, match=message):
        mercer.certify(model, *change(*data))


def test_certify_refuses_labels_that_contradict_the_coefficients(model, data):
    """Swapped labels are classes the model knows: nothing is refused, but nothing is proved either."""
    X, y = data
    assert not mercer.certify(model, X, 1 - y).holds(TOL)


def test_certify_refuses_a_model_that_is_not_fitted(data):
    with pytest.raises(NotFittedError):
        mercer.certify(mercer.SVC(), *data)


@pytest.mark.parametrize("other", [LogisticRegression(), "svc", None])
def test_certify_refuses_what_it_does_not_know(other, data):
    with pytest.raises(InputError, match="expected a fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC or"):
        mercer.certify(other, *data)
