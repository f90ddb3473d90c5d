"""The picture of one step of SMO."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import make_blobs

from mercer import SVC, InputError, ParameterError
from mercer.plot import SmoStepDisplay
from mercer.solvers import SmoSketch

ROUNDING = 1e-9


def line(ax, label):
    """The points of a labelled line."""
    (found,) = [line for line in ax.lines if str(line.get_label()).startswith(label)]
    return np.column_stack(found.get_data())


def dual(a, t, K):
    return a.sum() - 0.5 * (a * t) @ K @ (a * t)


@pytest.mark.parametrize("number", [0, 7, 40, -1])
def test_smo_step_shows_the_box_the_line_and_the_step(traced, number):
    trace = traced[2].trace_
    step = trace.steps[number]
    display = SmoStepDisplay.from_trace(trace, number, C=1.0)
    ax, (t_i, t_j) = display.ax_, display.signs
    old, new = step.multipliers
    assert np.array_equal(line(ax, "before"), [old])
    assert np.array_equal(line(ax, "after"), [new])
    assert np.array_equal([t_i * old[0], t_j * old[1]], step.old)
    assert np.array_equal([t_i * new[0], t_j * new[1]], step.new)
    assert line(ax, "the box").max() == 1
    kept = sum(step.old)
    for drawn in (line(ax, "$a_i t_i"), line(ax, "from L"), line(ax, "after")):
        assert np.allclose(drawn @ [t_i, t_j], kept, atol=ROUNDING)
    segment = line(ax, "from L")
    assert segment[:, 1] == pytest.approx([step.low, step.high])
    assert segment.min() >= -ROUNDING
    assert segment.max() <= 1 + ROUNDING
    assert {text.get_text()[0] for text in ax.texts} == {"L", "H"}


@pytest.mark.parametrize("number", [0, 7, 40])
def test_smo_step_knows_the_dual_and_its_top_on_the_line(traced, number):
    X, y, model = traced
    display = SmoStepDisplay.from_estimator(model, X, y, number)
    trace, step = model.trace_, model.trace_.steps[number]
    rows, t = np.array(trace.rows[0]), np.array(trace.signs[0])
    K, before = X[rows] @ X[rows].T, [np.zeros(len(X)), *(c * t for _, c in trace.replay())][number]
    old, new = step.multipliers

    def at(first, second):
        a = before.copy()
        a[list(step.rows)] = first, second
        return dual(a, t, K)

    assert display.objective.gain(0.3, 0.8) == pytest.approx(at(0.3, 0.8) - at(*old), abs=ROUNDING)
    along = minimize_scalar(lambda second: -at(display._first_at(second), second))
    assert display.unclipped[1] == pytest.approx(along.x, rel=1e-4, abs=1e-6)
    assert line(display.ax_, "top of")[0] == pytest.approx(display.unclipped)
    assert np.clip(display.unclipped[1], step.low, step.high) == pytest.approx(new[1], abs=ROUNDING)


def test_smo_step_has_bounds_by_class(blobs):
    X, y = blobs
    model = SVC(kernel="linear", solver="smo-sketch", class_weight={0: 3.0}, trace=True, tol=0.5, random_state=0)
    with pytest.warns(UserWarning, match="Stalled|limit"):
        model.set_params(max_iter=20).fit(X, y)
    for number in range(20):
        display = SmoStepDisplay.from_estimator(model, X, y, number)
        assert display.upper == tuple(3.0 if sign < 0 else 1.0 for sign in display.signs)
        display.figure_.clear()


def test_smo_step_of_the_hard_margin_has_no_far_sides():
    X, y = make_blobs(20, centers=[[-4, -4], [4, 4]], random_state=0)
    model = SVC(kernel="linear", C=np.inf, solver=SmoSketch(300), trace=True, random_state=0).fit(X, y)
    display = SmoStepDisplay.from_estimator(model, X, y, 0)
    assert np.isfinite(np.concatenate([line.get_xydata().ravel() for line in display.ax_.lines])).all()


def test_smo_step_refuses_what_it_cannot_draw(traced):
    X, y, model = traced
    with pytest.raises(InputError, match="expected one of the 125 steps, from 0, got 999"):
        SmoStepDisplay.from_trace(model.trace_, 999, C=1.0)
    with pytest.raises(InputError, match="expected a Trace"):
        SmoStepDisplay.from_trace(None, 0, C=1.0)
    for C in (0.0, 1e-9, (1.0, 1.0, 1.0)):
        with pytest.raises(ParameterError, match="Pass the C of the fit"):
            SmoStepDisplay.from_trace(model.trace_, 40, C=C)
    with pytest.raises(InputError, match="Fit it with trace=True"):
        SmoStepDisplay.from_estimator(SVC().fit(X, y), X, y, 0)
    with pytest.raises(InputError, match="rows and labels of fit"):
        SmoStepDisplay.from_estimator(model, X, 1 - y, 0)
    active = SVC(solver="active-set", trace=True).fit(X, y).trace_
    with pytest.raises(InputError, match="expected a step of SMO"):
        SmoStepDisplay.from_trace(active, 0, C=1.0)
