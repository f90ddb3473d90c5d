"""The pictures of Gaussian processes: the posterior, the likelihood, the relevance of features."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs

from mercer import (
    RBF,
    FeatureRelevance,
    GaussianProcessRegressor,
    InputError,
    Matern,
    ParameterError,
    White,
    relevance,
)
from mercer.plot import LikelihoodSurfaceDisplay, PosteriorDisplay, RelevanceDisplay


@pytest.fixture
def model():
    X = np.linspace(0, 6, 30)[:, None]
    y = 5 + np.sin(X[:, 0]) + 0.1 * np.cos(40 * X[:, 0])
    return GaussianProcessRegressor(1.0 * RBF(0.5) + White(0.1), normalize_y=True).fit(X, y)


def test_posterior_is_the_mean_with_its_band_and_functions(model, texts_of):
    display = PosteriorDisplay.from_estimator(model, samples=4, limits=(-1, 8))
    mean, std = model.predict(display.grid[:, None], return_std=True)
    *drawn, middle, rows = display.ax_.lines
    np.testing.assert_array_equal(middle.get_ydata(), mean)
    functions = np.array([line.get_ydata() for line in drawn])
    assert functions.shape == (4, len(mean))
    # They are smooth, and as far from the mean as what is known allows.
    assert np.abs(np.diff(functions)).max() < 0.1
    assert 0.05 < np.mean(np.abs(functions - mean) > std) < 0.5
    np.testing.assert_allclose(rows.get_ydata().mean(), 5, atol=0.3)
    edges = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    assert edges.max() == pytest.approx((mean + 1.96 * std).max())
    assert texts_of(display.ax_) == ["95 % of observations", "functions drawn", "mean", "rows"]


def test_posterior_of_scikit_learns_process_is_drawn_as_well(model):
    theirs = Theirs(alpha=0.1, optimizer=None).fit(model.X_train_, model.y_train_)
    display = PosteriorDisplay.from_estimator(theirs, samples=0)
    np.testing.assert_allclose(display.mean, theirs.predict(display.grid[:, None]))


def test_posterior_refuses_what_it_cannot_draw(model, random):
    X = random.normal(size=(9, 2))
    with pytest.raises(InputError, match="one feature and one target"):
        PosteriorDisplay.from_estimator(GaussianProcessRegressor(alpha=0.1, optimizer=None).fit(X, X[:, 0]))
    with pytest.raises(ParameterError, match="low < high"):
        PosteriorDisplay.from_estimator(model, limits=(1, 0))


def test_surface_is_highest_where_the_fit_ended(model):
    display = LikelihoodSurfaceDisplay.from_estimator(model, (1, 2), points=7)
    assert display.names == ("k1__kernel__gamma", "k2__noise")
    row, column = np.unravel_index(display.values.argmax(), display.values.shape)
    assert (row, column) == (3, 3)
    assert display.values[3, 3] == pytest.approx(model.log_marginal_likelihood_value_)
    assert display.x[3] == pytest.approx(display.found[0])
    with pytest.raises(ParameterError, match="two different places below 3"):
        LikelihoodSurfaceDisplay.from_estimator(model, (0, 3))


def test_surface_is_drawn_over_the_noise_of_a_group(random):
    X = random.uniform(0, 6, size=(30, 1))
    labels = np.arange(30) % 2
    y = np.sin(X[:, 0]) + np.where(labels, 0.5, 0.1) * random.normal(size=30)
    model = GaussianProcessRegressor(1.0 * RBF(0.5)).fit(X, y, noise_groups=labels)
    display = LikelihoodSurfaceDisplay.from_estimator(model, (2, 3), points=5)
    assert display.names == ("noise_groups[0]", "noise_groups[1]")
    assert display.values[2, 2] == pytest.approx(model.log_marginal_likelihood_value_)
    np.testing.assert_allclose(display.found, list(model.noise_.values()))


def test_relevance_is_told_from_the_largest_down(texts_of):
    display = RelevanceDisplay.from_estimator(2.0 * Matern([1.0, 4.0, 0.0]) + White(0.1), names=["a", "b", "c"])
    assert display.names == ["b", "a", "c"]
    np.testing.assert_allclose(display.relevance, [1.0, 0.5, 0.0])
    assert [bar.get_width() for bar in display.ax_.patches] == [1.0, 0.5, 0.0]
    with pytest.raises(ParameterError, match="names"):
        RelevanceDisplay.from_estimator(Matern([1.0, 4.0]), names=["a"])
    with pytest.raises(InputError, match="a gamma for each feature"):
        RelevanceDisplay.from_estimator(Matern(1.0))


def test_learnt_scales_are_drawn_with_their_names(random, texts_of):
    X = random.normal(size=(200, 3))
    X[:, 1] *= 100  # units do not matter
    y = X[:, 2] > 0
    model = FeatureRelevance().fit(X, y)
    for found, names in ((model, ["x2", "x0", "x1"]), (relevance("knn", X, y, names=["a", "b", "c"]), ["c", "a", "b"])):
        display = RelevanceDisplay.from_estimator(found)
        assert display.names == names
        np.testing.assert_array_equal(display.relevance, np.sort(model.relevance_)[::-1])
    assert display.relevance[0] == 1
    with pytest.raises(InputError, match="Expected a fitted FeatureRelevance"):
        RelevanceDisplay.from_estimator(FeatureRelevance())
