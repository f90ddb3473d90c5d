"""BLAS on parts of matrices, in their place, against NumPy's products."""

import numpy as np
import pytest

from mercer.solvers.systems.blas import add_product, add_symmetric_product, symmetric_times

random = np.random.default_rng(0)


def test_products_are_added_to_a_part_of_a_matrix_and_to_nothing_else():
    whole = random.normal(size=(60, 50))
    A, B = random.normal(size=(20, 7)), random.normal(size=(7, 30))
    expected = whole.copy()
    expected[3:23, 11:41] += -2.0 * A @ B
    add_product(whole[3:23, 11:41], A, B, -2.0)
    np.testing.assert_allclose(whole, expected, atol=1e-12)


def test_a_symmetric_part_is_known_by_what_is_below_its_diagonal():
    part = random.normal(size=(60, 60))[10:50, 15:55]
    B, C = random.normal(size=(2, 40, 6))
    full = np.tril(part) + np.tril(part, -1).T
    np.testing.assert_allclose(symmetric_times(part, B), full @ B, atol=1e-12)
    above = np.triu(part, 1)
    add_symmetric_product(part, B, C, 0.5)
    np.testing.assert_allclose(np.tril(part), np.tril(full + 0.5 * (B @ C.T + C @ B.T)), atol=1e-12)
    np.testing.assert_array_equal(np.triu(part, 1), above)


@pytest.mark.parametrize(
    "wrong", [np.zeros((4, 4), dtype=np.float32), np.zeros((4, 8))[:, ::2], np.zeros((4, 5)).T[:4]]
)
def test_other_layouts_and_precisions_are_refused(wrong):
    with pytest.raises(ValueError, match="float64 in rows"):
        symmetric_times(wrong, np.zeros((4, 2)))
