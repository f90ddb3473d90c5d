"""Kernel regression is the descent of its slide, and ends where linear algebra says."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import (
    InputError,
    KernelRegression,
    Linear,
    ParameterError,
    Polynomial,
    Sigmoid,
    Status,
    UnsolvedWarning,
)
from tests.contracts.kernel_registry import DEFINITE, named
from tests.reference import kernels as twin

N = 24
# What a descent leaves after its passes, where the smallest eigenvalues of the Gram matrix go down slowest.
REACHED = 1e-6
ROUNDING = 1e-9


@pytest.fixture
def curve(random):
    X = random.normal(size=(N, 2))
    return X, np.sin(X[:, 0]) + X[:, 1] + 3.0


def quiet(**parameters):
    """A descent that makes its passes, whatever they bring."""
    return KernelRegression(tol=None, random_state=0, **parameters)


def closed_form(K, t):
    """The shortest beta with which f = K beta + Σ beta fits best, and f."""
    beta = np.linalg.pinv(K + 1.0, rcond=1e-10, hermitian=True) @ t
    return beta, (K + 1.0) @ beta


@pytest.mark.parametrize("entry", DEFINITE, ids=named)
def test_descent_by_all_rows_tends_to_the_closed_form_of_every_kernel(entry, random):
    X = random.normal(size=(9, 2))
    K = twin.gram(entry.twin, X)
    # Targets without what only the slowest directions can learn, which no affordable number of passes reaches.
    values, vectors = np.linalg.eigh(K + 1.0)
    quick = vectors[:, values > 0.02 * values[-1]]
    t = quick @ random.normal(size=quick.shape[1])
    model = quiet(kernel=entry.kernel, batch_size=None, max_passes=1000).fit(X, t)
    beta, f = closed_form(K, t)
    np.testing.assert_allclose(model.predict(X), f, atol=REACHED)
    reached = np.zeros(len(X))
    reached[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(reached, beta, atol=REACHED * max(1.0, np.abs(beta).max()))


def test_descent_by_batches_reaches_a_fit_that_is_exact(curve):
    X, t = curve
    model = quiet(kernel="laplacian", gamma=2.0, batch_size=4, max_passes=1500).fit(X, t)
    beta, _ = closed_form(model.kernel_(X), t)
    np.testing.assert_allclose(model.dual_coef_[0], beta, atol=REACHED)
    np.testing.assert_allclose(model.predict(X), t, atol=REACHED)


def test_function_converges_where_beta_cannot(random):
    # Noise has a part that no linear function explains: beta grows by it with every step, and f does not.
    X = random.normal(size=(30, 2))
    t = X @ [1.0, -2.0] + random.normal(size=30)
    some, more = (quiet(kernel="linear", batch_size=None, max_passes=k).fit(X, t) for k in (500, 1000))
    A = np.column_stack([X, np.ones(30)])
    np.testing.assert_allclose(more.predict(X), A @ np.linalg.lstsq(A, t)[0], atol=ROUNDING)
    assert np.abs(more.dual_coef_).max() > 1.5 * np.abs(some.dual_coef_).max()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_linear_kernel_makes_the_steps_of_primal_descent_with_the_same_batches(fit_intercept, curve):
    X, t = curve
    rate, batch_size, passes = 0.03, 5, 7
    w, b = np.zeros(2), 0.0
    random = np.random.RandomState(0)
    for _ in range(passes):
        for batch in np.array_split(random.permutation(N), 5):  # 24 rows by at most five
            errors = X[batch] @ w + b - t[batch]
            w = w - rate / len(batch) * X[batch].T @ errors
            b = b - rate / len(batch) * errors.sum() * fit_intercept
    model = quiet(
        kernel="linear", learning_rate=rate, batch_size=batch_size, max_passes=passes, fit_intercept=fit_intercept
    ).fit(X, t)
    np.testing.assert_allclose(model.dual_coef_[0] @ model.support_vectors_, w, rtol=ROUNDING)
    np.testing.assert_allclose(model.intercept_, [b], rtol=ROUNDING)


def test_step_of_a_batch_uses_the_old_betas():
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    model = quiet(kernel="precomputed", learning_rate=0.5, batch_size=None, max_passes=2, fit_intercept=False).fit(
        K, np.array([4.0, 8.0])
    )
    # From zero: beta = ¼ (4, 8) = (1, 2); then its errors are (4, 5) − (4, 8) = (0, −3), and beta_2 grows by ¾.
    np.testing.assert_allclose(model.dual_coef_, [[1.0, 2.75]])


def test_intercept_is_the_sum_of_beta_from_a_start_at_zero(curve):
    model = quiet(batch_size=5, max_passes=20).fit(*curve)
    assert model.intercept_[0] == pytest.approx(model.dual_coef_.sum(), rel=ROUNDING)


@pytest.mark.parametrize("batch_size", [None, 1, 5])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, 1.0, 1.0), "rbf"])
def test_automatic_rate_never_diverges_and_is_within_what_theory_allows(kernel, batch_size, curve):
    X, t = curve
    X = 100.0 * X
    model = quiet(kernel=kernel, batch_size=batch_size, max_passes=50).fit(X, t)
    assert model.status_ is Status.PASSES_DONE
    assert model.objective_[-1] < model.objective_[0]
    largest = np.linalg.eigvalsh(model.kernel_(X) + 1.0)[-1]
    if batch_size is None:
        assert N / largest * 0.999 <= model.learning_rate_ < 1.5 * N / largest


def test_full_descent_by_the_automatic_rate_never_rises(curve):
    model = quiet(batch_size=None, max_passes=200).fit(*curve)
    assert np.all(np.diff(model.objective_) <= 0)


def test_rate_beyond_the_largest_eigenvalue_diverges_and_says_so(curve):
    X, t = curve
    largest = np.linalg.eigvalsh(KernelRegression(max_passes=1, tol=None).fit(X, t).kernel_(X) + 1.0)[-1]
    stable = quiet(batch_size=None, learning_rate=1.99 * N / largest, max_passes=300).fit(X, t)
    assert stable.objective_[-1] < stable.objective_[0]
    with pytest.warns(UnsolvedWarning, match=r"Diverged.*learning rate.*smaller"):
        model = KernelRegression(batch_size=None, learning_rate=4.0 * N / largest, max_passes=2000).fit(X, t)
    assert model.status_ is Status.DIVERGED
    assert np.all(np.isfinite(model.objective_))
    assert np.all(np.isfinite(model.dual_coef_))
    kept = 0.5 * np.mean((model.predict(X) - t) ** 2)
    assert kept == pytest.approx(model.objective_[-1], rel=1e-6)


def test_indefinite_kernel_diverges_at_any_rate_and_says_why(random):
    X = random.normal(size=(10, 2))
    with pytest.warns(UnsolvedWarning, match="not positive semi-definite"):
        model = quiet(kernel=Sigmoid(1.0, -1.0), max_passes=5000, batch_size=1).fit(X, random.normal(size=10))
    assert model.status_ is Status.DIVERGED


def test_passes_that_no_longer_help_end_the_fit_in_silence(curve):
    model = KernelRegression(random_state=0).fit(*curve)
    assert model.status_ is Status.STEADY
    assert len(model.objective_) == model.n_iter_ + 1
    patient = KernelRegression(random_state=0, patience=50).fit(*curve)
    assert patient.n_iter_ >= model.n_iter_ + 45


def test_limit_on_passes_warns(curve):
    with pytest.warns(UnsolvedWarning, match=r"iteration limit.*3 passes.*warm_start"):
        model = KernelRegression(max_passes=3).fit(*curve)
    assert model.status_ is Status.ITERATION_LIMIT


def test_validation_keeps_the_machine_of_the_best_pass(random):
    X = random.uniform(-3, 3, size=(120, 1))
    t = np.sin(X[:, 0]) + 0.5 * random.normal(size=120)
    model = KernelRegression(gamma=50.0, validation_fraction=0.25, random_state=3, patience=10).fit(X, t)
    held_out = np.setdiff1d(np.arange(120), model.support_)
    assert len(held_out) == 30
    error = 0.5 * np.mean((model.predict(X[held_out]) - t[held_out]) ** 2)
    assert error == pytest.approx(model.validation_objective_.min(), rel=ROUNDING)
    assert model.validation_objective_[-1] > model.validation_objective_.min()
    assert model.status_ is Status.STEADY


def test_warm_start_goes_on_where_the_fit_ended(curve):
    whole = KernelRegression(tol=None, batch_size=None, max_passes=40).fit(*curve)
    half = KernelRegression(tol=None, batch_size=None, max_passes=20, warm_start=True).fit(*curve).fit(*curve)
    np.testing.assert_allclose(half.dual_coef_, whole.dual_coef_, rtol=ROUNDING)
    other = half.fit(curve[0][:10], curve[1][:10])
    assert other.objective_[0] == pytest.approx(0.5 * np.mean(curve[1][:10] ** 2))


def test_weight_of_two_is_two_rows_where_a_step_takes_all(curve, random):
    X, t = curve
    weights = random.integers(0, 3, N)
    weighted = quiet(gamma=0.5, batch_size=None, max_passes=30).fit(X, t, sample_weight=weights)
    # The eigenvalue behind the rate is found from another start.
    repeated = quiet(gamma=0.5, batch_size=None, max_passes=30, learning_rate=weighted.learning_rate_).fit(
        X.repeat(weights, axis=0), t.repeat(weights)
    )
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=ROUNDING)
    assert not np.isin(np.flatnonzero(weights == 0), weighted.support_).any()


def test_precomputed_callable_and_sparse_are_the_same_machine(curve):
    X, t = curve
    model = quiet(kernel="poly", degree=2, gamma=0.5, coef0=1.0, max_passes=30).fit(X, t)
    expected = model.predict(X[:7])
    other = quiet(kernel=lambda A, B: (0.5 * A @ B.T + 1.0) ** 2, max_passes=30).fit(X, t)
    np.testing.assert_allclose(other.predict(X[:7]), expected, rtol=ROUNDING)
    K = (0.5 * X @ X.T + 1.0) ** 2
    np.testing.assert_allclose(
        quiet(kernel="precomputed", max_passes=30).fit(K, t).predict(K[:7]), expected, rtol=ROUNDING
    )
    sparse = quiet(kernel="poly", degree=2, gamma=0.5, coef0=1.0, max_passes=30).fit(sp.csr_matrix(X), t)
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X[:7])), expected, rtol=ROUNDING)


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"learning_rate": 0}, "learning_rate: expected 'auto' or a finite number > 0"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"batch_size": 0}, "batch_size: expected an integer ≥ 1"),
        ({"max_passes": 0}, "max_passes"),
        ({"tol": -1.0}, "tol"),
        ({"patience": 0}, "patience"),
        ({"validation_fraction": 1.0}, r"validation_fraction: expected a number in \(0, 1\)"),
        ({"fit_intercept": "yes"}, "fit_intercept"),
        ({"kernel": "cubic"}, "kernel: expected one of"),
        ({"time_limit": 0}, "time_limit: expected a finite number > 0"),
        ({"callback": 1}, "callback: expected a callable or None"),
    ],
)
def test_wrong_parameter_is_refused(parameters, match, curve):
    with pytest.raises(ParameterError, match=match):
        KernelRegression(**parameters).fit(*curve)


def test_input_that_cannot_be_learned_from_is_refused(curve):
    X, t = curve
    with pytest.raises(InputError, match="hold out"):
        KernelRegression(validation_fraction=0.01).fit(X, t)
    with pytest.raises(InputError, match="square"):
        KernelRegression(kernel="precomputed").fit(X, t)
    with pytest.raises(ValueError, match="NaN"):
        KernelRegression().fit(X, np.where(t > 3, np.nan, t))
    with pytest.raises(ValueError, match="0 sample"):
        KernelRegression().fit(X[:0], t[:0])


@pytest.mark.parametrize("t", [0.0, 5.0])
def test_constant_targets_and_single_rows_are_learned(t):
    X = np.arange(6.0)[:, None]
    for rows in (1, 6):
        model = KernelRegression(random_state=0).fit(X[:rows], np.full(rows, t))
        np.testing.assert_allclose(model.predict(X[:rows]), t, atol=1e-6)


@pytest.mark.parametrize("t", [0.0, 0.1, -1e6, 1e12])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"validation_fraction": 0.2}])
def test_constant_targets_end_in_silence(t, settings, random):
    """Warnings are errors; a mean of equal numbers, which rounds, is no spread to explain."""
    X = random.normal(size=(30, 3))
    model = KernelRegression(random_state=0, **settings).fit(X, np.full(30, t), sample_weight=random.uniform(size=30))
    assert model.status_ in (Status.STEADY, Status.PASSES_DONE)
    assert model.objective_[-1] <= 1e-2 * model.objective_[0]


def test_refused_fit_leaves_the_earlier_one(curve):
    X, t = curve
    model = quiet(max_passes=5).fit(X, t)
    before = model.predict(X)
    with pytest.raises(InputError, match="hold out"):
        model.set_params(validation_fraction=1e-9).fit(X[:, :1], t)
    np.testing.assert_array_equal(model.predict(X), before)


def test_more_rows_than_a_matrix_holds_are_refused():
    with pytest.raises(InputError, match="up to 20000 rows, got 20001"):
        KernelRegression().fit(np.zeros((20_001, 1)), np.zeros(20_001))
