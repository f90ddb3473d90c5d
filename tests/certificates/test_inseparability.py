"""Where no hyperplane separates the classes, the error carries a proof: checked here in plain NumPy."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

import mercer
from mercer import NotSeparableError
from tests.reference import kernels as twin

# A proof in floating point: the norm of the combination, relative to the radius of the data in feature space.
PROOF_TOLERANCE = 1e-6


def identical_points():
    return np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([0, 1])


def identical_points_among_others():
    X, y = make_blobs([10, 10], centers=[[0, 0], [9, 9]], random_state=0)
    return np.vstack([X, [[3.0, 4.0]], [[3.0, 4.0]]]), np.concatenate([y, [0, 1]])


def overlapping_blobs():
    return make_blobs([40, 40], centers=[[0, 0], [1, 1]], random_state=0)


def xor():
    return np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])


def inner_point():
    """One row of a class within the triangle of the other."""
    return np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])


CASES = [
    pytest.param(identical_points, "linear", twin.linear(), id="two identical points"),
    pytest.param(identical_points, "rbf", twin.rbf(0.5), id="two identical points, rbf"),
    pytest.param(identical_points_among_others, "rbf", twin.rbf(0.5), id="a contradiction among others, rbf"),
    pytest.param(identical_points_among_others, "linear", twin.linear(), id="a contradiction among others"),
    pytest.param(overlapping_blobs, "linear", twin.linear(), id="overlapping blobs"),
    pytest.param(xor, "linear", twin.linear(), id="xor"),
    pytest.param(inner_point, "linear", twin.linear(), id="a point in a triangle"),
]


def assert_proves(proof, K, t):
    """a ≥ 0, a ≠ 0, Σ a t = 0 and Σ a t φ(x) = 0: the hulls of the classes meet."""
    a, rows = proof.multipliers, proof.rows
    assert len(a) == len(rows) == len(set(rows.tolist()))
    assert np.all(a >= 0)
    assert a.sum() == pytest.approx(1)
    assert abs(a @ t[rows]) <= 1e-12
    signed = np.zeros(len(t))
    signed[rows] = a * t[rows]
    radius = np.sqrt(np.diagonal(K).max())
    residual = np.sqrt(max(signed @ K @ signed, 0)) / radius
    assert residual <= PROOF_TOLERANCE
    assert proof.residual <= PROOF_TOLERANCE
    assert proof.holds


@pytest.mark.parametrize(("data", "kernel", "formula"), CASES)
def test_inseparable_data_are_refused_with_a_proof(data, kernel, formula):
    X, y = data()
    with pytest.raises(NotSeparableError) as caught:
        mercer.SVC(kernel=kernel, gamma=0.5, C=np.inf).fit(X, y)
    assert_proves(caught.value.proof, twin.gram(formula, X), np.where(y == 1, 1.0, -1.0))


def test_proof_on_sparse_rows_is_the_same_proof():
    X, y = xor()
    with pytest.raises(NotSeparableError) as caught:
        mercer.SVC(kernel="linear", C=np.inf).fit(sp.csr_matrix(X), y)
    assert_proves(caught.value.proof, X @ X.T, np.where(y == 1, 1.0, -1.0))


def test_proof_on_precomputed_values_is_the_same_proof():
    X, y = overlapping_blobs()
    K = X @ X.T
    with pytest.raises(NotSeparableError) as caught:
        mercer.SVC(kernel="precomputed", C=np.inf).fit(K, y)
    assert_proves(caught.value.proof, K, np.where(y == 1, 1.0, -1.0))


def test_proof_among_several_classes_names_rows_of_the_data():
    """Classes 0 and 2 overlap, class 1 is far away: the rows are those of the whole data, not of the pair."""
    X, y = make_blobs([20, 20, 20], centers=[[0, 0], [50, 0], [0.5, 0.5]], random_state=0)
    with pytest.raises(NotSeparableError) as caught:
        mercer.SVC(kernel="linear", C=np.inf).fit(X, y)
    proof = caught.value.proof
    assert set(y[proof.rows]) == {0, 2}
    assert_proves(proof, X @ X.T, np.where(y == 0, 1.0, -1.0))


def test_refusal_says_what_to_do_and_survives_pickling():
    with pytest.raises(NotSeparableError, match="Use a finite C") as caught:
        mercer.SVC(kernel="linear", C=np.inf).fit(*xor())
    assert isinstance(caught.value, ValueError)
    copy = pickle.loads(pickle.dumps(caught.value))
    np.testing.assert_array_equal(copy.proof.multipliers, caught.value.proof.multipliers)
    assert str(copy) == str(caught.value)


def test_xor_is_separated_by_a_quadratic_kernel():
    X, y = xor()
    model = mercer.SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=np.inf).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.certificate_.holds(1e-3)


@pytest.mark.parametrize("distance", [1e-1, 1e-2, 1e-4])
def test_narrow_margin_is_found_and_not_taken_for_none(distance):
    """Two points a small distance apart are separable: margin distance / 2 and w = 2 / distance in closed form."""
    X, y = np.array([[1.0], [1.0 + distance], [-3.0], [5.0]]), np.array([0, 1, 0, 1])
    model = mercer.SVC(kernel="linear", C=np.inf).fit(X, y)
    assert model.certificate_.margin == pytest.approx(distance / 2, rel=1e-2)
    np.testing.assert_array_equal(model.predict(X), y)
