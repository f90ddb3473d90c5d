"""The dense interior-point method: its arithmetic against fractions, its Newton steps against a naive system, its
answers against Clarabel and LIBLINEAR."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer import RBF, Linear, Sigmoid
from mercer.gram import TrainingData, TwofoldGram
from mercer.problems import (
    CrammerSingerProblem,
    Intercept,
    LinearProblem,
    NuClassification,
    NuRegression,
    OneClass,
    Penalty,
    SupportVectorClassification,
    SupportVectorRegression,
)
from mercer.solvers import Limits, Status
from mercer.solvers.dense import (
    BoxProgram,
    DenseMachine,
    Extended,
    Intercepts,
    follow_central_path,
    may_solve_densely,
    may_solve_linear_densely,
    solve_dense,
    solve_linear_dense,
)
from mercer.solvers.dense.extended import exact_product, exact_sum, rounded_sum
from mercer.solvers.dense.factored import Factored
from mercer.solvers.dense.lasso_program import LassoProgram
from mercer.solvers.dense.simplex_program import SimplexProgram
from tests.reference import liblinear, problems
from tests.reference.linear import LinearMachine
from tests.reference.qp import solve_svc_dual

# Newton's systems here are of order one and moderately conditioned.
SAME_STEP = 1e-9
# What Clarabel leaves of an objective.
SAME_OPTIMUM = 1e-7

# Products neither overflow nor are so small that their last digits are lost.
numbers = st.floats(-1e120, 1e120).filter(lambda x: x == 0 or abs(x) > 1e-120)
several = st.lists(numbers, min_size=3, max_size=3)


def fraction(*parts):
    return sum((Fraction(float(part)) for part in parts), Fraction(0))


# ---------------------------------------------------------------- arithmetic


@given(numbers, numbers)
def test_sums_and_products_are_exact_with_their_errors(a, b):
    x, y = np.array([a]), np.array([b])
    total, error = exact_sum(x, y)
    assert fraction(total[0], error[0]) == fraction(a) + fraction(b)
    product, error = exact_product(x, y)
    assert fraction(product[0], error[0]) == fraction(a) * fraction(b)


@given(numbers, st.floats(-1, 1), numbers)
def test_extended_numbers_have_twice_the_digits(high, share, other):
    low = share * 2.0**-53 * high
    value, y = Extended(np.array([high]), np.array([low])), np.array([other])
    exact = fraction(high, low)
    unit = Fraction(2) ** -100

    def off_by(found, wanted, size):
        return abs(fraction(found.high[0], found.low[0]) - wanted) <= unit * size

    sum_ = value.plus(y)
    assert off_by(sum_, exact + fraction(other), abs(exact) + abs(fraction(other)))
    assert sum_.high[0] + sum_.low[0] == sum_.high[0]
    assert off_by(value.times(y), exact * fraction(other), abs(exact * fraction(other)))
    if other:
        assert off_by(value.over(y), exact / fraction(other), abs(exact / fraction(other)))
    assert value.total() == float(exact)


@given(several, several)
def test_totals_are_rounded_once(high, low):
    signs = np.array([1.0, -1.0, 1.0])
    found = Extended(np.array(high), np.array(low)).total(signs)
    assert found == float(
        sum(fraction(s) * (fraction(h) + fraction(x)) for s, h, x in zip(signs, high, low, strict=True))
    )


def test_totals_of_what_is_no_number_are_none():
    assert np.isnan(rounded_sum(np.array([np.inf, -np.inf])))
    assert np.isnan(rounded_sum(np.array([1e308, 1e308])))
    assert rounded_sum(1e308, np.array([1.0, -1e308])) == 1.0


def test_products_of_numbers_near_the_largest_have_no_error_instead_of_a_missing_one():
    product, error = exact_product(np.array([1e308]), np.array([1.0]))
    assert (product[0], error[0]) == (1e308, 0.0)


# ---------------------------------------------------------------- systems


def test_scaled_systems_are_solved_to_the_last_digits():
    """Factors of a matrix like Wilkinson's lose half of the digits of its solution: refinement brings them back."""
    n, rng = 40, np.random.default_rng(0)
    A = np.eye(n) - 0.875 * np.tril(np.ones((n, n)), -1)
    A[:, -1] = 1.0
    scales = 2.0 ** rng.integers(-60, 60, size=n)
    wanted = rng.integers(1, 10, size=n)
    # Eighths and powers of two: nothing is rounded but in the solution.
    found = Factored(A * scales[:, None] * scales, np.square(scales)).solve(scales * (A @ wanted)).high
    np.testing.assert_allclose(found * scales, wanted, rtol=1e-13)


def rows(n=9, d=3, seed=0, offset=0.0):
    return np.random.default_rng(seed).normal(size=(n, d)) + offset


def gram_of(kernel, X):
    return TwofoldGram.of(training(kernel, X))


def training(kernel, X):
    return TrainingData(kernel, X).rows(np.arange(len(X), dtype=np.int32))


def box_program(kind, kernel, offset=0.0, n=9, price=1.0):
    """A program of each kind: sums, kinks, bounds on one side or on both, ridges."""
    rng = np.random.default_rng(5)
    X, slope = rows(n, seed=1, offset=offset), rng.normal(size=n)
    bounds, zero = rng.uniform(0.5, 2.0, size=n), np.zeros(n)
    gram = gram_of(kernel, X)
    both = {"lower": -bounds, "upper_bounds": bounds}
    one = {"lower": np.where(slope < 0, -bounds, 0.0), "upper_bounds": np.where(slope > 0, bounds, 0.0)}
    above = {"lower": zero, "upper_bounds": bounds}
    half = 0.2 * bounds.sum()
    chosen = {
        "signs": dict(**one, kink=zero, ridge=zero, intercepts=Intercepts.ONE_SUM, sums=np.zeros(1)),
        "no kink": dict(**both, kink=zero, ridge=zero, intercepts=Intercepts.ONE_SUM, sums=np.zeros(1)),
        "kink": dict(**both, kink=zero + 0.1, ridge=zero, intercepts=Intercepts.ONE_SUM, sums=np.zeros(1)),
        "one class": dict(**above, kink=zero, ridge=zero, intercepts=Intercepts.ONE_SUM, sums=np.array([half])),
        "two sums": dict(
            **one, kink=zero, ridge=zero, intercepts=Intercepts.TWO_SUMS, sums=0.5 * np.array([1.0, -1.0])
        ),
        "at most": dict(
            **both, kink=zero, ridge=zero, intercepts=Intercepts.TWO_SUMS_AT_MOST, sums=half * np.array([1.0, -1.0])
        ),
        "ridge": dict(**one, kink=zero, ridge=1 / bounds, intercepts=Intercepts.ONE_SUM, sums=np.zeros(1)),
        "priced": dict(
            **both,
            kink=zero + 0.1,
            ridge=1 / bounds,
            intercepts=Intercepts.NO_SUM,
            sums=np.zeros(0),
            squared_scaling=price,
        ),
        "no intercept": dict(**one, kink=zero, ridge=zero, intercepts=Intercepts.NO_SUM, sums=np.zeros(0)),
    }[kind]
    return BoxProgram(gram, slope, **chosen)


BOXES = ["signs", "no kink", "kink", "one class", "two sums", "at most", "ridge", "priced", "no intercept"]
BY_BOX = pytest.mark.parametrize("kind", BOXES)
BY_KERNEL = pytest.mark.parametrize("kernel", [RBF(0.5), Linear()], ids=str)


def as_quadratic(program):
    """Q, g, E and e of min ½ xᵀQx + gᵀx with E x = e, written out."""
    m, n = len(program.row), len(program.slope)
    S = np.zeros((n, m))
    S[program.row, np.arange(m)] = program.sign
    K = program.gram.high + program.squared_scaling
    ridge, shift = program.ridge[program.row], program.shift
    Q = S.T @ K @ S + np.diag(ridge)
    g = S.T @ (K @ shift - program.slope + program.ridge * shift) + program.kink[program.row]
    if not program.has_sums:
        return Q, g, np.zeros((0, m)), np.zeros(0)
    if not program.has_two_sums:
        return Q, g, program.sign[None], program.sums - shift.sum()
    E = np.stack([np.where(program.sign > 0, 1.0, 0.0), np.where(program.sign < 0, -1.0, 0.0)])
    if program.has_spare:
        Q, g = np.pad(Q, (0, 1)), np.append(g, 0.0)
        E = np.column_stack([E, [1.0, -1.0]])
    return Q, g, E, program.sums


def check_newton_step(program, quadratic):
    Q, g, E, e = quadratic
    rng = np.random.default_rng(11)
    x = rng.uniform(0.1, 0.9, size=len(g))
    multipliers = rng.normal(size=len(e))
    variables = Extended.of(x)
    np.testing.assert_allclose(program.gradient(variables, multipliers), Q @ x + g + E.T @ multipliers, atol=1e-11)
    np.testing.assert_allclose(program.missing(variables), e - E @ x, atol=1e-12)
    for diagonal in (np.ones(len(g)), rng.uniform(0.5, 20, size=len(g)), 10.0 ** rng.uniform(-2, 2, size=len(g))):
        rhs, missing = rng.normal(size=len(g)), rng.normal(size=len(e))
        naive = np.block([[Q + np.diag(diagonal), E.T], [E, np.zeros((len(e), len(e)))]])
        wanted = np.linalg.solve(naive, np.concatenate([rhs, missing]))
        dx, step = program.system(diagonal).solve(rhs, missing)
        np.testing.assert_allclose(np.concatenate([dx, step]), wanted, rtol=SAME_STEP, atol=SAME_STEP)


@BY_BOX
@BY_KERNEL
def test_newton_steps_of_box_programs_solve_their_systems(kind, kernel):
    program = box_program(kind, kernel)
    check_newton_step(program, as_quadratic(program))


@BY_BOX
def test_newton_steps_without_a_factor_solve_their_systems(kind, monkeypatch):
    monkeypatch.setattr("mercer.gram.twofold._MOST_PRODUCTS", 1)
    program = box_program(kind, RBF(0.5))
    assert program.newton_matrix[1] is None
    check_newton_step(program, as_quadratic(program))


@pytest.mark.parametrize("kind", ["signs", "kink", "two sums", "at most"])
def test_newton_steps_far_from_the_origin_are_those_near_it(kind):
    """Where the sums stay, an offset of the rows changes nothing of the step in the variables."""
    near, far = box_program(kind, Linear()), box_program(kind, Linear(), offset=2.0**20)
    near = BoxProgram(gram_of(Linear(), rows(9, seed=1, offset=2.0**20) - 2.0**20), *list(vars(near).values())[1:9])
    rng = np.random.default_rng(12)
    count = len(near.upper)
    diagonal, rhs = rng.uniform(0.5, 20, size=count), rng.normal(size=count)
    missing = np.zeros(len(near.sums))
    one, other = near.system(diagonal).solve(rhs, missing)[0], far.system(diagonal).solve(rhs, missing)[0]
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@BY_BOX
def test_variables_of_box_programs_are_their_coefficients(kind):
    program = box_program(kind, RBF(0.5))
    x = np.random.default_rng(13).uniform(0.1, 0.4, size=len(program.upper))
    own = x[: len(program.row)]
    wanted = program.shift + np.bincount(program.row, program.sign * own, len(program.slope))
    np.testing.assert_allclose(program.coef(Extended.of(x)).high, wanted, atol=1e-15)
    netted = program.netted(Extended.of(x))
    np.testing.assert_allclose(program.coef(netted).high, wanted, atol=1e-15)
    alone = program.of_rows(netted.high)[program.shift[program.row] == 0]
    row = program.row[program.shift[program.row] == 0]
    assert np.all(np.bincount(row, alone > 0, len(program.slope)) <= 1)
    if program.has_spare:
        np.testing.assert_allclose(program.missing(netted)[0], 0, atol=1e-14)


@BY_BOX
def test_box_programs_start_at_the_centre(kind):
    program = box_program(kind, RBF(0.5))
    x, multipliers = program.start()
    upper = program.upper
    assert np.all((x > 0) & (x < upper))
    np.testing.assert_allclose(program.missing(Extended.of(x)), 0, atol=1e-12)
    own, bounds = program.of_rows(x), program.of_rows(upper)
    force = 1 / own - 1 / (bounds - own)
    pulled = program.sign * multipliers[program.side] if len(multipliers) else 0.0
    np.testing.assert_allclose(force, pulled, atol=1e-9)


def simplex_program(squared=0.25):
    labels = np.arange(8) % 3
    return SimplexProgram(gram_of(Linear(), rows(8, seed=2)), labels, 3, np.linspace(0.5, 2, 8), squared)


@pytest.mark.parametrize("squared", [0.0, 0.25, 1e4])
def test_newton_steps_of_all_classes_solve_their_systems(squared):
    program = simplex_program(squared)
    n, K = 8, program.gram.high + squared
    own = np.concatenate([np.where(program.labels == m, program.bounds, 0.0) for m in range(3)])
    Q = np.kron(np.eye(3), K)
    g = -Q @ own - np.concatenate([(program.labels != m).astype(float) for m in range(3)])
    check_newton_step(program, (Q, g, np.tile(np.eye(n), 3), program.bounds))


def test_all_classes_start_at_the_centre():
    program = simplex_program()
    x, multipliers = program.start()
    np.testing.assert_allclose(1 / x, np.tile(multipliers, 3))
    np.testing.assert_allclose(program.missing(Extended.of(x)), 0, atol=1e-15)
    alpha = np.stack([coef.high for coef in program.coef(Extended.of(x))])
    np.testing.assert_allclose(alpha.sum(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(alpha.max(axis=0), program.bounds * 2 / 3)


@pytest.mark.parametrize("free", [False, True])
def test_newton_steps_of_absolute_weights_solve_their_systems(free):
    X, signs, bounds = rows(8, 4, seed=3), np.where(np.arange(8) % 2, 1.0, -1.0), np.linspace(0.5, 2, 8)
    program = LassoProgram(X, signs, bounds, free)
    priced = 3 if free else 4
    Q = np.diag(np.concatenate([1 / (2 * bounds), np.zeros(priced)]))
    g = np.concatenate([-np.ones(8), np.zeros(priced)])
    E = np.hstack([(signs[:, None] * X).T, -np.eye(4)[:, :priced]])
    e = np.concatenate([-np.ones(priced), np.zeros(4 - priced)])
    check_newton_step(program, (Q, g, E, e))


@pytest.mark.parametrize("small", [False, True])
def test_absolute_weights_start_within_their_bounds(small):
    X, signs = rows(8, 4, seed=3), np.where(np.arange(8) % 2, 1.0, -1.0)
    program = LassoProgram(X, signs, np.full(8, 3.0), False, small)
    x, multipliers = program.start()
    assert np.all((x > 0) & (x < program.upper))
    assert not multipliers.any()
    np.testing.assert_array_equal(x[8:], 1.0)
    if small:
        assert np.abs(program.missing(Extended.of(x))).max() <= 0.5 + 1e-15
    else:
        np.testing.assert_array_equal(x[:8], 0.5 * program.upper[:8])


@BY_BOX
def test_central_path_leads_to_the_optimality_conditions(kind):
    program = box_program(kind, RBF(0.5))
    iterates = list(islice(follow_central_path(program), 40))
    last = min(iterates, key=lambda one: one.complementarity + one.residual)
    Q, g, E, e = as_quadratic(program)
    assert len(iterates) >= 5
    assert last.complementarity <= 1e-8
    np.testing.assert_allclose(E @ last.x, e, atol=1e-9)
    gradient = Q @ last.x + g + E.T @ last.multipliers
    np.testing.assert_allclose(gradient, last.lower - last.upper, atol=1e-8)
    assert np.all((last.x >= 0) & (last.x <= program.upper * (1 + 1e-15)))


# ---------------------------------------------------------------- kernel machines against Clarabel


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return X, y, np.where(y > np.median(y), 1.0, -1.0), rng.uniform(0.5, 2.0, size=n)


def posed(name, seed, C=2.0):
    """A problem, its optimum by Clarabel, and the objective of coefficients as it is maximised."""
    X, y, t, v = drawn(seed)
    K = RBF(0.5).matrix(X, X)
    bounds = C * v
    if name == "SVC":
        best = solve_svc_dual(K, t, bounds)
        return SupportVectorClassification.several([t], bounds), X, best.value, lambda c: t @ c - 0.5 * c @ K @ c
    if name == "SVR":
        best = problems.solve_svr_dual(K, y, v, C, 0.1)
        objective = lambda c: problems.svr_dual(K, c, y, 0.1)  # noqa: E731
        return SupportVectorRegression.of(y, bounds, 0.1), X, best.value, objective
    if name == "SVR without a tube":
        best = problems.solve_svr_dual(K, y, v, C, 0.0)
        objective = lambda c: problems.svr_dual(K, c, y, 0.0)  # noqa: E731
        return SupportVectorRegression.of(y, bounds, 0.0), X, best.value, objective
    if name == "NuSVC":
        best = problems.solve_nu_svc_dual(K, t, v, 0.4)
        return NuClassification.several([t], v, 0.4), X, best.value, lambda c: problems.nu_svc_dual(K, c)
    if name == "NuSVR":
        best = problems.solve_nu_svr_dual(K, y, v, C, 0.3)
        return NuRegression.of(y, bounds, 0.3), X, best.value, lambda c: problems.nu_svr_dual(K, c, y)
    best = problems.solve_one_class_dual(K, v, 0.3)
    return OneClass.of(v, 0.3), X, best.value, lambda c: problems.one_class_dual(K, c)


KERNEL_PROBLEMS = ["SVC", "SVR", "SVR without a tube", "NuSVC", "NuSVR", "OneClassSVM"]


@pytest.mark.parametrize("name", KERNEL_PROBLEMS)
def test_dense_optimum_is_that_of_clarabel(name):
    for seed in range(4):
        problem, X, value, objective = posed(name, seed)
        found = solve_dense(problem, training(RBF(0.5), X), problem.start, 1e-8, Limits())
        assert found.status is Status.SOLVED
        assert found.violation <= 1e-8
        assert objective(found.coef) == pytest.approx(value, rel=SAME_OPTIMUM, abs=SAME_OPTIMUM)
        assert np.all((found.coef >= problem.lower) & (found.coef <= problem.upper))
        if name == "NuSVR":
            assert np.all(np.abs(problem.sums(found.coef)) <= np.abs(problem.fixed_sums) * (1 + 1e-12))
        else:
            np.testing.assert_allclose(problem.sums(found.coef), problem.fixed_sums, atol=1e-12)


def test_coefficients_end_exactly_at_their_bounds():
    problem, X, _, _ = posed("SVC", 0)
    found = solve_dense(problem, training(RBF(0.5), X), problem.start, 1e-8, Limits())
    inside = (found.coef != problem.lower) & (found.coef != problem.upper)
    gradient = RBF(0.5).matrix(X, X) @ found.coef - problem.slope
    offset = -gradient[inside].mean()
    assert 0 < inside.sum() < len(X) / 2
    # Rows at a bound are pushed against it, those between are on the margin.
    np.testing.assert_allclose(gradient[inside] + offset, 0, atol=1e-7)
    pushed = np.where(found.coef == problem.lower, 1.0, -1.0) * (gradient + offset)
    assert np.all(pushed[~inside] >= -1e-7)


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("seed", [1, 7, 11, 21, 25, 34])
def test_sums_of_nu_regression_never_exceed_what_is_asked_for(seed, is_exact):
    """Two variables of a row may pass through sums that no ν allows; such points solve another problem."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    X = rng.normal(size=(n, 2))
    y, bounds = X[:, 0] + 0.1 * rng.normal(size=n), np.full(n, 6.0)
    problem = NuRegression.of(y, bounds, 0.9)
    found = solve_dense(problem, training(Linear(), X), problem.start, 1e-6, Limits(), 1, None, is_exact)
    for coef in (found.coef, found.exact.high):
        assert np.all(np.abs(problem.sums(coef)) <= np.abs(problem.fixed_sums) * (1 + 1e-9))
    K = X @ X.T
    best = problems.solve_nu_svr_dual(K, y, np.ones(n), 6.0, 0.9)
    assert found.status is Status.SOLVED
    assert problems.nu_svr_dual(K, found.exact.high, y) == pytest.approx(best.value, rel=1e-6)


def test_dense_method_goes_on_below_the_tolerance_where_that_is_asked_for():
    problem, X, _, _ = posed("SVR", 1)
    terms = (problem, training(RBF(0.5), X), problem.start, 1e-1, Limits(), 1, None)
    plain, exact = solve_dense(*terms), solve_dense(*terms, is_exact=True)
    assert plain.violation <= 1e-1
    assert min(exact.violation, exact.exact_violation) <= 1e-13
    assert exact.status is Status.SOLVED


def test_dense_method_hears_of_limits_and_reports():
    problem, X, _, _ = posed("SVC", 0)
    terms = (problem, training(RBF(0.5), X), problem.start, 1e-8)
    late = solve_dense(*terms, Limits(seconds=0.0))
    assert (late.status, late.steps) == (Status.TIME_LIMIT, 1)
    seen = []
    stopped = solve_dense(*terms, Limits(), 1, lambda *numbers: seen.append(numbers) or len(seen) == 3)
    assert (stopped.status, stopped.steps) == (Status.INTERRUPTED, 3)
    assert [numbers[1] for numbers in seen] == [1, 2, 3]
    for found in (late, stopped):
        np.testing.assert_allclose(problem.sums(found.coef), problem.fixed_sums, atol=1e-12)


def test_what_is_found_is_no_worse_than_the_start():
    problem, X, _, _ = posed("SVC", 0)
    own = training(RBF(0.5), X)
    good = solve_dense(problem, own, problem.start, 1e-10, Limits())
    again = solve_dense(problem, own, good.coef, 1e-10, Limits(seconds=0.0))
    np.testing.assert_array_equal(again.coef, good.coef)
    assert again.violation == good.violation


def test_sums_that_take_all_there_is_leave_one_point():
    _, _, _, v = drawn(0, 10)
    problem = OneClass.of(v, 1.0)
    found = solve_dense(problem, training(RBF(0.5), rows(10)), problem.start, 1e-6, Limits())
    assert (found.status, found.steps) == (Status.SOLVED, 0)
    np.testing.assert_allclose(found.coef, v)


def test_problems_with_many_rows_or_several_optima_are_left_alone():
    problem, X, _, _ = posed("SVC", 0)
    assert may_solve_densely(problem, training(RBF(0.5), X))
    assert not may_solve_densely(problem, training(Sigmoid(0.5, 0.0), X))
    many = SupportVectorClassification.several([np.resize([1.0, -1.0], 3001)], np.ones(3001))
    assert not may_solve_densely(many, training(RBF(0.5), rows(3001)))
    hard = SupportVectorClassification.several([np.array([1.0, -1.0])], np.full(2, np.inf))
    assert not may_solve_densely(hard, training(RBF(0.5), rows(2)))


# ---------------------------------------------------------------- linear machines

INTERCEPTS = {"none": Intercept.NONE, "regularised": Intercept.REGULARIZED, "free": Intercept.FREE}


def nothing(n, features):
    return DenseMachine(np.zeros(features), 0.0, np.zeros(n))


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("epsilon", [None, 0.0, 0.1])
def test_dense_linear_machines_are_those_of_clarabel(epsilon, squared, intercept):
    for seed, C in ((0, 0.1), (1, 10.0)):
        X, y, t, v = drawn(seed)
        target = t if epsilon is None else y
        machine = LinearMachine(X, target, C * v, squared, intercept, 2.0, epsilon)
        chosen = np.arange(len(X), dtype=np.int32)
        if epsilon is None:
            problem = LinearProblem.of_signs(chosen, t, C * v, squared)
        else:
            problem = LinearProblem.of_targets(chosen, y, C * v, epsilon, squared)

        def gap(found, machine=machine, problem=problem):
            coef = found.coef if found.coef_low is None else found.coef + found.coef_low
            primal = machine.primal(found.weights, found.intercept)
            dual = machine.dual(problem.feasible(coef, machine.intercept == "free"))
            return abs(primal - dual) / max(primal, 1e-300)

        own = training(Linear(), X)
        terms = (INTERCEPTS[intercept], 2.0, gap, nothing(*X.shape), 1e-8, Limits())
        found = solve_linear_dense(problem, own, *terms)
        assert found.status is Status.SOLVED
        assert found.gap <= 1e-8
        primal = machine.primal(found.machine.weights, found.machine.intercept)
        assert primal == pytest.approx(machine.optimum().value, rel=SAME_OPTIMUM)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_dense_absolute_weights_are_proved_and_those_of_liblinear(C, intercept):
    X, _, t, v = drawn(2)
    bounds, free = C * v, intercept == "free"
    offset = {"none": 0.0, "regularised": 1.0, "free": 1.0}[intercept]
    problem = LinearProblem.of_signs(np.arange(len(X), dtype=np.int32), t, bounds, True, Penalty.ABSOLUTE)

    def joined(found):
        return np.append(found.weights, found.intercept) if offset else found.weights

    def gap(found):
        """The dual point is scaled into its bounds, and its sum to zero where the intercept is free."""
        coef = t * np.maximum(t * found.coef, 0.0)
        coef = problem.feasible(coef, free)
        sums = np.abs(coef @ liblinear.with_column(X, offset))[: -1 if free else None]
        coef = coef / max(1.0, sums.max(initial=0.0))
        primal = liblinear.lasso_primal(X, t, bounds, joined(found), offset, free)
        return abs(primal - liblinear.lasso_dual(X, t, bounds, coef, offset, free)) / primal

    terms = (INTERCEPTS[intercept], 1.0, gap, nothing(*X.shape), 1e-7, Limits())
    found = solve_linear_dense(problem, training(Linear(), X), *terms)
    assert found.status is Status.SOLVED
    if not free:
        theirs = liblinear.lasso(X, t, C, v, bool(offset))
        wanted = liblinear.lasso_primal(X, t, bounds, theirs, offset)
        own = liblinear.lasso_primal(X, t, bounds, joined(found.machine), offset)
        assert own == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 0.3])
def test_dense_machines_of_all_classes_are_those_of_liblinear(C):
    X, _, _, v = drawn(3, 45)
    labels = (X @ rows(3, 3, seed=4)).argmax(axis=1)
    problem = CrammerSingerProblem(np.arange(45, dtype=np.int32), labels, 3, C * v)

    def objectives(found):
        W = np.hstack([found.weights, np.reshape(found.intercept, (3, 1))])
        coef = problem.feasible(found.coef)
        columns = liblinear.with_column(X, 1.0)
        primal = liblinear.crammer_singer_objectives(X, labels, C * v, W)
        return primal, problem.dual(coef, float(np.square(coef.T @ columns).sum()))

    def gap(found):
        primal, dual = objectives(found)
        return abs(primal - dual) / primal

    start = DenseMachine(np.zeros((3, 3)), np.zeros(3), np.zeros((45, 3)))
    terms = (Intercept.REGULARIZED, 1.0, gap, start, 1e-8, Limits())
    found = solve_linear_dense(problem, training(Linear(), X), *terms)
    assert found.status is Status.SOLVED
    theirs = liblinear.crammer_singer_objectives(X, labels, C * v, liblinear.crammer_singer(X, labels, C, v))
    assert objectives(found.machine)[0] == pytest.approx(theirs, rel=1e-6)


def test_dense_linear_machines_hear_of_limits_and_are_no_worse_than_the_start():
    X, _, t, v = drawn(0)
    problem = LinearProblem.of_signs(np.arange(len(X), dtype=np.int32), t, v, False)
    start = nothing(*X.shape)
    own = training(Linear(), X)
    late = solve_linear_dense(problem, own, Intercept.FREE, 1.0, lambda _: 0.5, start, 1e-8, Limits(seconds=0.0))
    assert late.status is Status.TIME_LIMIT
    assert late.machine is start
    terms = (Intercept.FREE, 1.0, lambda _: 0.5, start, 1e-8, Limits(), 1, lambda *_: True)
    assert solve_linear_dense(problem, own, *terms).status is Status.INTERRUPTED


def test_linear_problems_with_too_many_unknowns_are_left_alone():
    def of_signs(n, **parameters):
        return LinearProblem.of_signs(np.arange(n), np.resize([1.0, -1.0], n), np.ones(n), True, **parameters)

    def all_classes(n):
        return CrammerSingerProblem(np.arange(n), np.arange(n) % 3, 3, np.ones(n))

    assert may_solve_linear_densely(of_signs(3000), np.zeros((3000, 1)))
    assert not may_solve_linear_densely(of_signs(3001), np.zeros((3001, 1)))
    assert may_solve_linear_densely(of_signs(100, penalty=Penalty.ABSOLUTE), np.zeros((100, 1450)))
    assert not may_solve_linear_densely(of_signs(100, penalty=Penalty.ABSOLUTE), np.zeros((100, 1451)))
    assert may_solve_linear_densely(all_classes(740), np.zeros((740, 5)))
    assert not may_solve_linear_densely(all_classes(750), np.zeros((750, 5)))  # more unknowns than 3,000
    assert may_solve_linear_densely(all_classes(240), np.zeros((240, 300)))
    assert not may_solve_linear_densely(all_classes(260), np.zeros((260, 300)))  # a factor of too many columns
