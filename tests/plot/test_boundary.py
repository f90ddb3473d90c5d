"""The picture of a boundary shows what the machine is."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC as ScikitSVC

from mercer import SVC, InputError
from mercer.plot import DecisionBoundaryDisplay

ROUNDING = 1e-9


def scattered(ax, label):
    """The offsets of the points with a label."""
    (found,) = [points for points in ax.collections if points.get_label() == label]
    return np.asarray(found.get_offsets())


def test_boundary_display_splits_support_vectors_into_free_and_bounded():
    X, y = make_moons(80, noise=0.3, random_state=0)
    model = SVC(C=1.0).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y)
    assert len(display.free) == model.certificate_.counts["free"]
    assert len(display.bounded) == model.certificate_.counts["bounded"]
    assert np.array_equal(scattered(display.ax_, "support vector, 0 < a < C"), display.free)
    assert np.array_equal(scattered(display.ax_, "support vector, a = C"), display.bounded)
    assert np.array_equal(scattered(display.ax_, "0"), X[y == 0])
    assert np.array_equal(scattered(display.ax_, "1"), X[y == 1])


def test_boundary_display_grid_holds_decision_values():
    X, y = make_moons(60, noise=0.2, random_state=1)
    model = SVC(class_weight={0: 2.0}).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y)
    corner = np.array([[display.xx[3, 7], display.yy[3, 7]]])
    assert display.values[3, 7] == pytest.approx(model.decision_function(corner)[0], abs=1e-12)


def test_boundary_display_bounds_follow_sample_weights(blobs):
    X, y = blobs
    weights = np.where(np.arange(len(X)) % 2, 1.0, 0.25)
    model = SVC(kernel="linear").fit(X, y, weights)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y, sample_weight=weights)
    assert len(display.bounded) == model.certificate_.counts["bounded"]
    with pytest.raises(InputError, match="sample_weight of fit"):
        DecisionBoundaryDisplay.from_estimator(SVC().fit(X, y, 4 * weights), X, y)


def test_slack_lines_are_perpendicular_and_end_on_the_margin(blobs):
    X, y = blobs
    model = SVC(kernel="linear", tol=1e-8).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y, slacks=True)
    (lines,) = [c for c in display.ax_.collections if isinstance(c, LineCollection) and c.get_label() == "slack ξ"]
    signs, f = np.where(y == 1, 1.0, -1.0), model.decision_function(X)
    inside = signs * f < 0.99
    assert len(lines.get_segments()) == inside.sum() > 3
    for (start, end), sign in zip(lines.get_segments(), signs[inside], strict=True):
        assert model.decision_function([end])[0] == pytest.approx(sign, abs=ROUNDING)
        across = np.array([-model.coef_[0, 1], model.coef_[0, 0]])
        assert (end - start) @ across == pytest.approx(0, abs=ROUNDING)
    assert display.ax_.get_aspect() == 1
    assert np.sum(display.slacks) == pytest.approx(np.sum(np.maximum(0, 1 - signs * f)))


def test_slack_of_a_kernel_is_the_area_of_a_disc():
    X, y = make_moons(80, noise=0.3, random_state=0)
    display = DecisionBoundaryDisplay.from_estimator(SVC().fit(X, y), X, y, slacks=True)
    (discs,) = [points for points in display.ax_.collections if "ξ" in str(points.get_label())]
    shown = display.slacks[display.slacks > 0.01]
    assert np.allclose(discs.get_sizes() / shown, discs.get_sizes()[0] / shown[0])


def test_boundary_display_without_slacks_has_none(blobs, texts_of):
    X, y = blobs
    display = DecisionBoundaryDisplay.from_estimator(SVC(kernel="linear").fit(X, y), X, y)
    assert not [text for text in texts_of(display.ax_) if "ξ" in text]


def test_boundary_display_draws_scikit_learns_machines_too(blobs):
    X, y = blobs
    ours = DecisionBoundaryDisplay.from_estimator(SVC(kernel="linear", tol=1e-8).fit(X, y), X, y)
    theirs = DecisionBoundaryDisplay.from_estimator(ScikitSVC(kernel="linear", tol=1e-8).fit(X, y), X, y)
    assert np.array_equal(ours.bounded, theirs.bounded)
    without = DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    assert len(without.free) == len(without.bounded) == 0


def test_boundary_display_takes_given_axes_and_leaves_out_margins_that_are_not_there(blobs, texts_of):
    X, y = blobs
    _, ax = plt.subplots()
    display = DecisionBoundaryDisplay.from_estimator(SVC(C=1e-5, kernel="linear").fit(X, y), X, y, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert not [text for text in texts_of(ax) if "margin" in text]


def test_boundary_display_refuses_what_it_cannot_draw(blobs):
    X, y = make_blobs(30, centers=3, n_features=2, random_state=0)
    with pytest.raises(InputError, match="two classes"):
        DecisionBoundaryDisplay.from_estimator(SVC().fit(X, y), X, y)
    wide = np.column_stack([X, X])
    with pytest.raises(InputError, match="two features"):
        DecisionBoundaryDisplay.from_estimator(SVC().fit(wide, y > 0), wide, y > 0)
    X, y = blobs
    model = SVC().fit(X, y)
    with pytest.raises(NotFittedError):
        DecisionBoundaryDisplay.from_estimator(SVC(), X, y)
    with pytest.raises(InputError, match="expected labels 0 and 1, got 7"):
        DecisionBoundaryDisplay.from_estimator(model, X, y + 7)
    with pytest.raises(InputError, match="a label for each of 60 rows"):
        DecisionBoundaryDisplay.from_estimator(model, X, y[:3])
    with pytest.raises(InputError, match="the 60 rows of fit"):
        DecisionBoundaryDisplay.from_estimator(model, X[:9], y[:9])
    with pytest.raises(InputError, match="finite"):
        DecisionBoundaryDisplay.from_estimator(model, np.full_like(X, np.nan), y)
    with pytest.raises(InputError, match="finite numbers"):
        DecisionBoundaryDisplay.from_estimator(model, X[:0], y[:0])
