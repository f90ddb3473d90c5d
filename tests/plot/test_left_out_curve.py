"""The picture of errors at rows left out."""

import numpy as np
import pytest

from mercer import KernelRidgeCV
from mercer.errors import InputError
from mercer.plot import LeftOutCurveDisplay


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2))
    return X, np.sin(X[:, 0]) + 0.2 * random.normal(size=80)


def test_curves_are_the_errors_in_the_order_of_alpha(rows):
    model = KernelRidgeCV([1.0, 0.01, 0.1], kernel="rbf", gammas=[0.5, 2.0]).fit(*rows)
    display = LeftOutCurveDisplay.from_estimator(model)
    *curves, choice = display.ax_.lines
    for curve, errors in zip(curves, model.errors_[:, [1, 2, 0], 0], strict=True):
        np.testing.assert_array_equal(curve.get_xdata(), [0.01, 0.1, 1.0])
        np.testing.assert_array_equal(curve.get_ydata(), errors)
    assert choice.get_xdata()[0] == model.alpha_
    assert choice.get_ydata()[0] == model.errors_.min()
    assert not display.ax_.collections


def test_estimates_have_a_band(rows):
    model = KernelRidgeCV([0.1, 1.0], kernel="rbf", left_out="estimate").fit(*rows)
    assert len(LeftOutCurveDisplay.from_estimator(model).ax_.collections) == 1


def test_others_are_refused():
    with pytest.raises(InputError, match="fitted KernelRidgeCV"):
        LeftOutCurveDisplay.from_estimator(KernelRidgeCV())
