"""The picture of the binary losses."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from mercer import ParameterError
from mercer.plot import BinaryLossesDisplay


def test_binary_losses_are_their_formulas(texts_of):
    display = BinaryLossesDisplay.from_losses()
    ty = display.ty
    expected = {
        "zero_one": np.where(ty > 0, 0, 1),
        "squared": (ty - 1) ** 2,
        "logistic": -np.log(1 / (1 + np.exp(-ty))),
        "hinge": np.where(ty < 1, 1 - ty, 0),
        "squared_hinge": np.where(ty < 1, (1 - ty) ** 2, 0),
    }
    assert list(display.values) == list(expected)
    for name, values in display.values.items():
        assert np.allclose(values, expected[name], atol=1e-12)
    drawn = [line for line in display.ax_.lines if not str(line.get_label()).startswith("_")]
    for line, values in zip(drawn, expected.values(), strict=True):
        shown = np.isfinite(line.get_ydata())
        assert np.allclose(line.get_ydata()[shown], values[shown], atol=1e-12)
        assert (~shown).sum() <= 1
    assert len({(line.get_color(), line.get_linestyle()) for line in drawn}) == len(expected)
    assert len(texts_of(display.ax_)) == 5


def test_losses_that_are_asked_for_are_drawn_apart():
    names = ["squared_hinge", "modified_huber", "perceptron"]
    display = BinaryLossesDisplay.from_losses(names, limits=(-3, 2))
    ty = display.ty
    np.testing.assert_allclose(display.values["perceptron"], np.where(ty < 0, -ty, 0), atol=1e-12)
    near, far = display.values["squared_hinge"], -4 * ty
    np.testing.assert_allclose(display.values["modified_huber"], np.where(ty < -1, far, near), atol=1e-12)
    drawn = [line for line in display.ax_.lines if not str(line.get_label()).startswith("_")]
    assert len({(line.get_color(), line.get_linestyle()) for line in drawn}) == len(names)


@pytest.mark.parametrize("sign", [-1, 1])
def test_logistic_loss_is_that_of_scikit_learn_for_both_signs(sign):
    display = BinaryLossesDisplay.from_losses(["logistic"])
    for ty, value in list(zip(display.ty, display.values["logistic"], strict=True))[::100]:
        probability = 1 / (1 + np.exp(-sign * ty))
        assert value == pytest.approx(log_loss([sign], [[1 - probability, probability]], labels=[-1, 1]))


def test_logistic_loss_to_base_two_goes_through_one_and_bounds_zero_one(texts_of):
    display = BinaryLossesDisplay.from_losses(["zero_one", "logistic"], limits=(-2, 2), base_two=True)
    assert np.interp(0, display.ty, display.values["logistic"]) == pytest.approx(1)
    assert np.all(display.values["logistic"] >= display.values["zero_one"] - 1e-12)
    assert texts_of(display.ax_)[1] == "logistic: −log₂ σ(ty)"


def test_binary_losses_refuse_names_and_limits_they_do_not_know():
    with pytest.raises(ParameterError, match=r"expected some of 'zero_one'.*'huber'"):
        BinaryLossesDisplay.from_losses(["huber"])
    with pytest.raises(ParameterError, match="losses"):
        BinaryLossesDisplay.from_losses([])
    with pytest.raises(ParameterError, match="low < high"):
        BinaryLossesDisplay.from_losses(limits=(1, 1))
