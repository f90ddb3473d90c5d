"""Kernel ridge regression against scikit-learn's, closed forms, and systems solved densely."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import RBF, KernelRidge, Linear, NumericsWarning, Status, UnsolvedWarning
from mercer.certificates import certify_ridge
from mercer.errors import InputError, ParameterError
from mercer.problems import RidgeProblem
from mercer.rows import rows_of
from tests.reference import kernels as twin

# Both solve systems of condition 1e4 at most, whose solutions float64 tells to some 1e-12.
ROUNDING = 1e-10
ROWS = 150


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=ROWS)
    return X, np.column_stack([y, 3.0 + X[:, 3] - y]), random.random(ROWS) + 0.1


def product_of_two(x, z, power=1):
    return float(x @ z) ** power


KERNELS = [
    {},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "polynomial", "degree": 2},
    {"kernel": "laplacian"},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"kernel": "cosine"},
    {"kernel": product_of_two, "kernel_params": {"power": 2}},
]


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("params", KERNELS, ids=lambda given: str(getattr(given.get("kernel"), "__name__", given)))
def test_machine_is_that_of_scikit_learn(data, params, columns, weighted):
    X, Y, weights = data
    y, given = Y if columns == 2 else Y[:, 0], weights if weighted else None
    ours = KernelRidge(alpha=0.3, **params).fit(X, y, given)
    theirs = SklearnKernelRidge(alpha=0.3, **params).fit(X, y, given)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    size = np.abs(theirs.dual_coef_).max()
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=0, atol=ROUNDING * size)
    np.testing.assert_allclose(ours.predict(X[:20] + 0.1), theirs.predict(X[:20] + 0.1), atol=ROUNDING * 10)


def test_alpha_for_each_target_is_that_of_scikit_learn(data):
    X, Y, _ = data
    ours, theirs = (kind(alpha=[0.1, 5.0], kernel="rbf").fit(X, Y) for kind in (KernelRidge, SklearnKernelRidge))
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=ROUNDING)


def test_sparse_and_precomputed_rows_give_the_same_machine(data):
    X, Y, _ = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    K = RBF(0.25)(X)
    dense = KernelRidge(kernel="rbf").fit(X, Y)
    for other, queries in ((sp.csr_matrix(X), sp.csr_matrix(X[:9])), (sp.csr_array(X), X[:9])):
        np.testing.assert_allclose(
            KernelRidge(kernel="rbf").fit(other, Y).predict(queries), dense.predict(X[:9]), atol=ROUNDING
        )
    given = KernelRidge(kernel="precomputed").fit(K, Y)
    np.testing.assert_allclose(given.predict(K[:9]), dense.predict(X[:9]), atol=ROUNDING)


def bordered(K, y, weights, alpha):
    """c and b from the optimality conditions, as one dense system."""
    n = len(y)
    A = np.zeros((n + 1, n + 1))
    A[:n, :n] = K + alpha * np.diag(1 / weights)
    A[:n, n] = A[n, :n] = 1.0
    solution = np.linalg.solve(A, np.append(y, 0.0))
    return solution[:n], solution[n]


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_intercept_solves_the_bordered_system(data, solver):
    X, Y, weights = data
    coef, b = bordered(twin.gram(twin.rbf(0.5), X), Y[:, 0], weights, 0.2)
    model = KernelRidge(0.2, kernel="rbf", gamma=0.5, fit_intercept=True, solver=solver, tol=1e-11)
    model.fit(X, Y[:, 0], weights)
    np.testing.assert_allclose(model.dual_coef_, coef, atol=ROUNDING * 10)
    assert model.intercept_ == pytest.approx(b, abs=1e-9)


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_factors_in_float32_and_conjugate_gradients_reach_float64(solver):
    random = np.random.default_rng(1)
    X = random.normal(size=(1200, 5))
    Y = random.normal(size=(1200, 2))
    weights = random.random(1200) + 0.5
    model = KernelRidge(0.5, kernel=RBF(0.1) + Linear(), fit_intercept=True, solver=solver, tol=1e-10)
    model.fit(X, Y, weights)
    assert ("float32" in model.plan_) == (solver == "cholesky")
    assert model.status_ is Status.SOLVED
    assert model.certificate_.residual <= 1e-10
    K = rbf_kernel(X, gamma=0.1) + X @ X.T
    for k in range(2):
        coef, b = bordered(K, Y[:, k], weights, 0.5)
        np.testing.assert_allclose(model.dual_coef_[:, k], coef, atol=1e-8)
        assert model.intercept_[k] == pytest.approx(b, abs=1e-8)


def test_ill_conditioned_system_is_factored_in_float64():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(1100, 2)), random.normal(size=1100)
    model = KernelRidge(1e-6, kernel="rbf", gamma=0.1).fit(X, y)
    assert "float64" in model.plan_
    assert "condition" in model.plan_
    theirs = SklearnKernelRidge(1e-6, kernel="rbf", gamma=0.1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), atol=1e-7)


def test_matrix_beyond_the_budget_is_not_stored():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(1500, 3)), random.normal(size=1500)
    model = KernelRidge(1.0, kernel="rbf", cache_size=5).fit(X, y)
    assert "conjugate gradients" in model.plan_
    assert model.certificate_.residual <= 1e-6
    np.testing.assert_allclose(model.predict(X), SklearnKernelRidge(kernel="rbf").fit(X, y).predict(X), atol=1e-5)


def test_weight_zero_is_absence_and_two_is_twice(data):
    X, Y, _ = data
    weights = np.resize([0.0, 1.0, 2.0], ROWS)
    repeated = np.repeat(np.arange(ROWS), weights.astype(int))
    for fit_intercept in (False, True):
        model = KernelRidge(0.5, kernel="rbf", fit_intercept=fit_intercept)
        weighted = model.fit(X, Y, weights).predict(X)
        assert np.all(model.dual_coef_[weights == 0] == 0)
        np.testing.assert_allclose(model.fit(X[repeated], Y[repeated]).predict(X), weighted, atol=ROUNDING)


# ---------------------------------------------------------------- the certificate


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_certificate_bounds_hold_for_machines_that_are_off(data, fit_intercept):
    X, Y, weights = data
    model = KernelRidge(0.4, kernel="rbf", fit_intercept=fit_intercept).fit(X, Y[:, 0], weights)
    K, best = twin.gram(twin.rbf(0.25), X), model.dual_coef_.copy()
    exact = model.certificate_
    assert exact.holds(1e-10)
    assert "No machine has an objective below" in str(exact)
    random = np.random.default_rng(4)
    for size in (1e-6, 1e-2, 1.0):
        move = size * random.normal(size=ROWS)
        move -= fit_intercept * weights * move.sum() / weights.sum()
        shift = size * fit_intercept
        problem = RidgeProblem(Y[:, :1], weights, np.array([0.4]), fit_intercept)
        coef = (best + move)[:, None]
        b = np.array([model.intercept_ + shift])
        told = certify_ridge(problem, rows_of(RBF(0.25), X), coef, b, 1)
        objective = 0.5 * weights @ (Y[:, 0] - K @ coef[:, 0] - b) ** 2 + 0.2 * coef[:, 0] @ K @ coef[:, 0]
        assert told.primal == pytest.approx(objective)
        assert told.dual <= exact.primal + 1e-9 <= told.primal + 2e-9
        roots = np.sqrt(weights)
        assert np.linalg.norm(move / roots) <= told.coef_distance
        assert np.linalg.norm(roots * (K @ move + shift)) <= told.value_distance * (1 + 1e-9)
        assert np.sqrt(move @ K @ move) <= told.function_distance


def test_certify_takes_models_of_scikit_learn_and_ours(data):
    X, Y, weights = data
    for params in KERNELS:
        theirs = SklearnKernelRidge(alpha=0.3, **params).fit(X, Y, weights)
        proof = mercer.certify(theirs, X, Y, weights)
        assert proof.residual <= 1e-10
    ours = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, Y, weights)
    proof = mercer.certify(ours, X, Y, weights)
    assert proof.residual == pytest.approx(ours.certificate_.residual, abs=1e-14)
    assert mercer.certify(ours, X, Y + X[:, :1], weights).residual > 1e-2
    with pytest.raises(InputError, match="the data the model was fitted on"):
        mercer.certify(ours, X + 1, Y, weights)


# ---------------------------------------------------------------- hard input


def test_singular_system_has_the_solution_of_least_norm(data):
    X, Y, _ = data
    with pytest.warns(NumericsWarning, match="Singular matrix"):
        model = KernelRidge(0.0).fit(X, Y)
    assert "least norm" in model.plan_
    # scikit-learn's least squares keep directions of rounding alone, and predict noise.
    K = twin.gram(twin.linear(), X)
    np.testing.assert_allclose(model.dual_coef_, np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ Y, atol=1e-9)
    np.testing.assert_allclose(model.predict(X), X @ np.linalg.lstsq(X, Y)[0], atol=1e-9)


def test_duplicates_with_different_targets_meet_in_their_mean():
    X, y = np.array([[0.0], [0.0], [3.0]]), np.array([1.0, 3.0, 5.0])
    model = KernelRidge(1e-8, kernel="rbf", gamma=1.0, fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(model.predict([[0.0], [3.0]]), [2.0, 5.0], atol=1e-6)


def test_one_row_and_constant_targets():
    assert KernelRidge(1.0, kernel="rbf").fit([[1.0]], [4.0]).predict([[1.0]])[0] == pytest.approx(2.0)
    assert KernelRidge(kernel="rbf", fit_intercept=True).fit([[1.0]], [4.0]).predict([[9.0]])[0] == 4.0
    constant = KernelRidge(kernel="rbf", fit_intercept=True).fit(np.arange(5.0)[:, None], np.full(5, 7.0))
    np.testing.assert_array_equal(constant.predict([[2.5]]), [7.0])
    assert constant.certificate_.residual <= 1e-15


def test_huge_offsets_of_targets_and_rows_lose_nothing(data):
    X, Y, _ = data
    plain = KernelRidge(0.5, kernel="rbf", gamma=0.25, fit_intercept=True).fit(X, Y)
    far = KernelRidge(0.5, kernel="rbf", gamma=0.25, fit_intercept=True).fit(np.round(X, 6) + 2.0**20, Y + 1e9)
    np.testing.assert_allclose(far.predict(X + 2.0**20) - 1e9, plain.predict(X), atol=1e-4)
    whole = KernelRidge(0.5, kernel="rbf", fit_intercept=True).fit(np.rint(X).astype(int), np.rint(Y).astype(int))
    assert whole.certificate_.residual <= 1e-10


def test_what_cannot_be_is_refused(data):
    X, Y, weights = data
    for alpha in (-1.0, [1.0, 2.0, 3.0], "big", np.nan, [[1.0, 2.0]]):
        with pytest.raises(ParameterError, match="alpha"):
            KernelRidge(alpha).fit(X, Y)
    with pytest.raises(InputError, match="≥ 0"):
        KernelRidge().fit(X, Y, -weights)
    with pytest.raises(ValueError, match="NaN"):
        KernelRidge().fit(X, np.full(ROWS, np.nan))
    with pytest.raises(ParameterError, match="kernel_params"):
        KernelRidge(kernel="rbf", kernel_params={"gamma": 1}).fit(X, Y)
    with pytest.raises(ParameterError, match="'cosine'"):
        KernelRidge(kernel="gauss").fit(X, Y)
    with pytest.raises(InputError, match="cache_size"):
        KernelRidge(0.0, kernel="rbf", solver="cg").fit(X, Y)


def test_limits_end_a_fit_with_what_it_has():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(1500, 8)), random.normal(size=1500)
    short = KernelRidge(0.01, kernel="rbf", solver="cg", tol=1e-12, max_iter=3)
    with pytest.warns(UnsolvedWarning, match="iteration limit"):
        short.fit(X, y)
    assert short.n_iter_ == 3
    assert short.certificate_.residual > 1e-12
    assert short.certificate_.dual > 0
    told = []
    tell = {"callback": lambda now: told.append(now) or len(told) > 4}
    stopped = KernelRidge(0.01, kernel="rbf", solver="cg", tol=1e-12, **tell)
    with pytest.warns(UnsolvedWarning, match="callback"):
        stopped.fit(X, y)
    with pytest.warns(UnsolvedWarning, match="time limit"):
        KernelRidge(0.01, kernel="rbf", solver="cg", tol=1e-12, time_limit=1e-6).fit(X, y)


def test_failed_fit_keeps_the_earlier_one(data):
    X, Y, _ = data
    model = KernelRidge(kernel="rbf").fit(X, Y)
    before = model.predict(X[:5])
    with pytest.raises(ParameterError):
        model.set_params(alpha=-1.0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X[:5]), before)


def test_threads_change_nothing(data):
    X, Y, _ = data
    one, two = (KernelRidge(kernel="rbf", n_jobs=jobs, solver="cg").fit(X, Y).dual_coef_ for jobs in (1, 2))
    np.testing.assert_allclose(one, two, atol=1e-12)
