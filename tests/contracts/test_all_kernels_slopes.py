"""Every kernel of the registry has slopes by its positive parameters, and scales of features that are those of data."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import RBF, Constant, Laplacian, Matern, Product, RationalQuadratic, Scaled, Sum, White
from mercer.processes.hyperparameters import parameters_of
from mercer.processes.noise import covariance
from mercer.processes.slopes import Weights, slopes_of, weighted_sum
from tests.contracts.kernel_registry import ENTRIES, PerFeature, named

ROUNDING = 1e-12
STEP = 1e-5
# Of central differences: the square of the step, and the rounding of sums over it.
DIFFERENCES = 1e-8

ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=named)


@pytest.fixture
def X(random):
    rows = random.normal(size=(25, 4))
    rows[7] = rows[3]  # equal rows, at which roots of distances have no slope
    return rows


@pytest.fixture
def weights(random):
    W = random.normal(size=(25, 25))
    return W + W.T


def summed(kernel, X, W):
    """Σ w_ij k_ij as GPs have them: two observations at equal rows are two."""
    return float((W * covariance(kernel, X)).sum())


@ENTRY
def test_weighted_sum_is_the_sum_over_all_pairs(entry, X, weights):
    kernel = entry.kernel.resolve(X)
    size = np.abs(weights * covariance(kernel, X)).sum()
    found = weighted_sum(kernel, X, Weights(np.tril(weights), np.diagonal(weights).copy()))
    assert found == pytest.approx(summed(kernel, X, weights), abs=ROUNDING * size)


@ENTRY
def test_slopes_equal_finite_differences_for_every_parameter(entry, X, weights):
    kernel = entry.kernel.resolve(X)
    # What is above the diagonal is nobody's to read.
    below = np.tril(weights) + np.triu(np.full_like(weights, np.nan), 1)
    found = iter(slopes_of(kernel, X, Weights(below, np.diagonal(weights).copy())))
    size = np.abs(weights * covariance(kernel, X)).sum()
    for parameter in parameters_of(kernel):
        for place, number in enumerate(parameter.numbers):
            values = []
            for factor in (np.exp(STEP), np.exp(-STEP)):
                numbers = np.array(parameter.numbers)
                numbers[place] = factor * number
                moved = kernel.with_params(**{parameter.name: parameter.with_numbers(numbers)})
                values.append(summed(moved, X, weights))
            expected = (values[0] - values[1]) / (2 * STEP)
            assert next(found) == pytest.approx(expected, rel=1e-6, abs=DIFFERENCES * size)
    assert next(found, None) is None


@ENTRY
def test_slopes_of_noise_alone_take_no_pairs(entry, X, weights):
    """Weights of a factor that is white: different observations count nothing."""
    kernel = entry.kernel.resolve(X)
    own = np.diagonal(weights).copy()
    alone = slopes_of(kernel, X, Weights(None, own))
    every = slopes_of(kernel, X, Weights(np.diag(own), own))
    np.testing.assert_allclose(alone, every, rtol=ROUNDING, atol=ROUNDING * np.abs(own).sum())


def with_scales(kernel, scales):
    """The kernel with gammas that do what scaling the features does; None where gammas cannot."""
    if isinstance(kernel, PerFeature):
        power = 1 if kernel.kind is Laplacian else 2
        return PerFeature(kernel.kind, tuple(np.resize(kernel.gammas, len(scales)) * scales**power))
    if isinstance(kernel, (RBF, Laplacian, Matern, RationalQuadratic)):
        power = 1 if isinstance(kernel, Laplacian) else 2
        return kernel.with_params(gamma=kernel.gamma * scales**power)
    if isinstance(kernel, (Constant, White)):
        return kernel
    if isinstance(kernel, Scaled):
        inner = with_scales(kernel.kernel, scales)
        return None if inner is None else Scaled(kernel.factor, inner)
    if isinstance(kernel, (Sum, Product)):
        left, right = with_scales(kernel.left, scales), with_scales(kernel.right, scales)
        return None if left is None or right is None else type(kernel)(left, right)
    return None


SCALES = np.array([2.0, 0.5, 1.5, 0.1])
OF_DISTANCES = [entry for entry in ENTRIES if with_scales(entry.kernel, SCALES) is not None]
# Distances of dense rows are sums of squares. Those of sparse ones are differences of norms, of which a Matérn kernel
# with ν = ½ takes the root.
OF_LAYOUTS = [(np.asarray, ROUNDING), (sp.csr_matrix, 1e-7)]


@pytest.mark.parametrize("entry", OF_DISTANCES, ids=named)
@pytest.mark.parametrize(("layout", "rounding"), OF_LAYOUTS)
def test_scales_for_features_equal_features_that_are_scaled(entry, layout, rounding, X):
    found = with_scales(entry.kernel, SCALES)(layout(X))
    np.testing.assert_allclose(found, entry.kernel(layout(X * SCALES)), rtol=0, atol=rounding)
