"""Axes have room for their values and round ticks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.report.charts import Axis

finite = st.floats(-1e12, 1e12, allow_nan=False).filter(lambda value: value == 0 or abs(value) > 1e-12)


@given(st.lists(finite, max_size=8))
def test_every_value_has_its_place(values):
    axis = Axis.around("x", values)
    assert axis.low < axis.high
    slack = 1e-6 * (axis.high - axis.low)
    assert all(axis.low - slack <= value <= axis.high + slack for value in values)
    assert all(0 <= axis.place(value) <= 1 for value in values)
    assert 2 <= len(axis.ticks) <= 9
    labels = [label for _, label in axis.ticks]
    assert len(set(labels)) == len(labels)


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8))
def test_every_value_has_its_place_on_a_logarithmic_axis(values):
    axis = Axis.around("y", values, is_log=True)
    assert all(axis.low * 0.999 <= value <= axis.high * 1.001 for value in values)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 1 <= len(axis.ticks) <= 7


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (0.7446, 0.8794, ["0.7", "0.75", "0.8", "0.85", "0.9"]),
        (-50.0, 50.0, ["−50", "−25", "0", "25", "50"]),
        (0.0, 4000.0, ["0", "1,000", "2,000", "3,000", "4,000"]),
    ],
)
def test_ticks_are_round(low, high, labels):
    assert [label for _, label in Axis.around("x", [low, high]).ticks] == labels


def test_what_has_no_place_is_left_out():
    axis = Axis.around("x", [math.nan, math.inf, 2.0, 3.0])
    assert (axis.low, axis.high) == (2.0, 3.0)
    axis = Axis.around("y", [0.0, -1.0, 0.002, 5.0], is_log=True)
    assert (axis.low, axis.high) == pytest.approx((0.001, 10.0))
    assert axis.place(0.0) == 0.0
    assert Axis.around("x", []).ticks[0] == (0.0, "0")
