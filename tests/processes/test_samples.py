"""The search by way of samples: the same maximum as on all rows from the start, with few likelihoods of all rows."""

import math
from time import perf_counter

import numpy as np
import pytest

from mercer import RBF, GaussianProcessRegressor, White
from mercer.errors import UnsolvedWarning
from mercer.processes import unknowns
from mercer.processes.optimum import OUT_OF_TIME, maximise
from mercer.processes.quasi_newton import climb_curved, curvature_at
from mercer.processes.samples import maximise_by_samples, takes_samples

WIDE = np.array([[-8.0, 8.0], [-8.0, 8.0]])
NOWHERE = np.full(2, np.nan)


def hill(theta):
    """Rosenbrock's valley turned over: its maximum, zero, is at (1, 1)."""
    x, y = theta
    return -(100 * (y - x * x) ** 2 + (1 - x) ** 2), np.array([400 * x * (y - x * x) + 2 * (1 - x), -200 * (y - x * x)])


def slide(theta):
    """Grows for ever as the second number falls, and has its maximum in the first at 2."""
    return -((theta[0] - 2) ** 2) - math.exp(theta[1]), np.array([-2 * (theta[0] - 2), -math.exp(theta[1])])


def test_curvature_is_that_of_second_derivatives_made_positive():
    found = curvature_at(hill, np.array([1.0, 1.0]), WIDE)
    np.testing.assert_allclose(found, [[802.0, -400.0], [-400.0, 200.0]], rtol=1e-2)
    saddle = curvature_at(lambda t: (t[0] ** 2 - t[1] ** 2, np.array([2 * t[0], -2 * t[1]])), np.zeros(2), WIDE)
    np.testing.assert_allclose(saddle, 2 * np.eye(2), atol=1e-8)


def test_a_curved_climb_ends_at_the_maximum():
    found = climb_curved(hill, np.array([-1.2, 1.0]), lambda theta: curvature_at(hill, theta, WIDE), WIDE, NOWHERE)
    assert found.trouble is None
    np.testing.assert_allclose(found.theta, [1.0, 1.0], atol=1e-3)


def test_a_climb_stays_within_bounds_and_ends_where_they_hold_it():
    bounds = np.array([[-1.0, 1.5], [-3.0, 3.0]])
    found = climb_curved(slide, np.zeros(2), lambda theta: curvature_at(slide, theta, bounds), bounds, NOWHERE)
    np.testing.assert_array_equal(found.theta, [1.5, -3.0])


def test_a_number_that_is_drawn_far_away_goes_there_in_one_step():
    def climb(drawn):
        return climb_curved(slide, np.zeros(2), lambda theta: curvature_at(slide, theta, WIDE), WIDE, drawn)

    found, alone = climb(np.array([np.nan, -8.0])), climb(NOWHERE)
    assert found.theta[1] == -8.0
    assert found.evaluations < alone.evaluations
    np.testing.assert_allclose(found.theta[0], 2.0, atol=1e-4)


def test_a_climb_from_where_nothing_is_finite_says_so():
    found = climb_curved(lambda theta: (-math.inf, np.zeros(2)), np.zeros(2), lambda theta: np.eye(2), WIDE, NOWHERE)
    assert found.trouble is not None
    assert found.value == -math.inf


@pytest.mark.parametrize(("rows", "numbers", "expected"), [(1599, 3, False), (1600, 3, True), (1600, 17, False)])
def test_samples_are_taken_where_they_tell_as_many_numbers(rows, numbers, expected):
    assert takes_samples(rows, numbers) is expected


@pytest.fixture(scope="module")
def observed():
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, size=(1600, 3))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.2 * random.normal(size=len(X))


@pytest.fixture
def counted(monkeypatch):
    """Likelihoods by their numbers of rows."""
    counts: dict[int, int] = {}
    evaluate = unknowns.likelihood_with_slopes

    def counting(kernel, known):
        counts[len(known.X)] = counts.get(len(known.X), 0) + 1
        return evaluate(kernel, known)

    monkeypatch.setattr(unknowns, "likelihood_with_slopes", counting)
    return counts


def of_all_rows(model, starts):
    """The maximum by L-BFGS-B on all rows alone."""
    return maximise(model._objective(None), starts, model._unknowns.bounds, len(model.X_train_))


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning")  # one feature does not matter
def test_the_likelihood_is_that_of_a_search_on_all_rows_with_a_part_of_its_evaluations(observed, counted):
    model = GaussianProcessRegressor(1.0 * RBF([0.5, 0.5, 0.5]) + White(0.1)).fit(*observed)
    assert sorted(counted) == [400, 1600]
    by_samples = counted[1600]
    direct = of_all_rows(model, [model._unknowns.theta])
    assert model.log_marginal_likelihood_value_ >= direct.value - 1e-4
    assert by_samples <= direct.evaluations / 2


def test_starts_that_lead_to_the_same_maximum_are_followed_once(observed, counted):
    X, y = observed
    kernel = RBF(1.0) + White(0.1)
    bounds = {"k1__gamma": (0.01, 100.0), "k2__noise": (1e-3, 10.0)}
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=3, random_state=0, bounds=bounds).fit(X, y)
    many = counted[1600]
    counted.clear()
    one = GaussianProcessRegressor(kernel, bounds=bounds).fit(X, y)
    assert many <= counted[1600] + 3
    np.testing.assert_allclose(model.log_marginal_likelihood_value_, one.log_marginal_likelihood_value_, rtol=1e-6)


def test_the_answer_is_the_same_each_time(observed):
    X, y = observed
    kernel = RBF(1.0) + White(0.1)
    first, second = (GaussianProcessRegressor(kernel).fit(X, y) for _ in range(2))
    assert first.kernel_ == second.kernel_


def test_a_search_that_is_out_of_time_keeps_the_best_of_the_sample(observed):
    X, y = observed
    with pytest.warns(UnsolvedWarning, match="time_limit"):
        model = GaussianProcessRegressor(1.0 * RBF([0.5] * 3) + White(0.1), time_limit=0.15).fit(X, y)
    assert math.isfinite(model.log_marginal_likelihood_value_)
    value = model.log_marginal_likelihood(model._theta)
    np.testing.assert_allclose(model.log_marginal_likelihood_value_, value)


def test_out_of_time_is_told_at_every_level():
    def objective_of(rows):
        return lambda theta: (-float(theta @ theta), -2 * theta)

    found = maximise_by_samples(objective_of, [np.ones(2)], WIDE, 6400, ends=perf_counter() - 1)
    assert found is not None
    assert found.trouble == OUT_OF_TIME
    assert found.value == -math.inf
