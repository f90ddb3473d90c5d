"""Linear machines once more: objective, dual and optimum of classification and regression, one row at a time.

Primal   ½‖w‖² + Σ price_i loss(f(x_i)),  f(x) = wᵀx + b,  with ½ (b / scaling)² where the intercept is regularised
Dual     Σ slope_i c_i − ε |c_i| − ½‖Σ c_i x_i‖²,  less Σ c_i² / (4 price_i) where losses are squared and
         ½ (scaling Σ c)² where the intercept is regularised
"""

import math
from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp

INTERCEPTS = ("none", "regularised", "free")


@dataclass(frozen=True)
class LinearOptimum:
    """Weights, intercept and dual variables of an optimum, and its value."""

    weights: np.ndarray
    intercept: float
    coef: np.ndarray
    value: float


@dataclass(frozen=True)
class LinearMachine:
    """One problem: rows, what they are to become (signs or targets), their prices C · weight, and the losses."""

    X: np.ndarray
    y: np.ndarray
    price: np.ndarray
    squared: bool
    intercept: str = "regularised"
    scaling: float = 1.0
    # None in classification, where y are signs.
    epsilon: float | None = None

    def slacks(self, weights, intercept):
        """How far each row is beyond the margin or the tube; in extended precision, since values may cancel."""
        for x, y in zip(self.X.astype(np.longdouble), self.y, strict=True):
            value = sum(a * b for a, b in zip(x, weights, strict=True)) + intercept
            beyond = 1 - y * value if self.epsilon is None else abs(y - value) - self.epsilon
            yield max(0.0, float(beyond))

    def primal(self, weights, intercept):
        power = 2 if self.squared else 1
        losses = (p * xi**power for p, xi in zip(self.price, self.slacks(weights, intercept), strict=True))
        own = math.fsum(w * w for w in weights)
        if self.intercept == "regularised":
            own += (intercept / self.scaling) ** 2
        return 0.5 * own + math.fsum(losses)

    def dual(self, coef):
        """The dual value; −∞ where a coefficient leaves its bounds or the sum condition is broken."""
        low, high = self.bounds()
        room = 1e-12 * np.abs(coef).max(initial=1.0)
        balanced = self.intercept != "free" or abs(math.fsum(coef)) <= room * len(coef)
        if np.any(coef < low) or np.any(coef > high) or not balanced:
            return -math.inf
        width = self.epsilon or 0.0
        gain = math.fsum(y * c - width * abs(c) for y, c in zip(self.y, coef, strict=True))
        if self.squared:
            gain -= math.fsum(c * c / (4 * p) for c, p in zip(coef, self.price, strict=True))
        norm = math.fsum(v * v for v in coef @ self.X)
        if self.intercept == "regularised":
            norm += (self.scaling * math.fsum(coef)) ** 2
        return gain - 0.5 * norm

    def bounds(self):
        price = np.full(len(self.y), np.inf) if self.squared else self.price
        if self.epsilon is not None:
            return -price, price
        return np.where(self.y < 0, -price, 0.0), np.where(self.y > 0, price, 0.0)

    def optimum(self):
        """The primal handed to Clarabel, with variables w, b and a slack for each row."""
        n, d = self.X.shape
        has_offset = self.intercept != "none"
        own = np.ones(d + has_offset)
        if has_offset:
            own[d] = 1 / self.scaling**2 if self.intercept == "regularised" else 0.0
        P = sp.diags(np.concatenate([own, 2 * self.price if self.squared else np.zeros(n)])).tocsc()
        q = np.concatenate([np.zeros(d + has_offset), np.zeros(n) if self.squared else self.price])
        values = np.c_[self.X, np.ones(n)] if has_offset else self.X
        if self.epsilon is None:
            sides, limits = [-self.y[:, None] * values], [-np.ones(n)]
        else:
            sides, limits = [-values, values], [self.epsilon - self.y, self.epsilon + self.y]
        A = [sp.hstack([sp.csr_matrix(side), -sp.eye(n)]) for side in sides]
        A = sp.vstack([*A, sp.hstack([sp.csr_matrix((n, d + has_offset)), -sp.eye(n)])]).tocsc()
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        b = np.concatenate([*limits, np.zeros(n)])
        solution = clarabel.DefaultSolver(P, q, A, b, [clarabel.NonnegativeConeT(len(b))], settings).solve()
        assert str(solution.status) in ("Solved", "AlmostSolved"), solution.status
        x, z = np.array(solution.x), np.array(solution.z)
        coef = self.y * z[:n] if self.epsilon is None else z[:n] - z[n : 2 * n]
        coef = np.clip(coef, *self.bounds())  # an interior point is within its bounds up to its tolerance only
        return LinearOptimum(x[:d], float(x[d]) if has_offset else 0.0, coef, float(solution.obj_val))


def machine_of(model, X, y, sample_weight=None, positive=None):
    """The problem of a LinearSVC or LinearSVR, ours or scikit-learn's: of `positive` against the rest, if it is given.

    Weights of classes are not read: multiply them into `sample_weight`.
    """
    weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    is_regression = hasattr(model, "epsilon")
    signs = None if is_regression else np.where(y == (model.classes_[1] if positive is None else positive), 1.0, -1.0)
    free = not getattr(model, "regularize_intercept", True)
    used = weights > 0
    return LinearMachine(
        X=(X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float))[used],
        y=(np.asarray(y, dtype=float) if is_regression else signs)[used],
        price=model.C * weights[used],
        squared=model.loss.startswith("squared"),
        intercept="none" if not model.fit_intercept else "free" if free else "regularised",
        scaling=model.intercept_scaling,
        epsilon=model.epsilon if is_regression else None,
    )
