"""Pictures of choices by leaving rows out show the errors that were seen."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.neighbors import KernelDensity as PeerDensity
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier

from mercer import (
    InputError,
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocallyWeightedRegression,
    ParzenClassifier,
    ParzenRegressor,
)
from mercer.plot import plot_left_out_errors


@pytest.fixture
def wave():
    x = np.sort(np.random.default_rng(0).uniform(0, 6, 50))[:, None]
    return x, np.sin(x[:, 0])


def test_errors_of_neighbours_are_those_of_leaving_rows_out_one_by_one(blobs):
    X, y = blobs[0], blobs[1] ^ (np.arange(60) % 4 == 0)  # so many wrong labels that every number errs differently
    display = plot_left_out_errors(KNeighborsClassifier("auto").fit(X, y))
    assert display.parameter == "n_neighbors"
    for k in (1, 5, 20):
        wrong = cross_val_predict(PeerClassifier(k), X, y, cv=LeaveOneOut()) != y
        assert display.measured[display.values == k] == pytest.approx(wrong.mean())
    assert display.measured[display.chosen] == display.measured.min()
    np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), display.measured)


def test_scores_of_a_density_are_those_of_leaving_rows_out_one_by_one(wave):
    model = KernelDensity(bandwidth="leave-one-out").fit(wave[0])
    display = plot_left_out_errors(model)
    assert np.all(np.diff(display.values) > 0)
    assert display.values[display.chosen] == model.bandwidth_
    assert "likelihood" in display.measure
    for k in (display.chosen, 30):
        peer = PeerDensity(bandwidth=display.values[k])
        assert display.measured[k] == pytest.approx(cross_val_score(peer, wave[0], cv=LeaveOneOut()).mean(), rel=1e-6)
    assert display.ax_.get_xscale() == "log"


def test_bandwidths_that_leave_a_row_alone_have_no_score(wave, texts_of):
    bandwidths = [0.001, 0.5, 1.0, 2.0]
    model = KernelDensity(bandwidth="leave-one-out", kernel="tophat", bandwidths=bandwidths).fit(wave[0])
    display = plot_left_out_errors(model)
    np.testing.assert_array_equal(np.isnan(display.measured), [True, False, False, False])
    assert "a row has no other in its window" in texts_of(display.ax_)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (KNeighborsRegressor("auto"), "n_neighbors"),
        (ParzenRegressor(), "bandwidth"),
        (LocallyWeightedRegression(n_neighbors="auto"), "n_neighbors"),
        (LocallyWeightedRegression(bandwidth="auto"), "bandwidth"),
    ],
)
def test_choices_of_regressors_are_the_least_squared_errors(wave, model, parameter):
    display = plot_left_out_errors(model.fit(*wave))
    assert (display.parameter, display.measure) == (parameter, "mean squared error of rows left out")
    assert display.values[display.chosen] == getattr(model, f"{parameter}_")
    assert display.measured[display.chosen] == np.nanmin(display.measured)


def test_errors_of_windows_are_shares_of_rows(blobs):
    display = plot_left_out_errors(ParzenClassifier().fit(*blobs))
    assert display.measure == "share of rows left out that are wrong"
    assert np.all((display.measured >= 0) & (display.measured <= 1))


def test_estimators_that_chose_nothing_are_refused(blobs):
    with pytest.raises(InputError, match="leaving rows out"):
        plot_left_out_errors(KNeighborsClassifier(3).fit(*blobs))
    model = KNeighborsClassifier("auto").fit(*blobs).set_params(n_neighbors=3).fit(*blobs)
    with pytest.raises(InputError, match="leaving rows out"):
        plot_left_out_errors(model)
