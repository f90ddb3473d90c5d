"""Traces: every solver tells its steps; they replay to the machine, and survive a file."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs

from mercer import RBF, SVC, SVR, NuSVC, NuSVR, OneClassSVM, UnsolvedWarning
from mercer.errors import InputError, ParameterError
from mercer.solvers import METHODS, LectureSolver, SmoSketch, Trace


def blobs():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 2)) + 1, rng.normal(size=(20, 2)) - 1])
    return X, np.repeat([1, -1], 20)


def traced(solver, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        return SVC(kernel="linear", solver=solver, trace=True, random_state=0, **parameters).fit(X, y)


def at_rows(model, coef):
    """The replayed coefficients of the first problem in the order of the training rows."""
    full = np.zeros(model.shape_fit_[0])
    full[list(model.trace_.rows[0])] = coef
    return full


def of_machine(model):
    """The signed coefficients of a machine with one function, in the order of the training rows."""
    full = np.zeros(model.shape_fit_[0])
    full[model.support_] = model.dual_coef_[0]
    return full


@pytest.mark.parametrize("solver", ["auto", *METHODS])
def test_replay_ends_at_the_machine(solver):
    X, y = blobs()
    model = traced(solver, X, y)
    *_, (step, coef) = model.trace_.replay()
    np.testing.assert_array_equal(at_rows(model, coef), of_machine(model))
    assert np.all(coef * np.array(model.trace_.signs[0]) >= 0)  # multipliers with the signs of their rows
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
    for step, coef in trace.replay():
        i, j = step.rows
        alpha = coef * sign
        (_, old), (_, new) = step.multipliers
        assert step.low <= new <= step.high
        assert (sign[j] * old, sign[j] * new) == (step.old[1], step.new[1])
        assert step.new[0] == coef[i]
        assert sum(step.new) - sum(step.old) == pytest.approx(0, abs=1e-12)
        assert coef.sum() == pytest.approx(0, abs=1e-12)
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
        for _, coef in trace.replay(number):
            assert np.all(coef * np.array(trace.signs[number]) >= 0)
            assert coef.sum() == pytest.approx(0, abs=1e-9)


def test_trace_of_a_warm_start_begins_where_the_fit_does():
    X, y = blobs()
    model = traced("smo-sketch", X, y, warm_start=True, max_iter=5)
    trace = traced_again(model, X, y).trace_
    assert trace.steps[0].kind == "start"
    gram = (X @ X.T)[np.ix_(trace.rows[0], trace.rows[0])]
    for step, coef in trace.replay():
        alpha = coef * np.array(trace.signs[0])
        assert alpha.min() >= 0
        assert coef.sum() == pytest.approx(0, abs=1e-9)
        assert step.dual == pytest.approx(alpha.sum() - 0.5 * coef @ gram @ coef, abs=1e-9)


def traced_again(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        return model.set_params(max_iter=-1).fit(X, y)


def curve(n=120):
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(n, 1))
    return X, np.sin(X[:, 0]) + 0.2 * rng.normal(size=n)


def labelled(n=120):
    X, y = curve(n)
    return X, (y > 0).astype(int)


KERNEL = {"kernel": RBF(0.7)}
# Machines beside SVC.
OTHERS = [
    pytest.param(NuSVC(nu=0.3, trace=True, **KERNEL), labelled, id="NuSVC"),
    pytest.param(SVR(C=5.0, trace=True, **KERNEL), curve, id="SVR"),
    pytest.param(SVR(C=5.0, epsilon=0.0, trace=True, polish=True, **KERNEL), curve, id="SVR polished"),
    pytest.param(NuSVR(C=5.0, nu=0.4, trace=True, **KERNEL), curve, id="NuSVR"),
    pytest.param(OneClassSVM(nu=0.2, trace=True, **KERNEL), curve, id="OneClassSVM"),
    pytest.param(SVR(kernel="linear", formulation="primal", trace=True), curve, id="SVR through weights"),
]


@pytest.mark.parametrize(("model", "data"), OTHERS)
def test_replay_of_every_kernel_machine_ends_at_its_signed_coefficients(model, data):
    X, y = data()
    model = clone(model).fit(X, y)
    trace = model.trace_
    assert len(trace) > 0
    assert sorted(trace.rows[0]) == list(range(len(X)))
    *_, (step, coef) = trace.replay()
    found, expected = at_rows(model, coef), of_machine(model)
    assert expected.any()
    if isinstance(model, NuSVC):
        divisor = np.abs(found).sum() / np.abs(expected).sum()
        np.testing.assert_allclose(found / divisor, expected, rtol=1e-14)
    else:
        np.testing.assert_array_equal(found, expected)
    assert step.dual == pytest.approx(model.certificate_.dual, rel=1e-9)
    assert step.violation == pytest.approx(model.certificate_.violation, abs=1e-9)


@pytest.mark.parametrize(("model", "data"), OTHERS)
def test_each_step_begins_where_the_last_one_ended(model, data):
    trace = clone(model).fit(*data()).trace_
    coef = np.zeros(len(trace.rows[0]))
    for step, after in trace.replay():
        np.testing.assert_array_equal(coef[list(step.rows)], step.old)
        assert step.multipliers == (tuple(map(abs, step.old)), tuple(map(abs, step.new)))
        coef = after


@pytest.mark.parametrize(("model", "data"), OTHERS)
def test_trace_of_a_machine_is_asked_for_and_changes_nothing(model, data):
    X, y = data()
    own, plain = clone(model).fit(X, y), clone(model).set_params(trace=False).fit(X, y)
    assert not hasattr(plain, "trace_")
    assert not hasattr(clone(own), "trace_")
    if model.formulation == "auto":
        np.testing.assert_array_equal(own.dual_coef_, plain.dual_coef_)
        np.testing.assert_array_equal(own.intercept_, plain.intercept_)
    else:  # what is recorded goes through kernel values
        np.testing.assert_allclose(own.dual_coef_, plain.dual_coef_, atol=1e-3)
        np.testing.assert_allclose(own.intercept_, plain.intercept_, atol=1e-3)
    assert not hasattr(own.set_params(trace=False).fit(X, y), "trace_")


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_dual_of_regression_never_falls_and_is_that_of_its_formula(epsilon):
    X, y = curve(700)
    trace = SVR(C=5.0, epsilon=epsilon, trace=True, **KERNEL).fit(X, y).trace_
    assert len(trace) > 1
    duals = np.array([step.dual for step in trace])
    assert np.all(np.diff(duals) >= -1e-9 * np.abs(duals).max())
    assert all(step.gap >= -1e-9 for step in trace)
    K = RBF(0.7)(X)
    for step, coef in trace.replay():
        c = np.zeros(len(y))
        c[list(trace.rows[0])] = coef
        assert step.dual == pytest.approx(y @ c - 0.5 * c @ K @ c - epsilon * np.abs(c).sum(), rel=1e-9)
        assert coef.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("model", "data"), OTHERS)
def test_signs_are_known_where_coefficients_have_one_only(model, data):
    X, y = data()
    trace = clone(model).fit(X, y).trace_
    if isinstance(model, (SVR, NuSVR)):
        assert trace.signs == ()
        return
    signs = np.array(trace.signs[0])
    expected = np.ones(len(X)) if isinstance(model, OneClassSVM) else np.where(y == 1, 1.0, -1.0)
    np.testing.assert_array_equal(signs, expected[list(trace.rows[0])])
    for _, coef in trace.replay():
        assert np.all(coef * signs >= 0)


@pytest.mark.parametrize(("model", "data"), OTHERS)
def test_trace_of_every_machine_survives_a_file(model, data, tmp_path):
    trace = clone(model).fit(*data()).trace_
    trace.save(tmp_path / "trace.json")
    assert Trace.load(tmp_path / "trace.json") == trace


def test_trace_of_nu_classification_has_the_rounds_of_every_pair():
    X, y = make_blobs(90, centers=3, cluster_std=2.0, random_state=2)
    model = NuSVC(nu=0.6, trace=True).fit(X, y)
    assert {step.problem for step in model.trace_} == {0, 1, 2}
    for number in range(3):
        *_, (step, coef) = model.trace_.replay(number)
        positions, expected = model._machine.coef_of(number)
        full = np.zeros(len(X))
        full[model.support_[positions]] = expected
        found = np.zeros(len(X))
        found[list(model.trace_.rows[number])] = coef
        np.testing.assert_allclose(found * np.abs(full).sum() / np.abs(found).sum(), full, rtol=1e-14)
        assert step.violation <= model.tol


def test_replay_of_nu_regression_that_is_solved_in_twins_ends_at_the_machine():
    """Rows that stand twice have other numbers than those of the trace."""
    rng = np.random.default_rng(19)
    n = int(rng.integers(4, 25))
    X, y = rng.normal(size=(n, 1)), rng.integers(0, 3, size=n).astype(float)
    model = NuSVR(nu=0.9, C=10.0, kernel="linear", trace=True).fit(X, y)
    *_, (step, coef) = model.trace_.replay()
    np.testing.assert_array_equal(at_rows(model, coef), of_machine(model))
    assert step.dual == pytest.approx(model.certificate_.dual, rel=1e-9)


def test_replay_of_nu_regression_that_is_solved_densely_ends_at_the_machine():
    rng = np.random.default_rng(61)
    n, d = int(rng.integers(6, 40)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    y = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
    model = NuSVR(nu=0.7, C=1e5, kernel="linear", trace=True).fit(X, y)
    *_, (step, coef) = model.trace_.replay()
    np.testing.assert_array_equal(at_rows(model, coef), of_machine(model))
    assert step.dual == pytest.approx(model.certificate_.dual, rel=1e-6)


def test_trace_names_a_solver_of_ones_own():
    X, y = load_iris(return_X_y=True)
    model = SVC(kernel="linear", solver=LectureSolver(SmoSketch()), trace=True).fit(X[:100], y[:100])
    assert model.trace_.solver == "LectureSolver"


@pytest.mark.parametrize("wrong", [object(), int, 3, None])
def test_object_that_is_no_solver_is_refused(wrong):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="`require`, `solve` and `leaves_hard_problems`"):
        SVC(solver=wrong).fit(X, y)
