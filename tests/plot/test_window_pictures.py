"""Pictures of windows: those of all rows add up to what the estimator says."""

import numpy as np
import pytest
import sklearn.neighbors

from mercer import RBF, InputError, KernelDensity, ParzenClassifier, ParzenRegressor
from mercer.plot import plot_windows
from mercer.windows import PROFILES


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=25), rng.normal(4, 0.5, 15)])[:, None]
    return x, rng.uniform(0.5, 2, 40)


@pytest.mark.parametrize("profile", PROFILES)
def test_windows_of_all_rows_add_up_to_the_density_of_scikit_learn(rows, profile):
    x, weights = rows
    model = KernelDensity(bandwidth=0.6, kernel=profile).fit(x, sample_weight=weights)
    display = plot_windows(model, x, shown=len(x), sample_weight=weights)
    peer = sklearn.neighbors.KernelDensity(bandwidth=0.6, kernel=profile).fit(x, sample_weight=weights)
    expected = np.exp(peer.score_samples(display.places[:, None]))
    np.testing.assert_allclose(display.windows.sum(axis=0), expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(display.ax_.lines[0].get_ydata(), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "options", [{"n_neighbors": 5}, {"kernel": "triangular"}, {"bandwidth": [0.3]}, {"bandwidth": "sheather-jones"}]
)
def test_windows_have_the_width_of_the_estimator(rows, options):
    x, _ = rows
    display = plot_windows(KernelDensity(**options).fit(x), x, shown=len(x))
    np.testing.assert_allclose(display.windows.sum(axis=0), display.said.values[0], rtol=1e-9, atol=1e-12)
    # A density has an integral of one, of which little is beyond the picture.
    assert np.trapezoid(display.said.values[0], display.places) == pytest.approx(1, abs=2e-3)


def test_windows_of_a_classifier_are_its_shares(rows):
    x, weights = rows
    y = np.where(x[:, 0] > 2, "far", "near")
    display = plot_windows(ParzenClassifier(0.8).fit(x, y, weights), x, y, shown=len(x), sample_weight=weights)
    far = y[display.shown] == "far"
    share = display.windows[far].sum(axis=0) / display.windows.sum(axis=0)
    np.testing.assert_allclose(display.said.values[0], share, rtol=1e-9)
    assert len(display.axes_) == 2


def test_windows_of_weighted_classes_are_their_shares(rows):
    x, weights = rows
    y = np.where(x[:, 0] > 2, "far", "near")
    model = ParzenClassifier(0.8, class_weight="balanced").fit(x, y, weights)
    display = plot_windows(model, x, y, shown=len(x), sample_weight=weights)
    far = y[display.shown] == "far"
    share = display.windows[far].sum(axis=0) / display.windows.sum(axis=0)
    np.testing.assert_allclose(display.said.values[0], share, rtol=1e-9)


def test_windows_of_a_regressor_are_weights_of_targets(rows):
    x, _ = rows
    y = np.sin(x[:, 0])
    display = plot_windows(ParzenRegressor(0.8).fit(x, y), x, y, shown=len(x))
    means = y[display.shown] @ display.windows / display.windows.sum(axis=0)
    np.testing.assert_allclose(display.said.values[0], means, rtol=1e-9, atol=1e-12)


def test_hard_windows_may_leave_places_empty(rows):
    x, _ = rows
    y = np.sin(x[:, 0])
    display = plot_windows(ParzenRegressor(0.1, kernel="tophat", empty="nan").fit(x, y), x, y)
    assert np.isnan(display.said.values).any()


def test_so_many_windows_are_shown(rows):
    x, _ = rows
    display = plot_windows(KernelDensity().fit(x), x, shown=5)
    assert display.windows.shape == (5, len(display.places))
    assert np.all(np.diff(x[display.shown, 0]) > 0)


def test_windows_display_refuses_what_it_cannot_draw(rows):
    x, weights = rows
    y = np.sin(x[:, 0])
    density = KernelDensity(bandwidth=0.5).fit(x)
    with pytest.raises(InputError, match="one feature"):
        plot_windows(density, np.hstack([x, x]))
    with pytest.raises(InputError, match="fitted on"):
        plot_windows(density, x[1:])
    with pytest.raises(InputError, match="fitted on"):
        plot_windows(density, x, sample_weight=weights)
    with pytest.raises(InputError, match="fitted on"):
        plot_windows(ParzenRegressor(0.5).fit(x, y), x, y + 1)
    with pytest.raises(InputError, match="y: expected None"):
        plot_windows(density, x, y)
    with pytest.raises(InputError, match="y: expected a label"):
        plot_windows(ParzenRegressor(0.5).fit(x, y), x)
    with pytest.raises(InputError, match="with a name"):
        plot_windows(ParzenRegressor(0.5, kernel=RBF(1.0)).fit(x, y), x, y)
    with pytest.raises(InputError, match="positive width"):
        plot_windows(ParzenRegressor(0.0, kernel="tophat").fit(x, y), x, y)
    with pytest.raises(InputError, match="of Mercer"):
        plot_windows(sklearn.neighbors.KernelDensity().fit(x), x)
    with pytest.raises(InputError, match="one target"):
        plot_windows(ParzenRegressor(0.5).fit(x, np.column_stack([y, y])), x, y)
    with pytest.raises(InputError, match="one output"):
        plot_windows(ParzenClassifier(0.5).fit(x, np.column_stack([y > 0, y > 0.5])), x, y > 0)
    many = np.arange(40) % 7
    with pytest.raises(InputError, match="classes"):
        plot_windows(ParzenClassifier(0.5).fit(x, many), x, many)
