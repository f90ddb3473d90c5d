"""The picture of a local fit shows the curve, its band and the equivalent kernel."""

import numpy as np
import pytest

from mercer import InputError, LocallyWeightedRegression
from mercer.plot import LocalFitDisplay


@pytest.fixture
def curve():
    x = np.linspace(0, 6, 60)[:, None]
    y = np.sin(x[:, 0])
    return x, y, LocallyWeightedRegression(frac=0.4).fit(x, y)


def test_local_fit_display_holds_what_the_estimator_says(curve):
    x, y, model = curve
    display = LocalFitDisplay.from_estimator(model, x, y, 2.0, confidence=0.8)
    np.testing.assert_array_equal(display.kernel, model.equivalent_kernel([[2.0]])[0])
    np.testing.assert_array_equal(display.values, model.predict(display.places[:, None]))
    np.testing.assert_array_equal(display.upper, model.predict_interval(display.places[:, None], 0.8).upper)
    assert display.kernel @ y == pytest.approx(model.predict([[2.0]])[0])
    curve_drawn = display.ax_.lines[0].get_xydata()
    np.testing.assert_array_equal(curve_drawn[:, 1], display.values)
    assert display.axes_[1].figure is display.figure_


def test_local_fit_display_refuses_what_it_cannot_draw(curve):
    x, y, model = curve
    with pytest.raises(InputError, match="one feature"):
        LocalFitDisplay.from_estimator(model, np.hstack([x, x]), y, 2.0)
    with pytest.raises(InputError, match="the 60 rows"):
        LocalFitDisplay.from_estimator(model, x[:50], y[:50], 2.0)
