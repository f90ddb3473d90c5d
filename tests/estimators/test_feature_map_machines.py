"""A linear machine on the explicit map of a kernel is the kernel machine."""

import math

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline

from mercer import RBF, SVC, SVR, Constant, Linear, LinearSVC, LinearSVR, Polynomial, Status

KERNELS = [
    Linear(),
    Polynomial(2, coef0=0.0),
    Polynomial(3, 0.5, 2.0),
    1 + Linear() + Polynomial(2, coef0=0) + Polynomial(3, coef0=0),
    (Linear() + 1) * (Linear() + 1),
    0.5 * Polynomial(2, "scale") + Constant(2.0),
]
# Certificates prove that no two machines of these tests are further apart; their values go up to ten.
CLOSE = 1e-2


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=1)


def linear_machine(phi):
    return make_pipeline(phi, LinearSVC(loss="hinge", regularize_intercept=False, tol=1e-10))


def reach(model, longest):
    """How far the values of a machine can be from those of the optimum, for rows whose φ is no longer than that.

    ½‖w − w*‖² is at most the gap, and the intercept moves with the values of the rows on the margin.
    """
    return 2 * math.sqrt(2 * max(model.certificate_.gap, 0.0)) * longest


def assert_same_values(ours, theirs, models, kernel, X):
    longest = math.sqrt(np.diagonal(kernel(X)).max())
    allowed = sum(reach(model, longest) for model in models)
    assert allowed < CLOSE
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=allowed)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_linear_machine_on_the_map_is_the_kernel_machine(kernel, moons):
    X, y = moons
    through_map = linear_machine(kernel.feature_map(2)).fit(X, y)
    through_values = SVC(kernel=kernel, tol=1e-9, formulation="dual").fit(X, y)
    models = (through_map[-1], through_values)
    assert_same_values(through_map.decision_function(X), through_values.decision_function(X), models, kernel, X)


def test_linear_regression_on_the_map_is_the_kernel_machine(moons):
    X, y = moons
    kernel = Polynomial(3, 0.5, 1.0)
    linear = LinearSVR(epsilon=0.1, regularize_intercept=False, tol=1e-10)
    through_map = make_pipeline(kernel.feature_map(2), linear).fit(X, y)
    through_values = SVR(kernel=kernel, epsilon=0.1, tol=1e-9, formulation="dual").fit(X, y)
    models = (through_map[-1], through_values)
    assert_same_values(through_map.predict(X), through_values.predict(X), models, kernel, X)


def test_machine_on_the_cut_map_nears_that_of_rbf_as_the_degree_grows(moons):
    X, y = moons
    through_values = SVC(kernel=RBF(0.5), tol=1e-9).fit(X, y)
    expected = through_values.decision_function(X)
    differences = []
    for degree in (1, 4, 8, 16):
        machine = linear_machine(RBF(0.5).feature_map(2, degree=degree)).fit(X, y)
        differences.append(np.abs(machine.decision_function(X) - expected).max())
    assert all(np.diff(differences) < 0)
    machine = linear_machine(RBF(0.5).feature_map(2, degree=30)).fit(X, y)
    assert_same_values(machine.decision_function(X), expected, (machine[-1], through_values), RBF(0.5), X)


@pytest.mark.parametrize("kernel", KERNELS[3:], ids=str)
def test_compound_kernel_gives_the_same_machine_through_weights_and_values(kernel, moons):
    X, y = moons
    primal, dual = (SVC(kernel=kernel, tol=1e-8, formulation=way).fit(X, y) for way in ("primal", "dual"))
    assert primal.status_ is dual.status_ is Status.SOLVED
    assert "through its weights" in primal.plan_
    assert_same_values(primal.decision_function(X), dual.decision_function(X), (primal, dual), kernel, X)
