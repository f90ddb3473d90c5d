"""The kinds of rows answer alike: features, a matrix of their kernel values, and a function that gives these."""

import time

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, CallableKernel, KernelError, Linear, Polynomial, Precomputed, Sigmoid
from mercer.rows import Budget, GramPlan, LinearRows, Rows, Source, Subset, expansion_kind, plan_gram, rows_of
from mercer.rows.callable import CallableExpansion, CallableRows
from mercer.rows.features import FeatureExpansion, FeatureRows
from mercer.rows.linear import LinearExpansion
from mercer.rows.matrix import MatrixExpansion, MatrixRows

SAME = 1e-12
KERNEL = RBF(0.3)
X = np.random.default_rng(0).normal(size=(60, 4))
K = KERNEL.matrix(X, X)


def in_a_minute():
    return time.perf_counter() + 60


KINDS = {
    "features": lambda: rows_of(KERNEL, X),
    "sparse features": lambda: rows_of(KERNEL, sp.csr_matrix(X)),
    "matrix": lambda: rows_of(Precomputed(), K),
    "callable": lambda: rows_of(CallableKernel(KERNEL.matrix), X),
    "callable with a deadline": lambda: rows_of(CallableKernel(KERNEL.matrix), X, in_a_minute()),
}
BY_KIND = pytest.mark.parametrize("kind", KINDS)


def groups(seed=1):
    """Targets, sources and coefficients of three sets of rows; some coefficients are zero, and some rows twice."""
    random = np.random.default_rng(seed)
    targets = [random.integers(0, 60, size) for size in (7, 60, 1)]
    sources = [random.integers(0, 60, size) for size in (20, 5, 60)]
    coefs = [random.normal(size=len(own)) * (random.random(len(own)) < 0.7) for own in sources]
    return targets, sources, coefs


# ---------------------------------------------------------------- which kind


@pytest.mark.parametrize(
    ("kernel", "kind", "expansion"),
    [
        (RBF(0.3), FeatureRows, FeatureExpansion),
        (Linear() + RBF(0.3), FeatureRows, FeatureExpansion),
        (2.0 * Linear(), FeatureRows, FeatureExpansion),
        (Linear(), LinearRows, LinearExpansion),
        (Precomputed(), MatrixRows, MatrixExpansion),
        (CallableKernel(np.dot), CallableRows, CallableExpansion),
        (CallableKernel(np.dot) + RBF(0.3), CallableRows, CallableExpansion),
    ],
    ids=["computed", "sum", "scaled", "linear", "matrix", "callable", "sum with a callable"],
)
def test_kernel_says_which_kind_it_is(kernel, kind, expansion):
    rows = rows_of(kernel, K if kernel.is_pairwise else X)
    assert type(rows) is kind
    assert isinstance(rows, Rows)
    assert expansion_kind(kernel) is expansion
    assert rows.is_computed == issubclass(kind, FeatureRows)


# ---------------------------------------------------------------- the same answers


@BY_KIND
def test_facts_of_the_rows_are_the_same(kind):
    rows = KINDS[kind]()
    assert len(rows) == 60
    np.testing.assert_allclose(rows.diagonal, np.diagonal(K), rtol=SAME)
    assert rows.diagonal is rows.diagonal
    sizes = np.outer(rows.magnitude, rows.magnitude)
    assert np.all(np.abs(K) <= sizes * (1 + SAME))
    assert rows.rounding.shape == rows.rounding_size.shape == (60,)
    assert np.all(rows.rounding <= rows.rounding_bound)
    assert [one.kernel for one in rows.terms] == [rows.kernel]


@BY_KIND
def test_values_are_the_same(kind):
    rows, some, others = KINDS[kind](), np.array([3, 59, 3, 0]), np.array([10, 3])
    np.testing.assert_allclose(rows.values(some), K[np.ix_(some, some)], rtol=SAME)
    np.testing.assert_allclose(rows.values(some, others), K[np.ix_(some, others)], rtol=SAME)
    np.testing.assert_allclose(rows.values(np.arange(60)), K, rtol=SAME)
    assert rows.values(some).dtype == np.float64
    watched = rows.watched(lambda: None)
    np.testing.assert_allclose(watched.values(some), K[some], rtol=SAME)
    np.testing.assert_allclose(watched.values(some, others), K[np.ix_(some, others)], rtol=SAME)


@BY_KIND
@pytest.mark.parametrize("threads", [1, 2])
def test_expansions_are_the_same(kind, threads):
    rows, (targets, sources, coefs) = KINDS[kind](), groups()
    found = rows.expand(targets, sources, coefs, threads)
    for own, at, of, coef in zip(found, targets, sources, coefs, strict=True):
        np.testing.assert_allclose(own, K[np.ix_(at, of)] @ coef, rtol=SAME, atol=SAME)
        until = rows.expand_until(at, of, coef, in_a_minute())
        np.testing.assert_allclose(until, K[np.ix_(at, of)] @ coef, rtol=SAME, atol=SAME)


@BY_KIND
def test_expansions_of_nothing_are_zero_and_at_no_rows_empty(kind):
    rows, all_rows, none = KINDS[kind](), np.arange(60), np.empty(0, dtype=np.int64)
    zero, empty = rows.expand([all_rows, none], [all_rows, all_rows], [np.zeros(60), np.ones(60)], 1)
    np.testing.assert_array_equal(zero, np.zeros(60))
    assert empty.shape == (0,)


@BY_KIND
def test_twofold_values_are_the_same(kind):
    some = np.array([5, 2, 40])
    high, low = KINDS[kind]().twofold_values(some, 1)
    np.testing.assert_allclose(high, K[np.ix_(some, some)], rtol=SAME)
    assert np.abs(low).max() <= 1e-15


@BY_KIND
def test_subset_is_some_of_the_rows(kind):
    rows, members = KINDS[kind](), np.array([50, 7, 8, 9, 0])
    subset = rows.subset(members)
    assert isinstance(subset, Subset)
    assert subset.rows is rows
    assert subset.size == 5
    own = K[np.ix_(members, members)]
    np.testing.assert_allclose(subset.diagonal, np.diagonal(own), rtol=SAME)
    np.testing.assert_allclose(subset.values(), own, rtol=SAME)
    positions = np.array([4, 1])
    np.testing.assert_allclose(subset.values(positions), own[np.ix_(positions, positions)], rtol=SAME)
    coef = np.array([1.0, -2.0, 0.0, 3.0, 0.5])
    np.testing.assert_allclose(subset.products(coef, 1), own @ coef, rtol=SAME, atol=SAME)


@BY_KIND
def test_taken_rows_are_rows_of_their_own(kind):
    rows, members = KINDS[kind](), np.array([50, 7, 8, 9, 0])
    taken = rows.taken(members)
    assert type(taken) is type(rows)
    assert len(taken) == 5
    assert (taken.kernel, taken.deadline) == (rows.kernel, rows.deadline)
    own = K[np.ix_(members, members)]
    np.testing.assert_allclose(taken.diagonal, np.diagonal(own), rtol=SAME)
    np.testing.assert_allclose(taken.values(np.arange(5)), own, rtol=SAME)
    coef = np.array([1.0, -2.0, 0.0, 3.0, 0.5])
    (found,) = taken.expand([np.arange(5)], [np.arange(5)], [coef], 1)
    np.testing.assert_allclose(found, own @ coef, rtol=SAME, atol=SAME)


@BY_KIND
def test_copied_rows_hear_nothing_of_later_changes(kind):
    source = KINDS[kind]()
    rows = source.copied()
    own = rows_of(rows.kernel, rows.X)  # as the user has them
    kept, some = own.copied(), np.array([1, 2, 30])
    expected = own.values(some)
    own.X[:] = own.X[:] * 0 if not sp.issparse(own.X) else 0
    np.testing.assert_array_equal(kept.values(some), expected)
    np.testing.assert_allclose(expected, K[np.ix_(some, some)], rtol=SAME)
    assert rows.deadline == np.inf


@BY_KIND
def test_rows_without_copies_are_the_same(kind):
    rows, some = KINDS[kind](), np.array([1, 2, 30])
    known = rows.diagonal
    fresh = rows.without_copies()
    assert type(fresh) is type(rows)
    assert fresh.diagonal is known
    assert fresh.X is rows.X
    assert not fresh.is_prepared32
    assert fresh.is_hurried == rows.is_hurried == (kind == "callable with a deadline")
    np.testing.assert_array_equal(fresh.values(some), rows.values(some))


@pytest.mark.parametrize("kind", ["features", "sparse features"])
def test_expansions_in_float32_are_near(kind):
    rows, (targets, sources, coefs) = KINDS[kind](), groups()
    assert not rows.is_prepared32
    coarse = rows.expand(targets, sources, coefs, 1, np.float32)
    assert rows.is_prepared32
    assert not rows.without_copies().is_prepared32
    for own, fine in zip(coarse, rows.expand(targets, sources, coefs, 1), strict=True):
        np.testing.assert_allclose(own, fine, atol=1e-5)
        assert own.dtype == np.float64
        assert (own != fine).any()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_linear_rows_go_through_weights_to_the_same_sums(form):
    rows, (targets, sources, coefs) = rows_of(Linear(), form(X)), groups()
    assert isinstance(rows, LinearRows)
    np.testing.assert_allclose(rows.norms, np.linalg.norm(X, axis=1), rtol=SAME)
    np.testing.assert_allclose(rows.measured(2), rows.norms, rtol=SAME)
    plain = rows_of(CallableKernel(lambda A, B: (A @ B.T).toarray() if sp.issparse(A) else A @ B.T), form(X))
    expected = plain.expand(targets, sources, coefs, 1)
    for own, wanted in zip(rows.expand(targets, sources, coefs, 2), expected, strict=True):
        np.testing.assert_allclose(own, wanted, rtol=SAME, atol=SAME)
    np.testing.assert_allclose(rows.diagonal, np.square(X).sum(axis=1), rtol=SAME)


def test_maps_are_offered_where_there_are_some():
    assert rows_of(KERNEL, X).map_size is None
    assert rows_of(Linear(), X).map_size == 4
    assert not rows_of(Linear(), X).is_map_copied
    poly = rows_of(Polynomial(2, 1.0, 1.0), X)
    assert poly.mapped.X.shape == (60, poly.map_size)
    assert poly.is_map_copied
    np.testing.assert_allclose(poly.mapped.X @ poly.mapped.X.T, poly.values(np.arange(60)), rtol=1e-10)
    assert rows_of(Precomputed(), K).map_size is None
    assert "kernel values" in rows_of(Precomputed(), K).why_no_map
    assert rows_of(CallableKernel(np.dot), X).map_size is None


def test_definiteness_is_that_of_the_kernel():
    assert rows_of(KERNEL, X).is_definite is True
    assert rows_of(Sigmoid(0.1, 0.0), X).is_definite is False
    assert rows_of(CallableKernel(KERNEL.matrix), X).is_definite is CallableKernel(KERNEL.matrix).is_definite


def test_sum_of_kernels_has_rows_for_each_of_them():
    rows = rows_of(RBF(0.3) + CallableKernel(lambda A, B: A @ B.T), X)
    assert [type(one) for one in rows.terms] == [FeatureRows, CallableRows]
    total = sum(one.values(np.arange(9)) for one in rows.terms)
    np.testing.assert_allclose(rows.values(np.arange(9)), total, rtol=SAME)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(wrong):
    broken = K.copy()
    broken[2, 5] = broken[5, 2] = wrong
    all_rows = np.arange(60)
    for rows in (rows_of(Precomputed(), broken), rows_of(CallableKernel(lambda A, B: broken[: len(A), : len(B)]), X)):
        with pytest.raises(KernelError):
            rows.values(all_rows)
        with pytest.raises(KernelError):
            rows.expand([all_rows], [all_rows], [np.ones(60)], 1)


# ---------------------------------------------------------------- how they are served


@BY_KIND
@pytest.mark.parametrize("exact", [False, True])
def test_plan_says_how_values_are_served(kind, exact):
    rows = KINDS[kind]()
    plan = plan_gram(rows, [600, 30], Budget(100_000_000, 2), exact)
    assert isinstance(plan, GramPlan)
    source = {"matrix": Source.STORED, "callable": Source.STORED, "callable with a deadline": Source.SOURCED}
    assert plan.source is source.get(kind, Source.COMPUTED)
    precisions = [np.float32, np.float64] if "features" in kind and not exact else [np.float64]
    assert list(plan.block_rows) == precisions
    assert plan.first_sample == (64 if rows.is_hurried else 512)
    assert str(plan).startswith("Kernel values are ")
    for dtype in precisions:
        assert type(rows.gram(np.arange(30), plan, dtype)).__name__ == f"Gram{np.dtype(dtype).itemsize * 8}"


def test_values_of_few_rows_are_float64_whoever_serves_them():
    for kind in KINDS:
        assert list(plan_gram(KINDS[kind](), [128, 30], Budget(100_000_000, 2)).block_rows) == [np.float64]


def test_values_of_a_function_that_do_not_fit_are_asked_for_again():
    rows = KINDS["callable"]()
    assert plan_gram(rows, [60], Budget(10_000, 1)).source is Source.SOURCED
    assert plan_gram(rows, [60], Budget(10_000_000, 1)).source is Source.STORED


# ---------------------------------------------------------------- new rows


SUPPORT = np.array([4, 11, 30, 31, 59], dtype=np.int32)
COEF = np.array([1.0, -2.0, 0.5, 3.0, -0.1])
NEW = np.random.default_rng(5).normal(size=(8, 4))


@BY_KIND
def test_expansions_at_new_rows_are_the_same(kind):
    from mercer.machines import SingleMachine

    rows = KINDS[kind]()
    coef = np.zeros(60)
    coef[SUPPORT] = COEF
    machine = SingleMachine.of_rows(rows, np.arange(60), coef, np.array([0.25]))
    queries = KERNEL.matrix(NEW, X) if kind == "matrix" else NEW
    if kind == "sparse features":
        queries = sp.csr_matrix(queries)
    values = KERNEL.matrix(NEW, X[SUPPORT])
    np.testing.assert_allclose(machine.values(queries, 1)[:, 0], values @ COEF + 0.25, rtol=SAME, atol=SAME)
    expansion = machine.expansion
    np.testing.assert_allclose(expansion.values(queries), values, rtol=SAME)
    np.testing.assert_allclose(expansion.precise(queries, 1)[:, 0], values @ COEF, rtol=SAME, atol=SAME)
    gram = K if kind == "matrix" else None
    np.testing.assert_allclose(expansion.at_centres(gram, 1)[:, 0], K[SUPPORT] @ coef, rtol=SAME, atol=SAME)
    assert expansion.weights is None
    assert expansion.has_float32 == ("features" in kind)
