"""One class by stochastic gradient descent: scikit-learn's steps, and near the optimum that others prove."""

import inspect
import pickle
import time

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.base import clone, is_outlier_detector
from sklearn.exceptions import NotFittedError

from mercer import InputError, OneClassSVM, ParameterError, SGDOneClassSVM, Status, UnsolvedWarning

N = 120
# Two ways to sum the same float64 numbers, over some hundred steps.
ORDER_OF_SUMS = 1e-10
# Of averages over some thousand passes.
NOISE = 2e-3
LONG = {
    "learning_rate": "invscaling",
    "eta0": 0.5,
    "tol": None,
    "max_iter": 4000,
    "average": 200_000,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(loc=[2.0, 1.0, 0.0], size=(N, 3))


def objective(nu, X, w, rho, weights=None):
    return nu * (0.5 * w @ w - rho) + np.average(np.maximum(0, rho - X @ w), weights=weights)


def optimum_by_clarabel(nu, X, weights=None):
    """The least ½ ν‖w‖² − ν ρ + Σ s ξ / Σ s with w·x ≥ ρ − ξ and ξ ≥ 0."""
    n, d = X.shape
    shares = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    P = sp.block_diag([nu * sp.eye_array(d), sp.csc_array((n + 1, n + 1))], format="csc")
    q = np.concatenate([np.zeros(d), [-nu], shares])
    A = sp.vstack(
        [
            sp.hstack([-X, np.ones((n, 1)), -sp.eye_array(n)]),
            sp.hstack([sp.csc_array((n, d + 1)), -sp.eye_array(n)]),
        ],
        format="csc",
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(P), q, sp.csc_matrix(A), np.zeros(2 * n), [clarabel.NonnegativeConeT(2 * n)], settings
    ).solve()
    return solution.obj_val


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("average", [False, True, 300])
@pytest.mark.parametrize("rate", ["constant", "optimal", "invscaling", "adaptive"])
def test_steps_in_the_order_of_the_rows_are_scikit_learns(X, rate, average, fit_intercept):
    way = {"nu": 0.3, "learning_rate": rate, "average": average, "fit_intercept": fit_intercept}
    way |= {"eta0": 0.05, "max_iter": 5, "tol": None, "shuffle": False}
    ours, theirs = (kind(**way).fit(X) for kind in (SGDOneClassSVM, sklearn.linear_model.SGDOneClassSVM))
    for name in ("coef_", "offset_", "n_iter_", "t_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(mine, other, rtol=0, atol=ORDER_OF_SUMS, err_msg=name)
        assert np.shape(mine) == np.shape(other), name
    for method in ("decision_function", "score_samples", "predict"):
        np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), atol=1e-9)


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9])
def test_objective_comes_near_the_optimum_of_the_certified_machine_and_of_a_qp_solver(X, nu):
    model = SGDOneClassSVM(nu=nu, **LONG).fit(X)
    exact = OneClassSVM(kernel="linear", nu=nu, tol=1e-9).fit(X)
    # In units of nu n, which is what the certified machine's w and rho are counted in.
    w, rho = exact.coef_[0] / (nu * N), exact.offset_[0] / (nu * N)
    best = objective(nu, X, w, rho)
    assert best == pytest.approx(optimum_by_clarabel(nu, X), rel=1e-6)
    assert best == pytest.approx(exact.certificate_.primal / (nu * N**2), rel=1e-6)
    assert model.objective_ == pytest.approx(objective(nu, X, model.coef_, model.offset_[0]), rel=1e-12)
    assert best - 1e-9 <= model.objective_ <= best + NOISE * abs(best)
    outside = np.mean(model.predict(X) == -1)
    assert outside == pytest.approx(nu, abs=0.06)


def test_weights_count_as_repetitions(X):
    times = np.random.default_rng(1).integers(0, 4, N)
    model = SGDOneClassSVM(nu=0.3, **LONG).fit(X, sample_weight=times)
    best = optimum_by_clarabel(0.3, X, times.astype(float))
    assert model.objective_ == pytest.approx(objective(0.3, X, model.coef_, model.offset_[0], times), rel=1e-12)
    assert best - 1e-9 <= model.objective_ <= best + NOISE * abs(best)
    # A step of all rows does not know how often each is there.
    whole = {"nu": 0.3, "learning_rate": "constant", "eta0": 0.1, "batch_size": 10**6, "tol": None, "max_iter": 50}
    weighted = SGDOneClassSVM(**whole).fit(X, sample_weight=times)
    repeated = SGDOneClassSVM(**whole).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)


def test_partial_fit_in_pieces_is_one_pass(X):
    way = {"nu": 0.3, "shuffle": False, "tol": None, "max_iter": 1, "average": 20}
    whole, model, theirs = (
        SGDOneClassSVM(**way).fit(X),
        SGDOneClassSVM(**way),
        sklearn.linear_model.SGDOneClassSVM(**way),
    )
    for first in range(0, N, 40):
        model.partial_fit(X[first : first + 40])
        theirs.partial_fit(X[first : first + 40])
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=ORDER_OF_SUMS)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=ORDER_OF_SUMS)
    np.testing.assert_allclose(model.offset_, theirs.offset_, atol=ORDER_OF_SUMS)
    assert model.t_ == whole.t_ == theirs.t_
    assert not hasattr(model, "objective_")
    other = pickle.loads(pickle.dumps(model)).partial_fit(X)
    np.testing.assert_array_equal(model.partial_fit(X).coef_, other.coef_)


def test_start_is_zero_or_what_is_given_or_what_was_there(X):
    way = {"nu": 0.3, "shuffle": False, "tol": None, "max_iter": 2}
    warm = SGDOneClassSVM(**way, warm_start=True).fit(X)
    given = SGDOneClassSVM(**way).fit(X, coef_init=warm.coef_, offset_init=warm.offset_)
    theirs = sklearn.linear_model.SGDOneClassSVM(**way, warm_start=True).fit(X).fit(X)
    warm.fit(X)
    for model in (warm, given):
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=ORDER_OF_SUMS)
        np.testing.assert_allclose(model.offset_, theirs.offset_, atol=ORDER_OF_SUMS)
    cold = clone(warm).fit(X[:, :2])
    np.testing.assert_array_equal(warm.fit(X[:, :2]).coef_, cold.coef_)
    with pytest.raises(InputError, match="offset_init: expected"):
        SGDOneClassSVM().fit(X, offset_init=[0.0, 1.0])


def test_sparse_rows_and_threads_do_not_matter(X):
    sparse = np.where(np.abs(X) > 0.5, X, 0.0)
    way = {"nu": 0.3, "tol": None, "max_iter": 3, "random_state": 0}
    dense, other = SGDOneClassSVM(**way).fit(sparse), SGDOneClassSVM(**way).fit(sp.csr_matrix(sparse))
    np.testing.assert_allclose(dense.coef_, other.coef_, atol=ORDER_OF_SUMS)
    np.testing.assert_allclose(dense.decision_function(sparse), other.decision_function(sp.csr_matrix(sparse)))
    np.testing.assert_array_equal(dense.fit_predict(sparse), dense.predict(sparse))


def test_descent_ends_as_its_sisters_do(X):
    steady = SGDOneClassSVM(nu=0.3, random_state=0).fit(X)
    assert steady.status_ is Status.STEADY
    with pytest.warns(UnsolvedWarning, match="iteration limit"):
        assert SGDOneClassSVM(nu=0.3, max_iter=2).fit(X).status_ is Status.ITERATION_LIMIT
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model = SGDOneClassSVM(nu=0.3, tol=None, max_iter=10**9, time_limit=0.2).fit(X)
    assert time.perf_counter() - began < 1.2
    assert model.status_ is Status.TIME_LIMIT
    calls = []
    with pytest.warns(UnsolvedWarning, match="callback"):
        model = SGDOneClassSVM(tol=None, max_iter=10**9, callback=lambda now: calls.append(now) or True).fit(X)
    assert model.status_ is Status.INTERRUPTED
    assert len(calls) == 1


def test_parameters_are_scikit_learns_with_their_defaults():
    twin = sklearn.linear_model.SGDOneClassSVM
    ours, theirs = inspect.signature(SGDOneClassSVM).parameters, inspect.signature(twin).parameters
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind is parameter.kind, name
    for method in ("fit", "partial_fit"):
        own, other = (list(inspect.signature(getattr(kind, method)).parameters) for kind in (SGDOneClassSVM, twin))
        assert own == other
    assert is_outlier_detector(SGDOneClassSVM())
    assert set(SGDOneClassSVM().get_params()) == {*theirs, "batch_size", "time_limit", "callback"}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"nu": 0.0}, r"nu: expected a number in \(0, 1\], got 0.0"),
        ({"nu": 1.5}, "nu: expected"),
        ({"learning_rate": "fast"}, "learning_rate: expected one of"),
        ({"batch_size": 0}, "batch_size: expected"),
        ({"time_limit": -1}, "time_limit: expected"),
        ({"callback": 1}, "callback: expected"),
    ],
)
def test_bad_parameter_is_refused_by_name(X, bad, message):
    with pytest.raises(ParameterError, match=message):
        SGDOneClassSVM(**bad).fit(X)
    with pytest.raises(ParameterError, match=message):
        SGDOneClassSVM(**bad).partial_fit(X)


def test_model_before_a_fit_says_so(X):
    for method in ("decision_function", "score_samples", "predict"):
        with pytest.raises(NotFittedError):
            getattr(SGDOneClassSVM(), method)(X)


def test_arrays_are_read_only_and_failed_fits_leave_the_earlier_model(X):
    model = SGDOneClassSVM(nu=0.3, random_state=0).fit(X)
    before = model.decision_function(X)
    for name in ("coef_", "offset_"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[...] = 0
    for bad in (X[:0], np.full((N, 7), np.nan), X[0]):
        with pytest.raises(ValueError, match=r"."):
            model.fit(bad)
    with pytest.raises(InputError, match="zero or negative weights"):
        model.fit(X[:, :2], sample_weight=-np.ones(N))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("convert", [np.asfortranarray, lambda X: X.tolist(), lambda X: np.repeat(X, 2, axis=0)[::2]])
def test_layout_of_the_rows_does_not_matter(X, convert):
    one, other = (SGDOneClassSVM(nu=0.3, random_state=0).fit(rows) for rows in (X, convert(X)))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=ORDER_OF_SUMS)


def test_weight_zero_is_absence_and_rows_in_float32_are_the_numbers_they_are(X):
    weights = (np.arange(N) % 3 > 0).astype(float)
    way = {"nu": 0.3, "random_state": 0}
    weighted, absent = SGDOneClassSVM(**way).fit(X, sample_weight=weights), SGDOneClassSVM(**way).fit(X[weights > 0])
    np.testing.assert_array_equal(weighted.coef_, absent.coef_)
    single, double = (SGDOneClassSVM(**way).fit(X.astype(np.float32).astype(kind)) for kind in (np.float32, np.float64))
    np.testing.assert_allclose(single.coef_, double.coef_, atol=ORDER_OF_SUMS)
