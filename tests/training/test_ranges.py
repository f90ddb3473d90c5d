"""Values that a search looks at, and how they grow."""

from types import SimpleNamespace

import numpy as np
import pytest

from mercer.training.ranges import first_ranges


def search_with(scores):
    """What a search knows, of scores by fold, C and gamma."""
    flat = np.asarray(scores).reshape(len(scores), -1)
    results = {f"split{k}_test_score": one for k, one in enumerate(flat)}
    return SimpleNamespace(cv_results_=results, n_splits_=len(flat), best_index_=int(flat.mean(axis=0).argmax()))


@pytest.fixture
def ranges(random):
    return first_ranges(random.normal(size=(200, 4)), 1.0, 0)


def test_gammas_lie_around_one_over_the_squared_distance(random):
    X = random.normal(size=(400, 4))
    distances = np.square(X[:, None] - X[None]).sum(axis=2)[np.triu_indices(400, 1)]
    ranges = first_ranges(X, 1.0, 0)
    assert ranges.centre == pytest.approx(1 / np.median(distances))
    assert ranges.gamma[0] < ranges.centre < ranges.gamma[-1]


def test_more_rows_are_worth_more_cells(random):
    few, many = (first_ranges(random.normal(size=(rows, 3)), 1.0, 0) for rows in (500, 3000))
    assert len(few.C) * len(few.gamma) < len(many.C) * len(many.gamma)


def test_C_is_counted_in_units_of_the_targets(random):
    X = random.normal(size=(200, 4))
    one, million = (first_ranges(X, unit, 0).grid for unit in (1.0, 1e6))
    np.testing.assert_allclose(million["C"], 1e6 * np.array(one["C"]))
    assert million["gamma"] == one["gamma"]


def scores_of(ranges, best, gain, noise, random):
    scores = 0.8 + noise * random.normal(size=(5, len(ranges.C), len(ranges.gamma)))
    scores[:, best[0], best[1]] += gain
    return search_with(scores)


def test_ranges_grow_where_the_choice_is_at_an_end_by_more_than_chance(ranges, random):
    grown = ranges.grown(scores_of(ranges, (2, 0), 0.1, 1e-3, random))
    assert (*ranges.C, 4 * ranges.C[-1]) == grown.C
    assert grown.gamma[2:] == ranges.gamma
    assert grown.gamma[1] == pytest.approx(ranges.gamma[0] / 2)


def test_ranges_stay_where_the_choice_is_inside_or_no_better_than_its_neighbours(ranges, random):
    assert ranges.grown(scores_of(ranges, (1, 1), 0.1, 1e-3, random)) is None
    level = np.full((5, len(ranges.C), len(ranges.gamma)), 0.8)
    level[:, 0, 0] += [0.1, -0.09, 0.1, -0.09, 0.0]
    assert ranges.grown(search_with(level)) is None


def test_C_has_an_end(ranges, random):
    for _ in range(10):
        grown = ranges.grown(scores_of(ranges, (len(ranges.C) - 1, 1), 0.1, 1e-3, random))
        if grown is None:
            break
        ranges = grown
    assert ranges.C[-1] == 512
