"""Every kernel of the registry is symmetric, agrees with its diagonal, survives copying and drives an SVC."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs

import mercer
import mercer.kernels
from tests.contracts.kernel_registry import ENTRIES, NAMED_GAMMA, PerFeature, named
from tests.reference import kernels as twin
from tests.reference.svc import binary_machines

ROUNDING = 1e-12
TOL = 1e-5

KERNELS = [pytest.param(entry.kernel, id=entry.name) for entry in ENTRIES]
KERNELS += [pytest.param(kernel, id=repr(kernel)) for kernel in NAMED_GAMMA]


@pytest.fixture
def X(random):
    return random.normal(size=(70, 5))


@pytest.fixture
def problem():
    X, y = make_blobs([20, 25], centers=[[0, 0, 0], [2, 1, 0]], random_state=3)
    return X, y


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_is_symmetric(kernel, X):
    K = kernel(X)
    np.testing.assert_allclose(K, K.T, rtol=ROUNDING, atol=ROUNDING * np.abs(K).max())
    np.testing.assert_allclose(kernel(X), kernel(X, X.copy()), rtol=ROUNDING, atol=ROUNDING * np.abs(K).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_diagonal_is_the_diagonal_of_the_matrix(kernel, X):
    K = kernel(X)
    diagonal = kernel.resolve(X).diagonal(X)
    assert diagonal.dtype == np.float64
    np.testing.assert_allclose(diagonal, np.diagonal(K), rtol=ROUNDING, atol=ROUNDING * np.abs(K).max())


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1.0, 1e8])
def test_kernel_knows_a_bound_on_its_rounding(kernel, scale, X):
    resolved = kernel.resolve(X)
    for rows in (scale * X, sp.csr_matrix(scale * X)):
        assert np.all(resolved.rounding(rows) <= resolved.rounding_bound(rows))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_values_are_no_larger_than_the_magnitudes_of_their_rows(kernel, X):
    resolved = kernel.resolve(X)
    magnitude = resolved.magnitude(X)
    assert np.all(np.abs(resolved(X)) <= np.outer(magnitude, magnitude) * (1 + ROUNDING))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_is_the_sum_of_its_terms(kernel, X):
    resolved = kernel.resolve(X)
    np.testing.assert_allclose(sum(term(X) for term in resolved.terms()), resolved(X), rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_survives_pickling(kernel, X):
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy == kernel
    assert hash(copy) == hash(kernel)
    np.testing.assert_array_equal(copy(X), kernel(X))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_resolved_twice_is_the_kernel_resolved_once(kernel, X):
    once = kernel.resolve(X)
    assert once.resolve(X) == once
    # Other data must not change what has been resolved.
    assert once.resolve(3 * X) == once
    np.testing.assert_array_equal(once(X), kernel(X))


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_is_kept_by_clone(kernel):
    assert clone(mercer.SVC(kernel=kernel, C=2.0)).kernel == kernel


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_kernel_says_whether_it_is_definite(entry):
    """None is honest where nothing is known, a wrong answer never is."""
    assert entry.kernel.is_definite in (entry.definite, None)


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_kernel_in_svc_is_certified(entry, problem):
    X, y = problem
    model = mercer.SVC(kernel=entry.kernel, tol=TOL).fit(X, y)
    is_indefinite = entry.kernel.is_definite is False
    assert model.status_ is (mercer.Status.STATIONARY if is_indefinite else mercer.Status.SOLVED)
    assert model.certificate_.holds(TOL)
    assert mercer.certify(model, X, y).holds(TOL)


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_kernel_in_svc_is_optimal_by_the_naive_twin(entry, problem):
    X, y = problem
    model = mercer.SVC(kernel=entry.kernel, tol=TOL).fit(X, y)
    K = twin.gram(entry.twin, X)
    (machine,) = binary_machines(model, K, y)
    rounding = ROUNDING * np.abs(K).max() * np.abs(machine.coef).sum()
    assert machine.violation() <= TOL + rounding
    np.testing.assert_allclose(model.decision_function(X), machine.values(), atol=rounding, rtol=ROUNDING)
    if entry.definite:
        assert -rounding <= machine.primal() - machine.dual() <= TOL * len(y) + rounding


def test_registry_holds_every_kernel_of_the_library():
    def parts(kernel):
        yield type(kernel)
        for name in ("left", "right", "kernel"):
            if hasattr(kernel, name):
                yield from parts(getattr(kernel, name))

    registered = {kind for entry in ENTRIES for kind in parts(entry.kernel)} - {PerFeature}
    public = {getattr(mercer.kernels, name) for name in mercer.kernels.__all__}
    classes = {kind for kind in public if isinstance(kind, type) and issubclass(kind, mercer.Kernel)}
    # Precomputed has no formula: X holds its values. The tests of SVC cover it.
    assert classes - {mercer.Kernel, mercer.Precomputed} == registered
