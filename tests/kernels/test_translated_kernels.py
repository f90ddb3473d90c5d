"""Kernels of scikit-learn's Gaussian processes have the same values in Mercer."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as theirs

import mercer
from mercer.kernels import CallableKernel, kernel_from_name
from mercer.kernels.translated import is_translatable, translate

ROUNDING = 1e-13

KERNELS = [
    theirs.RBF(1.3),
    theirs.RBF([0.5, 2.0, 1.0]),
    theirs.Matern(1.3, nu=0.5),
    theirs.Matern([0.5, 2.0, 1.0], nu=1.5),
    theirs.Matern(0.7, nu=2.5),
    theirs.Matern(0.7, nu=np.inf),
    theirs.RationalQuadratic(0.8, 1.7),
    theirs.ExpSineSquared(1.2, 3.0),
    theirs.DotProduct(0.7),
    theirs.ConstantKernel(2.0),
    theirs.WhiteKernel(0.3),
    2.0 * theirs.RBF(1.0) + theirs.WhiteKernel(0.1) * theirs.Matern(2.0),
    theirs.RationalQuadratic(0.8, 1.7) ** 2 + theirs.DotProduct(0.7) ** 3 * theirs.RBF(2.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_translated_kernel_has_the_same_values(kernel, random):
    X, Z = random.normal(size=(20, 3)), random.normal(size=(9, 3))
    translated = translate(kernel).kernel
    np.testing.assert_allclose(translated(X), kernel(X), rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(translated(X, Z), kernel(X, Z), rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(translated.diagonal(X), kernel.diag(X), rtol=ROUNDING)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_translated_kernel_tells_how_each_parameter_follows_theirs(kernel):
    """Twice theirs is two to this power times Mercer's."""
    _, powers, numbers = translate(kernel)
    assert sorted(set(numbers)) == list(range(len(kernel.theta)))
    for place in range(len(kernel.theta)):
        theta = kernel.theta.copy()
        theta[place] += np.log(2)
        before, after = _numbers(kernel), _numbers(kernel.clone_with_theta(theta))
        is_of_it = np.array(numbers) == place
        np.testing.assert_allclose(after / before, np.where(is_of_it, 2 ** np.array(powers), 1))


def _numbers(kernel):
    from mercer.processes.hyperparameters import parameters_of

    return np.concatenate([one.numbers for one in parameters_of(translate(kernel).kernel)])


def test_kernel_of_scikit_learn_is_translated_where_a_machine_takes_it(random):
    X = random.normal(size=(30, 2))
    y = X[:, 0] > 0
    ours = mercer.SVC(kernel=mercer.RBF(0.5)).fit(X, y)
    np.testing.assert_array_equal(
        mercer.SVC(kernel=theirs.RBF(1.0)).fit(X, y).decision_function(X), ours.decision_function(X)
    )
    assert mercer.RBF(0.5) + theirs.RBF(1.0) == mercer.RBF(0.5) + mercer.RBF(0.5)


@pytest.mark.parametrize("kernel", [theirs.RBF(1.0) ** 1.5, theirs.Matern(nu=0.7), theirs.PairwiseKernel()], ids=str)
def test_kernel_that_mercer_does_not_have_stays_a_function(kernel):
    assert not is_translatable(kernel)
    assert isinstance(kernel_from_name(kernel, "scale", 3, 0.0), CallableKernel)
    with pytest.raises(mercer.ParameterError, match="expected a kernel of Mercer's"):
        translate(kernel)


def test_length_scales_are_those_of_scikit_learn():
    assert mercer.RBF.with_length_scale(2.0) == mercer.RBF(0.125)
    assert mercer.Matern.with_length_scale([1.0, 2.0], nu=2.5) == mercer.Matern([0.5, 0.125], nu=2.5)
    for wrong in (0.0, -1.0, np.nan, "long", [[1.0]]):
        with pytest.raises(mercer.ParameterError, match="length_scale"):
            mercer.RBF.with_length_scale(wrong)


def test_matern_of_another_nu_is_refused():
    with pytest.raises(mercer.ParameterError, match="expected nu to be"):
        mercer.Matern(1.0, nu=2.0)
