"""The losses of stochastic gradient descent at points worked out by hand, and their slopes as differences of them."""

import numpy as np
import pytest

from mercer.problems import LOSSES
from tests.reference.sgd import loss_and_slope

EPSILON = 0.5
# (loss, y, f, what it costs)
BY_HAND = [
    ("hinge", 1.0, -1.0, 2.0),
    ("hinge", -1.0, -2.0, 0.0),
    ("squared_hinge", 1.0, -1.0, 4.0),
    ("log_loss", 1.0, 0.0, np.log(2.0)),
    ("modified_huber", 1.0, 2.0, 0.0),
    ("modified_huber", 1.0, 0.0, 1.0),
    ("modified_huber", -1.0, 1.0, 4.0),  # where square and line meet
    ("modified_huber", -1.0, 3.0, 12.0),
    ("perceptron", 1.0, 0.5, 0.0),
    ("perceptron", 1.0, 0.0, 0.0),
    ("perceptron", -1.0, 3.0, 3.0),
    ("squared_error", 1.0, 4.0, 4.5),
    ("huber", 1.0, 1.25, 0.03125),
    ("huber", 1.0, 0.5, 0.125),  # where square and line meet
    ("huber", -1.0, 2.0, 1.375),
    ("epsilon_insensitive", 1.0, 3.0, 1.5),
    ("squared_epsilon_insensitive", 1.0, 3.0, 2.25),
]


@pytest.mark.parametrize(("loss", "y", "f", "cost"), BY_HAND)
def test_loss_is_what_it_is_by_hand(loss, y, f, cost):
    assert LOSSES[loss](np.array([y]), np.array([f]), EPSILON)[0] == pytest.approx(cost, abs=1e-15)
    assert loss_and_slope(loss, y, f, EPSILON)[0] == pytest.approx(cost, abs=1e-15)


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "softmax"])
def test_slope_of_the_twin_is_the_difference_of_losses(loss, y):
    # No corner of any loss is at these places.
    f, h = np.arange(-20, 21) * 0.17 + 0.003, 1e-6
    signs = np.full_like(f, y)
    differences = (LOSSES[loss](signs, f + h, EPSILON) - LOSSES[loss](signs, f - h, EPSILON)) / (2 * h)
    slopes = [loss_and_slope(loss, y, value, EPSILON)[1] for value in f]
    np.testing.assert_allclose(slopes, differences, atol=1e-8)
