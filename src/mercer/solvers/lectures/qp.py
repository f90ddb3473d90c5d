"""The machine as a quadratic program, handed to Clarabel: primal, dual, and the dual of the dual.

Solves       primal   min ½‖w‖² + Σ C ξ          with  t (Φ w + b) ≥ 1 − ξ,  ξ ≥ 0
             dual     min ½ aᵀG a − Σ a           with  Σ a t = 0,  0 ≤ a ≤ C
             bidual   min ½ αᵀG α + Σ C ξ         with  G α + b t ≥ 1 − ξ,  ξ ≥ 0
Given        Φ or G, t, C
Returns      multipliers; in the primal and the bidual those of the constraints
Stops when   the interior-point method has converged
See          docs/lectures/qp.md; Goulart, Chen (2024), Clarabel: an interior-point solver for conic programs

Under the hard margin there is no ξ, and C is no bound. An interior point never reaches a bound: multipliers next to one
are put there, and the others solved for on the set that is left.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.errors import missing_package
from mercer.problems import SupportVectorClassification
from mercer.solvers.dual.active_set import StoredValues
from mercer.solvers.dual.polish import polish
from mercer.solvers.lectures.dual import Found, SmallDual
from mercer.solvers.lectures.method import Method
from mercer.solvers.lectures.pace import Ended, Pace
from mercer.solvers.protocol import Terms
from mercer.solvers.status import Status
from mercer.typing import Floats

__all__ = ["QpBidual", "QpDual", "QpPrimal"]

_NAMES = "'qp-primal', 'qp-dual' or 'qp-bidual'"
_LIMITS = {"MaxIterations": Status.ITERATION_LIMIT, "MaxTime": Status.TIME_LIMIT}
_INFEASIBLE = ("DualInfeasible", "AlmostDualInfeasible", "PrimalInfeasible", "AlmostPrimalInfeasible")
_TOLERANCE = 1e-10
# A multiplier is at a bound where it is nearer to it than this, as a share of what multipliers are.
_NEAR = 1e-6


@dataclass(frozen=True)
class _Qp(Method):
    def run(self, dual: SmallDual, tol: float, start: Floats, pace: Pace, random: np.random.RandomState) -> Found:
        try:
            pace.step()
        except Ended as ended:
            return Found(start, 0, ended.status)
        alpha, outcome, steps = self._solved(dual, pace.left)
        if outcome in _LIMITS:
            return Found(start, steps, _LIMITS[outcome])
        if dual.is_hard_margin and outcome in _INFEASIBLE:
            # The direction in which the dual grows without bound.
            return Found(np.maximum(alpha, 0.0), steps, Status.NO_MARGIN)
        status = Status.SOLVED if outcome in ("Solved", "AlmostSolved") else Status.STALLED
        size = np.where(np.isinf(dual.C), max(float(alpha.max()), np.finfo(float).tiny), dual.C)
        alpha = np.where(alpha < _NEAR * size, 0.0, np.minimum(alpha, dual.C))
        alpha = np.where(dual.C - alpha < _NEAR * size, dual.C, alpha)
        problem = SupportVectorClassification.several([dual.t], dual.C)
        alpha = np.abs(polish(problem, StoredValues(dual.K), problem.feasible(alpha * dual.t)))
        pace.record("interior point", np.arange(dual.rows), start, alpha)
        return Found(alpha, steps, status)

    @abstractmethod
    def _solved(self, dual: SmallDual, terms: Terms) -> tuple[Floats, str, int]:
        """Multipliers, Clarabel's status and its iterations."""


@dataclass(frozen=True)
class QpDual(_Qp):
    """Through the dual."""

    name = "qp-dual"

    def _solved(self, dual: SmallDual, terms: Terms) -> tuple[Floats, str, int]:
        n, bounded = dual.rows, np.flatnonzero(np.isfinite(dual.C))
        # In units of C: the solver takes multipliers of 1e8 for a direction to infinity.
        unit = 1.0 if dual.is_hard_margin else float(dual.C.max())
        rows = sp.vstack([sp.csr_matrix(dual.t), -sp.eye(n), sp.eye(n).tocsr()[bounded]])
        right = np.concatenate([np.zeros(1 + n), dual.C[bounded] / unit])
        solution = _solve(unit * dual.G, -np.ones(n), rows, right, 1, terms)
        return unit * np.array(solution.x), str(solution.status), solution.iterations


@dataclass(frozen=True)
class QpPrimal(_Qp):
    """Through the weights of an explicit feature map."""

    name = "qp-primal"
    needs_map = True

    def _solved(self, dual: SmallDual, terms: Terms) -> tuple[Floats, str, int]:
        assert dual.Phi is not None
        return _solve_primal(np.eye(dual.Phi.shape[1]), dual.t[:, None] * dual.Phi, dual, terms)


@dataclass(frozen=True)
class QpBidual(_Qp):
    """Through the dual of the dual: the primal again, with w written in the rows."""

    name = "qp-bidual"

    def _solved(self, dual: SmallDual, terms: Terms) -> tuple[Floats, str, int]:
        return _solve_primal(dual.G, dual.G, dual, terms)


def _solve_primal(P: Floats, signed_rows: Floats, dual: SmallDual, terms: Terms) -> tuple[Floats, str, int]:
    """min ½ uᵀP u + Σ C ξ with signed_rows u + b t ≥ 1 − ξ, ξ ≥ 0: the multipliers of the first constraints."""
    n, width = signed_rows.shape
    slacks = 0 if dual.is_hard_margin else n
    square = sp.block_diag([sp.csc_matrix(P), sp.csc_matrix((1 + slacks, 1 + slacks))])
    linear = np.concatenate([np.zeros(width + 1), dual.C[:slacks]])
    margins = [sp.csr_matrix(-signed_rows), sp.csr_matrix(-dual.t[:, None])]
    if slacks:
        beside = sp.csr_matrix((n, width + 1))
        rows = sp.vstack([sp.hstack([*margins, -sp.eye(n)]), sp.hstack([beside, -sp.eye(n)])])
    else:
        rows = sp.hstack(margins)
    right = np.concatenate([-np.ones(n), np.zeros(slacks)])
    solution = _solve(square, linear, rows, right, 0, terms)
    return np.array(solution.z)[:n], str(solution.status), solution.iterations


def _solve(P: Any, q: Floats, rows: Any, right: Floats, equalities: int, terms: Terms) -> Any:
    """min ½ xᵀP x + qᵀx with rows x = right in the first `equalities` rows, and ≤ in the others."""
    try:
        import clarabel
    except ImportError as error:
        raise missing_package(f"solver {_NAMES}", "clarabel", "qp") from error
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TOLERANCE
    settings.max_iter = min(settings.max_iter, terms.steps)
    if np.isfinite(terms.ends):
        settings.time_limit = max(terms.seconds, 0.0)
    cones = [clarabel.ZeroConeT(equalities)] if equalities else []
    cones.append(clarabel.NonnegativeConeT(len(right) - equalities))
    return clarabel.DefaultSolver(sp.triu(sp.csc_matrix(P)).tocsc(), q, rows.tocsc(), right, cones, settings).solve()
