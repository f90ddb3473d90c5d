"""The search for weights, on an objective whose optimum is known, and the order of rows that it goes through."""

import time

import numpy as np
import pytest

from mercer.scales import Limits, Stage, Standard, nested_sample, search
from mercer.solvers import Status

TARGET = np.array([0.7, 0.02, 0.0])


class Bowl:
    """Σ (w_k − t_k)² + (e − 1)², least at the target."""

    extra_bounds = ((-3.0, 3.0),)

    def __call__(self, parameters):
        missed = parameters - np.append(TARGET, 1.0)
        return float(missed @ missed), 2 * missed


def sought(price=0.0, limits=None, stages=1):
    starts = [np.append(np.full(3, size), 0.0) for size in (5.0, 0.1)]
    limits = Limits(steps=100, tol=1e-12) if limits is None else limits
    return search([Stage(Bowl, price)] * stages, starts, 3, limits)


def test_search_ends_at_the_optimum():
    found = sought()
    np.testing.assert_allclose(found.weights, TARGET, atol=1e-5)
    np.testing.assert_allclose(found.extra, [1.0], atol=1e-5)
    assert found.status is Status.STEADY
    assert found.value == pytest.approx(0, abs=1e-9)


def test_price_leaves_out_weights_that_are_worth_less():
    # The slope at zero is 2 t_k, so that a price of 0.1 is above that of the second and shortens the first by 0.05.
    np.testing.assert_allclose(sought(price=0.1).weights, [0.65, 0.0, 0.0], atol=1e-5)


def test_a_stage_begins_where_the_last_ended():
    assert sought(stages=3).evaluations < 2 * sought().evaluations


def test_most_steps_are_told():
    found = sought(limits=Limits(steps=1, tol=1e-12))
    assert found.status is Status.ITERATION_LIMIT
    assert found.steps == 1


def test_when_time_is_up_the_best_so_far_is_taken():
    found = sought(limits=Limits(steps=100, tol=1e-12, ends=time.perf_counter() - 1))
    assert found.status is Status.TIME_LIMIT
    assert found.evaluations == 1
    np.testing.assert_array_equal(found.weights, np.full(3, 5.0))


def test_every_beginning_of_a_sample_has_the_classes_in_their_shares(random_state):
    codes = np.repeat([0, 1, 2], [600, 397, 3])
    rows = nested_sample(codes, 1000, 500, random_state)
    assert len(set(rows.tolist())) == 500
    for size in (6, 50, 100, 500):
        counts = np.bincount(codes[rows[:size]], minlength=3)
        assert counts[2] >= 2  # without which nothing could be said of them
        assert abs(counts[0] / size - 0.6) <= 4 / size


def test_a_sample_without_classes_is_at_random(random_state):
    rows = nested_sample(None, 100, 40, random_state)
    assert len(set(rows.tolist())) == 40
    assert 30 < rows.mean() < 70


@pytest.fixture
def random_state():
    return np.random.RandomState(0)


def test_standard_features_have_mean_zero_and_variance_one_at_any_size(random):
    X = random.normal(3, 2, size=(50, 4)) * [1.0, 1e150, 1e-150, 1e300] + [0, 0, 0, 5e307]
    moved = Standard.of(X).applied(X)
    np.testing.assert_allclose(moved.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(moved.std(axis=0), 1, atol=1e-6)


def test_features_with_one_value_do_not_vary():
    X = np.stack([np.full(30, 0.1), np.arange(30.0), np.full(30, 1e12), np.zeros(30)], axis=1)
    np.testing.assert_array_equal(Standard.of(X).varies, [False, True, False, False])
