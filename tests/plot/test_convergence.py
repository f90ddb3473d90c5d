"""The picture of a run."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mercer import SVC, InputError
from mercer.plot import ConvergenceDisplay


def test_convergence_draws_the_objectives_of_every_step(traced, texts_of):
    trace = traced[2].trace_
    display = ConvergenceDisplay.from_trace(trace)
    primal, dual = display.ax_.lines
    assert np.array_equal(primal.get_ydata(), trace.table()["primal"])
    assert np.array_equal(dual.get_ydata(), trace.table()["dual"])
    assert np.array_equal(dual.get_xdata(), np.arange(1, len(trace) + 1))
    gap, violation = display.axes_[1].lines
    for line, name in ((gap, "gap"), (violation, "violation")):
        expected = trace.table()[name]
        assert np.array_equal(line.get_ydata(), np.where(expected > 0, expected, np.nan), equal_nan=True)
    assert display.axes_[1].get_yscale() == "log"
    assert texts_of(display.ax_) == ["primal", "dual"]
    assert "smo-sketch" in display.axes_[1].get_xlabel()


@pytest.mark.parametrize("solver", ["auto", "active-set", "qp-dual", "coordinate-ascent"])
def test_convergence_takes_the_trace_of_every_solver(blobs, solver):
    X, y = blobs
    trace = SVC(kernel="linear", solver=solver, trace=True).fit(X, y).trace_
    assert len(ConvergenceDisplay.from_trace(trace).gap) == len(trace)


def test_convergence_leaves_out_what_is_infinite(traced):
    trace = traced[2].trace_
    first, *others = trace.steps
    display = ConvergenceDisplay.from_trace(replace(trace, steps=(replace(first, primal=np.inf), *others)))
    for panel in display.axes_:
        drawn = panel.lines[0].get_ydata()
        assert np.isnan(drawn[0])
        assert np.isfinite(drawn[1:-1]).all()


def test_convergence_draws_one_problem_of_several():
    X, y = load_iris(return_X_y=True)
    trace = SVC(solver="active-set", trace=True).fit(X, y).trace_
    display = ConvergenceDisplay.from_trace(trace, problem=2)
    assert np.array_equal(display.dual, [step.dual for step in trace if step.problem == 2])
    with pytest.raises(InputError, match="one of the 3 binary problems"):
        ConvergenceDisplay.from_trace(trace, problem=3)


def test_convergence_refuses_what_is_no_trace():
    with pytest.raises(InputError, match="expected a Trace, got NoneType"):
        ConvergenceDisplay.from_trace(None)
