"""Each row left to the votes of all others, which count the more the nearer they are.

*Given* rows x_i with targets, and weights w_k ≥ 0 of the features, row j has the share

    p_ij = exp(−Σ_k w_k (x_ik − x_jk)²) / Σ_{l ≠ i} exp(−Σ_k w_k (x_ik − x_lk)²),    p_ii = 0,

in what is said of row i. *Returns* the mean over i of −log(ε + Σ_j p_ij [y_j = y_i]) for classes, with ε = 1 / n, so
that no row costs more than log n; of |y_i − Σ_j p_ij y_j|² for numbers; both as a share of what they are at w = 0,
where all rows count alike; and its slopes by all w_k.

With s_ij the slope of a row's loss by p_ij, the slope by the squared distance is −g_ij, g_ij = p_ij (s_ij − Σ_l p_il
s_il), whose rows sum to zero: Σ_ij g_ij (x_ik − x_jk)² = Σ_j x_jk² Σ_i g_ij − 2 Σ_i x_ik Σ_j g_ij x_jk. All is done for
some rows at a time, so that nothing of the size rows × rows is held.
See Goldberger, Roweis, Hinton, Salakhutdinov (2004), Neighbourhood components analysis, for classes; Weinberger,
Tesauro (2007), Metric learning for kernel regression, for numbers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from mercer.typing import Floats, Integers

__all__ = ["SoftNeighbours"]

# Rows whose shares are held at a time: with those of 2,000 others they stay in the second-level cache.
_ROWS_PER_BLOCK = 64
# Fewer rows are done by one thread before a second one has begun.
_WORTH_THREADS = 1000


class _Part(NamedTuple):
    """What some rows add to the sum of losses, and to its slopes by the weights."""

    loss: float
    slopes: Floats


class SoftNeighbours:
    """The loss of rows under soft votes, and its slopes.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Standardised rows; their kind, float32 or float64, is that of all that is computed for pairs.
    targets : ndarray of shape (n, T)
        Numbers, or a column of zeros and ones for each class.
    is_classes : bool
        Which of the two.
    threads : int
        How many work on blocks of rows. BLAS should have one thread in each.
    """

    #: Besides the weights there is nothing to be found.
    extra_bounds: tuple[tuple[float, float], ...] = ()

    def __init__(self, X: Floats, targets: Floats, is_classes: bool, threads: int) -> None:
        n = len(X)
        self._X, self._squares = X, X * X
        # The sums of votes and of shares in one product.
        self._votes = np.hstack([targets, np.ones((n, 1))]).astype(X.dtype)
        self._targets = np.asarray(targets, dtype=np.float64)
        self._is_classes = is_classes
        self._threads = threads
        everybody = (self._targets.sum(axis=0) - self._targets) / max(1, n - 1)
        at_zero = self._losses(everybody, self._targets)[0]
        self._unit = at_zero if at_zero > 0 else 1.0

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The loss, and its slopes."""
        n = len(self._X)
        kept = weights > 0  # distances need no others
        Z = self._X[:, kept] * np.sqrt(weights[kept]).astype(self._X.dtype)
        norms = np.einsum("ik,ik->i", Z, Z)
        starts = range(0, n, _ROWS_PER_BLOCK)

        def part(first: int) -> _Part:
            return self._part(Z, norms, slice(first, min(first + _ROWS_PER_BLOCK, n)))

        if self._threads == 1 or n < _WORTH_THREADS:
            parts = [part(first) for first in starts]
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                parts = list(pool.map(part, starts))
        # Added up in their order: the same bits on any number of threads.
        loss, slopes = sum(one.loss for one in parts), np.sum([one.slopes for one in parts], axis=0)
        return loss / self._unit, slopes / self._unit

    def _part(self, Z: Floats, norms: Floats, rows: slice) -> _Part:
        shares = (2 * Z[rows]) @ Z.T
        shares -= norms
        own: Integers = np.arange(rows.start, rows.stop)
        shares[own - rows.start, own] = -np.inf
        shares -= shares.max(axis=1, keepdims=True)
        np.exp(shares, out=shares)
        sums = (shares @ self._votes).astype(np.float64)
        total, said = sums[:, -1:], sums[:, :-1] / sums[:, -1:]
        loss, slopes = self._losses(said, self._targets[rows])
        # The slopes by the shares less their mean, and the division by the total, are one more product.
        mean = np.einsum("it,it->i", slopes, said)[:, None]
        shares *= (np.hstack([slopes, -mean]) / total).astype(shares.dtype) @ self._votes.T
        across = np.einsum("ik,ik->k", self._X[rows], shares @ self._X, dtype=np.float64)
        return _Part(loss, 2 * across - (shares.sum(axis=0) @ self._squares).astype(np.float64))

    def _losses(self, said: Floats, targets: Floats) -> tuple[float, Floats]:
        """The sum of the losses of what is said of rows, and the slope of each by what is said."""
        if self._is_classes:
            right = 1 / len(self._X) + np.einsum("it,it->i", said, targets)
            return -float(np.log(right).sum()), -targets / right[:, None]
        missed = said - targets
        return float(np.vdot(missed, missed)), 2 * missed
