"""LOWESS gives statsmodels' numbers."""

import numpy as np
import pytest
from statsmodels.nonparametric.smoothers_lowess import lowess as theirs

from mercer import InputError, LocallyWeightedRegression, ParameterError, lowess

# What two ways to sum up to some thousand terms in float64 differ by.
ROUNDING = 1e-9


def scatter(n, digits=None, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    x = x if digits is None else np.round(x, digits)
    return x, np.sin(x) + 0.3 * rng.standard_t(2, n)


@pytest.mark.parametrize("digits", [None, 1], ids=["distinct", "ties"])
@pytest.mark.parametrize("it", [0, 3])
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.7])
@pytest.mark.parametrize(("n", "frac"), [(20, 0.3), (300, 0.1), (300, 2 / 3), (300, 1.0), (2500, 0.6)])
def test_smooth_is_that_of_statsmodels(n, frac, it, delta, digits):
    x, y = scatter(n, digits)
    if digits is not None and frac * n < 40:
        frac = 0.5
    x, order = np.sort(x), np.argsort(x, kind="stable")
    y = y[order]
    own = lowess(y, x, frac=frac, it=it, delta=delta)
    np.testing.assert_allclose(own, theirs(y, x, frac=frac, it=it, delta=delta, is_sorted=True), atol=ROUNDING)


def test_order_of_the_points_is_kept_where_asked_for():
    x, y = scatter(200)
    np.testing.assert_allclose(lowess(y, x, return_sorted=False), theirs(y, x, return_sorted=False), atol=ROUNDING)


@pytest.mark.parametrize("it", [0, 2])
def test_values_at_other_places_are_those_of_statsmodels(it):
    x, y = scatter(200)
    places = np.random.default_rng(1).uniform(-1, 11, 50)
    own = lowess(y, x, frac=0.3, it=it, xvals=places)
    np.testing.assert_allclose(own, theirs(y, x, frac=0.3, it=it, xvals=places), atol=ROUNDING)


def test_missing_points_are_left_out_as_by_statsmodels():
    x, y = scatter(100)
    x[3], y[10], y[20] = np.nan, np.nan, np.inf
    np.testing.assert_allclose(lowess(y, x), theirs(y, x), atol=ROUNDING)
    np.testing.assert_allclose(lowess(y, x, return_sorted=False), theirs(y, x, return_sorted=False), atol=ROUNDING)
    for missing in ("raise", "none"):
        with pytest.raises(InputError, match="finite"):
            lowess(y, x, missing=missing)


def test_few_neighbours_return_the_points():
    x, y = scatter(30)
    np.testing.assert_allclose(lowess(y, x, frac=0.01), theirs(y, x, frac=0.01), atol=ROUNDING)


def test_exact_points_stay_and_others_lose_their_weight():
    x = np.arange(40.0)
    y = 2 * x
    y[7] = 1000
    np.testing.assert_allclose(lowess(y, x, frac=0.5)[10:, 1], 2 * x[10:], atol=1e-9)


def test_robust_estimator_is_lowess():
    x, y = scatter(400)
    model = LocallyWeightedRegression(frac=2 / 3, robust_iterations=3).fit(x[:, None], y)
    np.testing.assert_allclose(model.fitted_values_, lowess(y, x, return_sorted=False), atol=ROUNDING)


def test_offsets_do_not_drown_in_rounding():
    x, y = scatter(500)
    x, y = np.round(x * 2**20) / 2**20, np.round(y * 2**20) / 2**20  # exact after the shift
    moved = lowess(y + 2.0**26, x + 2.0**26, frac=0.2, return_sorted=False) - 2.0**26
    np.testing.assert_allclose(moved, lowess(y, x, frac=0.2, return_sorted=False), atol=3e-8)


def test_points_of_one_x_have_their_mean():
    np.testing.assert_allclose(lowess([1.0, 2, 6], [4.0, 4, 4], it=0)[:, 1], 3.0)
    assert lowess([5.0], [1.0]).tolist() == [[1.0, 5.0]]


def test_long_series_agree_with_interpolated_ones():
    x = np.linspace(0, 10, 100_000)
    y = np.sin(x)
    exact, quick = lowess(y, x, frac=0.05, it=1)[:, 1], lowess(y, x, frac=0.05, it=1, delta=0.01)[:, 1]
    np.testing.assert_allclose(exact, quick, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"frac": 1.5}, ParameterError, "frac"),
        ({"it": -1}, ParameterError, "it"),
        ({"delta": -1.0}, ParameterError, "delta"),
        ({"missing": "ignore"}, ParameterError, "missing"),
        ({"delta": 1.0, "xvals": [1.0]}, ParameterError, "delta"),
        ({"exog": [1.0, 2.0]}, InputError, "as many values"),
        ({"exog": [3.0, 2.0, 1.0], "is_sorted": True}, InputError, "ascending"),
        ({"exog": [[1.0, 2.0, 3.0]]}, InputError, "a vector"),
        ({"exog": ["a", "b", "c"]}, InputError, "not numeric"),
        ({"exog": [np.nan] * 3}, InputError, "got none"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(options, error, message):
    given = {"endog": [1.0, 2.0, 3.0], "exog": [1.0, 2.0, 3.0], **options}
    with pytest.raises(error, match=message):
        lowess(given.pop("endog"), given.pop("exog"), **given)
