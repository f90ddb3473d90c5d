"""LinearSVC and LinearSVR at the edge of what data and parameters allow: a proved answer, or an honest status with a
warning, in bounded time."""

import os
import signal
import time
import warnings

import numpy as np
import pytest
import sklearn.svm

from mercer import LinearSVC, LinearSVR, MercerError, NumericsWarning, Status, UnsolvedWarning
from tests.reference.extreme_rows import ORDINARY_ROWS, UNSCALED_ROWS, N, noise, rows
from tests.reference.linear import machine_of

# Far more than any of these fits takes; a hang or a crawl is what it is against.
SECONDS = 10
# What rounding may excuse, as a share of tol.
EXCUSED = 1e-2

CLASSIFIERS = {
    "squared hinge": {},
    "hinge": {"loss": "hinge"},
    "hinge, coordinates": {"loss": "hinge", "solver": "coordinate-descent"},
    "hinge, Newton": {"loss": "hinge", "solver": "newton"},
    "squared hinge, coordinates": {"solver": "coordinate-descent"},
    "hinge, free intercept": {"loss": "hinge", "regularize_intercept": False},
    "squared hinge, free intercept": {"regularize_intercept": False},
    "hinge, no intercept": {"loss": "hinge", "fit_intercept": False},
}
SQUARED = {"loss": "squared_epsilon_insensitive"}
REGRESSORS = {
    "tube": {},
    "squared tube": SQUARED,
    "tube, coordinates": {"solver": "coordinate-descent"},
    "tube, Newton": {"solver": "newton"},
    "squared tube, coordinates": {**SQUARED, "solver": "coordinate-descent"},
    "tube, free intercept": {"regularize_intercept": False},
    "squared tube, free intercept": {**SQUARED, "regularize_intercept": False},
    "squared tube, no intercept": {**SQUARED, "fit_intercept": False},
}


def fit(model, X, y, v=None):
    """The fitted model, if it is proved or says that it is not; an error, if it is one of Mercer's. All else fails."""
    model.set_params(time_limit=SECONDS / 2)
    began, refusal = time.perf_counter(), None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            model.fit(X, y, sample_weight=v)
        except MercerError as error:
            refusal = error
    assert time.perf_counter() - began < SECONDS
    if refusal is not None:
        assert len(str(refusal)) > 20
        return refusal
    kinds = {warning.category for warning in seen}
    assert kinds <= {UnsolvedWarning, NumericsWarning}, [str(warning.message) for warning in seen]
    assert (UnsolvedWarning in kinds) == (model.status_ is not Status.SOLVED)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    if model.status_ is Status.SOLVED:
        certificate = model.certificate_
        assert certificate.holds(np.inf, gap_tol=model.tol)
        assert certificate.relative_gap >= -EXCUSED * model.tol, "a dual above the primal proves nothing"
        if len(model.intercept_) == 1:
            machine, w, b = machine_of(model, X, y, v), np.ravel(model.coef_), model.intercept_[0]
            steepest = machine.price.sum() * (2 * max(machine.slacks(w, b)) if machine.squared else 1)
            primal, rounding = machine.primal(w, b), certificate.accuracy * steepest
            assert primal == pytest.approx(certificate.primal, rel=EXCUSED * model.tol, abs=1e-300 + rounding)
    return model


def solved(model, X, y, v=None):
    model = fit(model, X, y, v)
    assert not isinstance(model, MercerError), model
    assert model.status_ is Status.SOLVED, (model.status_, model.certificate_.relative_gap)
    return model


@pytest.mark.parametrize("machine", CLASSIFIERS)
@pytest.mark.parametrize("name", ORDINARY_ROWS)
def test_classification_of_degenerate_rows_is_solved(name, machine):
    solved(LinearSVC(**CLASSIFIERS[machine]), ORDINARY_ROWS[name], (noise() > 0).astype(int))


@pytest.mark.parametrize("machine", REGRESSORS)
@pytest.mark.parametrize("name", ORDINARY_ROWS)
def test_regression_on_degenerate_rows_is_solved(name, machine):
    solved(LinearSVR(epsilon=0.1, **REGRESSORS[machine]), ORDINARY_ROWS[name], noise())


@pytest.mark.parametrize("machine", CLASSIFIERS)
@pytest.mark.parametrize("name", UNSCALED_ROWS)
def test_classification_of_unscaled_rows_is_proved_or_says_that_it_is_not(name, machine):
    fit(LinearSVC(**CLASSIFIERS[machine]), UNSCALED_ROWS[name], (noise() > 0).astype(int))


@pytest.mark.parametrize("machine", REGRESSORS)
@pytest.mark.parametrize("name", UNSCALED_ROWS)
def test_regression_on_unscaled_rows_is_proved_or_says_that_it_is_not(name, machine):
    fit(LinearSVR(epsilon=0.1, **REGRESSORS[machine]), UNSCALED_ROWS[name], noise())


@pytest.mark.parametrize("separable", [True, False])
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_classification_is_solved_for_every_C(machine, C, separable):
    X = rows()
    solved(LinearSVC(C=C, **CLASSIFIERS[machine]), X, (X[:, 0] + (0 if separable else 1) * noise() > 0).astype(int))


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("machine", REGRESSORS)
def test_regression_is_solved_for_every_C(machine, C):
    solved(LinearSVR(C=C, epsilon=0.1, **REGRESSORS[machine]), rows(), rows()[:, 0] + noise())


@pytest.mark.parametrize("C", [1e9, 1e15])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_separable_classes_under_a_huge_C_have_the_hard_margin(machine, C):
    y = np.repeat([0, 1], 20)
    X = rows(40, 2) + np.c_[8 * y - 4, 0 * y]
    model = fit(LinearSVC(C=C, **CLASSIFIERS[machine]), X, y)
    if not isinstance(model, MercerError) and model.status_ is Status.SOLVED:
        scores = (2 * y - 1) * model.decision_function(X)
        assert scores.min() == pytest.approx(1, abs=0.1)  # what a gap of tol leaves to the margin


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("scale", [1e150, 1e300])
def test_rows_whose_squares_overflow_end_in_bounded_time(kind, scale):
    """In a child, which can be ended where a fit is not."""

    def fit_all():
        for parameters in (CLASSIFIERS if kind == "classification" else REGRESSORS).values():
            if kind == "classification":
                fit(LinearSVC(n_jobs=1, **parameters), scale * rows(), (noise() > 0).astype(int))
            else:
                fit(LinearSVR(n_jobs=1, **parameters), scale * rows(), noise())

    assert ended_in_a_child(fit_all, SECONDS / 2)


def ended_in_a_child(work, seconds):
    """Whether work ends well within so many seconds."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


TARGETS = {
    "constant": np.full(N, 3.5),
    "zero": np.zeros(N),
    "of 1e12": 1e12 * noise(),
    "around 1e12": 1e12 + noise(),
    "of 1e-12": 1e-12 * noise(),
    "one of 1e6": np.r_[1e6, noise(N - 1)],
    "exactly linear": rows() @ np.arange(5.0) + 2,
}


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 100.0])
@pytest.mark.parametrize("machine", REGRESSORS)
@pytest.mark.parametrize("name", TARGETS)
def test_regression_on_extreme_targets_is_proved_or_says_that_it_is_not(name, machine, epsilon):
    fit(LinearSVR(epsilon=epsilon, **REGRESSORS[machine]), rows(), TARGETS[name])


@pytest.mark.parametrize("machine", REGRESSORS)
def test_tube_wider_than_the_targets_gives_the_zero_function(machine):
    y = noise()
    model = solved(LinearSVR(epsilon=2 * np.abs(y).max(), **REGRESSORS[machine]), rows(), y)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-8)
    assert model.certificate_.primal == pytest.approx(0, abs=1e-15)
    assert model.certificate_.counts["inside the tube"] == N


@pytest.mark.parametrize("machine", ["tube, free intercept", "squared tube, free intercept"])
@pytest.mark.parametrize("value", [0.0, 3.5, -1e12])
def test_constant_targets_are_the_free_intercept(machine, value):
    model = solved(LinearSVR(**REGRESSORS[machine]), rows(), np.full(N, value))
    np.testing.assert_allclose(model.predict(rows()), value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("v", [1e-6, 1e6])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_classification_under_extreme_weights_is_solved(machine, v):
    weights = np.where(np.arange(N) % 3 == 0, v, 1.0)
    solved(LinearSVC(**CLASSIFIERS[machine]), rows(), (rows()[:, 0] + noise() > 0).astype(int), weights)


@pytest.mark.parametrize("v", [1e-6, 1e6])
@pytest.mark.parametrize("machine", REGRESSORS)
def test_regression_under_extreme_weights_is_solved(machine, v):
    solved(LinearSVR(epsilon=0.1, **REGRESSORS[machine]), rows(), noise(), np.where(np.arange(N) % 3 == 0, v, 1.0))


@pytest.mark.parametrize("machine", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_one_row_a_class_is_solved(machine, classes):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [-1.0, -1.0]])[:classes]
    model = solved(LinearSVC(C=10.0, **CLASSIFIERS[machine]), X, np.arange(classes))
    if "no intercept" not in machine:
        np.testing.assert_array_equal(model.predict(X), np.arange(classes))


@pytest.mark.parametrize("machine", REGRESSORS)
@pytest.mark.parametrize("n", [1, 2])
def test_regression_on_one_or_two_rows_is_solved(machine, n):
    solved(LinearSVR(**REGRESSORS[machine]), rows(n), noise(n))


@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_rows_that_are_alike_with_both_labels_are_solved(machine):
    model = solved(LinearSVC(**CLASSIFIERS[machine]), np.repeat(rows(10), 2, axis=0), np.tile([0, 1], 10))
    np.testing.assert_allclose(model.coef_, 0, atol=1e-2)


@pytest.mark.parametrize("tol", [1e-1, 1e-9, 1e-12])
@pytest.mark.parametrize("machine", CLASSIFIERS)
def test_every_tolerance_is_reached_or_said_not_to_be(machine, tol):
    model = fit(LinearSVC(tol=tol, **CLASSIFIERS[machine]), rows(), (rows()[:, 0] + noise() > 0).astype(int))
    assert tol < 1e-10 or model.status_ is Status.SOLVED


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [1e3, 1e4, 1e6])
@pytest.mark.parametrize("shape", [(400, 150), (100, 300), (300, 40)])
def test_free_intercept_at_a_price_that_no_row_pays_finds_the_machine_of_the_linear_kernel(shape, C, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape)
    y = X @ rng.standard_normal(shape[1]) > 0
    ours = LinearSVC(loss="hinge", C=C, regularize_intercept=False, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(kernel="linear", C=C, tol=1e-6).fit(X, y)
    assert ours.status_ is Status.SOLVED
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 * np.linalg.norm(theirs.coef_))


@pytest.mark.parametrize("seed", range(4))
def test_unsolved_machine_is_no_worse_than_zero_weights(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 80)) + 100
    z = X @ rng.standard_normal(80)
    y = np.where(z > np.median(z), 1, -1)
    for options in ({"max_iter": 3}, {"max_iter": 20}, {"C": 1e3}, {"C": 1e6}):
        model = fit(LinearSVC(**{"loss": "hinge", "C": 1e3, **options}), X, y)
        assert model.certificate_.primal <= model.C * len(y) * (1 + 1e-12)
