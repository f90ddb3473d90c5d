"""Pivots are those of a Cholesky decomposition of the dense matrix, whatever form the rows have."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, CallableKernel, KernelError, Laplacian, Linear, Polynomial, Precomputed
from mercer.rows import rows_of
from mercer.rows.pivots import pivots


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).standard_normal((120, 5))


def dense_pivots(K, count):
    chosen, left = [], K.copy()
    for _ in range(count):
        pivot = int(np.argmax(np.diagonal(left)))
        chosen.append(pivot)
        left -= np.outer(left[pivot], left[pivot]) / left[pivot, pivot]
    return chosen


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.3), Polynomial(2) + Linear()], ids=str)
@pytest.mark.parametrize("form", ["dense", "sparse", "matrix", "function"])
def test_pivots_are_those_of_the_dense_matrix(X, kernel, form):
    K = kernel(X)
    if form == "matrix":
        rows = rows_of(Precomputed(), K)
    elif form == "function":
        rows = rows_of(CallableKernel(kernel), X)
    else:
        rows = rows_of(kernel, sp.csr_matrix(X) if form == "sparse" else X)
    assert pivots(rows, 20, threads=2).tolist() == dense_pivots(K, 20)


def test_pivots_are_as_many_as_the_rank(X):
    twice = np.vstack([X, X])
    assert len(pivots(rows_of(Linear(), twice), 50, threads=1)) == 5
    assert len(pivots(rows_of(RBF(10.0), twice), 240, threads=1)) == 120


def test_pivots_of_nothing_are_none():
    assert len(pivots(rows_of(Linear(), np.zeros((4, 2))), 3, threads=1)) == 0


def test_values_that_overflow_are_an_error():
    with pytest.raises(KernelError, match="overflow"):
        pivots(rows_of(Polynomial(3), np.array([[1.0, 0.0], [1e60, 0.0]])), 2, threads=1)


def left_by(K, chosen):
    """What the rows that are chosen leave of the diagonal."""
    return np.diagonal(K - K[:, chosen] @ np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen])).copy()


def test_blocks_of_greedy_pivots_have_nearly_the_largest_that_is_left(X, monkeypatch):
    monkeypatch.setattr("mercer.rows.pivots._ONE_BY_ONE", 0)
    K = RBF(0.3)(X)
    chosen = pivots(rows_of(RBF(0.3), X), 40, threads=1)
    assert len(np.unique(chosen)) == 40
    for count in range(1, 40):
        left = left_by(K, chosen[:count])
        assert left[chosen[count]] >= (0.9 - 1e-9) * left.max()
    assert len(pivots(rows_of(Linear(), np.vstack([X, X])), 50, threads=1)) == 5


@pytest.mark.parametrize("form", ["dense", "sparse", "matrix", "function"])
def test_random_pivots_are_different_rows_and_as_many_as_the_rank(X, form):
    twice = np.vstack([X, X])
    kernel = Polynomial(2) + Linear()
    forms = {
        "dense": rows_of(kernel, twice),
        "sparse": rows_of(kernel, sp.csr_matrix(twice)),
        "matrix": rows_of(Precomputed(), kernel(twice)),
        "function": rows_of(CallableKernel(kernel), twice),
    }
    chosen = pivots(forms[form], 100, threads=1, random=np.random.RandomState(0))
    assert len(np.unique(chosen)) == len(chosen) == 21
    assert np.abs(left_by(kernel(twice), chosen)).max() < 1e-6
    same = pivots(forms[form], 100, threads=1, random=np.random.RandomState(0))
    np.testing.assert_array_equal(chosen, same)


@pytest.mark.parametrize("candidates", [1, 4, 64])
def test_random_pivots_have_the_chances_of_one_after_the_other(candidates, monkeypatch):
    """Pairs of pivots beside the chances that a drawing in proportion to what is left gives them."""
    monkeypatch.setattr("mercer.rows.pivots._FEWEST_CANDIDATES", candidates)
    monkeypatch.setattr("mercer.rows.pivots._MOST_CANDIDATES", candidates)
    X = np.array([[0.0], [0.5], [1.0], [4.0]])
    kernel, draws = RBF(0.5), 4000
    K = kernel(X)
    expected = np.zeros((4, 4))
    for first in range(4):
        left = K.diagonal() - K[first] ** 2 / K[first, first]
        expected[first] = np.maximum(left, 0) / left.sum() / 4
    found, random = np.zeros((4, 4)), np.random.RandomState(0)
    rows = rows_of(kernel, X)
    for _ in range(draws):
        found[tuple(pivots(rows, 2, threads=1, random=random))] += 1 / draws
    # Four standard errors of a share.
    np.testing.assert_allclose(found, expected, atol=4 * np.sqrt(0.1 / draws))


def test_random_pivots_leave_less_than_greedy_and_uniform_ones_where_the_kernel_is_narrow():
    random = np.random.RandomState(0)
    # Many rows in a heap, and some far out, which greedy pivots take first.
    X = np.vstack([0.3 * random.normal(size=(900, 3)), 6 * random.normal(size=(100, 3))])
    K, rows = RBF(1.0)(X), rows_of(RBF(1.0), X)
    by_chance = np.mean([left_by(K, pivots(rows, 50, 1, np.random.RandomState(k))).sum() for k in range(5)])
    uniform = np.mean([left_by(K, random.permutation(1000)[:50]).sum() for _ in range(5)])
    assert by_chance < left_by(K, pivots(rows, 50, 1)).sum()
    assert by_chance < uniform
