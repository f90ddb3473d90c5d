"""How a descent ends, what it says about that, and what is left of it."""

import logging
import time
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import scale

from mercer import NumericsWarning, SGDClassifier, SGDRegressor, Status, UnsolvedWarning

# What a deadline may be missed by on a busy machine: a turn of each thread, and the objective.
OVERSHOOT = 1.0


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X), y


def test_descent_that_no_longer_improves_is_steady_and_claims_no_optimum(tumours):
    model = SGDClassifier(alpha=0.01, random_state=0).fit(*tumours)
    assert model.status_ is Status.STEADY
    assert "no proof" in model.status_.value
    assert 5 < model.n_iter_ < 100
    assert model.t_ == 1 + model.n_iter_ * len(tumours[0])


def test_passes_that_were_asked_for_are_made_in_silence(tumours):
    model = SGDClassifier(max_iter=7, tol=None, random_state=0, alpha=0.01).fit(*tumours)
    assert model.status_ is Status.PASSES_DONE
    assert model.n_iter_ == 7


def test_max_iter_before_the_tolerance_warns(tumours):
    with pytest.warns(UnsolvedWarning, match=r"iteration limit.*3 passes.*warm_start"):
        model = SGDClassifier(max_iter=3, alpha=0.01, random_state=0).fit(*tumours)
    assert model.status_ is Status.ITERATION_LIMIT


def test_more_patience_makes_more_passes(tumours):
    few, many = (SGDClassifier(alpha=0.01, random_state=0, n_iter_no_change=k).fit(*tumours) for k in (2, 20))
    assert few.n_iter_ < many.n_iter_


def test_adaptive_rate_falls_where_others_stop(diabetes):
    constant, adaptive = (
        SGDRegressor(learning_rate=rate, eta0=0.02, random_state=0).fit(*diabetes) for rate in ("constant", "adaptive")
    )
    assert adaptive.n_iter_ > constant.n_iter_
    assert adaptive.objective_ < constant.objective_


@pytest.mark.parametrize("loss", ["hinge", "softmax", "log_loss"])
def test_early_stopping_holds_rows_out_and_stops(loss):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    early = SGDClassifier(loss, alpha=0.01, early_stopping=True, tol=1e-2, random_state=0).fit(X, y)
    assert early.status_ is Status.STEADY
    assert early.n_iter_ < 60
    assert early.t_ - 1 <= early.n_iter_ * 0.9 * len(y) + 1
    assert early.score(X, y) > 0.85


def test_early_stopping_of_regression_judges_by_the_coefficient_of_determination(diabetes):
    X, y = diabetes
    early = SGDRegressor(early_stopping=True, validation_fraction=0.2, random_state=0, learning_rate="constant").fit(
        X, y
    )
    assert early.status_ is Status.STEADY
    assert early.t_ == 1 + early.n_iter_ * (len(y) - round(0.2 * len(y)))
    # Of twice the targets the errors are four times as large, and their share is the same: so are the passes.
    doubled = SGDRegressor(early_stopping=True, validation_fraction=0.2, random_state=0, learning_rate="constant")
    assert doubled.fit(X, 2 * y).n_iter_ == early.n_iter_


def test_rows_held_out_are_not_learned_from(tumours):
    X, y = tumours
    model = SGDClassifier("log_loss", alpha=0.01, early_stopping=True, random_state=0, tol=None, max_iter=3)
    state = np.random.RandomState(0)
    _, held_out = next(StratifiedShuffleSplit(1, test_size=0.1, random_state=state).split(X, y))
    changed = X.copy()
    changed[held_out] *= -1000
    np.testing.assert_array_equal(model.fit(X, y).coef_, model.fit(changed, y).coef_)
    changed[np.setdiff1d(np.arange(len(y)), held_out)[0]] *= 1.1
    assert not np.array_equal(model.fit(X, y).coef_, model.fit(changed, y).coef_)


@pytest.mark.parametrize("average", [False, True])
def test_divergence_is_told_and_leaves_no_nan(diabetes, average):
    X, y = diabetes
    with pytest.warns(UnsolvedWarning, match=r"Diverged.*Scale the features, lower eta0"):
        model = SGDRegressor(learning_rate="constant", eta0=10.0, random_state=0, average=average).fit(X, y)
    assert model.status_ is Status.DIVERGED
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.predict(X)).all()


def test_objective_beyond_float64_is_divergence_too(diabetes):
    X, y = diabetes
    with pytest.warns(UnsolvedWarning, match="Diverged"), pytest.warns(NumericsWarning):
        model = SGDRegressor(tol=None, max_iter=1).fit(X[:2], y[:2], coef_init=np.full(10, 1e155))
    assert model.status_ is Status.DIVERGED
    assert model.objective_ == np.inf
    assert np.isfinite(model.coef_).all()


def test_divergence_of_partial_fit_keeps_the_weights_before_it(diabetes):
    X, y = diabetes
    model = SGDRegressor(learning_rate="constant", eta0=1e-3, random_state=0).partial_fit(X, y)
    coef = model.coef_.copy()
    model.set_params(eta0=10.0)
    with pytest.warns(UnsolvedWarning, match="Diverged"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, coef)


def test_objective_worse_than_that_of_no_weights_warns(tumours):
    X, y = tumours
    with pytest.warns(NumericsWarning, match=r"more than the 1 of weights of zero.*Scale the features"):
        SGDClassifier(learning_rate="constant", eta0=100.0, tol=None, max_iter=1, random_state=0).fit(1000 * X, y)


@pytest.mark.parametrize("classes", [2, 6])
def test_time_limit_holds_and_leaves_a_machine(classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 30)), rng.integers(0, classes, 20_000)
    model = SGDClassifier(alpha=0.1, tol=None, max_iter=10**9, time_limit=0.3)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, y)
    assert time.perf_counter() - began < 0.3 + OVERSHOOT
    assert model.status_ is Status.TIME_LIMIT
    assert np.isfinite(model.decision_function(X)).all()


def test_callback_hears_of_progress_and_stops(tumours):
    heard = []

    def listen(progress):
        heard.append(progress)
        return len(heard) == 2

    with pytest.warns(UnsolvedWarning, match="callback"):
        model = SGDClassifier(tol=None, max_iter=10**9, alpha=0.01, callback=listen).fit(*tumours)
    assert model.status_ is Status.INTERRUPTED
    assert heard[1].steps > heard[0].steps > 0
    assert heard[1].seconds > heard[0].seconds


def test_exception_of_the_callback_leaves_the_earlier_fit(tumours):
    X, y = tumours
    model = SGDClassifier(alpha=0.01, random_state=0).fit(X, y)
    before = dict(vars(model))

    def fail(progress):
        raise KeyError("enough")

    model.set_params(callback=fail, tol=None, max_iter=10**9)
    with pytest.raises(KeyError, match="enough"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.coef_, before["coef_"])
    assert model.status_ is before["status_"]


def test_verbose_writes_to_the_log(tumours, caplog):
    with caplog.at_level(logging.INFO, logger="mercer"):
        SGDClassifier(alpha=0.01, verbose=True, random_state=0).fit(*tumours)
    assert "passes, objective" in caplog.text


def test_warning_points_at_the_line_of_the_user(tumours):
    for call in ("fit", "partial_fit"):
        model = SGDRegressor(learning_rate="constant", eta0=1e3)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            getattr(model, call)(*tumours)
        assert heard[0].filename == __file__
