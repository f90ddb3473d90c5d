"""The objectives of scales against naive twins, and their slopes against differences."""

import numpy as np
import pytest

from mercer.scales import Evidence, LeftOut, SoftNeighbours
from tests.reference import scales

# Differences of float64 values at steps of 1e-6.
FINITE_DIFFERENCES = 1e-7
# Shares of float32.
SINGLE = 1e-4


@pytest.fixture
def rows(random):
    X = random.normal(size=(40, 4))
    return X, random.uniform(0.05, 1.0, 4)


def classes(X):
    return np.eye(3)[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]


def numbers(X):
    y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
    return (y - y.mean(axis=0)) / y.std(axis=0)


def slopes_by_differences(objective, parameters, step=1e-6):
    moves = step * np.eye(len(parameters))
    return np.array([(objective(parameters + m)[0] - objective(parameters - m)[0]) / (2 * step) for m in moves])


@pytest.mark.parametrize("targets", [classes, numbers])
def test_soft_votes_equal_loops_over_rows(rows, targets):
    X, weights = rows
    value, _ = SoftNeighbours(X, targets(X), targets is classes, 1)(weights)
    assert value == pytest.approx(scales.soft_neighbours(X, targets(X), targets is classes, weights), rel=1e-12)


@pytest.mark.parametrize("targets", [classes, numbers])
def test_slopes_of_soft_votes_equal_differences(rows, targets):
    X, weights = rows
    objective = SoftNeighbours(X, targets(X), targets is classes, 1)
    slopes = objective(weights)[1]
    assert np.abs(slopes).min() > 1e-3
    np.testing.assert_allclose(slopes, slopes_by_differences(objective, weights), atol=FINITE_DIFFERENCES)


@pytest.mark.parametrize("targets", [classes, numbers])
def test_soft_votes_in_float32_are_those_in_float64(random, targets):
    X = random.normal(size=(700, 5))
    weights = np.array([3.0, 0.5, 0.1, 0.0, 0.0])
    fine = SoftNeighbours(X, targets(X), targets is classes, 1)(weights)
    coarse = SoftNeighbours(X.astype(np.float32), targets(X), targets is classes, 1)(weights)
    assert coarse[0] == pytest.approx(fine[0], rel=SINGLE)
    np.testing.assert_allclose(coarse[1], fine[1], atol=SINGLE)


def test_soft_votes_have_the_same_bits_on_any_number_of_threads(random):
    X = random.normal(size=(1100, 3)).astype(np.float32)
    weights = np.array([1.0, 0.3, 0.1])
    one, three = (SoftNeighbours(X, classes(X), True, threads)(weights) for threads in (1, 3))
    assert one[0] == three[0]
    np.testing.assert_array_equal(one[1], three[1])


def test_a_row_far_from_all_others_costs_at_most_what_chance_allows(random):
    X = random.normal(size=(50, 2)).astype(np.float32)
    targets = classes(np.hstack([X, X]))
    X[0] = 1e4
    value, slopes = SoftNeighbours(X, targets, True, 1)(np.array([10.0, 10.0]))
    assert 0 <= value <= np.log(50)
    assert np.all(np.isfinite(slopes))


@pytest.mark.parametrize("columns", [classes, numbers])
@pytest.mark.parametrize(("kind", "twin"), [(LeftOut, scales.left_out), (Evidence, scales.evidence)])
def test_objectives_of_kernel_machines_equal_their_definition(rows, columns, kind, twin):
    X, weights = rows
    targets = columns(X) - columns(X).mean(axis=0)
    value, _ = kind(X, targets, 1)(np.append(weights, np.log(0.3)))
    assert value == pytest.approx(twin(X, targets, weights, 0.3), rel=1e-10)


@pytest.mark.parametrize("columns", [classes, numbers])
@pytest.mark.parametrize("kind", [LeftOut, Evidence])
def test_slopes_of_kernel_machines_equal_differences(rows, columns, kind):
    X, weights = rows
    objective = kind(X, columns(X) - columns(X).mean(axis=0), 1)
    at = np.append(weights, np.log(0.3))
    slopes = objective(at)[1]
    assert np.abs(slopes).min() > 1e-4
    np.testing.assert_allclose(slopes, slopes_by_differences(objective, at), atol=FINITE_DIFFERENCES)


@pytest.mark.parametrize("kind", [LeftOut, Evidence])
def test_duplicates_with_other_targets_stay_finite(random, kind):
    X = np.repeat(random.normal(size=(10, 2)), 3, axis=0)
    targets = random.normal(size=(30, 1))
    value, slopes = kind(X, targets, 1)(np.array([1.0, 1.0, np.log(1e-4)]))
    assert np.isfinite(value)
    assert np.all(np.isfinite(slopes))
