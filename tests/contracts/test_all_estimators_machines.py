"""The machine of every estimator of the registry is the optimum, however its data, weights and kernel are given."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mercer
from mercer import NuSVC, Status
from tests.contracts.estimator_data import (
    ARRAYS,
    ENTRY,
    GAMMA,
    SAME,
    TOL,
    N,
    assert_same_machine,
    data,
    make,
    values,
)
from tests.reference import kernels as twin

# Clarabel is asked for gaps of 1e-10, and the fit for violations of 1e-8.
QP_VALUE = 1e-7
# The same sums in another order.
ROUNDING = 1e-9
WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])


def weights(weighted):
    """Ones, or numbers around one with some rows that weigh nothing."""
    rng = np.random.default_rng(12)
    return np.where(rng.random(N) < 0.2, 0.0, rng.uniform(0.5, 2, N)) if weighted else np.ones(N)


@WEIGHTED
@ENTRY
def test_dual_value_is_the_optimum_of_the_definition(entry, weighted):
    X, y = data(entry)
    v = weights(weighted)
    model = make(entry).fit(X, y, sample_weight=v if weighted else None)
    own = v > 0
    K = twin.gram(twin.rbf(GAMMA), X[own])
    best = entry.optimum(K, y[own], v[own], **entry.parameters)
    assert model.certificate_.dual == pytest.approx(best, rel=QP_VALUE)
    assert model.certificate_.primal == pytest.approx(best, rel=QP_VALUE)


@WEIGHTED
@ENTRY
def test_certify_agrees_with_the_certificate_of_the_fit(entry, weighted):
    X, y = data(entry)
    v = weights(weighted)
    model = make(entry, tol=1e-3).fit(X, y, sample_weight=v)
    anew, before = mercer.certify(model, X, y, sample_weight=v), model.certificate_
    for name in ("primal", "dual", "gap", "violation"):
        assert getattr(anew, name) == pytest.approx(getattr(before, name), rel=ROUNDING, abs=ROUNDING), name
    assert (anew.counts, anew.rows, anew.problem) == (before.counts, before.rows, before.problem)


@ENTRY
def test_trace_replays_to_the_coefficients_of_the_machine(entry):
    X, y = data(entry)
    model = make(entry, trace=True).fit(X, y)
    *_, (step, coef) = model.trace_.replay()
    replayed, own = np.zeros(N), np.zeros(N)
    replayed[list(model.trace_.rows[0])] = coef
    own[model.support_] = model.dual_coef_[0]
    # A machine may be divided by one number, as that of NuSVC is by its margin.
    factor = np.abs(own).sum() / np.abs(replayed).sum()
    assert factor == 1 or entry.kind is NuSVC
    np.testing.assert_allclose(factor * replayed, own, rtol=ROUNDING)
    assert step.dual == pytest.approx(model.certificate_.dual, rel=ROUNDING)


@ENTRY
def test_prediction_changes_neither_the_pickle_nor_the_hash(entry):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    before = pickle.dumps(model), joblib.hash(model)
    model.predict(X)
    values(model, X[:7])
    assert (pickle.dumps(model), joblib.hash(model)) == before


@pytest.mark.parametrize("seed", [None, 3])
@ENTRY
def test_same_seed_gives_the_same_bits(entry, seed):
    X, y = data(entry, 500)
    one, two = (make(entry, tol=1e-3, random_state=seed, n_jobs=1).fit(X, y) for _ in range(2))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.certificate_ == two.certificate_


@ENTRY
def test_other_seed_gives_the_same_machine_to_tolerance(entry):
    X, y = data(entry)
    one, two = (make(entry, random_state=seed).fit(X, y) for seed in (1, 2))
    assert_same_machine(one, two, X)


@ENTRY
def test_weight_zero_is_absence(entry):
    X, y = data(entry)
    v = np.where(np.arange(N) % 4 == 0, 0.0, 1.0)
    weighted, absent = make(entry).fit(X, y, sample_weight=v), make(entry).fit(X[v > 0], y[v > 0])
    assert_same_machine(weighted, absent, X)
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(v)[absent.support_])
    assert weighted.certificate_.rows == absent.certificate_.rows


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@ENTRY
def test_weight_two_is_repetition(entry, kernel):
    X, y = data(entry)
    X += 2  # away from the origin, else there is no plane between it and one class
    k = 1 + np.arange(N) % 2
    more = {"nu": 0.7} if entry.kind is NuSVC else {}
    weighted = make(entry, kernel=kernel, **more).fit(X, y, sample_weight=k)
    repeated = make(entry, kernel=kernel, **more).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)
    # A linear function has few free rows, so what is violated moves its values by more.
    assert_same_machine(weighted, repeated, X, atol=10 * SAME)


@ENTRY
def test_weights_of_one_change_nothing(entry):
    X, y = data(entry)
    np.testing.assert_array_equal(
        values(make(entry).fit(X, y, sample_weight=np.ones(N)), X), values(make(entry).fit(X, y), X)
    )


@ENTRY
def test_row_order_does_not_matter(entry):
    X, y = data(entry)
    order = np.random.default_rng(4).permutation(N)
    assert_same_machine(make(entry).fit(X[order], y[order]), make(entry).fit(X, y), X)


@pytest.mark.parametrize("n", [N, 1500])
@ENTRY
def test_number_of_threads_does_not_matter(entry, n):
    X, y = data(entry, n)
    # From a thousand rows on more is shared among threads; a coarser tolerance keeps it short.
    tol = TOL if n == N else 1e-6
    one, two = (make(entry, n_jobs=jobs, tol=tol).fit(X, y) for jobs in (1, 2))
    assert_same_machine(one, two, X, atol=SAME * tol / TOL)


@ENTRY
def test_float32_rows_are_taken_for_the_numbers_they_are(entry):
    X, y = data(entry)
    X32 = X.astype(np.float32)
    model, expected = make(entry).fit(X32, y), make(entry).fit(X32.astype(np.float64), y)
    assert_same_machine(model, expected, X32.astype(np.float64))
    # Rows in float32 are evaluated in float32.
    np.testing.assert_allclose(values(model, X32), values(model, X32.astype(np.float64)), rtol=1e-5, atol=1e-5)
    assert values(model, X32).dtype == np.float64


@pytest.mark.parametrize("convert", [np.asfortranarray, lambda X: X.tolist(), lambda X: np.repeat(X, 2, axis=0)[::2]])
@ENTRY
def test_layout_of_the_rows_does_not_matter(entry, convert):
    X, y = data(entry)
    assert_same_machine(make(entry).fit(convert(X), y), make(entry).fit(X, y), X)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@ENTRY
def test_sparse_rows_give_the_machine_of_dense_rows(entry, layout, kernel):
    X, y = data(entry)
    X[np.abs(X) < 0.6] = 0
    one, other = (make(entry, kernel=kernel, coef0=1.0).fit(rows, y) for rows in (layout(X), X))
    assert_same_machine(one, other, X, atol=20 * SAME)
    np.testing.assert_allclose(values(one, layout(X)), values(one, X), rtol=1e-9, atol=1e-9)
    assert sp.issparse(one.support_vectors_)


@ENTRY
def test_frame_gives_the_names_of_the_features(entry):
    X, y = data(entry)
    frame = pd.DataFrame(X, columns=["sepal", "petal", "stem", "root"])
    model = make(entry).fit(frame, pd.Series(y))
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    np.testing.assert_array_equal(values(model, frame), values(make(entry).fit(X, y), X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["petal", "sepal", "stem", "root"]])
    assert not hasattr(model.fit(X, y), "feature_names_in_")


@ENTRY
def test_kernel_object_callable_and_matrix_give_the_machine_of_the_name(entry):
    X, y = data(entry)
    expected = make(entry).fit(X, y)
    kernel = mercer.RBF(GAMMA)
    K = kernel(X)
    assert_same_machine(make(entry, kernel=kernel).fit(X, y), expected, X)
    assert_same_machine(make(entry, kernel=lambda A, B: kernel(A, B)).fit(X, y), expected, X)
    precomputed = make(entry, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(values(precomputed, K), values(expected, X), rtol=0, atol=100 * SAME)


@ENTRY
def test_large_fit_is_proved_and_agrees_with_a_small_budget(entry):
    """From about a thousand rows on the solver goes through samples and active sets, and keeps what memory allows."""
    X, y = data(entry, 2500)
    plain = make(entry, tol=1e-4).fit(X, y)
    tight = make(entry, tol=1e-4, cache_size=1).fit(X, y)
    for model in (plain, tight):
        assert model.status_ is Status.SOLVED
        assert mercer.certify(model, X, y).holds(1e-4)
    assert tight.certificate_.dual == pytest.approx(plain.certificate_.dual, rel=1e-6)
    size = max(1.0, np.abs(plain.intercept_[0]))
    np.testing.assert_allclose(values(tight, X[:200]), values(plain, X[:200]), rtol=0, atol=1e-2 * size)


@pytest.mark.parametrize("gap_tol", [1e-3, 1e-8])
@ENTRY
def test_gap_tol_is_reached(entry, gap_tol):
    X, y = data(entry)
    model = make(entry, tol=0.1, gap_tol=gap_tol).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.relative_gap <= gap_tol
