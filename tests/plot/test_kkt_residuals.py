"""The picture of the optimality conditions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from mercer import SVC, InputError, ParameterError
from mercer.plot import KktResidualsDisplay

ROUNDING = 1e-10


@pytest.mark.parametrize("tol", [1e-1, 1e-8])
def test_kkt_residuals_are_those_of_the_certificate(blobs, tol):
    X, y = blobs
    model = SVC(tol=tol, class_weight={1: 0.3}).fit(X, y)
    display = KktResidualsDisplay.from_estimator(model, X, y)
    worst = max(model.certificate_.kkt_residuals.values())
    assert display.residuals.max() == pytest.approx(worst, abs=ROUNDING)
    assert f"largest {worst:.1e}" in display.axes_[1].get_title() or worst < ROUNDING


def test_kkt_rows_lie_on_the_three_pieces_at_the_optimum(blobs):
    X, y = blobs
    model = SVC(kernel="linear", tol=1e-9, polish=True).fit(X, y)
    display = KktResidualsDisplay.from_estimator(model, X, y)
    line, *classes = display.ax_.lines
    corners = np.column_stack(line.get_data())
    assert np.array_equal(corners[1:3], [[1, 1], [1, 0]])
    for score, share in np.concatenate([np.column_stack(points.get_data()) for points in classes]):
        on_a_piece = (share == 0 and score > 1 - 1e-6, abs(score - 1) < 1e-6, share > 1 - 1e-9 and score < 1 + 1e-6)
        assert any(on_a_piece)
    assert sum(len(points.get_xdata()) for points in classes) == len(X)


def test_kkt_residuals_show_a_machine_that_is_not_solved(blobs):
    X, y = blobs
    with pytest.warns(UserWarning, match="limit"):
        model = SVC(kernel="linear", solver="smo-sketch", max_iter=3, random_state=0).fit(X, y)
    display = KktResidualsDisplay.from_estimator(model, X, y)
    assert display.residuals.max() > 0.1
    drawn = np.concatenate([line.get_ydata() for line in display.axes_[1].lines if line.get_linestyle() != "--"])
    assert sorted(drawn) == sorted(display.residuals[display.residuals > 0])


def test_kkt_shares_under_the_hard_margin_are_multipliers():
    X, y = make_blobs(30, centers=[[-4, -4], [4, 4]], random_state=0)
    model = SVC(kernel="linear", C=np.inf).fit(X, y)
    display = KktResidualsDisplay.from_estimator(model, X, y)
    assert np.array_equal(display.shares[model.support_], np.abs(model.dual_coef_[0]))
    assert display.ax_.get_ylabel() == "a"


def test_kkt_residuals_of_rows_that_weigh_nothing_are_none(blobs):
    X, y = blobs
    weights = np.where(np.arange(len(X)) < 10, 0.0, 1.0)
    model = SVC(kernel="linear").fit(X, y, weights)
    display = KktResidualsDisplay.from_estimator(model, X, y, sample_weight=weights)
    assert not display.residuals[:10].any()
    assert display.residuals.max() < 1.1e-3


def test_kkt_display_refuses_what_it_cannot_draw(blobs):
    X, y = blobs
    model = SVC().fit(X, y)
    with pytest.raises(NotFittedError):
        KktResidualsDisplay.from_estimator(SVC(), X, y)
    with pytest.raises(InputError, match="the 60 rows of fit, got 5"):
        KktResidualsDisplay.from_estimator(model, X[:5], y[:5])
    with pytest.raises(ParameterError, match="expected 2 axes, one a panel, got 1"):
        KktResidualsDisplay.from_estimator(model, X, y, ax=plt.subplots()[1])
