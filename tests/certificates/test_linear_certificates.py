"""Certificates of linear machines: true bounds of the optimum, and failing where a weight or a dual variable is not."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mercer import Linear, LinearSVC, LinearSVR, Status
from mercer.certificates import certify_linear
from mercer.problems import Intercept, InterceptColumn, LinearProblem
from mercer.rows import LinearRows
from tests.reference.linear import INTERCEPTS, LinearMachine, machine_of

# Clarabel's tolerance, with room for what scaling makes of it.
OPTIMUM = 1e-7
# Sums of some dozens of terms in another order.
SUMMATION_ORDER = 1e-11
# What rounding may excuse, as a share of tol.
EXCUSED = 1e-2
KINDS = dict(zip(INTERCEPTS, (Intercept.NONE, Intercept.REGULARIZED, Intercept.FREE), strict=True))


def problem(task, squared, intercept, n=40, d=4, seed=0, C=1.0, scaling=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5
    y = X[:, 0] + rng.normal(size=n)
    y = y if task == "regression" else np.where(y > np.median(y), 1.0, -1.0)
    price = C * rng.uniform(0.5, 2.0, n)
    return LinearMachine(X, y, price, squared, intercept, scaling, 0.2 if task == "regression" else None)


@dataclass(frozen=True)
class Point:
    """A machine and dual variables to be judged."""

    weights: np.ndarray
    intercept: float
    coef: np.ndarray


def certificate(machine, point, form=np.asarray):
    chosen, column = np.arange(len(machine.y)), InterceptColumn(KINDS[machine.intercept], machine.scaling)
    if machine.epsilon is None:
        posed = LinearProblem.of_signs(chosen, machine.y, machine.price, machine.squared, column)
    else:
        posed = LinearProblem.of_targets(chosen, machine.y, machine.price, machine.epsilon, machine.squared, column)
    rows = LinearRows(Linear(), form(machine.X))
    np.testing.assert_allclose(rows.norms, np.linalg.norm(machine.X, axis=1), rtol=SUMMATION_ORDER)
    return certify_linear(
        problem=posed,
        rows=rows,
        weights=point.weights,
        intercept=point.intercept,
        coef=point.coef,
        threads=1,
    )


def optimal(machine):
    best = machine.optimum()
    return Point(best.weights, best.intercept, best.coef), best.value


@pytest.fixture(params=["classification", "regression"])
def task(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["plain", "squared"])
def squared(request):
    return request.param


@pytest.fixture(params=INTERCEPTS)
def intercept(request):
    return request.param


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("scaling", [1.0, 3.0])
def test_certificate_of_the_optimum_has_no_gap(task, squared, intercept, scaling, form):
    machine = problem(task, squared, intercept, scaling=scaling)
    point, value = optimal(machine)
    judged = certificate(machine, point, form)
    assert judged.primal == pytest.approx(value, rel=OPTIMUM)
    assert judged.dual == pytest.approx(value, rel=OPTIMUM)
    assert judged.holds(np.inf, gap_tol=OPTIMUM)  # an interior point is near its bounds, never at them
    assert judged.convex
    assert judged.rows == len(machine.y)


def test_certificate_is_that_of_the_naive_twin(task, squared, intercept):
    machine = problem(task, squared, intercept, scaling=2.0)
    point, _ = optimal(machine)
    rough = Point(1.3 * point.weights, point.intercept * (intercept != "none") + 0.0, 0.7 * point.coef)
    judged = certificate(machine, rough)
    assert judged.primal == pytest.approx(machine.primal(rough.weights, rough.intercept), rel=SUMMATION_ORDER)
    if intercept == "free":
        # The twin judges feasible points only, and these sum up to zero only as well as Clarabel solves.
        assert judged.dual == pytest.approx(replace(machine, intercept="none").dual(rough.coef), rel=1e-6)
    else:
        assert judged.dual == pytest.approx(machine.dual(rough.coef), rel=SUMMATION_ORDER)


@pytest.mark.parametrize("share", [1e-2, 0.1, 1.0])
def test_disturbed_weight_fails(task, squared, intercept, share):
    machine = problem(task, squared, intercept)
    point, value = optimal(machine)
    moved = point.weights.copy()
    moved[1] += share * np.abs(moved).max()
    broken = certificate(machine, replace(point, weights=moved))
    sound = certificate(machine, point)
    assert broken.primal > sound.primal
    assert broken.dual == pytest.approx(sound.dual)
    assert broken.dual <= value * (1 + OPTIMUM) <= broken.primal * (1 + 2 * OPTIMUM)
    assert not broken.holds(np.inf, gap_tol=share**2 * 1e-3)


@pytest.mark.parametrize("shift", [-0.5, 0.1])
def test_disturbed_intercept_fails(task, squared, shift):
    machine = problem(task, squared, "free")
    point, value = optimal(machine)
    broken = certificate(machine, replace(point, intercept=point.intercept + shift))
    assert broken.primal > value * (1 + 1e-4)
    assert not broken.holds(np.inf, gap_tol=1e-4)


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.5])
def test_disturbed_dual_variables_fail_and_bound_all_the_same(task, squared, intercept, factor):
    machine = problem(task, squared, intercept)
    point, value = optimal(machine)
    broken = certificate(machine, replace(point, coef=factor * point.coef))
    assert broken.dual < value * (1 - 1e-4)
    assert not broken.holds(np.inf, gap_tol=1e-4)


def test_one_disturbed_dual_variable_fails(task, squared, intercept):
    machine = problem(task, squared, intercept)
    point, value = optimal(machine)
    coef = point.coef.copy()
    coef[np.argmax(np.abs(coef))] *= -1  # beyond its bound in classification, the other side of the tube in regression
    broken = certificate(machine, replace(point, coef=coef))
    assert broken.dual < value * (1 - 1e-4)
    assert not broken.holds(np.inf, gap_tol=1e-4)


def test_machine_of_another_price_fails(task, squared, intercept):
    machine = problem(task, squared, intercept)
    point, _ = optimal(machine)
    assert not certificate(replace(machine, price=2 * machine.price), point).holds(np.inf, gap_tol=1e-4)


@given(
    seed=st.integers(0, 2**31),
    task=st.sampled_from(["classification", "regression"]),
    squared=st.booleans(),
    intercept=st.sampled_from(INTERCEPTS),
    size=st.sampled_from([1e-6, 1.0, 1e6]),
    d=st.integers(1, 12),
)
def test_dual_never_exceeds_a_primal(seed, task, squared, intercept, size, d):
    """Weak duality at points that have nothing to do with each other."""
    machine = problem(task, squared, intercept, n=15, d=d, seed=seed)
    rng = np.random.default_rng(seed)
    offset = 0.0 if intercept == "none" else float(rng.normal())
    points = [Point(size * rng.normal(size=d), offset, size * rng.normal(size=15)) for _ in range(3)]
    judged = [certificate(machine, point) for point in points]
    assert max(one.dual for one in judged) <= min(one.primal for one in judged)
    assert all(one.gap >= 0 for one in judged)


@given(seed=st.integers(0, 2**31), C=st.sampled_from([1e-4, 1e-2, 1.0, 1e2]), squared=st.booleans(), free=st.booleans())
def test_fitted_machine_encloses_the_true_optimum(seed, C, squared, free):
    for task, model in (("classification", LinearSVC), ("regression", LinearSVR)):
        machine = problem(task, squared, "free" if free else "regularised", n=25, seed=seed, C=C)
        loss = "hinge" if task == "classification" else "epsilon_insensitive"
        parameters = {} if task == "classification" else {"epsilon": 0.2}
        fitted = model(loss="squared_" * squared + loss, regularize_intercept=not free, C=C, tol=1e-6, **parameters)
        fitted.fit(machine.X, machine.y, sample_weight=machine.price / C)
        value = machine.optimum().value
        assert fitted.status_ is Status.SOLVED
        assert fitted.certificate_.dual <= value * (1 + OPTIMUM)
        assert fitted.certificate_.primal >= value * (1 - OPTIMUM)
        assert fitted.certificate_.relative_gap <= 1e-6


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning")  # an honest status is as good
@pytest.mark.parametrize("far", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_targets_far_from_zero_break_no_bound(loss, far):
    """A free intercept takes the distance up: the optimum is that of the centred targets."""
    machine = problem("regression", loss.startswith("squared"), "free")
    y = far + machine.y
    model = LinearSVR(loss=loss, epsilon=0.2, regularize_intercept=False).fit(machine.X, y)
    assert far > 1e6 or model.status_ is Status.SOLVED
    value = replace(machine, y=y - far, price=np.ones(len(y))).optimum().value
    assert model.certificate_.dual <= value * (1 + OPTIMUM)
    assert model.certificate_.primal >= value * (1 - OPTIMUM)
    assert model.certificate_.relative_gap >= -EXCUSED * model.tol


@pytest.mark.parametrize("classes", [2, 4])
def test_parts_of_several_classes_add_up(classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 4))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=120), np.linspace(-1, 1, classes - 1))
    model = LinearSVC(tol=1e-8).fit(X, y)
    parts = model.certificate_.parts
    assert len(parts) == (classes if classes > 2 else 0)
    primals = [
        machine_of(model, X, y, positive=label).primal(w, b)
        for label, w, b in zip(model.classes_[-len(model.coef_) :], model.coef_, model.intercept_, strict=True)
    ]
    assert model.certificate_.primal == pytest.approx(math.fsum(primals), rel=SUMMATION_ORDER)
    for part, primal in zip(parts, primals, strict=False):
        assert part.primal == pytest.approx(primal, rel=SUMMATION_ORDER)
        assert part.relative_gap <= 1e-8


def test_counts_are_those_of_the_rows():
    machine = problem("classification", False, "regularised", n=100)
    model = LinearSVC(loss="hinge", tol=1e-8).fit(machine.X, machine.y)
    scores = machine.y * model.decision_function(machine.X)
    counts = model.certificate_.counts
    near = np.abs(scores - 1) < 1e-4  # rows on the margin lie on either side of it
    assert abs(counts["outside"] - np.sum(scores >= 1)) <= near.sum()
    assert counts["misclassified"] == np.sum(scores <= 0)
    assert counts["bounded"] + counts["free"] + counts["non-support"] == 100
    assert abs(counts["bounded"] - np.sum(scores < 1)) <= near.sum()
    assert model.certificate_.margin == pytest.approx(1 / np.linalg.norm(model.coef_))


def test_certificate_reads_as_a_paragraph():
    machine = problem("regression", True, "regularised")
    text = str(LinearSVR(loss="squared_epsilon_insensitive").fit(machine.X, machine.y).certificate_)
    assert "squared" in text
    assert "from the optimum" in text
