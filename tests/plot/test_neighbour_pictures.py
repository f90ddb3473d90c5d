"""Pictures of neighbours show those that are found, by scikit-learn as well."""

import numpy as np
import pytest
import sklearn.neighbors
from matplotlib.patches import Circle

from mercer import InputError, KNeighborsClassifier, NearestNeighbors
from mercer.plot import plot_neighbours

QUERY = [0.3, -0.2]


def circles_of(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def test_neighbours_are_those_that_scikit_learn_finds(blobs):
    X, y = blobs
    display = plot_neighbours(KNeighborsClassifier(7).fit(X, y), X, y, query=QUERY)
    peer = sklearn.neighbors.KNeighborsClassifier(7).fit(X, y)
    distances, rows = peer.kneighbors([QUERY])
    np.testing.assert_array_equal(display.rows, rows[0])
    np.testing.assert_allclose(display.distances, distances[0])
    assert display.answer == peer.predict([QUERY])[0]
    grid = np.column_stack([display.xx.ravel(), display.yy.ravel()])
    np.testing.assert_array_equal(display.regions.ravel(), peer.predict(grid))


def test_lines_lead_to_the_neighbours_and_the_circle_reaches_the_last(blobs):
    X, y = blobs
    display = plot_neighbours(KNeighborsClassifier(4).fit(X, y), X, y, query=QUERY)
    lines = [line for line in display.ax_.collections if hasattr(line, "get_segments")][-1].get_segments()
    np.testing.assert_allclose([line[0] for line in lines], np.tile(QUERY, (4, 1)))
    np.testing.assert_allclose([line[1] for line in lines], X[display.rows])
    (circle,) = circles_of(display.ax_)
    assert circle.center == tuple(QUERY)
    assert circle.radius == pytest.approx(np.sort(np.linalg.norm(X - QUERY, axis=1))[3])


def test_neighbours_without_classes_and_of_scikit_learn_are_drawn(blobs, texts_of):
    X, y = blobs
    display = plot_neighbours(NearestNeighbors(n_neighbors=1).fit(X), X, query=QUERY)
    assert display.regions is None
    assert "its nearest neighbour" in texts_of(display.ax_)
    peer = sklearn.neighbors.KNeighborsClassifier(3).fit(X, y)
    assert len(plot_neighbours(peer, X, y, query=QUERY).rows) == 3


def test_circle_is_left_out_where_distances_are_not_euclidean(blobs):
    X, y = blobs
    display = plot_neighbours(KNeighborsClassifier(3, metric="manhattan").fit(X, y), X, y, query=QUERY)
    assert not display.is_round
    assert circles_of(display.ax_) == []


def test_classes_may_be_several_and_have_names(texts_of):
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.array(["a", "b", "c"])[np.arange(30) % 3]
    display = plot_neighbours(KNeighborsClassifier(1).fit(X, y), X, y, query=X[4])
    assert display.answer == y[4]
    assert texts_of(display.ax_)[:3] == ["a", "b", "c"]


def test_rows_of_a_condensed_classifier_are_those_kept(blobs):
    X, y = blobs
    model = KNeighborsClassifier(1, condense=True).fit(X, y)
    kept = model.condensed_.rows
    display = plot_neighbours(model, X[kept], y[kept], query=QUERY)
    assert np.argmin(np.linalg.norm(X[kept] - QUERY, axis=1)) == display.rows[0]
    with pytest.raises(InputError, match="condensed"):
        plot_neighbours(model, X, y, query=QUERY)


def test_neighbours_display_refuses_what_it_cannot_draw(blobs):
    X, y = blobs
    model = KNeighborsClassifier(3).fit(X, y)
    with pytest.raises(InputError, match="two features"):
        plot_neighbours(model, X, y, query=[0.0])
    with pytest.raises(InputError, match="two features"):
        plot_neighbours(KNeighborsClassifier(3).fit(X[:, :1], y), X[:, :1], y, query=QUERY)
    with pytest.raises(InputError, match="one label a row"):
        plot_neighbours(model, X, query=QUERY)
    with pytest.raises(InputError, match="no classes"):
        plot_neighbours(NearestNeighbors().fit(X), X, y, query=QUERY)
    with pytest.raises(InputError, match="precomputed"):
        plot_neighbours(NearestNeighbors(metric="precomputed").fit(np.zeros((2, 2))), np.zeros((2, 2)), query=QUERY)
    with pytest.raises(InputError, match="classes"):
        plot_neighbours(KNeighborsClassifier(3).fit(X, np.arange(60) % 7), X, np.arange(60) % 7, query=QUERY)
