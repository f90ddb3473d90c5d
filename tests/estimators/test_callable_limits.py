"""Limits hold where kernel values are asked of a slow Python function, and what is left is a machine."""

import logging
import pickle
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import RBF, SVC, SVR, CallableKernel, NuSVC, NuSVR, OneClassSVM, Status, UnsolvedWarning

LIMIT = 0.4
# One call that was under way, the evaluation of some rows, and reading the input; a shared machine takes its share.
OVERSHOOT = 0.3

TOL = 1e-5
# Both machines are within TOL of the optimum.
TWO_FITS = 1e-3


class Slow:
    """RBF by a Python function that takes its time, until somebody tells it not to."""

    def __init__(self, seconds_a_row=0.0, seconds_a_value=0.0):
        self.seconds_a_row, self.seconds_a_value = seconds_a_row, seconds_a_value

    def __call__(self, X, Z):
        time.sleep(self.seconds_a_row * X.shape[0] + self.seconds_a_value * X.shape[0] * Z.shape[0])
        return rbf_kernel(X, Z, gamma=0.3)

    def hurry_up(self):
        self.seconds_a_row = self.seconds_a_value = 0.0


SLOW = {"by the row": {"seconds_a_row": 1e-3}, "by the value": {"seconds_a_value": 2e-5}}


def rows(count=3000):
    return np.random.default_rng(0).standard_normal((count, 4))


def targets(X, kind):
    if issubclass(kind, (SVC, NuSVC)):
        return (X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.4).astype(int)
    return np.sin(X[:, 0]) + 0.3 * X[:, 1]


def fit_late(model, X, y):
    """Fits, and expects the time limit to be hit and kept."""
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    seconds = time.perf_counter() - began
    assert seconds <= model.time_limit + OVERSHOOT
    assert model.status_ is Status.TIME_LIMIT
    assert model.fit_status_ == 1
    (message,) = [str(warning.message) for warning in caught if warning.category is UnsolvedWarning]
    assert message.startswith(Status.TIME_LIMIT.value)
    return message


@pytest.mark.parametrize("slow", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_time_limit_holds_and_leaves_a_machine_whose_certificate_can_be_read(kind, slow):
    X, kernel = rows(), Slow(**slow)
    y = targets(X, kind)
    model = kind(kernel=kernel, time_limit=LIMIT)
    fit_late(model, X, y)
    kernel.hurry_up()
    certificate, anew = model.certificate_, mercer.certify(model, X, y)
    assert not certificate.holds(model.tol)
    assert max(certificate.feasibility_residuals.values()) <= 1e-9
    assert certificate.problem == anew.problem
    assert certificate.dual == pytest.approx(anew.dual, rel=1e-9, abs=1e-9)
    assert certificate.primal == pytest.approx(anew.primal, rel=1e-9, abs=1e-9)
    assert np.isfinite(model.predict(X[:50])).all()


def test_warning_of_a_late_fit_says_where_the_numbers_are():
    X, kernel = rows(), Slow(seconds_a_row=1e-3)
    model = SVC(kernel=kernel, time_limit=LIMIT)
    message = fit_late(model, X, targets(X, SVC))
    assert "certificate_ does so when it is read" in message
    assert "violation" not in message


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_time_limit_holds_for_several_classes(multi_class):
    X = rows()
    y = np.digitize(X[:, 0], [-0.7, 0.0, 0.7])
    model = SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=LIMIT, multi_class=multi_class)
    fit_late(model, X, y)
    assert set(model.predict(X[:20])) <= set(range(4))


@pytest.mark.parametrize(
    "parameters",
    [{"polish": True}, {"gap_tol": 1e-8}, {"C": np.inf}, {"shrinking": False}, {"n_jobs": 1}, {"cache_size": 1}],
    ids=str,
)
def test_time_limit_holds_whatever_else_is_asked_for(parameters):
    X = rows()
    fit_late(SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=LIMIT, **parameters), X, targets(X, SVC))


def test_time_limit_holds_for_kernels_that_have_a_callable_in_them():
    X = rows()
    kernel = 2 * CallableKernel(Slow(seconds_a_row=1e-3)) * RBF(0.1) + RBF(0.2)
    fit_late(SVC(kernel=kernel, time_limit=LIMIT), X, targets(X, SVC))


def test_time_limit_holds_on_sparse_rows():
    X = rows()
    fit_late(SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=LIMIT), sp.csr_matrix(X), targets(X, SVC))


def test_time_limit_holds_for_one_row_that_takes_longer_than_the_limit():
    """A row of 3000 values takes 3 s."""
    X = rows()
    for kind in (SVC, OneClassSVM):
        fit_late(kind(kernel=Slow(seconds_a_value=1e-3), time_limit=LIMIT), X, targets(X, kind))


def test_certificate_keeps_the_limit_where_the_solver_was_done_before():
    """The solver needs few of the rows; the certificate needs all of them, which take 3 s and more."""
    X = rows()
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y == 1, 6.0, -6.0)
    model = SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=1.5)
    fit_late(model, X, y)
    assert model.score(X[:100], y[:100]) == 1.0


def test_some_of_the_time_is_enough_for_a_machine_that_is_better_than_none():
    X = rows(1500)
    y, kernel = targets(X, SVC), Slow(seconds_a_row=1e-3)
    model = SVC(kernel=kernel, time_limit=0.8)
    fit_late(model, X, y)
    kernel.hurry_up()
    assert model.score(X, y) > 0.8
    nothing = SVC(kernel=kernel, max_iter=0)
    with pytest.warns(UnsolvedWarning):
        nothing.fit(X, y)
    assert model.certificate_.dual > nothing.certificate_.dual


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_classification_with_time_enough_is_that_of_scikit_learn(kind, classes):
    X = rows(600)
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1] ** 2, [0.3, 1.0][: classes - 1])
    options = {"kernel": Slow(), "tol": TOL, "decision_function_shape": "ovo"} | ({"nu": 0.1} if kind is NuSVC else {})
    model = kind(time_limit=60, **options).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert "so that the time limit can be kept" in model.plan_
    peer = getattr(sklearn.svm, kind.__name__)(**options).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=TWO_FITS)


@pytest.mark.parametrize("kind", [SVR, NuSVR, OneClassSVM])
def test_other_machines_with_time_enough_are_those_of_scikit_learn(kind):
    X = rows(600)
    y = targets(X, kind)
    model = kind(kernel=Slow(), tol=TOL, time_limit=60).fit(X, y)
    assert model.status_ is Status.SOLVED
    peer = getattr(sklearn.svm, kind.__name__)(kernel=Slow(), tol=TOL).fit(X, y)
    function = "decision_function" if kind is OneClassSVM else "predict"
    np.testing.assert_allclose(getattr(model, function)(X), getattr(peer, function)(X), atol=TWO_FITS)


def test_solution_in_time_asks_for_no_more_values_than_without_a_limit():
    X, asked = rows(1500), []

    def counted(X, Z):
        asked.append(X.shape[0] * Z.shape[0])
        return rbf_kernel(X, Z, gamma=0.3)

    y = targets(X, SVC)
    SVC(kernel=counted).fit(X, y)
    without = sum(asked)
    asked.clear()
    assert SVC(kernel=counted, time_limit=60).fit(X, y).status_ is Status.SOLVED
    assert sum(asked) <= 1.1 * without


def test_certificate_that_was_put_off_does_not_see_later_changes_to_the_data_and_survives_a_pickle():
    X, kernel = rows(800), Slow(seconds_a_row=1e-3)
    y = targets(X, SVC)
    model = SVC(kernel=kernel, time_limit=0.2)
    fit_late(model, X, y)
    kernel.hurry_up()
    expected = mercer.certify(model, X, y)
    X[:] = 0.0
    again = pickle.loads(pickle.dumps(model))
    assert again.certificate_ == model.certificate_
    assert model.certificate_.primal == pytest.approx(expected.primal, rel=1e-9)


def test_verbose_fit_that_was_late_says_so_without_the_numbers(caplog):
    X = rows()
    with caplog.at_level(logging.INFO, logger="mercer"):
        fit_late(SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=LIMIT, verbose=True), X, targets(X, SVC))
    assert "certificate_ does so when it is read" in caplog.records[-1].getMessage()


def test_warm_start_goes_on_from_a_machine_that_was_late():
    X, kernel = rows(1500), Slow(seconds_a_row=1e-3)
    y = targets(X, SVC)
    model = SVC(kernel=kernel, time_limit=0.8, warm_start=True)
    fit_late(model, X, y)
    kernel.hurry_up()
    assert model.set_params(time_limit=60).fit(X, y).status_ is Status.SOLVED


def test_callback_hears_of_a_fit_that_waits_for_kernel_values():
    X, seen = rows(), []
    fit_late(SVC(kernel=Slow(seconds_a_row=1e-3), time_limit=1.0, callback=seen.append), X, targets(X, SVC))
    assert len(seen) >= 4


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_time_limit_holds_with_a_kernel_that_is_to_be_chosen(kind):
    """Both machines on the sample and the one on all rows have the limit together."""
    X = np.random.default_rng(1).standard_normal((6000, 4))
    y = np.random.default_rng(2).integers(0, 2, len(X))
    model = kind(kernel="auto", C=1e4, tol=1e-6, time_limit=LIMIT)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model.fit(X, y)
    assert time.perf_counter() - began <= LIMIT + OVERSHOOT
