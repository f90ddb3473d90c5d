"""Traces: every solver tells its steps; they replay to the machine, and survive a file."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from mercer import SVC, UnsolvedWarning
from mercer.errors import InputError
from mercer.solvers import METHODS, SmoSketch, Trace


def blobs():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)) + 1, rng.normal(size=(20, 2)) - 1])
    return X, np.repeat([1, -1], 20)


def traced(solver, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        return SVC(kernel="linear", solver=solver, trace=True, random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize("solver", ["auto", *METHODS])
def test_replay_ends_at_the_machine(solver):
    X, y = blobs()
    model = traced(solver, X, y)
    *_, (step, alpha) = model.trace_.replay()
    found = np.zeros(len(y))
    found[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_array_equal(alpha[np.argsort(model.trace_.rows[0])], found)
    if solver != "sgd":  # whose multipliers do not add up to zero: the certificate goes to some that do
        assert step.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
        assert step.violation == pytest.approx(model.certificate_.violation, abs=1e-9)


@pytest.mark.parametrize("solver", ["smo-sketch", "active-set", "coordinate-ascent"])
def test_dual_never_falls_and_never_passes_the_primal(solver):
    X, y = blobs()
    steps = traced(solver, X, y).trace_.steps
    duals = np.array([step.dual for step in steps])
    assert len(steps) > 3
    assert np.all(np.diff(duals) >= -1e-10)
    assert all(step.gap >= -1e-9 for step in steps)


def test_steps_of_smo_stay_on_their_segment():
    X, y = blobs()
    trace = traced("smo-sketch", X, y, C=0.5).trace_
    sign = np.array(trace.signs[0])
    for step, alpha in trace.replay():
        i, j = step.rows
        assert step.low <= step.new[1] <= step.high
        moved = sign[i] * (step.new[0] - step.old[0]) + sign[j] * (step.new[1] - step.old[1])
        assert moved == pytest.approx(0, abs=1e-12)
        assert alpha @ sign == pytest.approx(0, abs=1e-12)
        assert alpha.min() >= 0
        assert alpha.max() <= 0.5


def test_trace_survives_a_file_and_becomes_a_table(tmp_path):
    X, y = blobs()
    trace = traced(SmoSketch(5), X, y).trace_
    trace.save(tmp_path / "trace.json")
    assert Trace.load(tmp_path / "trace.json") == trace
    frame = pd.DataFrame(trace.table())
    assert len(frame) == len(trace)
    np.testing.assert_allclose(frame["gap"], frame["primal"] - frame["dual"])
    (tmp_path / "other.json").write_text('{"format": "other"}')
    with pytest.raises(InputError, match=r"Trace\.save"):
        Trace.load(tmp_path / "other.json")


def test_rounds_of_the_fast_solver_are_traced_for_every_pair():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 3
    model = SVC(trace=True).fit(X, y)
    assert model.trace_.solver == "auto"
    assert {step.problem for step in model.trace_} == {0, 1, 2}
    for number in range(3):
        last = model.trace_.of_problem(number).steps[-1]
        assert last.violation <= 1e-3


def test_there_is_no_trace_unless_asked_for():
    X, y = blobs()
    assert not hasattr(SVC().fit(X, y), "trace_")


@pytest.mark.parametrize("solver", ["auto", "smo-sketch", "active-set"])
def test_several_classes_under_the_hard_margin_have_a_trace_each(solver):
    X, y = make_blobs(45, centers=[[-6, 0], [6, 0], [0, 9]], random_state=0)
    trace = traced(solver, X, y, C=np.inf).trace_
    for number in range(3):
        steps = trace.of_problem(number).steps
        assert any(step.kind != "refine" for step in steps)
        for _, alpha in trace.replay(number):
            assert alpha @ np.array(trace.signs[number]) == pytest.approx(0, abs=1e-9)


def test_trace_of_a_warm_start_begins_where_the_fit_does():
    X, y = blobs()
    model = traced("smo-sketch", X, y, warm_start=True, max_iter=5)
    trace = traced_again(model, X, y).trace_
    assert trace.steps[0].kind == "start"
    for step, alpha in trace.replay():
        assert alpha @ np.array(trace.signs[0]) == pytest.approx(0, abs=1e-9)
        gram = (X @ X.T)[np.ix_(trace.rows[0], trace.rows[0])] * np.outer(trace.signs[0], trace.signs[0])
        assert step.dual == pytest.approx(alpha.sum() - 0.5 * alpha @ gram @ alpha, abs=1e-9)


def traced_again(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        return model.set_params(max_iter=-1).fit(X, y)
