"""The C-SVC dual handed to Clarabel, an interior-point solver that shares nothing with Mercer."""

from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Optimum:
    """Multipliers of an optimum, its value Σ α − ½ αᵀQα and its intercept."""

    alpha: np.ndarray
    value: float
    intercept: float


def solve_svc_dual(K, t, upper):
    """max Σ α − ½ Σ α_i α_j t_i t_j K_ij with Σ α_i t_i = 0 and 0 ≤ α ≤ upper, which may be infinite."""
    n = len(t)
    bounded = np.flatnonzero(np.isfinite(upper))
    Q = np.outer(t, t) * K
    A = sp.vstack([sp.csr_matrix(t), -sp.eye(n), sp.eye(n).tocsr()[bounded]]).tocsc()
    b = np.concatenate([[0.0], np.zeros(n), upper[bounded]])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n + len(bounded))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(sp.triu(Q).tocsc(), -np.ones(n), A, b, cones, settings).solve()
    assert str(solution.status) == "Solved", solution.status
    alpha = np.array(solution.x)
    # A multiplier strictly between its bounds puts its row on the margin; the one farthest from them is the safest.
    middle = int(np.argmax(np.minimum(alpha, upper - alpha)))
    return Optimum(alpha, -solution.obj_val, float(t[middle] - K[middle] @ (alpha * t)))
