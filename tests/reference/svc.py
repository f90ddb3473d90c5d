"""Soft- and hard-margin classification from a full Gram matrix, one row at a time.

The numbers of a machine Σ coef_j k(x_j, ·) + intercept on rows with signs t and upper bounds u of the multipliers.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

# A multiplier this near to its bound, relative to it, rests there: C · weight is rounded once or twice.
AT_BOUND = 1e-11


@dataclass(frozen=True)
class BinaryMachine:
    """One binary machine with all that its optimality depends on."""

    K: np.ndarray
    t: np.ndarray
    upper: np.ndarray
    coef: np.ndarray
    intercept: float

    def values(self):
        return [math.fsum(self.coef * row) + self.intercept for row in self.K]

    def scores(self):
        return [t * f for t, f in zip(self.t, self.values(), strict=True)]

    def slacks(self):
        return [max(0.0, 1 - score) for score in self.scores()]

    def squared_norm(self):
        return float(self.coef @ self.K @ self.coef)

    def primal(self):
        if np.any(np.isinf(self.upper)):
            least = min(self.scores())
            return 0.5 * self.squared_norm() / least**2 if least > 0 else math.inf
        return 0.5 * self.squared_norm() + math.fsum(u * xi for u, xi in zip(self.upper, self.slacks(), strict=True))

    def dual(self):
        return math.fsum(self.alpha()) - 0.5 * self.squared_norm()

    def alpha(self):
        return [t * c for t, c in zip(self.t, self.coef, strict=True)]

    def position(self, i):
        """Where the multiplier of row i is: "non-support", "free" or "bounded"."""
        alpha = self.alpha()[i]
        if alpha <= 0:
            return "non-support"
        return "bounded" if alpha >= self.upper[i] * (1 - AT_BOUND) else "free"

    def intercept_interval(self):
        """(m, M): the largest lower and the smallest upper limit on the intercept that the KKT conditions set.

        t_i f(x_i) ≥ 1 where α_i < u_i and t_i f(x_i) ≤ 1 where α_i > 0; f contains b, so each is a limit on b.
        """
        least, largest = -math.inf, math.inf
        for i, value in enumerate(self.values()):
            at_margin = self.t[i] - (value - self.intercept)
            can_grow, can_shrink = self.position(i) != "bounded", self.position(i) != "non-support"
            if (self.t[i] > 0 and can_grow) or (self.t[i] < 0 and can_shrink):
                least = max(least, at_margin)
            if (self.t[i] > 0 and can_shrink) or (self.t[i] < 0 and can_grow):
                largest = min(largest, at_margin)
        return least, largest

    def violation(self):
        least, largest = self.intercept_interval()
        return least - largest

    def kkt_residuals(self):
        worst = {"non-support": 0.0, "free": 0.0, "bounded": 0.0}
        for i, score in enumerate(self.scores()):
            position = self.position(i)
            residual = {"non-support": 1 - score, "free": abs(score - 1), "bounded": score - 1}[position]
            worst[position] = max(worst[position], residual)
        return worst

    def counts(self):
        positions = [self.position(i) for i in range(len(self.t))]
        slacks = self.slacks()
        return {
            **{name: positions.count(name) for name in ("non-support", "free", "bounded")},
            "outside": sum(xi == 0 for xi in slacks),
            "inside the margin": sum(0 < xi <= 1 for xi in slacks),
            "misclassified": sum(xi > 1 for xi in slacks),
        }

    def margin(self):
        return 1 / math.sqrt(self.squared_norm())

    def best_intercept(self):
        """The mean of what puts free vectors on the margin; the middle of the interval where there are none."""
        values = self.values()
        on_margin = [self.t[i] - (values[i] - self.intercept) for i in range(len(self.t)) if self.position(i) == "free"]
        return float(np.mean(on_margin)) if on_margin else sum(self.intercept_interval()) / 2


def binary_machines(model, K, y, weights=None):
    """The binary machines inside a fitted one-vs-one model, scikit-learn's or ours, read off its public attributes."""
    y = np.asarray(y)
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    classes = model.classes_
    dual_coef = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else model.dual_coef_
    class_of_support = np.searchsorted(classes, y[model.support_])
    machines = []
    for number, (first, second) in enumerate(combinations(range(len(classes)), 2)):
        coef = np.zeros(len(y))
        for own, other in ((first, second), (second, first)):
            mine = class_of_support == own
            coef[model.support_[mine]] = dual_coef[other - 1 if other > own else other, mine]
        rows = np.flatnonzero(np.isin(y, classes[[first, second]]) & (weights > 0))
        positive = classes[second] if len(classes) == 2 else classes[first]
        machines.append(
            BinaryMachine(
                K=K[np.ix_(rows, rows)],
                t=np.where(y[rows] == positive, 1.0, -1.0),
                upper=model.C * weights[rows],
                coef=coef[rows],
                intercept=float(model.intercept_[number]),
            )
        )
    return machines
