"""All α at once: a band and a spectrum against inverses, whatever the number of rows."""

import numpy as np
import pytest

from mercer import RBF, Sigmoid
from mercer.kernels import Precomputed
from mercer.rows import rows_of
from mercer.solvers.systems import with_all_alphas
from mercer.solvers.systems.band import _WIDTH, Band
from mercer.solvers.systems.spectrum import Spectrum

ALPHAS = np.array([0.01, 0.5, 30.0])


def matrix(n, rank=None):
    random = np.random.default_rng(n)
    F = random.normal(size=(n, rank or n))
    return F @ F.T / n


def diagonals_and_forms(rows, roots):
    """The diagonals, and the forms that were tried for them."""
    kinds = []

    def diagonals(form):
        kinds.append(type(form))
        return form.diagonals(ALPHAS)

    found = with_all_alphas(rows, roots, 2, diagonals)
    return kinds, found


FORMS = {"band": lambda A, roots: Band(A, roots, 2), "spectrum": lambda A, roots: Spectrum(A, roots, True)}
# Around whole blocks and chunks: rows that fill the last one, that leave it one row, and fewer than a block.
SIZES = (1, 5, _WIDTH, _WIDTH + 1, 3 * _WIDTH, 5 * _WIDTH - 1, 8 * _WIDTH + 1, 17 * _WIDTH + 7)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("form", FORMS)
def test_solutions_and_diagonals_are_those_of_inverses(form, n):
    A = matrix(n)
    made = FORMS[form](A.copy(), np.ones(n))
    columns = np.random.default_rng(0).normal(size=(n, 3))
    solved, diagonals = made.solve(columns, ALPHAS), made.diagonals(ALPHAS)
    for k, alpha in enumerate(ALPHAS):
        inverse = np.linalg.inv(A + alpha * np.eye(n))
        np.testing.assert_allclose(solved[k], inverse @ columns, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(diagonals[k], np.diagonal(inverse), rtol=1e-10)


@pytest.mark.parametrize("rank", [1, 30])
def test_a_band_of_few_directions_has_reflectors_that_are_the_identity(rank):
    n = 4 * _WIDTH + 3
    A = matrix(n, rank)
    A[:, _WIDTH:] *= np.arange(n)[:, None] < 0  # nothing beyond the first block, so that panels are zero
    A[_WIDTH:] = 0.0
    inverse = np.linalg.inv(A + 0.5 * np.eye(n))
    found = Band(A.copy(), np.ones(n), 1).diagonals(np.array([0.5]))
    np.testing.assert_allclose(found[0], np.diagonal(inverse), rtol=1e-10)


def test_a_band_refuses_what_is_not_positive_definite():
    A = matrix(3 * _WIDTH) - 2 * np.eye(3 * _WIDTH)
    with pytest.raises(np.linalg.LinAlgError):
        Band(A, np.ones(len(A)), 1).diagonals(ALPHAS)


@pytest.mark.parametrize("kernel", [RBF(0.1), Sigmoid(0.5)], ids=["definite", "indefinite"])
def test_kernels_of_many_rows_take_the_form_that_suits_them(kernel):
    n = 1100
    X = np.random.default_rng(1).normal(size=(n, 4))
    roots = np.sqrt(np.random.default_rng(2).uniform(0.5, 2.0, size=n))
    kinds, found = diagonals_and_forms(rows_of(kernel.resolve(X), X), roots)
    A = kernel(X, X) * np.outer(roots, roots)
    for k, alpha in enumerate(ALPHAS):
        inverse = np.linalg.inv(A + alpha * np.eye(n))
        # Eigenvalues of a kernel that is not definite come close to −α.
        np.testing.assert_allclose(found[k], np.diagonal(inverse), rtol=1e-8, atol=1e-9 * np.abs(inverse).max())
    assert kinds == [Band if kernel.is_definite else Spectrum]


def test_a_kernel_that_says_nothing_of_itself_is_tried_and_then_done_by_eigenvectors():
    n = 1100
    X = np.random.default_rng(1).normal(size=(n, 4))
    K = np.tanh(0.5 * X @ X.T)
    kinds, _ = diagonals_and_forms(rows_of(Precomputed(), K), np.ones(n))
    assert kinds == [Band, Spectrum]
