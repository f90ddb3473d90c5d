"""The picture of a boundary shows what the machine is."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from mercer import SVC, InputError
from mercer.plot import DecisionBoundaryDisplay

mpl.use("Agg")


@pytest.fixture
def closed_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.mark.usefixtures("closed_figures")
def test_boundary_display_splits_support_vectors_into_free_and_bounded():
    X, y = make_moons(80, noise=0.3, random_state=0)
    model = SVC(C=1.0).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y)
    assert len(display.free) == model.certificate_.counts["free"]
    assert len(display.bounded) == model.certificate_.counts["bounded"]


@pytest.mark.usefixtures("closed_figures")
def test_boundary_display_grid_holds_decision_values():
    X, y = make_moons(60, noise=0.2, random_state=1)
    model = SVC(class_weight={0: 2.0}).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y)
    corner = np.array([[display.xx[3, 7], display.yy[3, 7]]])
    assert display.values[3, 7] == pytest.approx(model.decision_function(corner)[0], abs=1e-12)


def test_boundary_display_refuses_what_it_cannot_draw():
    X, y = make_blobs(30, centers=3, n_features=2, random_state=0)
    with pytest.raises(InputError, match="two classes"):
        DecisionBoundaryDisplay.from_estimator(SVC().fit(X, y), X, y)
    wide = np.column_stack([X, X])
    with pytest.raises(InputError, match="two features"):
        DecisionBoundaryDisplay.from_estimator(SVC().fit(wide, y > 0), wide, y > 0)
