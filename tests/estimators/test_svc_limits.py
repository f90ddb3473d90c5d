"""Limits, tolerances, warm starts, callbacks and the hard margin: what ends a fit, and what is left when it ends."""

import logging
import pickle
import time
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer
from mercer import SVC, NotSeparableError, Status, UnsolvedWarning

# What a deadline may be missed by: one polling interval, the last tile and the certificate over all rows.
OVERSHOOT = 2.0

# Both machines are within tol = 1e-6 of the optimum, so their decision values are close to each other.
TWO_FITS = 1e-4


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 5))
    return X, (X[:, 0] + rng.standard_normal(600) > 0).astype(int)


@pytest.fixture(scope="module")
def endless():
    """Pure noise under a large C: minutes of work."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((20_000, 20)), rng.integers(0, 2, 20_000)


def long_fit(**parameters):
    return SVC(C=1000.0, gamma=0.05, tol=1e-6, **parameters)


def test_time_limit_returns_a_usable_machine_with_its_gap_and_warns(endless):
    X, y = endless
    model = long_fit(time_limit=1.0)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match=r"time limit.*violation.*gap"):
        model.fit(X, y)
    assert time.perf_counter() - began < 1.0 + OVERSHOOT
    assert model.status_ is Status.TIME_LIMIT
    assert model.fit_status_ == 1
    assert np.isfinite(model.certificate_.gap)
    assert model.certificate_.gap > 0
    assert model.certificate_.dual > 0
    assert np.isfinite(model.decision_function(X[:10])).all()
    assert model.score(X, y) > 0.5


def test_time_limit_holds_for_several_classes_together(endless):
    X, _ = endless
    y = np.random.default_rng(2).integers(0, 4, len(X))
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model = long_fit(time_limit=0.3).fit(X[:8000], y[:8000])
    assert time.perf_counter() - began < 0.3 + OVERSHOOT
    assert set(model.predict(X[:200])) <= {0, 1, 2, 3}
    assert len(model.certificate_.parts) == 6


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", lambda A, B: A @ B.T])
@pytest.mark.parametrize("classes", [2, 3])
def test_time_limit_that_allows_no_step_still_leaves_a_machine(kernel, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    X = X @ X.T if kernel == "precomputed" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model = SVC(kernel=kernel, time_limit=1e-9).fit(X, y)
    assert model.status_ in (Status.TIME_LIMIT, Status.SOLVED)  # a fit may end before the clock is read
    assert set(model.predict(X)) <= set(y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("max_iter", [0, 1, 50])
def test_max_iter_stops_after_so_many_steps_and_warns(noisy, max_iter):
    with pytest.warns(UnsolvedWarning, match=r"iteration limit.*violation.*gap"):
        model = SVC(max_iter=max_iter).fit(*noisy)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.n_iter_[0] <= max(1, max_iter)
    assert model.certificate_.gap > 0
    assert np.isfinite(model.decision_function(noisy[0])).all()


def test_more_steps_leave_a_smaller_gap(noisy):
    gaps = []
    for max_iter in (20, 200, 2000):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsolvedWarning)
            gaps.append(SVC(max_iter=max_iter).fit(*noisy).certificate_.relative_gap)
    assert gaps[0] > gaps[1] > gaps[2]


@pytest.mark.parametrize("gap_tol", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_gap_tol_is_reached(noisy, gap_tol, kernel):
    model = SVC(kernel=kernel, tol=0.5, gap_tol=gap_tol).fit(*noisy)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.relative_gap <= gap_tol


@pytest.mark.parametrize("seed", [0, 17, 36, 40])
def test_gap_tol_is_reached_by_every_pair_of_classes(seed):
    X, y = np.random.default_rng(seed).standard_normal((30, 3)), np.array([0, 0, 0, 1, 1, 2] * 5)
    model = SVC(gap_tol=1e-6).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert max(part.relative_gap for part in model.certificate_.parts) <= 1e-6


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-8])
def test_tol_is_reached(noisy, tol):
    model = SVC(tol=tol).fit(*noisy)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.violation <= tol * 1.02


def test_warm_start_from_the_solution_takes_next_to_no_steps(noisy):
    model = SVC(warm_start=True).fit(*noisy)
    cold = model.n_iter_[0]
    assert model.fit(*noisy).n_iter_[0] <= cold // 10


@pytest.mark.parametrize("change", [{"C": 1.1}, {"C": 0.9}, {"tol": 1e-4}, {"gamma": 0.21}], ids=str)
def test_warm_start_continues_with_fewer_steps_and_agrees_with_a_cold_start(noisy, change):
    X, y = noisy
    warm = SVC(gamma=0.2, tol=1e-6, warm_start=True).fit(X, y)
    final = {"gamma": 0.2, "tol": 1e-6} | change
    cold = SVC(**final).fit(X, y)
    warm.set_params(**final).fit(X, y)
    assert warm.n_iter_[0] < cold.n_iter_[0]
    atol = TWO_FITS if final["tol"] == 1e-6 else 1e2 * TWO_FITS
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=atol)


def test_warm_start_goes_on_where_an_unsolved_fit_stopped_as_the_warning_advises(noisy):
    cold = SVC().fit(*noisy)
    model = SVC(max_iter=int(cold.n_iter_[0]) // 2)
    with pytest.warns(UnsolvedWarning, match="warm_start=True"):
        model.fit(*noisy)
    model.set_params(warm_start=True, max_iter=-1).fit(*noisy)
    assert model.n_iter_[0] < 0.8 * cold.n_iter_[0]


@pytest.mark.parametrize("second", ["another length", "other classes", "other features", "flipped labels"])
def test_warm_start_on_other_data_gives_what_a_cold_start_gives(noisy, second):
    X, y = noisy
    model = SVC(tol=1e-6, warm_start=True).fit(X, y)
    others = {
        "another length": (X[:300], y[:300]),
        "other classes": (X, y + np.arange(600) % 2),
        "other features": (X[:, :3], y),
        "flipped labels": (X, 1 - y),
    }
    X, y = others[second]
    np.testing.assert_allclose(
        model.fit(X, y).decision_function(X), SVC(tol=1e-6).fit(X, y).decision_function(X), atol=TWO_FITS
    )


def test_callback_sees_progress_about_ten_times_a_second(endless):
    seen = []
    with pytest.warns(UnsolvedWarning):
        long_fit(time_limit=2.0, callback=seen.append).fit(*endless)
    assert 10 <= len(seen) <= 25
    assert all(isinstance(progress, mercer.Progress) for progress in seen)
    seconds, steps = [p.seconds for p in seen], [p.steps for p in seen]
    assert seconds == sorted(seconds)
    assert steps == sorted(steps)
    assert max(np.diff(seconds)) < 0.5
    assert seen[-1].active_rows > 0


@pytest.mark.parametrize("answer", [True, np.True_])
@pytest.mark.parametrize("classes", [2, 3])
def test_callback_stops_the_fit_by_returning_true(endless, answer, classes):
    X, _ = endless
    y = np.arange(len(X)) % classes
    calls = []
    model = long_fit(callback=lambda progress: calls.append(progress) or answer, time_limit=2.0)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="callback"):
        model.fit(X, y)
    assert len(calls) == 1
    assert time.perf_counter() - began < 0.5 + OVERSHOOT
    assert model.status_ is Status.INTERRUPTED
    assert np.isfinite(model.decision_function(X[:5])).all()


@pytest.mark.parametrize("answer", [None, False, 0])
def test_callback_that_does_not_say_true_lets_the_fit_go_on(endless, answer):
    with pytest.warns(UnsolvedWarning, match="time limit"):
        long_fit(callback=lambda progress: answer, time_limit=0.4).fit(*endless)


class CallbackFault(Exception):
    pass


@pytest.mark.parametrize("classes", [2, 3])
def test_exception_in_the_callback_reaches_the_caller_and_spares_the_earlier_model(endless, noisy, classes):
    def fault(progress):
        raise CallbackFault("enough")

    X, _ = endless
    model = SVC().fit(*noisy)
    before = model.predict(noisy[0])
    model.set_params(C=1000.0, gamma=0.05, callback=fault, time_limit=5.0)
    with pytest.raises(CallbackFault, match="enough"):
        model.fit(X, np.arange(len(X)) % classes)
    np.testing.assert_array_equal(model.predict(noisy[0]), before)


BAD_SECOND_FITS = {
    "one class": lambda X, y: (X[:50, :2], np.zeros(50)),
    "NaN": lambda X, y: (np.full((9, 7), np.nan), np.arange(9) % 2),
    "weights": lambda X, y: (X[:, :2], y, -np.ones(len(y))),
    "other labels": lambda X, y: (X[:, :2], np.zeros(len(y) - 1)),
}


@pytest.mark.parametrize("name", BAD_SECOND_FITS)
def test_failed_fit_leaves_the_earlier_model_usable(noisy, name):
    X, y = noisy
    model = SVC().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=r"."):
        model.fit(*BAD_SECOND_FITS[name](X, y))
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_features_in_ == X.shape[1]


def test_verbose_goes_to_the_log_and_not_to_stdout(noisy, caplog, capfd):
    with caplog.at_level(logging.INFO, logger="mercer"):
        SVC(verbose=True).fit(*noisy)
    assert any("Solved" in record.getMessage() for record in caplog.records)
    assert all(record.name == "mercer" for record in caplog.records)
    assert capfd.readouterr().out == ""


def test_silence_is_the_default(noisy, caplog, capfd):
    with caplog.at_level(logging.DEBUG, logger="mercer"):
        SVC().fit(*noisy)
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_hard_margin_separates_with_every_score_at_least_one():
    X, y = load_iris(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    model = SVC(C=np.inf, kernel="linear").fit(X, y)
    assert model.status_ is Status.SOLVED
    scores = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert scores.min() > 1 - 2e-3
    np.testing.assert_allclose(model.coef_, SVC(C=1e6, kernel="linear").fit(X, y).coef_, rtol=1e-2)


def inseparable_sets():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((150, 3))
    y = (X[:, 0] > 0).astype(int)
    return {
        "overlapping": (X, (X[:, 0] + rng.standard_normal(150) > 0).astype(int), "linear"),
        "one flipped label": (X, np.where(np.arange(150) == np.argmax(X[:, 0]), 0, y), "linear"),
        "a row under both labels": (np.r_[X, X[:1]], np.r_[y, 1 - y[:1]], "rbf"),
        "constant features": (np.ones((20, 2)), np.arange(20) % 2, "rbf"),
        "exclusive or": (np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1], "linear"),
    }


@pytest.mark.parametrize("name", inseparable_sets())
def test_hard_margin_of_inseparable_data_ends_with_a_proof(name):
    X, y, kernel = inseparable_sets()[name]
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    began = time.perf_counter()
    with pytest.raises(NotSeparableError, match=r"separates the classes.*Use a finite C") as caught:
        SVC(C=np.inf, kernel=kernel, gamma=1.0).fit(X, y)
    assert time.perf_counter() - began < 20
    proof = caught.value.proof
    assert proof.holds
    a, rows = proof.multipliers, proof.rows
    signs = np.where(y[rows] == 1, 1.0, -1.0)
    K = X[rows] @ X[rows].T if kernel == "linear" else mercer.RBF(1.0)(X[rows])
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1)
    assert a @ signs == pytest.approx(0, abs=1e-12)
    # The square root of rounding in aᵀKa is what the combination can be told from zero by.
    assert np.sqrt(max((a * signs) @ K @ (a * signs), 0)) <= 1e-6 * np.sqrt(K.diagonal().max())
    assert isinstance(pickle.loads(pickle.dumps(caught.value)).proof, type(proof))
