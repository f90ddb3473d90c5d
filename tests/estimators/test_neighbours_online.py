"""Rows learnt and forgotten one after the other leave what a fit on those that remain gives."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from mercer import (
    InputError,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    ParameterError,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

KINDS = {
    "dense": ({}, np.asarray),
    "sparse": ({}, sp.csr_matrix),
    "missing": ({"metric": "nan_euclidean"}, lambda X: np.where(X == 2, np.nan, X)),
    "cosine": ({"metric": "cosine"}, lambda X: X + 5),
    "manhattan": ({"metric": "manhattan"}, np.asarray),
}
STEPS = st.lists(st.one_of(st.integers(1, 25), st.floats(0, 0.4).map(lambda share: -share)), min_size=1, max_size=8)


def assert_same_neighbours(model, fresh, queries):
    for asked in (queries, None):
        distances, rows = model.kneighbors(asked)
        expected, their_rows = fresh.kneighbors(asked)
        np.testing.assert_array_equal(distances, expected)
        np.testing.assert_array_equal(rows, their_rows)
        assert model.exact_.gap == fresh.exact_.gap
    for found, expected in zip(model.radius_neighbors(queries), fresh.radius_neighbors(queries), strict=True):
        for own, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(own, theirs)


@pytest.mark.parametrize(("options", "layout"), KINDS.values(), ids=KINDS)
@settings(max_examples=15, deadline=None)
@given(steps=STEPS, seed=st.integers(0, 10**6))
def test_any_sequence_leaves_what_a_fit_gives(options, layout, steps, seed):
    """Whole numbers, so that many distances are equal and numbers decide."""
    random = np.random.default_rng(seed)

    def some(count):
        return random.integers(-2, 3, size=(count, 4)).astype(np.float64)

    X = some(40)
    model = NearestNeighbors(n_neighbors=5, radius=2.0, **options).fit(layout(X))
    queries = layout(some(6))
    for step in steps:
        if step > 0:
            more = some(int(step))
            model.partial_fit(layout(more))
            X = np.vstack([X, more])
        else:
            gone = random.permutation(len(X))[: min(int(-step * len(X)), len(X) - 7)]
            model.forget(gone)
            X = np.delete(X, gone, axis=0)
        assert model.n_samples_fit_ == len(X)
        fresh = NearestNeighbors(n_neighbors=5, radius=2.0, **options).fit(layout(X))
        assert_same_neighbours(model, fresh, queries)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


LEARNERS = {
    "classes": KNeighborsClassifier(3, weights="distance"),
    "balanced classes": KNeighborsClassifier(3, class_weight="balanced"),
    "numbers": KNeighborsRegressor(3),
    "classes within": RadiusNeighborsClassifier(0.8, outlier_label="most_frequent"),
    "numbers within": RadiusNeighborsRegressor(2.0),
}


@pytest.mark.parametrize("kind", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("weighs", [False, True])
def test_predictions_are_those_of_a_fit(iris, kind, weighs):
    X, y = iris
    counts = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighs else None
    model = type(kind)(**kind.get_params())
    for first in range(0, 120, 15):
        part = slice(first, first + 15)
        model.partial_fit(X[part], y[part], sample_weight=None if counts is None else counts[part])
    model.forget([3, 50, 7]).forget(older_than=90)
    assert model.learnt_.tolist() == [number for number in range(30, 120) if number != 50]
    fresh = type(kind)(**kind.get_params())
    kept = model.learnt_
    fresh.fit(X[kept], y[kept], sample_weight=None if counts is None else counts[kept])
    np.testing.assert_array_equal(model.predict(X[120:]), fresh.predict(X[120:]))


def test_classes_may_come_later_and_stay(iris):
    X, y = iris
    names = np.array(["a", "bb", "ccc"])[y]
    model = KNeighborsClassifier(3).partial_fit(X[names == "bb"], names[names == "bb"], classes=["bb", "zzzz"])
    assert model.classes_.tolist() == ["bb", "zzzz"]
    model.partial_fit(X[names != "bb"], names[names != "bb"])
    assert model.classes_.tolist() == ["a", "bb", "ccc", "zzzz"]
    fresh = KNeighborsClassifier(3).fit(X, names)
    assert np.mean(model.predict(X) == fresh.predict(X)) == 1
    model.forget(np.arange(50))
    assert model.classes_.tolist() == ["a", "bb", "ccc", "zzzz"]
    assert not np.any(model.predict(X) == "bb")


def test_the_index_is_made_anew_now_and_then(random):
    X = random.normal(size=(3000, 30)) * 0.8 ** np.arange(30)
    model = NearestNeighbors().fit(X[:2000])
    model.kneighbors(X[:3])
    tails = []
    for row in X[2000:]:
        model.partial_fit(row[None])
        tails.append(model._memory._tail.shape[0])
    assert 30 < max(tails) < 60
    assert "learnt last apart" in model.partial_fit(X[:5]).plan_
    model.forget(np.arange(2900))
    assert_same_neighbours(model, NearestNeighbors().fit(np.vstack([X[2900:], X[:5]])), X[:20])


def test_float64_rows_after_float32(random):
    X = random.normal(size=(60, 5))
    model = NearestNeighbors().fit(X[:30].astype(np.float32)).partial_fit(X[30:])
    fresh = NearestNeighbors().fit(np.vstack([X[:30].astype(np.float32).astype(np.float64), X[30:]]))
    assert_same_neighbours(model, fresh, X[:7])


def test_bad_changes_lose_nothing(iris):
    X, y = iris
    model = KNeighborsClassifier(3).fit(X[:100], y[:100])
    before = model.predict(X)
    bad = [
        (lambda: model.forget([100]), InputError, "from 0 to 99, got 100"),
        (lambda: model.forget([-1]), InputError, "from 0 to 99"),
        (lambda: model.forget([0.5]), InputError, "numbers of rows"),
        (lambda: model.forget(np.arange(100)), InputError, "keep a row"),
        (lambda: model.forget(older_than=0), InputError, "keep a row"),
        (lambda: model.forget(), ParameterError, "both or neither"),
        (lambda: model.forget([1], older_than=3), ParameterError, "both or neither"),
        (lambda: model.partial_fit(X[:2, :3], y[:2]), ValueError, "3 features"),
        (lambda: model.partial_fit(X[:2], np.eye(3, dtype=int)[y[:2]]), InputError, "expected 1 outputs"),
        (lambda: model.partial_fit(X[:2], y[:2], sample_weight=[1.0]), ValueError, "sample_weight"),
    ]
    for change, error, message in bad:
        with pytest.raises(error, match=message):
            change()
        np.testing.assert_array_equal(model.predict(X), before)
    given = NearestNeighbors(metric="precomputed").fit(np.zeros((3, 3)))
    assert not hasattr(given, "partial_fit")
    with pytest.raises(ParameterError, match="precomputed"):
        given.forget([0])
    regressor = KNeighborsRegressor(3).fit(X, y)
    with pytest.raises(InputError, match="targets of shape"):
        regressor.partial_fit(X[:2], np.ones((2, 2)))
