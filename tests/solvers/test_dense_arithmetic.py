"""Numbers in twice the precision of float64, against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mercer.solvers.direct import (
    Extended,
)
from mercer.solvers.direct.extended import exact_product, exact_sum, rounded_sum

# Products neither overflow nor are so small that their last digits are lost.
numbers = st.floats(-1e120, 1e120).filter(lambda x: x == 0 or abs(x) > 1e-120)
several = st.lists(numbers, min_size=3, max_size=3)


def fraction(*parts):
    return sum((Fraction(float(part)) for part in parts), Fraction(0))


@given(numbers, numbers)
def test_sums_and_products_are_exact_with_their_errors(a, b):
    x, y = np.array([a]), np.array([b])
    total, error = exact_sum(x, y)
    assert fraction(total[0], error[0]) == fraction(a) + fraction(b)
    product, error = exact_product(x, y)
    assert fraction(product[0], error[0]) == fraction(a) * fraction(b)


@given(numbers, st.floats(-1, 1), numbers)
def test_extended_numbers_have_twice_the_digits(high, share, other):
    low = share * 2.0**-53 * high
    value, y = Extended(np.array([high]), np.array([low])), np.array([other])
    exact = fraction(high, low)
    unit = Fraction(2) ** -100

    def off_by(found, wanted, size):
        return abs(fraction(found.high[0], found.low[0]) - wanted) <= unit * size

    sum_ = value.plus(y)
    assert off_by(sum_, exact + fraction(other), abs(exact) + abs(fraction(other)))
    assert sum_.high[0] + sum_.low[0] == sum_.high[0]
    assert off_by(value.times(y), exact * fraction(other), abs(exact * fraction(other)))
    if other:
        assert off_by(value.over(y), exact / fraction(other), abs(exact / fraction(other)))
    assert value.total() == float(exact)


@given(several, several)
def test_totals_are_rounded_once(high, low):
    signs = np.array([1.0, -1.0, 1.0])
    found = Extended(np.array(high), np.array(low)).total(signs)
    assert found == float(
        sum(fraction(s) * (fraction(h) + fraction(x)) for s, h, x in zip(signs, high, low, strict=True))
    )


def test_totals_of_what_is_no_number_are_none():
    assert np.isnan(rounded_sum(np.array([np.inf, -np.inf])))
    assert np.isnan(rounded_sum(np.array([1e308, 1e308])))
    assert rounded_sum(1e308, np.array([1.0, -1e308])) == 1.0


def test_products_of_numbers_near_the_largest_have_no_error_instead_of_a_missing_one():
    product, error = exact_product(np.array([1e308]), np.array([1.0]))
    assert (product[0], error[0]) == (1e308, 0.0)
