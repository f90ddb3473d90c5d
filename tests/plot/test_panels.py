"""Several machines side by side."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from sklearn.datasets import make_moons

from mercer import SVC, InputError, ParameterError
from mercer.plot import Panel, PanelsDisplay


def test_panels_draw_each_machine_on_common_axes(blobs):
    X, y = blobs
    outlier = np.vstack([X, [[5.0, 5.0]]]), np.append(y, 0)
    panels = [
        Panel(SVC(kernel="linear").fit(X, y), "without", X, y),
        Panel(SVC(kernel="linear").fit(*outlier), "with", *outlier),
    ]
    display = PanelsDisplay.from_panels(panels)
    assert [ax.get_title() for ax in display.axes_] == ["without", "with"]
    assert display.axes_[0].get_xlim() == display.axes_[1].get_xlim()
    assert all(shown.xx.max() > 5 for shown in display.displays)
    for panel, shown in zip(panels, display.displays, strict=True):
        point = [[shown.xx[5, 9], shown.yy[5, 9]]]
        assert shown.values[5, 9] == pytest.approx(panel.model.decision_function(point)[0], abs=1e-12)
    assert len(display.figure_.legends) == 1


def test_panels_tell_accuracies_on_training_and_test_rows():
    X, y = make_moons(120, noise=0.3, random_state=0)
    test = make_moons(200, noise=0.3, random_state=1)
    models = [SVC(gamma=gamma).fit(X, y) for gamma in (0.01, 1.0, 500.0)]
    display = PanelsDisplay.from_estimators(models, list("abc"), X, y, test=test, columns=2)
    for model, ax, letter in zip(models, display.axes_, "abc", strict=True):
        trained, unseen = np.mean(model.predict(X) == y), np.mean(model.predict(test[0]) == test[1])
        assert ax.get_title() == f"{letter}\naccuracy: training {trained:.2f}, test {unseen:.2f}"
    assert len(display.figure_.axes) == 3


def test_panels_show_slacks_where_asked(blobs):
    X, y = blobs
    models = [SVC(kernel="linear", C=C).fit(X, y) for C in (0.1, 10)]
    for slacks in (False, True):
        display = PanelsDisplay.from_estimators(models, "ab", X, y, slacks=slacks)
        drawn = [c.get_label() for c in display.ax_.collections if isinstance(c, LineCollection)]
        assert ("slack ξ" in drawn) == slacks


def test_panels_take_given_axes(blobs):
    X, y = blobs
    _, axes = plt.subplots(1, 2)
    display = PanelsDisplay.from_estimators([SVC().fit(X, y)] * 2, "ab", X, y, ax=axes)
    assert list(display.axes_) == list(axes)
    with pytest.raises(ParameterError, match="expected 2 axes"):
        display.plot(ax=axes[:1])


def test_panels_refuse_what_they_cannot_draw(blobs):
    X, y = blobs
    model = SVC().fit(X, y)
    with pytest.raises(ParameterError, match="one for each of 1 machines, got 2"):
        PanelsDisplay.from_estimators([model], "ab", X, y)
    with pytest.raises(InputError, match="one or more, got none"):
        PanelsDisplay.from_panels([])
    with pytest.raises(ParameterError, match="columns"):
        PanelsDisplay.from_estimators([model], "a", X, y, columns=0)
    with pytest.raises(InputError, match="two features"):
        PanelsDisplay.from_estimators([model], "a", np.hstack([X, X]), y)
