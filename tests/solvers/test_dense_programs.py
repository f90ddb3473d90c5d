"""The interior-point method: its Newton steps against a naive system, its path against the optimality conditions."""

from itertools import islice

import numpy as np
import pytest

from mercer import RBF, Linear
from mercer.rows import TwofoldGram
from mercer.solvers.direct import (
    BoxProgram,
    Extended,
    Intercepts,
    follow_central_path,
)
from mercer.solvers.direct.factored import Factored
from mercer.solvers.direct.lasso_program import LassoProgram
from mercer.solvers.direct.simplex_program import SimplexProgram
from tests.solvers.dense_data import rows, training

# Newton's systems here are of order one and moderately conditioned.
SAME_STEP = 1e-9


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


def gram_of(kernel, X):
    return TwofoldGram.of(training(kernel, X))


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
    monkeypatch.setattr("mercer.rows.twofold._MOST_PRODUCTS", 1)
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
