"""The one form of all dual problems handed to Clarabel: max slopeᵀc − ½ cᵀKc − kinkᵀ|c| in a box, with sums that stay.

Where its size or its sign matters, a coefficient is a positive part less a negative part, so that all is linear. What
an interior point leaves next to a bound is put there, and the rest solved for as the equations that it must satisfy.
"""

from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp

# Parts nearer to a bound than this, as a share of the largest part, are at it.
NEAR = 1e-5


@dataclass(frozen=True)
class Optimum:
    """Coefficients of an optimum, and its value."""

    coef: np.ndarray
    value: float


def objective(K, slope, kink, coef):
    """slopeᵀc − ½ cᵀKc − kinkᵀ|c|"""
    return float(slope @ coef - 0.5 * coef @ K @ coef - kink @ np.abs(coef))


def solve_box_qp(K, slope, lower, upper, kink, sums):
    """The optimum, given the sums: none, that of all coefficients, or that of the positive and of the negative ones."""
    n, sums = len(slope), np.asarray(sums, dtype=float)
    in_parts = (kink > 0) | (len(sums) == 2)
    least = np.concatenate([np.where(in_parts, 0.0, lower), np.zeros(n)])
    most = np.concatenate([upper, np.where(in_parts, -lower, 0.0)])
    # What has no room has no interior to go through.
    parts = np.flatnonzero(most > least)
    rows, sign, box = parts % n, np.repeat([1.0, -1.0], n)[parts], (least[parts], most[parts])
    Q = np.outer(sign, sign) * K[np.ix_(rows, rows)]
    q = kink[rows] - sign * slope[rows]
    A = {0: np.empty((0, len(parts))), 1: sign[None], 2: np.stack([sign > 0, sign < 0]) * sign}[len(sums)]
    part = _exact(Q, q, box, A, sums, _interior_point(Q, q, box, A, sums))
    # A row with both parts is not in the box: two sums can ask for what a single coefficient cannot have.
    assert np.bincount(rows, part != 0, n).max() <= 1
    coef = np.bincount(rows, sign * part, n)
    return Optimum(coef, objective(K, slope, kink, coef))


def _interior_point(Q, q, box, A, sums):
    """The least ½ xᵀQx + qᵀx within the box, which may be open, and with Ax = sums."""
    one = sp.eye(len(q), format="csr")
    below, above = map(np.isfinite, box)
    constraints = sp.vstack([sp.csr_matrix(A), -one[below], one[above]]).tocsc()
    limits = np.concatenate([sums, -box[0][below], box[1][above]])
    cones = [clarabel.ZeroConeT(len(A))] if len(A) else []
    cones.append(clarabel.NonnegativeConeT(int(below.sum() + above.sum())))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(sp.triu(Q).tocsc(), q, constraints, limits, cones, settings).solve()
    assert str(solution.status) in ("Solved", "AlmostSolved"), solution.status
    return np.array(solution.x)


def _exact(Q, q, box, A, sums, x):
    """The same up to rounding: parts next to a bound are put there, of the others the slope is that of the sums."""
    near = NEAR * np.abs(x).max()
    for bound in box:
        x = np.where(np.abs(x - bound) < near, bound, x)
    free = (x > box[0]) & (x < box[1])
    system = np.block([[Q[np.ix_(free, free)], A[:, free].T], [A[:, free], np.zeros((len(A), len(A)))]])
    right = np.concatenate([-q[free] - Q[np.ix_(free, ~free)] @ x[~free], sums - A[:, ~free] @ x[~free]])
    x[free] = np.linalg.lstsq(system, right, rcond=None)[0][: free.sum()]
    assert np.all((box[0] <= x) & (x <= box[1]))
    return x
