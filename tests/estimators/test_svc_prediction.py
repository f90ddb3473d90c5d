"""Prediction: from support vectors alone, row by row as in a batch, dense as sparse, from an immutable machine."""

import dataclasses
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm

import mercer
from mercer import RBF, SVC, Linear, MercerError, Polynomial
from mercer.machines import KernelMachine, decisive

# Sums of some hundred products in another order.
SUMMATION_ORDER = 1e-10
# Values of single queries in float32.
SINGLE_PRECISION = 1e-4

KERNELS = ["rbf", "linear", "poly", "sigmoid", "laplacian", RBF(0.3) + 2 * Polynomial(2), RBF(0.3) * Linear()]


@pytest.fixture(scope="module", params=[2, 4], ids=["two classes", "four classes"])
def labelled(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6)) * (rng.random((300, 6)) < 0.6)
    y = (X @ rng.standard_normal((6, request.param))).argmax(axis=1)
    return X, np.where(rng.random(300) < 0.1, rng.integers(0, request.param, 300), y)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_one_row_gets_what_it_gets_in_a_batch(labelled, kernel, kind):
    X, y = labelled
    model = SVC(kernel=kernel, decision_function_shape="ovo").fit(kind(X), y)
    batch = model.decision_function(kind(X))
    alone = np.concatenate([model.decision_function(kind(X[i : i + 1])) for i in range(40)])
    np.testing.assert_allclose(alone, batch[:40], rtol=0, atol=SUMMATION_ORDER)
    np.testing.assert_array_equal(model.predict(kind(X[7:8])), model.predict(kind(X))[7:8])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_dense_and_sparse_fit_and_query_agree(labelled, kernel):
    X, y = labelled
    values = [
        SVC(kernel=kernel, tol=1e-8, gamma=0.2, decision_function_shape="ovo")
        .fit(fitted(X), y)
        .decision_function(asked(X))
        for fitted, asked in ((np.asarray, np.asarray), (sp.csr_matrix, np.asarray), (sp.csr_matrix, sp.csr_matrix))
    ]
    # Values of one machine differ by summation order, and few sparse rows are the machine of dense ones.
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], rtol=0, atol=SUMMATION_ORDER)


def test_sparse_queries_of_a_machine_of_dense_rows_are_refused_as_in_scikit_learn(labelled):
    X, y = labelled
    for module in (mercer, sklearn.svm):
        with pytest.raises(ValueError, match="cannot use sparse input in 'SVC' trained on dense data"):
            module.SVC().fit(X, y).predict(sp.csr_matrix(X))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_float32_queries_agree_with_float64_ones(labelled, kernel):
    X, y = labelled
    model = SVC(kernel=kernel, decision_function_shape="ovo").fit(X, y)
    single, double = X.astype(np.float32), X.astype(np.float32).astype(np.float64)
    np.testing.assert_allclose(
        model.decision_function(single), model.decision_function(double), rtol=0, atol=SINGLE_PRECISION
    )


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_number_of_threads_does_not_change_values(labelled, threads):
    X, y = labelled
    model = SVC(n_jobs=1).fit(X, y)
    alone = model.decision_function(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=threads).decision_function(X), alone)


def test_several_threads_may_predict_at_once(labelled):
    X, y = labelled
    model = SVC().fit(X, y)
    expected = SVC().fit(X, y).decision_function(X)
    with ThreadPoolExecutor(8) as pool:
        for values in pool.map(lambda _: model.decision_function(X), range(64)):
            np.testing.assert_array_equal(values, expected)


def test_callable_kernel_is_asked_about_support_vectors_only(labelled):
    X, y = labelled
    asked = []

    def dot(A, B):
        asked.append((A.shape, B.shape))
        return A @ B.T

    model = SVC(kernel=dot, C=0.1).fit(X, y)
    assert len(model.support_) < len(X)
    asked.clear()
    values = model.decision_function(X[:9])
    assert asked == [((9, 6), (len(model.support_), 6))]
    np.testing.assert_allclose(values, SVC(kernel="linear", C=0.1).fit(X, y).decision_function(X[:9]), atol=1e-2)


@pytest.mark.parametrize("fitted", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("asked", [np.asarray, sp.csr_matrix])
def test_callable_kernel_sees_the_kind_of_matrix_it_was_fitted_on(labelled, fitted, asked):
    X, y = labelled
    kinds = set()

    def dot(A, B):
        kinds.update((sp.issparse(A), sp.issparse(B)))
        return A @ B.T

    model = SVC(kernel=dot).fit(fitted(X), y)
    values = model.decision_function(asked(X))
    assert kinds == {sp.issparse(fitted(X))}
    np.testing.assert_allclose(values, SVC(kernel="linear").fit(X, y).decision_function(X), atol=1e-2)


def test_precomputed_kernel_reads_columns_of_support_vectors_only(labelled):
    X, y = labelled
    model = SVC(kernel="precomputed", C=0.1).fit(X @ X.T, y)
    K = X[:20] @ X.T
    elsewhere = np.setdiff1d(np.arange(len(X)), model.support_)
    assert len(elsewhere) > 0
    disturbed = K.copy()
    disturbed[:, elsewhere] = 1e30
    np.testing.assert_array_equal(model.decision_function(disturbed), model.decision_function(K))


def test_prediction_for_no_support_vectors_is_the_intercept():
    X = np.zeros((10, 2))
    model = SVC(kernel="linear", C=1e-12).fit(X, np.arange(10) % 2)
    assert np.isfinite(model.decision_function(np.ones((3, 2)))).all()


READ_ONLY = ["support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "coef_", "classes_"]


@pytest.mark.parametrize("name", READ_ONLY)
def test_fitted_arrays_are_read_only(labelled, name):
    array = getattr(SVC(kernel="linear").fit(*labelled), name)
    with pytest.raises(ValueError, match="read-only"):
        array.flat[0] = array.flat[0]


@pytest.mark.parametrize("name", READ_ONLY)
def test_fitted_attributes_cannot_be_set(labelled, name):
    model = SVC(kernel="linear").fit(*labelled)
    with pytest.raises(AttributeError):
        setattr(model, name, getattr(model, name))


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_sparse_support_vectors_are_read_only(labelled, part):
    X, y = labelled
    array = getattr(SVC().fit(sp.csr_matrix(X), y).support_vectors_, part)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = array[0]


def test_machine_itself_is_frozen(labelled):
    machine = SVC().fit(*labelled)._machine
    with pytest.raises(dataclasses.FrozenInstanceError):
        machine.intercept = np.zeros(1)


def test_refit_leaves_arrays_taken_earlier_unchanged(labelled):
    X, y = labelled
    model = SVC().fit(X, y)
    coef, kept = model.dual_coef_, model.dual_coef_.copy()
    model.set_params(C=0.01).fit(X, y)
    np.testing.assert_array_equal(coef, kept)
    assert model.dual_coef_.shape != kept.shape or not np.array_equal(model.dual_coef_, kept)


def test_users_later_changes_to_the_data_do_not_reach_the_machine(labelled):
    X, y = labelled
    for kind in (np.array, sp.csr_matrix):
        mine = kind(X)
        model = SVC(kernel="linear").fit(mine, y)
        before = model.decision_function(X)
        if sp.issparse(mine):
            mine.data[:] = 1e9
        else:
            mine[:] = 1e9
        np.testing.assert_array_equal(model.decision_function(X), before)


def test_unpickled_machine_with_arrays_that_do_not_fit_is_refused(labelled):
    machine = SVC().fit(*labelled)._machine
    for name, wrong in {
        "dual_coef": machine.dual_coef[:, :-1],
        "intercept": np.full_like(machine.intercept, np.nan),
        "support": machine.support[:-1],
        "support_vectors": machine.support_vectors[:, :-1],
    }.items():
        state = {**machine.__dict__, name: wrong}
        state.pop("expansion", None)
        with pytest.raises(MercerError, match=f"{name}.*do not fit together.*Fit the estimator again"):
            object.__new__(type(machine)).__setstate__(state)


TAMPER = """
    import numpy as np, scipy.sparse as sp
    from mercer import SVC
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4)); y = rng.integers(0, 2, 80)
    model = SVC().fit(sp.csr_matrix(X), y)
    before = SVC().fit(sp.csr_matrix(X), y).decision_function(X)
    try:
        model.support_vectors_.{change}
        print("same", np.array_equal(model.decision_function(X), before))
    except Exception as error:
        print("refused", error)
"""


@pytest.mark.parametrize("change", ["indices[:] = 10**6", "indptr[1:] = 10**7", "data[:] = np.nan"])
def test_tampered_sparse_support_vectors_are_refused_or_without_effect(change):
    script = textwrap.dedent(TAMPER.format(change=change))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(("refused", "same True")), run.stdout


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", RBF(0.3) + 2 * Polynomial(2)], ids=str)
def test_float32_votes_are_those_of_float64_even_on_the_boundary(labelled, kernel, monkeypatch):
    X, y = labelled
    model = SVC(kernel=kernel, decision_function_shape="ovo").fit(X, y)

    def decision(rows):
        return model.decision_function(rows).reshape(len(rows), -1)

    # Queries between two rows on either side of the first hyperplane, as near to it as float64 goes.
    first = decision(X)[:, 0]
    low, high = X[first < 0][:40], X[first > 0][:40]
    count = min(len(low), len(high))
    low, high = low[:count].copy(), high[:count].copy()
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = decision(middle)[:, 0] > 0
        high[above], low[~above] = middle[above], middle[~above]
    queries = np.concatenate([X, low, high, 0.5 * (low + high)])
    assert np.abs(decision(high)[:, 0]).max() < 1e-9

    again = rows_asked_in_float64(model, queries, monkeypatch)
    assert 3 * count <= again < len(queries)


def rows_asked_in_float64(model, queries, monkeypatch):
    """How many there are in a prediction by float32, which must be that by float64."""
    expected = model.predict(queries)
    asked, real = [], KernelMachine.values

    def values(self, X, threads, dtype):
        asked.append((X.shape[0], dtype))
        return real(self, X, threads, dtype)

    with monkeypatch.context() as patched:
        patched.setattr(decisive, "_WORTH_FLOAT32", 0)
        patched.setattr(KernelMachine, "values", values)
        np.testing.assert_array_equal(model.predict(queries), expected)
    assert (queries.shape[0], np.float32) in asked
    return sum(rows for rows, dtype in asked if dtype is np.float64)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", RBF(0.3) + 2 * Polynomial(2)], ids=str)
def test_largest_value_in_float32_is_that_of_float64_even_where_two_are_the_same(kernel, kind, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = (X @ rng.standard_normal((6, 4))).argmax(axis=1)
    model = SVC(kernel=kernel, multi_class="ovr").fit(kind(X), y)

    # Queries between two rows of unlike classes, where the largest value passes from one to the other.
    labels = model.predict(X)
    low, high = X[labels == 0][:40].copy(), X[labels == 1][:40].copy()
    for _ in range(60):
        middle = 0.5 * (low + high)
        left = model.decision_function(middle).argmax(axis=1) == 0
        low[left], high[~left] = middle[left], middle[~left]
    lead = np.sort(model.decision_function(low), axis=1)
    assert (lead[:, -1] - lead[:, -2]).max() < 1e-9
    queries = kind(np.concatenate([X, low, high]))
    again = rows_asked_in_float64(model, queries, monkeypatch)
    assert len(low) + len(high) <= again < queries.shape[0]


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_rows_of_zeros_do_not_hide_what_float32_is_off_by(multi_class, monkeypatch):
    """Of a homogeneous polynomial they have no magnitude, and no error to measure."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 4))
    X[::10] = 0
    y = (X @ rng.standard_normal((4, 3))).argmax(axis=1)
    model = SVC(kernel=Polynomial(2, coef0=0), multi_class=multi_class).fit(X, y)
    assert rows_asked_in_float64(model, X, monkeypatch) < len(X)


def test_long_rows_among_others_get_the_label_they_get_alone():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 5))
    model = SVC(kernel="linear").fit(X, X[:, 0] + X[:, 1] > 0)
    queries = rng.standard_normal((40_000, 5))
    # Long rows next to the hyperplane: what they are off by in float32 is more than their distance from it.
    w, b = model.coef_[0], model.intercept_[0]
    along = rng.standard_normal((20, 5))
    along -= np.outer(along @ w / (w @ w), w)
    signs = np.where(np.arange(20) % 2 == 0, 0.3, -0.3)
    queries[1000:21000:1000] = 1e6 * along + np.outer((signs - b) / (w @ w), w)
    batch = model.predict(queries)
    alone = [model.predict(row[None])[0] for row in queries[1000:21000:1000]]
    np.testing.assert_array_equal(batch[1000:21000:1000], alone)
    np.testing.assert_array_equal(batch, model.decision_function(queries) > 0)
