"""Calibrations: learnt from held-out values, against scikit-learn's and plain optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax
from sklearn.isotonic import IsotonicRegression

from mercer.calibration import (
    CALIBRATIONS,
    HeldOutValues,
    IsotonicCalibration,
    SigmoidCalibration,
    TemperatureCalibration,
    calibration_from_arrays,
)
from mercer.errors import InputError

OPTIMISER = 1e-4  # what a general optimiser leaves


def held_out(counts, slope=2.0, offset=0.3, seed=0, spread=0.0, is_weighted=False):
    """Values of functions with so many rows each, whose labels follow sigmoids that differ by `spread`."""
    random = np.random.default_rng(seed)
    function = np.repeat(np.arange(len(counts)), counts)
    values = random.normal(size=len(function)) * 1.5
    slopes = slope + spread * random.normal(size=len(counts))
    is_positive = random.uniform(size=len(function)) < expit(slopes[function] * values + offset)
    weights = random.integers(1, 4 if is_weighted else 2, size=len(function)).astype(float)
    return HeldOutValues(values, function, is_positive, weights, np.arange(len(function)), len(counts)), slopes


def loss_of(one, slope, offset):
    z = slope * one.values + offset
    return float(one.weights @ (np.logaddexp(0, z) - one.targets() * z))


def test_sigmoid_of_one_function_is_the_most_likely_one():
    one, _ = held_out([400], is_weighted=True)
    found = SigmoidCalibration.learn(one, 2, False)
    best = minimize(lambda p: loss_of(one, *p), [1.0, 0.0], tol=1e-12).x
    np.testing.assert_allclose([found.slope[0], found.offset[0]], best, atol=OPTIMISER)


def test_sigmoid_aims_at_platts_targets():
    one, _ = held_out([50], is_weighted=True)
    positive, negative = one.weights[one.is_positive].sum(), one.weights[~one.is_positive].sum()
    targets = one.targets()
    np.testing.assert_allclose(targets[one.is_positive], (positive + 1) / (positive + 2))
    np.testing.assert_allclose(targets[~one.is_positive], 1 / (negative + 2))


def test_sigmoid_of_separated_values_is_finite():
    values = np.concatenate([np.linspace(-2, -1, 20), np.linspace(1, 2, 20)])
    one = HeldOutValues(values, np.zeros(40, int), values > 0, np.ones(40), np.arange(40), 1)
    found = SigmoidCalibration.learn(one, 2, False)
    assert 0 < found.slope[0] < 100
    assert found(np.array([[2.0]]))[0, 1] < 1 - 1e-3  # no surer than forty rows allow


@pytest.mark.parametrize("values", [np.zeros(30), np.full(30, 1e200), np.full(30, -1e-200)])
def test_sigmoid_of_values_that_say_nothing_is_how_often_the_class_comes(values):
    one = HeldOutValues(values, np.zeros(30, int), np.arange(30) < 10, np.ones(30), np.arange(30), 1)
    p = SigmoidCalibration.learn(one, 2, False)(values[:1, None])
    assert p[0, 1] == pytest.approx(1 / 3, abs=0.05)


def test_sigmoids_with_many_rows_are_their_own():
    several, slopes = held_out([20_000] * 3, spread=0.7, seed=4)
    found = SigmoidCalibration.learn(several, 3, False)
    np.testing.assert_allclose(found.slope, slopes, rtol=0.1)
    assert slopes.std() > 0.3


def test_sigmoids_with_few_rows_lean_on_the_others():
    several, slopes = held_out([12] * 300, spread=0.1)
    found = SigmoidCalibration.learn(several, 25, False)
    alone = [
        SigmoidCalibration.learn(several.of(k)._replace(function=np.zeros(12, int), functions=1), 2, False)
        for k in range(300)
    ]
    error, without = found.slope - slopes, np.array([one.slope[0] for one in alone]) - slopes
    assert np.sqrt(np.mean(error**2)) < 0.6 * np.sqrt(np.mean(without**2))


def test_function_without_rows_has_the_sigmoid_of_the_others():
    several, _ = held_out([300, 0, 300])
    found = SigmoidCalibration.learn(several, 3, False)
    assert min(found.slope[[0, 2]]) - 0.2 < found.slope[1] < max(found.slope[[0, 2]]) + 0.2


def test_isotonic_is_scikit_learns_within_what_rows_allow():
    one, _ = held_out([300], is_weighted=True)
    found = IsotonicCalibration.learn(one, 2, False)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(one.values, one.is_positive, one.weights)
    asked = np.linspace(-6, 6, 101)
    levels = np.clip(theirs.y_thresholds_, one.targets().min(), one.targets().max())
    expected = np.interp(asked, theirs.X_thresholds_, levels)
    np.testing.assert_allclose(found(asked[:, None])[:, 1], expected, atol=1e-12)


def test_isotonic_of_a_function_without_rows_says_nothing():
    several, _ = held_out([100, 0, 100])
    assert IsotonicCalibration.learn(several, 3, False).of_functions(np.zeros((1, 3)))[0, 1] == 0.5


def test_temperature_of_pairs_is_the_one_slope_of_them_all():
    several, _ = held_out([200] * 3, offset=0.0)
    found = TemperatureCalibration.learn(several, 3, False)
    best = minimize_scalar(lambda t: loss_of(several, t, 0.0), bounds=(0.01, 100), method="bounded").x
    assert found.inverse == pytest.approx(best, rel=OPTIMISER)


def test_temperature_of_classes_against_the_rest_is_that_of_their_softmax():
    random = np.random.default_rng(5)
    scores, codes = random.normal(size=(400, 4)), random.integers(4, size=400)
    scores[np.arange(400), codes] += 1
    order = random.permutation(1600)
    one = HeldOutValues(
        scores.T.ravel()[order],
        np.repeat(np.arange(4), 400)[order],
        (codes == np.arange(4)[:, None]).ravel()[order],
        np.ones(1600),
        np.tile(np.arange(400), 4)[order],
        4,
    )
    found = TemperatureCalibration.learn(one, 4, True)
    loss = lambda t: -log_softmax(t * scores, axis=1)[np.arange(400), codes].sum()  # noqa: E731
    assert found.inverse == pytest.approx(minimize_scalar(loss, bounds=(0.01, 50), method="bounded").x, rel=OPTIMISER)
    np.testing.assert_allclose(found(scores[:5]), np.exp(log_softmax(found.inverse * scores[:5], axis=1)))


@pytest.mark.parametrize("kind", CALIBRATIONS)
@pytest.mark.parametrize(("classes", "against_rest"), [(2, False), (4, False), (4, True)])
def test_calibration_goes_through_plain_arrays(kind, classes, against_rest):
    functions = 1 if classes == 2 else classes if against_rest else 6
    several, _ = held_out([80] * functions)
    if against_rest:  # each row has a value of every function
        codes = np.random.default_rng(7).integers(classes, size=80)
        own = (codes == np.arange(classes)[:, None]).ravel()
        several = several._replace(row=np.tile(np.arange(80), functions), is_positive=own)
    found = CALIBRATIONS[kind].learn(several, classes, against_rest)
    again = calibration_from_arrays(found.arrays())
    values = np.random.default_rng(6).normal(size=(10, functions))
    np.testing.assert_array_equal(again(values), found(values))
    p = found(values)
    assert p.shape == (10, classes)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize(
    "arrays",
    [
        {"kind": "platt"},
        {"kind": "sigmoid", "classes": 2, "against_rest": False, "slope": np.ones(1)},
        {"kind": "sigmoid", "classes": 3, "against_rest": False, "slope": np.ones(1), "offset": np.ones(3)},
        {"kind": "sigmoid", "classes": 2, "against_rest": False, "slope": np.array([np.nan]), "offset": np.ones(1)},
        {"kind": "temperature", "classes": 2, "against_rest": False, "inverse": -1.0},
        {"kind": "temperature", "classes": 1, "against_rest": False, "inverse": 1.0},
        {
            "kind": "isotonic",
            "classes": 2,
            "against_rest": False,
            "knots": np.ones(2),
            "levels": np.ones(2),
            "starts": np.array([0, 3]),
        },
    ],
)
def test_arrays_that_are_no_calibration_are_refused(arrays):
    with pytest.raises(InputError, match=r"[Ee]xpected"):
        calibration_from_arrays(arrays)
