"""Ridge regression over landmarks against dense normal equations, and its bounds against machines of all rows."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import (
    RBF,
    KernelError,
    KernelRidge,
    Linear,
    NumericsWarning,
    Nystroem,
    Polynomial,
    SparseKernelRidge,
    SparseKernelRidgeCV,
    Status,
    UnsolvedWarning,
)
from mercer.errors import InputError, ParameterError

ROWS, LANDMARKS, GAMMA, ALPHA = 400, 60, 0.2, 0.3
SELECTIONS = ["random", "pivoted", "rpcholesky", "kmeans"]
# Two solutions of systems whose condition is 1e7 at most.
ROUNDING = 1e-8


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=ROWS)
    return X, np.column_stack([y, 3.0 + X[:, 3] - y]), random.random(ROWS) + 0.1


def sparse_ridge(**options):
    return SparseKernelRidge(
        **{"alpha": ALPHA, "gamma": GAMMA, "n_components": LANDMARKS, "random_state": 0, **options}
    )


def normal_equations(X, Z, y, weights, alpha, has_intercept):
    """Values at the rows, and the objective, from dense normal equations with b as one unknown more."""
    K, among = rbf_kernel(X, Z, gamma=GAMMA), rbf_kernel(Z, gamma=GAMMA)
    columns = np.column_stack([K, np.ones(len(X))]) if has_intercept else K
    penalty = np.zeros((columns.shape[1],) * 2)
    penalty[: len(Z), : len(Z)] = alpha * among
    solution = np.linalg.lstsq(columns.T @ (weights[:, None] * columns) + penalty, columns.T @ (weights * y))[0]
    values = columns @ solution
    return values, 0.5 * weights @ (y - values) ** 2 + 0.5 * solution @ penalty @ solution


@pytest.mark.parametrize("has_intercept", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_machine_solves_the_normal_equations(data, selection, has_intercept):
    X, Y, weights = data
    model = sparse_ridge(alpha=[ALPHA, 2.0], selection=selection, fit_intercept=has_intercept).fit(X, Y, weights)
    assert model.components_.shape == (LANDMARKS, 4)
    assert model.dual_coef_.shape == (LANDMARKS, 2)
    total = 0.0
    for k, alpha in enumerate((ALPHA, 2.0)):
        values, objective = normal_equations(X, model.components_, Y[:, k], weights, alpha, has_intercept)
        np.testing.assert_allclose(model.predict(X)[:, k], values, atol=ROUNDING)
        total += objective
    assert model.certificate_.primal == pytest.approx(total, rel=1e-9)
    assert model.certificate_.residual <= 1e-12
    assert model.status_ is Status.SOLVED


@pytest.mark.parametrize("proof", ["exact", "bounded"])
@pytest.mark.parametrize("has_intercept", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_certificate_holds_the_optimum_over_all_rows(data, selection, has_intercept, proof):
    X, Y, weights = data
    best = KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA, fit_intercept=has_intercept).fit(X, Y, weights)
    for count in (5, LANDMARKS, 300):
        model = sparse_ridge(n_components=count, selection=selection, fit_intercept=has_intercept, proof=proof)
        told = model.fit(X, Y, weights).certificate_
        assert told.tier == proof
        assert told.dual <= best.certificate_.primal + 1e-9 <= told.primal + 2e-9
        missed = np.sqrt(weights)[:, None] * (model.predict(X) - best.predict(X))
        assert np.linalg.norm(missed, axis=0).max() <= told.value_distance * (1 + 1e-9)
        assert 0 < told.relative_gap < 1
        assert told.own_gap < 1e-9
    # With most rows for landmarks the bound is near.
    assert told.gap < (0.05 if proof == "exact" else 1.0) * told.primal
    assert f"{proof}, by" in str(told)


def test_distance_in_feature_space_is_within_its_bound(data):
    X, Y, _ = data
    y = Y[:, 0]
    best = KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA).fit(X, y)
    model = sparse_ridge().fit(X, y)
    coef = best.dual_coef_.copy()
    coef[model.component_indices_] -= model.dual_coef_
    assert np.sqrt(coef @ rbf_kernel(X, gamma=GAMMA) @ coef) <= model.certificate_.function_distance


@pytest.mark.parametrize("has_intercept", [False, True])
def test_all_rows_for_landmarks_are_kernel_ridge_regression(data, has_intercept):
    X, Y, weights = data
    best = KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA, fit_intercept=has_intercept).fit(X, Y, weights)
    model = sparse_ridge(n_components=10_000, fit_intercept=has_intercept).fit(X, Y, weights)
    np.testing.assert_array_equal(model.component_indices_, np.arange(ROWS))
    np.testing.assert_allclose(model.predict(X + 0.1), best.predict(X + 0.1), atol=ROUNDING)
    assert model.certificate_.relative_gap < 1e-9
    assert model.residual_ < 1e-9


def test_residual_is_that_of_nystroems_features(data):
    X, Y, _ = data
    for selection in SELECTIONS:
        features = Nystroem(gamma=GAMMA, n_components=LANDMARKS, selection=selection, random_state=0).fit(X)
        model = sparse_ridge(selection=selection).fit(X, Y)
        np.testing.assert_array_equal(model.components_, features.components_)
        assert model.residual_ == pytest.approx(features.residual_, rel=1e-6)


def test_weight_zero_is_absence_and_two_is_twice(data):
    X, Y, _ = data
    weights = np.resize([0.0, 1.0, 2.0], ROWS)
    repeated = np.repeat(np.arange(ROWS), weights.astype(int))
    for has_intercept in (False, True):
        model = sparse_ridge(selection="pivoted", fit_intercept=has_intercept).fit(X, Y, weights)
        assert np.all(weights[model.component_indices_] > 0)
        other = sparse_ridge(selection="pivoted", fit_intercept=has_intercept).fit(X[repeated], Y[repeated])
        np.testing.assert_allclose(other.predict(X), model.predict(X), atol=ROUNDING)
        for one in (model.certificate_, mercer.certify(model, X, Y, weights)):
            assert one.primal == pytest.approx(other.certificate_.primal)
            assert one.gap == pytest.approx(other.certificate_.gap, rel=1e-6)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_sparse_rows_and_float32_give_the_same_machine(data, selection):
    X, Y, _ = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    dense = sparse_ridge(selection=selection).fit(X, Y)
    for form in (sp.csr_matrix, sp.csr_array):
        model = sparse_ridge(selection=selection).fit(form(X), Y)
        assert sp.issparse(model.components_)
        np.testing.assert_allclose(model.predict(form(X[:9])), dense.predict(X[:9]), atol=ROUNDING)
        assert mercer.certify(model, form(X), Y).gap == pytest.approx(model.certificate_.gap)
    if selection != "kmeans":  # centres of float32 rows are others
        single = sparse_ridge(selection=selection).fit(X.astype(np.float32), Y)
        np.testing.assert_allclose(single.predict(X.astype(np.float32)), dense.predict(X), atol=1e-3)


def test_wide_sparse_rows_are_not_made_dense():
    X = sp.random(300, 5000, density=0.01, format="csr", random_state=0)
    y = np.asarray(X.sum(axis=1)).ravel()
    model = sparse_ridge(kernel="linear", gamma=None, fit_intercept=True, alpha=0.1).fit(X, y)
    K, b = (X @ X.T).toarray(), model.intercept_
    values = K[:, model.component_indices_] @ model.dual_coef_ + b
    np.testing.assert_allclose(model.predict(X), values, atol=ROUNDING)
    best = KernelRidge(0.1, fit_intercept=True).fit(X, y)
    assert model.certificate_.dual <= best.certificate_.primal <= model.certificate_.primal


@pytest.mark.parametrize("selection", ["random", "pivoted", "rpcholesky"])
def test_kernel_values_at_hand_and_functions_give_the_same_machine(data, selection):
    X, Y, weights = data
    weights = np.where(X[:, 0] > 1.5, 0.0, weights)
    K = rbf_kernel(X, gamma=GAMMA)
    model = sparse_ridge(selection=selection).fit(X, Y, weights)
    given = sparse_ridge(kernel="precomputed", gamma=None, selection=selection).fit(K, Y, weights)
    np.testing.assert_array_equal(given.component_indices_, model.component_indices_)
    np.testing.assert_allclose(given.predict(K), model.predict(X), atol=ROUNDING)
    for one in (given.certificate_, mercer.certify(given, K, Y, weights)):
        assert one.gap == pytest.approx(model.certificate_.gap, rel=1e-6)
    by_function = sparse_ridge(kernel=mercer.CallableKernel(RBF(GAMMA)), gamma=None, selection=selection)
    np.testing.assert_allclose(by_function.fit(X, Y, weights).predict(X), model.predict(X), atol=ROUNDING)


def test_certify_takes_the_machine_and_refuses_other_data(data):
    X, Y, weights = data
    model = sparse_ridge(fit_intercept=True, proof="bounded").fit(X, Y, weights)
    told = mercer.certify(model, X, Y, weights)
    assert told.tier == "exact"
    assert told.primal == pytest.approx(model.certificate_.primal)
    assert told.gap < model.certificate_.gap
    assert told.residual < 1e-12
    assert mercer.certify(model, X, Y + X[:, :1], weights).residual > 1e-3
    with pytest.raises(InputError, match="the data the model was fitted on"):
        mercer.certify(model, X + 1, Y, weights)
    with pytest.raises(InputError, match="4 features"):
        mercer.certify(model, X[:, :2], Y, weights)
    with pytest.raises(InputError, match="targets of shape"):
        mercer.certify(model, X, Y[:, 0], weights)


# ---------------------------------------------------------------- rows left out


@pytest.mark.parametrize("has_intercept", [False, True])
def test_left_out_predictions_are_those_of_fits_without_the_row(data, has_intercept):
    X, Y, weights = data
    model = sparse_ridge(alpha=[ALPHA, 2.0], fit_intercept=has_intercept).fit(X, Y, weights)
    told = model.left_out_predict(X, Y, weights)
    for row in (0, 17, int(model.component_indices_[3])):
        others = np.delete(np.arange(ROWS), row)
        for k, alpha in enumerate((ALPHA, 2.0)):
            kept = np.where(np.arange(ROWS) == row, 0.0, weights)
            values, _ = normal_equations(X, model.components_, Y[:, k], kept, alpha, has_intercept)
            assert told[row, k] == pytest.approx(values[row], abs=ROUNDING)
            assert np.abs(values[others] - model.predict(X)[others, k]).max() < 1.0


def test_choice_has_the_least_error_at_rows_left_out(data):
    X, Y, weights = data
    weights = np.where(X[:, 0] > 1.5, 0.0, weights)
    alphas = np.logspace(-4, 2, 7)
    chosen = SparseKernelRidgeCV(alphas, gamma=GAMMA, n_components=LANDMARKS, random_state=0, fit_intercept=True)
    chosen.fit(X, Y, weights)
    errors = []
    for alpha in alphas:
        model = sparse_ridge(alpha=alpha, fit_intercept=True).fit(X, Y, weights)
        missed = Y - model.left_out_predict(X, Y, weights)
        errors.append(np.average(missed**2, axis=0, weights=weights))
        if alpha == chosen.alpha_:
            np.testing.assert_allclose(chosen.dual_coef_, model.dual_coef_, rtol=1e-6)
            assert chosen.certificate_.gap == pytest.approx(model.certificate_.gap)
    np.testing.assert_allclose(chosen.errors_, errors, rtol=1e-7)
    assert chosen.alpha_ == alphas[np.argmin(np.mean(errors, axis=1))]
    assert chosen.best_score_ == pytest.approx(-np.mean(errors, axis=1).min())
    assert alphas[0] < chosen.alpha_ < alphas[-1]


# ---------------------------------------------------------------- hard input


def test_duplicates_with_different_targets_meet_in_their_mean():
    X, y = np.array([[0.0], [0.0], [3.0]]), np.array([1.0, 3.0, 5.0])
    model = SparseKernelRidge(1e-8, gamma=1.0, fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(model.predict([[0.0], [3.0]]), [2.0, 5.0], atol=1e-6)
    assert "1 landmarks, which the others explain up to rounding, are left out" in model.plan_


def test_one_row_and_constants():
    assert SparseKernelRidge(1.0).fit([[1.0]], [4.0]).predict([[1.0]])[0] == pytest.approx(2.0)
    assert SparseKernelRidge(fit_intercept=True).fit([[1.0]], [4.0]).predict([[9.0]])[0] == 4.0
    X = np.arange(30.0)[:, None]
    constant = SparseKernelRidge(fit_intercept=True, n_components=9, random_state=0).fit(X, np.full(30, 7.0))
    np.testing.assert_array_equal(constant.predict([[2.5]]), [7.0])
    assert constant.certificate_.gap == 0
    for kernel in ("rbf", "linear"):
        same = SparseKernelRidge(kernel=kernel, fit_intercept=True, n_components=9).fit(np.zeros((30, 2)), X[:, 0])
        assert same.predict([[0.0, 0.0]])[0] == pytest.approx(14.5)


def test_huge_targets_and_offsets_lose_nothing(data):
    X, Y, _ = data
    plain = sparse_ridge(fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose(sparse_ridge(fit_intercept=True).fit(X, 1e12 * Y).predict(X) / 1e12, plain.predict(X))
    far = sparse_ridge(fit_intercept=True).fit(np.round(X, 6) + 2.0**20, Y + 1e9)
    np.testing.assert_allclose(far.predict(X + 2.0**20) - 1e9, plain.predict(X), atol=1e-4)


def test_tiny_alpha_is_least_squares(data):
    X, Y, _ = data
    y = Y[:, 0]
    for alpha in (0.0, 1e-14):
        model = sparse_ridge(alpha=alpha, n_components=20).fit(X, y)
        K = rbf_kernel(X, model.components_, gamma=GAMMA)
        np.testing.assert_allclose(model.predict(X), K @ np.linalg.lstsq(K, y)[0], atol=1e-6)
        assert model.certificate_.residual <= 1e-10


def test_singular_system_without_alpha_has_the_solution_of_least_norm():
    X = np.vstack([np.eye(3), np.eye(3)])[:4]
    with pytest.warns(NumericsWarning, match="Singular matrix"):
        model = SparseKernelRidge(0.0, kernel="linear", fit_intercept=True).fit(X, [1.0, 2.0, 3.0, 1.0])
    np.testing.assert_allclose(model.predict(X), [1.0, 2.0, 3.0, 1.0], atol=1e-9)


# Whether rounding leaves less than what is worth a warning depends on the processor.
@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning")
def test_wide_kernel_is_refined_in_spite_of_its_condition(data):
    X, Y, _ = data
    model = SparseKernelRidge(1e-8, gamma=1e-3, n_components=100, fit_intercept=True, random_state=0).fit(X, Y)
    best = KernelRidge(1e-8, kernel="rbf", gamma=1e-3, fit_intercept=True).fit(X, Y)
    # Coefficients of either sign, of 1e8 and more, keep seven digits of their sums; the certificate says so.
    assert model.certificate_.residual <= model.certificate_.accuracy <= 1e-3
    np.testing.assert_allclose(model.predict(X), best.predict(X), atol=1e-3)


def test_indefinite_kernels_are_stationary_or_refused(data):
    X, Y, _ = data
    model = sparse_ridge(kernel="sigmoid", gamma=0.5, n_components=20).fit(X, Y)
    assert model.status_ is Status.STATIONARY
    assert "not positive semi-definite" in str(model.certificate_)
    K = model.kernel_.matrix(X, model.components_)
    among = model.kernel_.matrix(model.components_, model.components_)
    used = np.flatnonzero(model.dual_coef_[:, 0])
    K, among = K[:, used], among[np.ix_(used, used)]
    left = K.T @ (Y - K @ model.dual_coef_[used]) - ALPHA * among @ model.dual_coef_[used]
    np.testing.assert_allclose(left, 0, atol=1e-9 * np.abs(K.T @ Y).max())
    for selection in ("random", "pivoted", "rpcholesky"):
        with pytest.raises(KernelError, match="positive semi-definite"):
            sparse_ridge(kernel="precomputed", gamma=None, selection=selection).fit(-X @ X.T, Y)


def test_fewer_rows_than_features_and_landmarks_than_asked():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(10, 40)), random.normal(size=10)
    few = SparseKernelRidge(0.1, n_components=4, random_state=0).fit(X, y)
    assert few.components_.shape == (4, 40)
    rank = SparseKernelRidge(0.1, kernel=Linear(), n_components=8, random_state=0).fit(X[:, :3], y)
    assert rank.components_.shape == (3, 3)
    np.testing.assert_allclose(rank.predict(X[:, :3]), KernelRidge(0.1).fit(X[:, :3], y).predict(X[:, :3]))


def test_what_cannot_be_is_refused(data):
    X, Y, weights = data
    for options in ({"alpha": -1.0}, {"n_components": 0}, {"selection": "best"}, {"proof": "none"}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            sparse_ridge(**options).fit(X, Y)
    with pytest.raises(ParameterError, match="alphas"):
        SparseKernelRidgeCV([0.0]).fit(X, Y)
    with pytest.raises(InputError, match="≥ 0"):
        sparse_ridge().fit(X, Y, -weights)
    with pytest.raises(ValueError, match="NaN"):
        sparse_ridge().fit(X, np.full(ROWS, np.nan))
    with pytest.raises(InputError, match="two rows"):
        SparseKernelRidgeCV().fit([[1.0]], [1.0])
    with pytest.raises(KernelError, match="overflow"):
        sparse_ridge(kernel=Polynomial(3), gamma=None).fit(1e60 * X, Y)


def test_limits_end_a_fit_with_what_it_has(data):
    X, Y, _ = data
    model = sparse_ridge(fit_intercept=True, time_limit=1e-6)
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model.fit(X, Y)
    np.testing.assert_allclose(model.predict(X[:2]), [Y.mean(axis=0)] * 2)
    best = KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA, fit_intercept=True).fit(X, Y)
    assert model.certificate_.dual <= best.certificate_.primal <= model.certificate_.primal
    with pytest.warns(UnsolvedWarning, match="callback"):
        sparse_ridge(callback=lambda progress: True).fit(X, Y)
    with pytest.warns(UnsolvedWarning, match="iteration limit"):
        sparse_ridge(tol=1e-300, max_iter=1).fit(X, Y)
    with pytest.raises(InputError, match="all alphas"):
        SparseKernelRidgeCV(time_limit=1e-6).fit(X, Y)


def test_failed_fit_keeps_the_earlier_one(data):
    X, Y, _ = data
    model = sparse_ridge().fit(X, Y)
    before = model.predict(X[:5])
    with pytest.raises(ParameterError):
        model.set_params(alpha=-1.0).fit(X[:, :2], Y)
    np.testing.assert_array_equal(model.predict(X[:5]), before)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X[:5]), before)


def test_threads_and_blocks_change_nothing(data, monkeypatch):
    X, Y, _ = data
    one, two = (sparse_ridge(n_jobs=jobs, fit_intercept=True).fit(X, Y) for jobs in (1, 2))
    monkeypatch.setattr("mercer.rows.columns._VALUES_PER_BLOCK", 7 * LANDMARKS)
    blocks = sparse_ridge(fit_intercept=True).fit(X, Y)
    for other in (two, blocks):
        np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-10)
        assert one.certificate_.gap == pytest.approx(other.certificate_.gap)
    np.testing.assert_allclose(one.left_out_predict(X, Y), blocks.left_out_predict(X, Y), atol=1e-10)


def test_pivots_are_found_among_rows_that_fit_the_memory(data):
    X, Y, _ = data
    model = sparse_ridge(cache_size=0.1, n_components=30).fit(X, Y)
    assert len(np.unique(model.component_indices_)) == 30
    assert model.certificate_.dual <= KernelRidge(ALPHA, kernel="rbf", gamma=GAMMA).fit(X, Y).certificate_.primal
