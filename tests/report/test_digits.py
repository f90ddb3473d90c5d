"""Numbers have the digits that a reader needs."""

import math

import pytest

from mercer.report.digits import count, duration, measured, number, parameter, power, share
from mercer.report.legible import shortened, width_of


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.853412, 4, "0.8534"),
        (0.5, 4, "0.5"),
        (1234.5678, 4, "1,235"),
        (4731.2284, 6, "4,731.23"),
        (-0.0312, 2, "−0.031"),
        (1e-5, 3, "1 × 10⁻⁵"),
        (-2.5e12, 3, "−2.5 × 10¹²"),
        (12345678, 4, "12,345,678"),
        (0, 4, "0"),
        (-0.0, 4, "0"),
        (9.99999, 3, "10"),
        (math.nan, 4, "—"),
        (None, 4, "—"),
        (math.inf, 4, "∞"),
        (-math.inf, 4, "−∞"),
    ],
)
def test_number_has_the_digits_that_count(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.85312, 0.0123, "0.853 ± 0.012"),
        (42.318, 1.274, "42.3 ± 1.3"),
        (181.9, 32.0, "182 ± 32"),
        (-0.0008, 0.0011, "−0.0008 ± 0.0011"),
        (0.5, None, "0.5"),
        (0.5, 0.0, "0.5"),
        (0.5, math.nan, "0.5"),
        (1.0, 1e-9, "1 ± 1 × 10⁻⁹"),
        (math.nan, 0.1, "—"),
    ],
)
def test_measured_number_ends_where_its_error_does(value, error, text):
    assert measured(value, error) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "under 1 ms"),
        (0.0123, "12 ms"),
        (0.99999, "1 s"),
        (4.56, "4.6 s"),
        (59.96, "60 s"),
        (120.0, "2 min"),
        (200, "3 min 20 s"),
        (7300, "2 h 1 min"),
        (7320, "2 h 2 min"),
        (math.nan, "—"),
    ],
)
def test_duration_is_said_as_people_say_it(seconds, text):
    assert duration(seconds) == text


def test_shares_counts_powers_and_parameters():
    assert (share(1, 3), share(0, 3), share(1, 0), share(1, 100_000)) == ("33.3 %", "0 %", "—", "< 0.1 %")
    assert count(1234567) == "1,234,567"
    assert (power(0.001), power(10.0)) == ("10⁻³", "10¹")
    assert [parameter(value) for value in (0.03125, "rbf", True, None, 4)] == ["0.03125", "rbf", "True", "None", "4"]


def test_shortened_text_keeps_its_limit_and_no_half_of_an_emoji():
    assert shortened("a" * 10_000, 80) == "a" * 79 + "…"
    assert shortened("abc", 3) == "abc"
    assert "\u200d" not in shortened("👩\u200d👩\u200d👧", 3)


def test_wide_letters_take_more_room():
    assert width_of("漢字", 10) > width_of("ab", 10) > width_of("il", 10) > 0
    assert width_of("e\u0301", 10) == width_of("e", 10)
