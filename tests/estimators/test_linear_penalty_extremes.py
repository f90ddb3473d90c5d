"""LinearSVC with absolute prices of weights, and of all classes at once, at the edge of what data and parameters allow:
a proved answer that LIBLINEAR does not better, or an honest status with a warning, in bounded time."""

import time
import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning

from mercer import LinearSVC, Status, UnsolvedWarning
from tests.reference.extreme_rows import ORDINARY_ROWS, UNSCALED_ROWS, N, noise, rows
from tests.reference.liblinear import crammer_singer_objectives, lasso_primal

# Where rounding or short steps keep the tolerance from being reached, more seconds would not help.
STALLING = 1.0
# Far more than any of these fits takes; a hang or a crawl is what it is against.
SECONDS = 10
# What rounding may excuse, as a share of tol.
EXCUSED = 1e-2
# Passes after which LIBLINEAR is as good as it gets on data that are scaled.
PASSES = 3000

LASSOS = {
    "absolute weights": {"penalty": "l1"},
    "absolute weights, free intercept": {"penalty": "l1", "regularize_intercept": False},
    "absolute weights, no intercept": {"penalty": "l1", "fit_intercept": False},
}
ALL_AT_ONCE = {
    "Crammer and Singer": {"multi_class": "crammer_singer"},
    "Crammer and Singer, no intercept": {"multi_class": "crammer_singer", "fit_intercept": False},
}
MACHINES = {**LASSOS, **ALL_AT_ONCE}
CLASSES = {"two": (noise() > 0).astype(int), "three": np.digitize(noise(), [-0.4, 0.4])}


def fit(machine, X, y, C=1.0, time_limit=SECONDS / 2, **parameters):
    """The fitted model, if it is proved or says that it is not. All else fails."""
    model = LinearSVC(C=C, time_limit=time_limit, **MACHINES[machine], **parameters)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert time.perf_counter() - began < SECONDS
    kinds = {warning.category for warning in seen}
    assert kinds == (set() if model.status_ is Status.SOLVED else {UnsolvedWarning})
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    certificate = model.certificate_
    assert certificate.holds(np.inf, gap_tol=model.tol) == (model.status_ is Status.SOLVED)
    if model.status_ is Status.SOLVED:
        assert certificate.relative_gap >= -EXCUSED * model.tol, "a dual above the primal proves nothing"
        assert certificate.primal == pytest.approx(objective(model, X, y), rel=EXCUSED * model.tol, abs=1e-300)
    return model


def solved(machine, X, y, C=1.0, **parameters):
    model = fit(machine, X, y, C, **parameters)
    assert model.status_ is Status.SOLVED, model.certificate_.relative_gap
    return model


def objective(model, X, y):
    """What a machine costs, ours or LIBLINEAR's, by the formulas."""
    offset, free = float(model.fit_intercept), not getattr(model, "regularize_intercept", True)
    W = np.hstack([model.coef_, np.reshape(model.intercept_, (-1, 1))]) if model.fit_intercept else model.coef_
    bounds, labels = np.full(len(y), float(model.C)), np.searchsorted(model.classes_, y)
    if model.penalty == "l1":
        positive = [1] if len(W) == 1 else range(len(W))
        sides = (np.where(labels == k, 1.0, -1.0) for k in positive)
        return sum(lasso_primal(X, signs, bounds, w, offset, free) for signs, w in zip(sides, W, strict=True))
    if len(W) == 1:  # twice Crammer and Singer's objective at w₁ = −w₀
        return 2 * crammer_singer_objectives(X, labels, bounds, np.vstack([-W / 2, W / 2]), offset=offset)
    return crammer_singer_objectives(X, labels, bounds, W, offset=offset)


def liblinear(machine, X, y, C):
    """LIBLINEAR's machine, converged or not: any machine bounds the optimum from above."""
    dual = {"dual": False} if machine in LASSOS else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        model = sklearn.svm.LinearSVC(C=C, tol=1e-8, max_iter=PASSES, random_state=0, **MACHINES[machine], **dual)
        return model.fit(X, y)


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ORDINARY_ROWS)
def test_classification_of_degenerate_rows_is_solved(name, machine, classes):
    X, y = ORDINARY_ROWS[name], CLASSES[classes]
    model = solved(machine, X, y)
    if "free" not in machine:
        best = objective(liblinear(machine, X, y, 1.0), X, y)
        assert model.certificate_.dual <= best * (1 + EXCUSED * model.tol)
        assert model.certificate_.primal <= best * (1 + model.tol)


@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", UNSCALED_ROWS)
def test_classification_of_unscaled_rows_is_proved_or_says_that_it_is_not(name, machine, classes):
    fit(machine, UNSCALED_ROWS[name], CLASSES[classes], time_limit=STALLING)


@pytest.mark.parametrize("separable", [True, False])
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("machine", LASSOS)
def test_absolute_weights_are_found_for_every_C(machine, C, separable):
    X = rows()
    solved(machine, X, (X[:, 0] + (0 if separable else 1) * noise() > 0).astype(int), C)


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("machine", ALL_AT_ONCE)
def test_separable_classes_at_once_are_solved_for_every_C(machine, C):
    X = rows()
    solved(machine, X, X[:, :3].argmax(axis=1), C)


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0, 10.0])
@pytest.mark.parametrize("machine", ALL_AT_ONCE)
def test_overlapping_classes_at_once_are_solved_for_small_C(machine, C):
    solved(machine, rows(), CLASSES["three"], C)


@pytest.mark.parametrize("C", [1e3, 1e6])
@pytest.mark.parametrize("machine", ALL_AT_ONCE)
def test_overlapping_classes_at_once_are_bounded_for_large_C(machine, C):
    """Steps are short there, as LIBLINEAR's are: the status says so, and LIBLINEAR's machine is within the bounds."""
    X, y = rows(), CLASSES["three"]
    certificate = fit(machine, X, y, C, time_limit=STALLING).certificate_
    assert certificate.dual <= objective(liblinear(machine, X, y, C), X, y)


@pytest.mark.parametrize("C", [1e3, 1e6, 1e9, 1e15])
@pytest.mark.parametrize("machine", MACHINES)
def test_separable_classes_under_a_huge_C_have_the_hard_margin(machine, C):
    y = np.repeat(np.arange(2 if machine in LASSOS else 3), 20)
    X = rows(len(y), 2) + 8 * np.c_[np.cos(2.1 * y), np.sin(2.1 * y)]
    model = fit(machine, X, y, C)
    assert C > 1e6 or model.status_ is Status.SOLVED
    if model.status_ is Status.SOLVED:
        values = model.decision_function(X)
        if machine in LASSOS:
            lead = (2 * y - 1) * values
        else:
            own = np.arange(3) == y[:, None]
            lead = values[own] - np.where(own, -np.inf, values).max(axis=1)
        assert lead.min() == pytest.approx(1, abs=0.1)  # what a gap of tol leaves to the margin


def test_weights_of_a_tiny_C_are_all_zero():
    """Below the C at which the first weight pays, none does."""
    model = solved("absolute weights, no intercept", rows(), CLASSES["two"], 1e-6)
    assert np.count_nonzero(model.coef_) == 0
    assert model.certificate_.primal == pytest.approx(1e-6 * N)


def test_one_of_two_equal_columns_is_as_good_as_both():
    X, y = rows(), CLASSES["two"]
    one = solved("absolute weights", X, y, tol=1e-8)
    both = solved("absolute weights", np.c_[X, X], y, tol=1e-8)
    assert both.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-7)


@pytest.mark.parametrize("tol", [1e-1, 1e-9, 1e-12])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_tolerance_is_reached_or_said_not_to_be(machine, tol):
    model = fit(machine, rows(), CLASSES["three"], tol=tol)
    assert tol < 1e-10 or model.status_ is Status.SOLVED
