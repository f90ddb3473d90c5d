"""However the kernel values are had and the work is shared, the machine is the same to tolerance."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from tests.reference.svc import binary_machines

TOL = 1e-5
# Two machines that both meet tol differ by a few times tol in their values.
MACHINE = 20 * TOL
GAMMA = 1.0


def gaussian(X, Z):
    if sp.issparse(X):
        X, Z = X.toarray(), Z.toarray()
    return rbf_kernel(X, Z, gamma=GAMMA)


def moons(n):
    X, y = make_moons(n, noise=0.3, random_state=3)
    # Numbers that float32 holds exactly, so that precision is the only difference.
    return X.astype(np.float32).astype(np.float64), y


# From 1,024 rows on the solver goes through samples and active sets; below, it works on the whole.
SIZES = [pytest.param(400, id="one block"), pytest.param(2600, id="working sets")]


@pytest.fixture(scope="module")
def plain():
    """The default fit at a size: data, model, values at unseen rows."""
    cache = {}

    def fit(n):
        if n not in cache:
            X, y = moons(n)
            cache[n] = X, y, mercer.SVC(gamma=GAMMA, C=2.0, tol=TOL).fit(X, y)
        return cache[n]

    return fit


def assert_same_machine(model, X, plain):
    _, _, expected = plain
    assert model.status_ is mercer.Status.SOLVED
    assert model.certificate_.violation <= TOL + model.certificate_.accuracy
    assert model.certificate_.dual == pytest.approx(expected.certificate_.dual, rel=1e-7)
    rows = plain[0][:500]
    np.testing.assert_allclose(model.decision_function(X[:500]), expected.decision_function(rows), atol=MACHINE)


def svc(**parameters):
    return mercer.SVC(**{"gamma": GAMMA, "C": 2.0, "tol": TOL, **parameters})


@pytest.mark.parametrize("n", SIZES)
def test_plain_machine_is_optimal_by_values_of_numpy(n, plain):
    X, y, model = plain(n)
    (machine,) = binary_machines(model, gaussian(X, X), y)
    products = machine.K @ machine.coef
    can_grow, can_shrink = np.abs(machine.coef) < machine.upper, machine.coef != 0
    offsets = machine.t - products
    least = offsets[np.where(machine.t > 0, can_grow, can_shrink)].max()
    largest = offsets[np.where(machine.t > 0, can_shrink, can_grow)].min()
    assert least - largest <= TOL + 1e-9
    np.testing.assert_allclose(model.decision_function(X), products + model.intercept_, atol=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_machine_does_not_depend_on_simd_level_or_threads(n, threads, simd_level, plain):
    X, y, _ = plain(n)
    assert_same_machine(svc(n_jobs=threads).fit(X, y), X, plain(n))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("n", SIZES)
def test_machine_does_not_depend_on_layout_or_precision_of_the_data(n, layout, dtype, plain):
    X, y, _ = plain(n)
    X = layout(X.astype(dtype))
    model = svc().fit(X, y)
    assert model.support_vectors_.dtype == dtype
    assert_same_machine(model, X, plain(n))


@pytest.mark.parametrize("n", SIZES)
def test_machine_of_stored_values_is_that_of_computed_ones(n, plain):
    X, y, _ = plain(n)
    K = gaussian(X, X)
    assert_same_machine(svc(kernel="precomputed").fit(K, y), K, plain(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("megabytes", [1, 1000])
def test_machine_of_a_callable_is_that_of_the_kernel(n, megabytes, plain):
    X, y, _ = plain(n)
    assert_same_machine(svc(kernel=gaussian, cache_size=megabytes).fit(X, y), X, plain(n))


@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("megabytes", [0.1, 1, 20])
@pytest.mark.parametrize("n", SIZES)
def test_machine_does_not_depend_on_memory_or_shrinking(n, megabytes, shrinking, plain):
    X, y, _ = plain(n)
    assert_same_machine(svc(cache_size=megabytes, shrinking=shrinking).fit(X, y), X, plain(n))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n", SIZES)
def test_machine_does_not_depend_on_the_seed(n, seed, plain):
    X, y, _ = plain(n)
    assert_same_machine(svc(random_state=seed).fit(X, y), X, plain(n))


@pytest.mark.parametrize("n", SIZES)
def test_machine_does_not_depend_on_the_order_of_rows(n, plain):
    X, y, expected = plain(n)
    order = np.random.default_rng(5).permutation(n)
    model = svc().fit(X[order], y[order])
    assert_same_machine(model, X, plain(n))
    # Rows near a multiplier of zero may fall on either side of it.
    both = np.intersect1d(order[model.support_], expected.support_)
    assert len(both) >= 0.98 * max(len(model.support_), len(expected.support_))


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_same_seed_and_threads_give_the_same_bits(n, threads, seed, plain):
    X, y, _ = plain(n)
    first, second = (svc(n_jobs=threads, random_state=seed).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.support_, second.support_)
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_gives_the_same_bits_for_several_classes(threads):
    X, y = load_digits(n_class=5, return_X_y=True)
    first, second = (mercer.SVC(gamma=1e-3, n_jobs=threads, random_state=1).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)


def test_several_classes_are_the_same_machine_for_any_number_of_threads():
    X, y = load_digits(n_class=5, return_X_y=True)
    one, two = (svc(gamma=1e-3, n_jobs=threads, decision_function_shape="ovo").fit(X, y) for threads in (1, 2))
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=MACHINE)


def test_indefinite_kernel_reaches_a_stationary_point_in_working_sets():
    """Another path may lead to another stationary point; each must be one."""
    X, y = moons(2600)
    parameters = {"kernel": "sigmoid", "coef0": 0.5, "gamma": 0.3, "C": 0.05, "tol": TOL}
    for model in (mercer.SVC(**parameters).fit(X, y), mercer.SVC(**parameters, cache_size=0.5, n_jobs=1).fit(X, y)):
        assert model.status_ is mercer.Status.STATIONARY
        assert mercer.certify(model, X, y).holds(TOL)


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian"])
def test_other_kernels_are_the_same_machine_in_working_sets(kernel):
    X, y = moons(2600)
    parameters = {"kernel": kernel, "degree": 2, "coef0": 0.5, "gamma": 0.3, "C": 0.05, "tol": TOL}
    plain = mercer.SVC(**parameters).fit(X, y)
    small = mercer.SVC(**parameters, cache_size=0.5, n_jobs=1).fit(sp.csr_matrix(X), y)
    for model in (plain, small):
        assert model.certificate_.holds(TOL)
    assert small.certificate_.dual == pytest.approx(plain.certificate_.dual, rel=1e-7)
    np.testing.assert_allclose(small.decision_function(X), plain.decision_function(X), atol=MACHINE)
