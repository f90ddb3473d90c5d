"""Likelihoods and their slopes, against scikit-learn's and finite differences."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as theirs

from mercer import RBF, Constant, Laplacian, Linear, Matern, Periodic, Polynomial, RationalQuadratic, Sigmoid, White
from mercer.processes import Hyperparameters, Observations, likelihood, likelihood_with_slopes

ROUNDING = 1e-11
# Of central differences with a step of 1e-5: its square, and the rounding of values over it.
DIFFERENCES = 1e-6

OF_SCIKIT_LEARN = [
    theirs.ConstantKernel(2.0) * theirs.RBF(1.3) + theirs.WhiteKernel(0.1),
    1.5 * theirs.RBF([1.0, 2.0, 0.5]) + theirs.WhiteKernel(0.1),
    1.5 * theirs.Matern([1.0, 2.0, 0.5], nu=0.5) + theirs.WhiteKernel(0.1),
    theirs.Matern(1.2, nu=1.5) * theirs.RBF(2.0) + theirs.WhiteKernel(0.1),
    2.0 * theirs.Matern([1.0, 2.0, 3.0], nu=2.5) * theirs.RationalQuadratic(1.0, 0.7) + theirs.WhiteKernel(0.2),
    theirs.ExpSineSquared(1.2, 3.0) * theirs.RBF(2.0) * 1.3 + theirs.WhiteKernel(3.0) + theirs.DotProduct(0.7),
    (theirs.RBF(1.0) + theirs.ConstantKernel(0.3)) * (theirs.Matern(2.0) + theirs.DotProduct(1.3))
    + theirs.WhiteKernel(0.1, "fixed"),
    theirs.RationalQuadratic(1.0, 0.7) ** 2 * theirs.RBF(2.0) + theirs.WhiteKernel(0.2),
    (theirs.RBF([1.0, 2.0, 0.5]) + theirs.ConstantKernel(0.3, "fixed") + theirs.WhiteKernel(0.1)) ** 3,
    theirs.DotProduct(1.3) ** 2 + theirs.RBF(1.0) + theirs.WhiteKernel(0.2),
    theirs.RBF(1.0) * (theirs.WhiteKernel(0.3) + theirs.RBF(2.0, "fixed")) + theirs.WhiteKernel(0.3),
]

OF_MERCER = [
    2.0 * RBF([0.3, 0.1, 0.2]) + White(0.1),
    Laplacian([0.3, 0.1, 0.2]) * Constant(2.0) + White(0.1),
    0.5 * (Laplacian(0.2) + Polynomial(2, 0.4, 1.3)) + White(0.2),
    Polynomial(3, 0.2, 0.7) * Matern(0.3, nu=0.5) + White(0.3),
    RationalQuadratic([0.3, 0.1, 0.2], 1.7) * RBF(0.1) * Matern(0.1) + White(0.2),
    3.0 * Periodic(2.5, 3.0) + Linear() + White(2.0),
    RBF(0.2) + 0.01 * Sigmoid(0.1, 0.1) + White(0.4),
]


@pytest.fixture
def observed(random):
    X = random.normal(size=(40, 3))
    X[7] = X[3]  # observed twice
    y = np.sin(X[:, :1]) + 0.1 * random.normal(size=(40, 2))
    return Observations(X, np.asfortranarray(y), 1e-3)


@pytest.mark.parametrize("kernel", OF_SCIKIT_LEARN, ids=str)
def test_likelihood_and_slopes_equal_those_of_scikit_learn(kernel, observed):
    parameters = Hyperparameters.of(kernel)
    value, slopes = likelihood_with_slopes(parameters.compiled(parameters.theta), observed)
    model = Theirs(kernel, optimizer=None, alpha=observed.noise).fit(observed.X, observed.y)
    expected, gradient = model.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    np.testing.assert_allclose(value, expected, rtol=ROUNDING)
    np.testing.assert_allclose(
        parameters.slopes_in_theta(slopes), gradient, rtol=ROUNDING, atol=ROUNDING * np.abs(gradient).max()
    )


@pytest.mark.parametrize("kernel", OF_MERCER, ids=str)
def test_slopes_equal_finite_differences(kernel, observed):
    parameters = Hyperparameters.of(kernel)
    theta = parameters.theta
    slopes = parameters.slopes_in_theta(likelihood_with_slopes(parameters.compiled(theta), observed)[1])
    assert len(slopes) == len(theta) == len(parameters.names)
    for place in range(len(theta)):
        step = np.zeros(len(theta))
        step[place] = 1e-5
        above, below = (likelihood(parameters.compiled(theta + s), observed) for s in (step, -step))
        assert slopes[place] == pytest.approx((above - below) / 2e-5, rel=DIFFERENCES, abs=1e-4)


def test_likelihood_is_the_density_of_a_normal_distribution(observed):
    kernel = 2.0 * RBF(0.3)
    covariance = kernel(observed.X) + observed.noise * np.eye(40)
    expected = sum(multivariate_normal(cov=covariance, allow_singular=True).logpdf(y) for y in observed.y.T)
    assert likelihood(kernel + White(0.0), observed) == pytest.approx(expected, rel=1e-8)


def test_equal_rows_do_not_share_white_noise(observed):
    """The kernel as a function of two rows is one at equal rows; two observations there are still two."""
    noisy = Observations(observed.X, observed.y, 0.5 + observed.noise)
    assert likelihood(RBF(0.3) + White(0.5), observed) == pytest.approx(likelihood(RBF(0.3), noisy), rel=ROUNDING)


def test_likelihood_of_a_singular_covariance_is_minus_infinity(observed):
    assert likelihood(RBF(0.3), Observations(observed.X, observed.y, 0.0)) == -np.inf
    assert likelihood_with_slopes(RBF(0.3), Observations(observed.X, observed.y, 0.0)) == (-np.inf, None)
