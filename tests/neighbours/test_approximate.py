"""Approximate neighbours: most of the nearest rows, at distances in float64, and the share of them told."""

import re

import numpy as np
import pytest

from mercer import KNeighborsClassifier, NearestNeighbors
from mercer.errors import ParameterError
from mercer.neighbours.approximate import ApproximateIndex


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(4000, 20))


def test_most_neighbours_are_found_and_the_share_is_told(rows):
    own = NearestNeighbors(n_neighbors=10, algorithm="hnsw").fit(rows)
    distances, found = own.kneighbors(rows[:200])
    exact = NearestNeighbors(n_neighbors=10).fit(rows).kneighbors(rows[:200])[1]
    share = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, exact, strict=True)])
    assert share > 0.9
    told = float(re.search(r"([\d.]+) % were found", own.plan_)[1]) / 100
    assert told == pytest.approx(share, abs=0.1)
    assert not own.exact_.is_exact
    apart = np.linalg.norm(rows[found] - rows[:200, None], axis=2)
    np.testing.assert_allclose(distances, apart, rtol=1e-12)
    assert np.all(np.diff(distances, axis=1) >= 0)


def test_a_row_is_not_its_own_neighbour(rows):
    found = NearestNeighbors(n_neighbors=3, algorithm="hnsw").fit(rows[:500]).kneighbors()[1]
    assert not np.any(found == np.arange(500)[:, None])


def test_forgotten_rows_are_not_found_however_many_there_are(rows):
    index = ApproximateIndex(rows[:300])
    forgotten = np.ones(300, dtype=np.uint8)
    forgotten[[7, 100, 250]] = 0
    found = index.nearest(rows[:5], 3, 1, None, forgotten)
    assert {tuple(sorted(own)) for own in found.rows.tolist()} == {(7, 100, 250)}


def test_it_votes(rows):
    y = (rows[:, 0] > 0).astype(int)
    model = KNeighborsClassifier(algorithm="hnsw").fit(rows, y)
    assert model.score(rows[:300], y[:300]) > 0.8


@pytest.mark.parametrize("options", [{"metric": "manhattan"}, {"metric": "minkowski", "p": 3}])
def test_other_metrics_are_refused(rows, options):
    with pytest.raises(ParameterError, match="expected dense rows and metric='euclidean'"):
        NearestNeighbors(algorithm="hnsw", **options).fit(rows)


def test_a_radius_is_refused(rows):
    with pytest.raises(ParameterError, match="got a radius"):
        NearestNeighbors(algorithm="hnsw").fit(rows).radius_neighbors(rows[:2])
