"""Sums and matrices of kernel values among all rows, of every kind of rows, against plain NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF, CallableKernel, Linear, Precomputed
from mercer.rows import rows_of
from tests.reference import kernels as twin

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(70, 3))
COEF = RANDOM.normal(size=(70, 2))
GAUSS = twin.gram(twin.rbf(0.5), X)


def gauss(A, B):
    return RBF(0.5)(A, B)


KINDS = {
    "features": (rows_of(RBF(0.5), X), GAUSS),
    "sparse": (rows_of(RBF(0.5), sp.csr_matrix(X)), GAUSS),
    "linear": (rows_of(Linear(), X), X @ X.T),
    "matrix": (rows_of(Precomputed(), GAUSS.copy()), GAUSS),
    "matrix of float32": (rows_of(Precomputed(), GAUSS.astype(np.float32)), GAUSS.astype(np.float32)),
    "callable": (rows_of(CallableKernel(gauss), X), GAUSS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_products_are_sums_over_all_rows(kind):
    rows, K = KINDS[kind]
    for threads in (1, 2):
        np.testing.assert_allclose(rows.products(COEF, threads), K.astype(np.float64) @ COEF, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_matrix_has_all_values_in_either_precision_and_is_the_callers(kind):
    rows, K = KINDS[kind]
    for dtype, rounding in ((np.float64, 1e-12), (np.float32, 1e-5)):
        found = rows.matrix(2, dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_allclose(found, K, atol=rounding)
        found[:] = 0.0
        np.testing.assert_allclose(rows.matrix(1, dtype), K, atol=rounding)
