"""A proof that no hyperplane separates two classes.

If some a ≥ 0, a ≠ 0 has Σ a_i t_i = 0 and Σ a_i t_i φ(x_i) = 0, the convex hulls of the classes meet. In floating point
the sum is small instead of zero, and then it bounds the margin of every separating hyperplane by
‖Σ a_i t_i φ(x_i)‖ / Σ a_i.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from mercer.errors import KernelError
from mercer.rows import Subset
from mercer.typing import Floats, Integers

__all__ = ["InseparabilityProof", "prove_inseparable"]

# A margin below this share of the data's radius in feature space cannot be told from none.
_TOLERANCE = 1e-7

# Rows that enter the least-squares problem; a proof needs no more than the dimension of the span plus two.
_MOST_ROWS = 1500


@dataclass(frozen=True)
class InseparabilityProof:
    """Multipliers whose weighted sum of images is next to zero.

    `rows` are row numbers of the training data, `multipliers` their a_i ≥ 0 with sum one, `residual` the norm of
    Σ a_i t_i φ(x_i) divided by the radius, no less than what rounding hides: every separating hyperplane has a margin
    below residual · radius.
    """

    rows: Integers
    multipliers: Floats
    residual: float
    tolerance: float = _TOLERANCE

    @property
    def holds(self) -> bool:
        return self.residual <= self.tolerance

    def __str__(self) -> str:
        return (
            f"A combination of {len(self.rows)} rows shows that any margin is below {self.residual:.1e} of the radius "
            "of the data."
        )


def prove_inseparable(subset: Subset, signs: Floats, alpha: Floats) -> InseparabilityProof:
    """The best proof among the rows that carry the multipliers of a dual that grows without bound.

    Minimises ‖Σ a t φ‖² + (Σ a t)² + (Σ a − 1)² over a ≥ 0, as non-negative least squares on a factor of its matrix.
    """
    heaviest = np.argsort(alpha)[::-1][:_MOST_ROWS]
    support = heaviest[alpha[heaviest] > 0]
    t = signs[support]
    K = subset.values(support)
    radius2 = max(float(np.max(np.abs(np.diagonal(K)))), np.finfo(np.float64).tiny)
    signed = K / radius2 * np.outer(t, t)
    values, vectors = np.linalg.eigh(signed + np.outer(t, t) + 1.0)
    kept = values > values[-1] * 1e-15
    factor = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    target = (vectors[:, kept].T @ np.ones(len(support))) / np.sqrt(values[kept])
    candidates = [_balanced(alpha[support], t)]
    with suppress(RuntimeError):  # its own iteration limit: the multipliers at hand remain
        from scipy.optimize import nnls  # it takes long to import

        candidates.append(_balanced(nnls(factor, target)[0], t))
    squares = [float(a @ signed @ a) for a in candidates]
    if min(squares) < -_TOLERANCE:
        raise KernelError(
            "The hard margin needs a positive semi-definite kernel: expected aᵀKa ≥ 0, got "
            f"{min(squares) * radius2:.3g}. Use a finite C, with which a stationary point can be found."
        )
    residuals = [max(square, float(np.finfo(np.float64).eps)) ** 0.5 for square in squares]
    best = int(np.argmin(residuals))
    carried = candidates[best] > 0
    return InseparabilityProof(
        rows=subset.members[support[carried]], multipliers=candidates[best][carried], residual=residuals[best]
    )


def _balanced(a: Floats, t: Floats) -> Floats:
    """Scaled so that both sides sum to one half."""
    out = a.astype(np.float64)
    for side in (t > 0, t < 0):
        total = out[side].sum()
        if total == 0:
            return np.full(len(a), 1.0 / len(a))
        out[side] *= 0.5 / total
    return out
