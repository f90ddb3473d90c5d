"""Conjugate gradients, preconditioned, for several right sides that share their products.

Solves       A e = r about, for each column
Given        products with A, a preconditioner, and how much of a residual may be left
Returns      e of every column
Stops when   every residual is within its share, rounding keeps it from that, or as the terms say
See          Saad, Iterative Methods for Sparse Linear Systems, chapter 9
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

from mercer.solvers.protocol import Terms
from mercer.typing import Floats

__all__ = ["ConjugateGradients"]

Operator = Callable[[Floats], Floats]

# But for rounding, as many steps as there are rows solve the system: so many without a smaller residual are rounding
# alone, and at least these, for few rows.
_LEAST_PATIENCE = 100


class ConjugateGradients:
    """Solves until `share` of every residual is left, or its norm is below `enough`.

    Counts its steps, which the terms limit in all calls together.
    """

    def __init__(self, products: Operator, precondition: Operator, share: float, rows: int, terms: Terms) -> None:
        self.products = products
        self.precondition = precondition
        self.share = share
        self.rows = rows
        self.terms = terms
        self.enough: Floats | float = 0.0
        self.steps = 0
        self.is_stopped = False

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, r: Floats) -> Floats:
        found, left = np.zeros_like(r), r.copy()
        sizes = np.linalg.norm(r, axis=0)
        sizes[sizes == 0] = 1.0
        z = self.precondition(left)
        direction, rho = z, np.einsum("ij,ij->j", left, z)
        best, least, since = found.copy(), np.inf, self.steps
        while True:
            norms = np.linalg.norm(left, axis=0)
            is_done = bool(np.all((norms <= self.share * sizes) | (norms <= self.enough)))
            worst = float(np.max(norms / sizes))
            if not np.isfinite(worst):
                return best  # values overflow
            if worst < least:
                best, least, since = found.copy(), worst, self.steps
            if self.steps - since > max(self.rows, _LEAST_PATIENCE):
                return best
            if is_done or self._ends(worst):
                return found
            along = self.products(direction)
            curvature = np.einsum("ij,ij->j", direction, along)
            length = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0)
            found += length * direction
            left -= length * along
            z = self.precondition(left)
            new = np.einsum("ij,ij->j", left, z)
            direction = z + np.divide(new, rho, out=np.zeros_like(rho), where=rho > 0) * direction
            rho = new
            self.steps += 1

    def _ends(self, worst: float) -> bool:
        report = self.terms.report
        self.is_stopped = (
            self.is_stopped
            or self.steps >= self.terms.steps
            or perf_counter() >= self.terms.ends
            or (report is not None and report(0.0, self.steps, worst, self.rows, 0))
        )
        return self.is_stopped
