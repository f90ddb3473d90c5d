"""Bounds on likelihoods through inducing rows: their definitions, the exact process, and finite differences."""

import numpy as np
import pytest

from mercer import RBF, Constant, KernelError, Laplacian, Linear, Matern, Periodic, Polynomial, RationalQuadratic, White
from mercer.processes import (
    Hyperparameters,
    Inducing,
    NoiseGroups,
    Observations,
    Room,
    SparsePosterior,
    Unknowns,
    likelihood,
    likelihood_with_slopes,
    lower_bound,
    lower_bound_with_slopes,
    noise_of,
    see,
    upper_bound,
)
from mercer.processes.noise import covariance, own_noise, quiet, shared_part
from tests.reference.inducing import naive_bounds

ROUNDING = 1e-9
# Of central differences with a step of 1e-5: its square, and the rounding of values over it.
DIFFERENCES = 1e-6
# What is added to the diagonal of the inducing rows, over the noise, for all rows.
JITTER = 1e-6

KERNELS = [
    2.0 * RBF([0.3, 0.1, 0.2]) + White(0.1),
    RBF(0.3) + White(0.1),
    Laplacian([0.3, 0.1, 0.2]) * Constant(2.0) + White(0.1),
    0.5 * (Laplacian(0.2) + Polynomial(2, 0.4, 1.3)) + White(0.2),
    Polynomial(3, 0.2, 0.7) * Matern(0.3, nu=0.5) + White(0.3),
    RationalQuadratic([0.3, 0.1, 0.2], 1.7) * RBF(0.1) * Matern(0.1) + White(0.2),
    RBF(0.2) * (White(0.3) + Matern(0.2, nu=1.5)) + Polynomial(2, 0.4, 1.3) * White(0.2),
    Linear() + White(0.5),
    0.7 * Matern([0.3, 0.1, 0.2], nu=2.5) + White(0.5),
]
ON_A_LINE = 3.0 * Periodic(2.5, 3.0) * RBF(0.05) + White(0.2)
# In blocks with and without what is kept, and all at once.
ROOMS = [Room(7, True), Room(7, False), Room(40, True)]


@pytest.fixture
def observed(random):
    X = random.normal(size=(40, 3))
    X[7] = X[3]  # observed twice
    y = np.sin(X[:, :1]) + 0.1 * random.normal(size=(40, 2))
    return Observations(X, np.asfortranarray(y), np.linspace(0.01, 0.1, 40))


@pytest.fixture
def Z(observed, random):
    return np.vstack([observed.X[:6], random.normal(size=(5, 3))])


def both_bounds(kernel, Z, observed, room):
    inducing = Inducing.of(kernel, Z)
    seen = see(inducing, observed, noise_of(kernel, observed), room)
    return lower_bound(seen), upper_bound(inducing, observed, seen, room)


@pytest.mark.parametrize("room", ROOMS, ids=["kept", "made anew", "at once"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_bounds_equal_their_definitions_and_hold(kernel, room, observed, Z):
    shared, noise = shared_part(kernel), kernel.diagonal(observed.X) - shared_part(kernel).diagonal(observed.X)
    expected = naive_bounds(
        shared.matrix(observed.X, observed.X),
        shared.matrix(observed.X, Z),
        shared.matrix(Z, Z),
        noise + observed.noise,
        observed.y,
    )
    lower, upper = both_bounds(kernel, Z, observed, room)
    np.testing.assert_allclose((lower, upper), expected, rtol=ROUNDING)
    assert lower <= likelihood(kernel, observed) <= upper


def differences(unknowns, observed, Z, room):
    for place in range(len(unknowns.theta)):
        step = np.zeros(len(unknowns.theta))
        step[place] = 1e-5
        ends = [unknowns.theta + s for s in (step, -step)]
        above, below = (
            lower_bound_with_slopes(unknowns.compiled(end), Z, unknowns.observed(end, observed), room)[0]
            for end in ends
        )
        yield (above - below) / 2e-5


def check_slopes(unknowns, observed, Z, room):
    theta = unknowns.theta
    value, slopes = lower_bound_with_slopes(unknowns.compiled(theta), Z, unknowns.observed(theta, observed), room)
    assert np.isfinite(value)
    found = unknowns.slopes_in_theta(slopes)
    assert len(found) == len(theta) == len(unknowns.names)
    np.testing.assert_allclose(
        found, list(differences(unknowns, observed, Z, room)), rtol=DIFFERENCES, atol=DIFFERENCES * np.abs(found).max()
    )


@pytest.mark.parametrize("room", ROOMS[:2], ids=["kept", "made anew"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_slopes_equal_finite_differences(kernel, room, observed, Z):
    check_slopes(Unknowns.of(Hyperparameters.of(kernel), observed.y), observed, Z, room)


def test_slopes_of_kernels_of_one_feature_equal_finite_differences(observed, Z):
    on_a_line = observed._replace(X=np.ascontiguousarray(observed.X[:, :1]))
    unknowns = Unknowns.of(Hyperparameters.of(ON_A_LINE), observed.y)
    check_slopes(unknowns, on_a_line, np.ascontiguousarray(Z[:, :1]), ROOMS[0])


def test_slopes_by_the_noise_of_groups_equal_finite_differences(observed, Z):
    groups = NoiseGroups.of(np.arange(40) % 3, 40)
    unknowns = Unknowns.of(Hyperparameters.of(2.0 * RBF(0.3)), observed.y, groups, (1e-5, 1e5))
    assert unknowns.names[-1] == "noise_groups[2]"
    check_slopes(unknowns, observed, Z, ROOMS[0])


def test_all_rows_inducing_are_the_exact_process(observed):
    kernel = KERNELS[0]
    apart = observed._replace(X=observed.X + 1e-3 * np.arange(40)[:, None])
    value, slopes = likelihood_with_slopes(kernel, apart)
    bound, found = lower_bound_with_slopes(kernel, apart.X, apart, ROOMS[0])
    assert bound == pytest.approx(value, rel=JITTER)
    np.testing.assert_allclose(found, slopes, rtol=JITTER, atol=JITTER)
    assert both_bounds(kernel, apart.X, apart, ROOMS[0])[1] == pytest.approx(value, rel=JITTER)


def test_bounds_hold_at_random_parameters(observed, random):
    parameters = Hyperparameters.of(2.0 * Matern([0.3, 0.1, 0.2]) + White(0.1))
    for _ in range(40):
        kernel = parameters.compiled(random.uniform(-6, 3, size=len(parameters.theta)))
        Z = observed.X[random.permutation(40)[: random.integers(1, 30)]]
        lower, upper = both_bounds(kernel, Z, observed, ROOMS[0])
        exact = likelihood(kernel, observed)
        slack = 1e-7 * abs(exact)  # the inverse of the least noise times what double keeps
        assert lower - slack <= exact <= upper + slack


def test_posterior_equals_its_definition(observed, Z, random):
    kernel, queries = KERNELS[0], random.normal(size=(17, 3))
    inducing = Inducing.of(kernel, Z)
    seen = see(inducing, observed, noise_of(kernel, observed), ROOMS[0])
    known = SparsePosterior.of(inducing, seen, 5)
    shared = shared_part(kernel)
    D = np.diag(1 / seen.noise)
    KZ, KX, Kq = shared.matrix(Z, Z), shared.matrix(Z, observed.X), shared.matrix(queries, Z)
    KZ += 1e-10 * np.trace(KZ) / len(KZ) * np.eye(len(KZ))
    inner = np.linalg.inv(KZ + KX @ D @ KX.T)
    covariance_ = shared.matrix(queries, queries) - Kq @ (np.linalg.inv(KZ) - inner) @ Kq.T + 0.1 * np.eye(17)
    np.testing.assert_allclose(known.mean(queries), Kq @ inner @ KX @ D @ observed.y, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(known.covariance(queries), covariance_, atol=1e-8)
    np.testing.assert_allclose(known.variance(queries), np.diagonal(covariance_), atol=1e-8)


def test_noise_is_what_the_diagonal_has_beside_what_is_shared(observed):
    for kernel in KERNELS:
        whole, shared = kernel.diagonal(observed.X), quiet(kernel).diagonal(observed.X)
        np.testing.assert_allclose(own_noise(kernel, observed.X), whole - shared, rtol=ROUNDING, atol=1e-14)
        np.testing.assert_allclose(shared, shared_part(kernel).diagonal(observed.X), rtol=ROUNDING)
    assert quiet(White(2.0)) == White(0.0)
    assert np.all(covariance(quiet(KERNELS[0]), observed.X) <= 2.0)


def test_kernels_that_are_not_definite_are_refused(observed, Z):
    with pytest.raises(KernelError, match="positive semi-definite"):
        both_bounds(3.0 * Periodic(2.5, 3.0) + White(0.1), Z[:2], observed, ROOMS[0])


@pytest.mark.parametrize(("memory", "keeps"), [(10**9, True), (10**7, False)])
def test_room_is_within_memory(memory, keeps):
    room = Room.within(100_000, 100, memory)
    assert room.keeps is keeps
    assert 1 <= room.step <= 100_000
    assert 8 * 100 * (10 * 100 + 8 * room.step + keeps * 100_000) <= memory
    assert Room.within(100_000, 2000, 10**7) is None
