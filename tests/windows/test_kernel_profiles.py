"""Kernels as windows: their values, integrals and spreads, against kernel matrices and quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad

from mercer import RBF, Laplacian, Matern, ParameterError, Polynomial, RationalQuadratic
from mercer.kernels import Constant, Linear, Periodic, White
from mercer.kernels.algebra import Scaled, Sum
from mercer.windows import kernel_log_volume, kernel_spreads, kernel_steps, windows_of_kernel

ALIKE = [
    RBF(0.7),
    Laplacian(0.9),
    Matern(0.4, nu=0.5),
    Matern(0.4, nu=1.5),
    Matern(0.4, nu=2.5),
    RationalQuadratic(0.6, alpha=2.5),
    3 * RBF(0.7),
    Laplacian(0.2) * Laplacian(0.3),
    RBF(0.7) + 0.5 * Laplacian(0.4),
]
KERNELS = [
    *ALIKE,
    RBF((0.3, 2.0, 1.1)),
    Laplacian((0.3, 2.0, 1.1)),
    Matern((0.3, 2.0, 1.1), nu=2.5),
    RBF(0.2) * RBF((0.1, 0.5, 0.3)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_sums_are_those_of_kernel_values(kernel):
    rng = np.random.default_rng(0)
    X, Q, coef = rng.normal(size=(50, 3)), rng.normal(size=(20, 3)), rng.uniform(0.1, 1, (2, 50))
    found = windows_of_kernel(X, kernel).sums(Q, np.array([1.3, 0.4]), coef, 1)
    for k, h in enumerate((1.3, 0.4)):
        told = found.values[:, k] * np.exp(found.logs[:, k : k + 1])
        expected = kernel(Q / h, X / h) @ coef.T
        np.testing.assert_allclose(told / told[:1], expected / expected[:1], rtol=1e-8)


# In four dimensions an integral over the radius, which a Laplacian is no function of.
VOLUMES = [(kernel, d) for d in (1, 2, 4) for kernel in ALIKE if d < 4 or "Laplacian" not in repr(kernel)]


@pytest.mark.parametrize(("kernel", "d"), VOLUMES, ids=str)
def test_volumes_are_integrals(kernel, d):
    def at(*x):
        return float(kernel(np.array([x]), np.zeros((1, len(x))))[0, 0])

    if d == 4:
        expected = 2 * np.pi**2 * quad(lambda r: r**3 * at(r, 0, 0, 0), 0, np.inf, epsabs=0, epsrel=1e-9)[0]
    elif d == 1:
        expected = 2 * quad(at, 0, np.inf)[0]
    else:
        # Over the first quadrant, of both features in logarithms, which take in tails and corners.
        t = np.linspace(-20, 20, 1601)
        x, y = np.exp(t)[:, None], np.exp(t)[None, :]
        points = np.column_stack([np.broadcast_to(one, (1601, 1601)).ravel() for one in (x, y)])
        values = kernel(points, np.zeros((1, 2))).reshape(1601, 1601)
        expected = 4 * np.sum(values * x * y) * (t[1] - t[0]) ** 2
    assert np.exp(kernel_log_volume(kernel, d)) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_have_the_spread_and_the_density_of_the_kernel(kernel):
    steps = kernel_steps(kernel, 200_000, 3, np.random.RandomState(0))
    if not isinstance(kernel, (RationalQuadratic, Sum, Scaled)):
        np.testing.assert_allclose(steps.std(axis=0), kernel_spreads(kernel, 3), rtol=0.02)
    # The share of draws in a small box around zero is the density there times its volume.
    side = 0.5
    share = np.mean(np.all(np.abs(steps) < side / 2, axis=1))
    box = np.random.default_rng(1).uniform(-side / 2, side / 2, (20_000, 3))
    density = kernel(box, np.zeros((1, 3))).mean() * np.exp(-kernel_log_volume(kernel, 3))
    assert share == pytest.approx(density * side**3, rel=0.1)


def test_integrals_that_have_no_end_are_refused():
    assert np.isfinite(kernel_log_volume(RationalQuadratic(1.0, alpha=1.01), 2))
    with pytest.raises(ParameterError, match="alpha > 1, half the number of features"):
        kernel_log_volume(RationalQuadratic(1.0, alpha=1.0), 2)
    with pytest.raises(ParameterError, match="gamma > 0 for each of 2 features"):
        kernel_log_volume(RBF((1.0, 0.0)), 2)
    for kernel in (Polynomial(2), Linear(), Periodic(), White(), Constant(1.0), RBF(1.0) + Constant(1.0)):
        with pytest.raises(ParameterError, match="finite integral"):
            kernel_log_volume(kernel, 2)


def test_logarithms_far_out():
    X, far = np.zeros((1, 2)), np.array([[300.0, 400.0]])
    for kernel, expected in (
        (RBF(0.5), -125_000.0),
        (Laplacian(1.0), -700.0),
        (Matern(0.5, nu=0.5), -500.0),
        (Matern(0.5, nu=1.5), np.log1p(np.sqrt(3) * 500) - np.sqrt(3) * 500),
        (RationalQuadratic(0.5, alpha=2.0), -2 * np.log1p(250_000 / 4)),
    ):
        found = windows_of_kernel(X, kernel).sums(far, np.ones(1), np.ones((1, 1)), 1)
        assert np.log(found.values[0, 0, 0]) + found.logs[0, 0] == pytest.approx(expected, rel=1e-12)
