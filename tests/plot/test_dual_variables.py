"""The picture of the multipliers."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from mercer import SVC, InputError, NuSVC
from mercer.plot import DualVariablesDisplay


def drawn(ax):
    """Positions of the markers, by the label of the line."""
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    return {line.get_label(): np.column_stack(line.get_data()) for line in lines}


def test_dual_variables_are_stems_at_their_rows(blobs):
    X, y = blobs
    model = SVC(kernel="linear", C=0.5).fit(X, y)
    display = DualVariablesDisplay.from_estimator(model)
    points, alpha = drawn(display.ax_), np.zeros(len(X))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    kinds = {"0 < a < C": (alpha > 0) & (alpha < 0.5), "a = C": alpha == 0.5}
    for label in (0, 1):
        for kind, those in kinds.items():
            rows = np.flatnonzero(those & (y == label))
            assert np.array_equal(points[f"{label}: {kind}"], np.column_stack([rows, alpha[rows]]))
    assert np.array_equal(points["a = 0"][:, 0], np.flatnonzero(alpha == 0))
    assert np.array_equal(points["C = 0.5"][:, 1], [0.5, 0.5])
    assert len(display.ax_.collections[0].get_segments()) == len(model.support_)


def test_dual_variables_show_a_bound_for_each_class(blobs):
    X, y = blobs
    display = DualVariablesDisplay.from_estimator(SVC(kernel="linear", class_weight={0: 2.0}).fit(X, y))
    assert {"C = 1", "C = 2"} <= set(drawn(display.ax_))


def test_dual_variables_show_a_bound_for_each_weighted_row(blobs):
    X, y = blobs
    weights = np.linspace(0.1, 2, len(X))
    model = SVC(kernel="linear").fit(X, y, weights)
    display = DualVariablesDisplay.from_estimator(model, sample_weight=weights)
    bounds, support = drawn(display.ax_)["bound of the row"], np.sort(model.support_)
    assert np.allclose(bounds, np.column_stack([support, weights[support]]))


def test_dual_variables_of_the_hard_margin_have_no_bound():
    X, y = make_blobs(30, centers=[[-4, -4], [4, 4]], random_state=0)
    display = DualVariablesDisplay.from_estimator(SVC(kernel="linear", C=np.inf).fit(X, y))
    assert not [label for label in drawn(display.ax_) if "C =" in label or "bound" in label]


def test_dual_variables_display_refuses_what_it_cannot_draw(blobs):
    X, y = blobs
    with pytest.raises(NotFittedError):
        DualVariablesDisplay.from_estimator(SVC())
    with pytest.raises(InputError, match="between 0 and C, got NuSVC"):
        DualVariablesDisplay.from_estimator(NuSVC(nu=0.2).fit(X, y))
    with pytest.raises(InputError, match="two classes"):
        DualVariablesDisplay.from_estimator(SVC().fit(X, np.arange(len(X)) % 3))
    with pytest.raises(InputError, match="one for each of 60 rows"):
        DualVariablesDisplay.from_estimator(SVC().fit(X, y), sample_weight=[1.0])
