"""The numbers of a kernel by name, with bounds."""

import numpy as np
import pytest

from mercer import RBF, Linear, ParameterError, Periodic, RationalQuadratic, White
from mercer.processes import Hyperparameters


def test_parameters_are_named_as_in_get_params_and_come_back():
    kernel = 2.0 * RBF([0.5, 0.25]) + (RationalQuadratic(0.3, 1.5) * Periodic(2.0) + White(0.1))
    parameters = Hyperparameters.of(kernel)
    assert parameters.names == (
        "k1__factor",
        "k1__kernel__gamma[0]",
        "k1__kernel__gamma[1]",
        "k2__k1__k1__alpha",
        "k2__k1__k1__gamma",
        "k2__k1__k2__length_scale",
        "k2__k1__k2__period",
        "k2__k2__noise",
    )
    np.testing.assert_allclose(np.exp(parameters.theta), [2.0, 0.5, 0.25, 1.5, 0.3, 1.0, 2.0, 0.1])
    again = Hyperparameters.of(parameters.at(parameters.theta + 1.0))
    np.testing.assert_allclose(again.theta, parameters.theta + 1.0)


def test_fixed_parameters_stay():
    parameters = Hyperparameters.of(2.0 * RBF(0.5) + White(0.0), {"k1__factor": "fixed", "k2__noise": "fixed"})
    assert parameters.names == ("k1__kernel__gamma",)
    assert parameters.at(np.log([3.0])) == 2.0 * RBF(np.exp(np.log(3.0))) + White(0.0)


def test_bounds_are_those_given_or_scikit_learns():
    parameters = Hyperparameters.of(RBF(0.5) + White(1.0), {"k2__noise": (0.1, 10.0)})
    np.testing.assert_allclose(np.exp(parameters.bounds), [[0.5e-10, 0.5e10], [0.1, 10.0]])


@pytest.mark.parametrize(
    ("kernel", "bounds", "told"),
    [
        (RBF(0.5), {"gama": (1, 2)}, "expected names among"),
        (RBF(0.5), {"gamma": (2, 1)}, "0 < low ≤ high"),
        (RBF(0.5), {"gamma": (0, 1)}, "0 < low ≤ high"),
        (RBF(0.5), {"gamma": "free"}, "0 < low ≤ high"),
        (RBF(0.5), {"gamma": (1, np.nan)}, "0 < low ≤ high"),
        (RBF([0.5, 0.0]), None, "to begin from"),
        (RBF(0.5) + White(0.0), None, "bounds={'k2__noise': 'fixed'}"),
    ],
)
def test_bounds_and_starts_that_make_no_sense_are_refused(kernel, bounds, told):
    with pytest.raises(ParameterError) as caught:
        Hyperparameters.of(kernel, bounds)
    assert told in str(caught.value)


def test_kernel_without_parameters_has_none():
    parameters = Hyperparameters.of(Linear())
    assert len(parameters.theta) == 0
    assert parameters.at(parameters.theta) == Linear()
