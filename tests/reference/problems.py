"""Objectives, optimality measures and optima of regression, ν-classification and one class, from a full Gram matrix.

K is the Gram matrix, c the coefficient of each row (zero where it is no support vector), b the intercept, v the weights
and t the signs. Functions of ν-classification are about the machine before its division by ρ.
"""

import math
from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp

# A multiplier this near to its bound, relative to it, rests there: C · weight is rounded once or twice.
AT_BOUND = 1e-11


def values(K, c, b=0.0):
    return np.array([math.fsum(c * row) + b for row in K])


def half_norm(K, c):
    return 0.5 * float(c @ K @ c)


def svr_primal(K, c, b, y, v, C, epsilon):
    errors = np.abs(y - values(K, c, b))
    return half_norm(K, c) + C * math.fsum(v * np.maximum(0, errors - epsilon))


def svr_dual(K, c, y, epsilon):
    return float(y @ c) - half_norm(K, c) - epsilon * math.fsum(np.abs(c))


def svr_violation(K, c, y, v, C, epsilon):
    """The largest lower less the smallest upper limit on b: errors of rows below u are at most ε, of rows that push at
    least ε."""
    below, above = _between(c, C * v)
    r = y - values(K, c)
    lower = np.concatenate([(r - epsilon)[below & (v > 0)], (r + epsilon)[c < 0]])
    upper = np.concatenate([(r + epsilon)[above & (v > 0)], (r - epsilon)[c > 0]])
    return _largest(lower) - _least(upper)


def nu_svr_primal(K, c, b, y, v, C, nu, epsilon):
    errors = np.abs(y - values(K, c, b))
    return half_norm(K, c) + C * (nu * epsilon * math.fsum(v) + math.fsum(v * np.maximum(0, errors - epsilon)))


def nu_svr_best_epsilon(K, c, b, y, v, nu):
    """The ε ≥ 0 of least primal objective, which is linear between the errors: one of them, or zero."""
    errors = np.abs(y - values(K, c, b))
    tubes = np.concatenate([[0.0], errors])
    return float(min(tubes, key=lambda e: nu * e * math.fsum(v) + math.fsum(v * np.maximum(0, errors - e))))


def nu_svr_dual(K, c, y):
    return float(y @ c) - half_norm(K, c)


def nu_svr_violation(K, c, y, v, C):
    """The larger of the two groups': limits on b + ε from rows above the tube, on b − ε from rows below it.

    Where both sums are used up, that is Σ|c| = C ν Σ v; else ε = 0 and the groups are one.
    """
    below, above = _between(c, C * v)
    r = y - values(K, c)
    top = _largest(r[below & (v > 0)]) - _least(r[c > 0])
    bottom = _largest(r[c < 0]) - _least(r[above & (v > 0)])
    return max(top, bottom)


def one_class_primal(K, c, rho, v, nu):
    return half_norm(K, c) - nu * rho * math.fsum(v) + math.fsum(v * np.maximum(0, rho - values(K, c)))


def one_class_dual(K, c):
    return -half_norm(K, c)


def one_class_violation(K, c, v):
    """Rows below their bound have values of at least ρ, rows that carry the region of at most ρ."""
    below, _ = _between(c, v)
    f = values(K, c)
    return _largest(f[c > 0]) - _least(f[below & (v > 0)])


def nu_svc_primal(K, c, b, rho, t, v, nu):
    scores = t * values(K, c, b)
    return half_norm(K, c) - nu * rho * math.fsum(v) + math.fsum(v * np.maximum(0, rho - scores))


def nu_svc_dual(K, c):
    return -half_norm(K, c)


def nu_svc_violation(K, c, t, v):
    """The larger of the two classes': within each, scores of rows below u are at least what rows that push have."""
    below, _ = _between(t * c, v)
    scores = t * values(K, c)
    push, free = t * c > 0, below & (v > 0)
    return max(_largest(scores[push & (t == sign)]) - _least(scores[free & (t == sign)]) for sign in (1, -1))


def nu_svc_before_division(dual_coef, v, nu):
    """Coefficients before LIBSVM's division by ρ, and ρ: their magnitudes add up to ν Σ v."""
    rho = nu * math.fsum(v) / math.fsum(np.abs(dual_coef))
    return rho * dual_coef, rho


def _between(c, upper):
    """Which coefficients can grow, and which can shrink, inside ±upper."""
    return c < upper * (1 - AT_BOUND), c > -upper * (1 - AT_BOUND)


def _largest(numbers):
    return float(np.max(numbers, initial=-math.inf))


def _least(numbers):
    return float(np.min(numbers, initial=math.inf))


@dataclass(frozen=True)
class Optimum:
    """Coefficients of an optimum and its value, that of the dual as it is maximised."""

    c: np.ndarray
    value: float


def solve_svr_dual(K, y, v, C, epsilon):
    """max yᵀc − ½ cᵀKc − ε Σ|c| with Σ c = 0 and |c| ≤ C v."""
    n = len(y)
    signs = np.repeat([1.0, -1.0], n)
    x, value = _solve(_doubled(K), epsilon - signs * np.tile(y, 2), C * np.tile(v, 2), equal=[(signs, 0.0)])
    return Optimum(x[:n] - x[n:], value)


def solve_nu_svr_dual(K, y, v, C, nu):
    """max yᵀc − ½ cᵀKc with Σ c = 0, Σ|c| ≤ C ν Σ v and |c| ≤ C v."""
    n = len(y)
    signs = np.repeat([1.0, -1.0], n)
    x, value = _solve(
        _doubled(K),
        -signs * np.tile(y, 2),
        C * np.tile(v, 2),
        equal=[(signs, 0.0)],
        at_most=[(np.ones(2 * n), C * nu * math.fsum(v))],
    )
    return Optimum(x[:n] - x[n:], value)


def solve_one_class_dual(K, v, nu):
    """max −½ cᵀKc with Σ c = ν Σ v and 0 ≤ c ≤ v."""
    return Optimum(*_solve(K, np.zeros(len(v)), v, equal=[(np.ones(len(v)), nu * math.fsum(v))]))


def solve_nu_svc_dual(K, t, v, nu):
    """max −½ cᵀKc with c = t α, Σ c = 0, Σ α = ν Σ v and 0 ≤ α ≤ v."""
    sums = [(t, 0.0), (np.ones(len(t)), nu * math.fsum(v))]
    alpha, value = _solve(np.outer(t, t) * K, np.zeros(len(t)), v, equal=sums)
    return Optimum(t * alpha, value)


def _doubled(K):
    """The matrix of ½ (α − α*)ᵀ K (α − α*)."""
    return np.block([[K, -K], [-K, K]])


def _solve(Q, q, upper, equal, at_most=()):
    """The x and the largest −½ xᵀQx − qᵀx with 0 ≤ x ≤ upper and sums aᵀx that are equal to, or at most, a number."""
    # An interval of no width has no interior to go through.
    room = np.flatnonzero(upper > 0)
    n = len(room)
    sums = [*equal, *at_most]
    A = sp.vstack([sp.csr_matrix(np.array([a[room] for a, _ in sums])), -sp.eye(n), sp.eye(n)]).tocsc()
    b = np.concatenate([[total for _, total in sums], np.zeros(n), upper[room]])
    cones = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(at_most) + 2 * n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        sp.triu(Q[np.ix_(room, room)]).tocsc(), np.asarray(q, float)[room], A, b, cones, settings
    ).solve()
    assert str(solution.status) == "Solved", solution.status
    x = np.zeros(len(q))
    x[room] = solution.x
    return x, -solution.obj_val
