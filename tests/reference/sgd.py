"""Stochastic gradient descent once more, step by step on whole weight vectors, and the objectives by their formulas."""

import math
from dataclasses import dataclass

import numpy as np

# One truncation in so many steps that its share in a step is 64 weights.
TRUNCATED_A_STEP = 64
WORD = 2**64


def loss_and_slope(loss, y, f, epsilon=0.1):
    """The loss of one row and its derivative by f; for softmax y is the class and f has a score for each."""
    if loss == "softmax":
        shares = np.exp(f - np.max(f))
        shares /= shares.sum()
        return -math.log(shares[int(y)]), shares - (np.arange(len(f)) == y)
    if loss == "squared_error":
        return 0.5 * (y - f) ** 2, f - y
    if loss == "log_loss":
        return math.log1p(math.exp(-y * f)), -y / (1 + math.exp(y * f))
    if loss in ("hinge", "squared_hinge"):
        lack = max(0.0, 1 - y * f)
        return (lack, -y * (1 - y * f >= 0)) if loss == "hinge" else (lack**2, -2 * y * lack)
    if loss == "perceptron":
        return (0.0, 0.0) if y * f > 0 else (-y * f, -y)
    if loss == "modified_huber":
        if y * f < -1:
            return -4 * y * f, -4 * y
        return max(0.0, 1 - y * f) ** 2, -2 * y * max(0.0, 1 - y * f)
    if loss == "huber":
        near = min(abs(y - f), epsilon)
        return near * abs(y - f) - 0.5 * near**2, near * np.sign(f - y)
    excess = max(0.0, abs(y - f) - epsilon)
    side = np.sign(f - y)
    return (excess, side * (excess > 0)) if loss == "epsilon_insensitive" else (excess**2, 2 * excess * side)


def objective(loss, X, y, coef, intercept, alpha, l1_ratio=0.0, weights=None, epsilon=0.1):
    """Mean loss and penalty of one function, or of all scores of a softmax."""
    coef = np.atleast_2d(coef)
    values = X @ coef.T + intercept
    losses = [
        loss_and_slope(loss, target, f if loss == "softmax" else f[0], epsilon)[0]
        for target, f in zip(y, values, strict=True)
    ]
    penalty = (1 - l1_ratio) * 0.5 * np.square(coef).sum() + l1_ratio * np.abs(coef).sum()
    return float(np.average(losses, weights=weights)) + alpha * float(penalty)


def shuffled(order, state):
    """Fisher and Yates's shuffle in place by splitmix64; returns the state of the generator after it."""
    for i in range(len(order), 1, -1):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        other = (z ^ (z >> 31)) * i >> 64
        order[i - 1], order[other] = order[other], order[i - 1]
    return state


@dataclass
class Descent:
    """The parameters of `SGDClassifier` that matter to a pass."""

    loss: str
    alpha: float = 1e-2
    l1_ratio: float = 0.0
    learning_rate: str = "optimal"
    eta0: float = 0.01
    power_t: float = 0.5
    batch_size: int = 1
    average: int = 0
    epsilon: float = 0.1
    fit_intercept: bool = True

    def rate(self, t):
        if self.learning_rate == "invscaling":
            return self.eta0 / t**self.power_t
        if self.learning_rate != "optimal":
            return self.eta0
        typical = math.sqrt(1 / math.sqrt(self.alpha))
        slope = 1.0 if self.loss == "softmax" else abs(loss_and_slope(self.loss, 1.0, -typical, self.epsilon)[1])
        first = typical / max(1.0, slope)
        return 1 / (self.alpha * (1 / (first * self.alpha) + t - 1))

    def run(self, X, y, functions=1, passes=1, seed=None, weights=None):
        """Weights with their intercepts and the averages of these after some passes, a row a function."""
        n, d = X.shape
        weights = np.ones(n) if weights is None else weights
        w, mean = np.zeros((functions, d + 1)), np.zeros((functions, d + 1))
        order, t, averaged, pending = np.arange(n), 0, 0, 0.0
        interval = max(1, functions * d // TRUNCATED_A_STEP)
        state = seed
        rows = np.column_stack([X, np.ones(n)])
        for _ in range(passes):
            if seed is not None:
                state = shuffled(order, state)
            for first in range(0, n, self.batch_size):
                batch = order[first : first + self.batch_size]
                t += 1
                eta = self.rate(t)
                gradient = np.zeros_like(w)
                for i in batch:
                    f = w @ rows[i]
                    slope = loss_and_slope(self.loss, y[i], f if functions > 1 else f[0], self.epsilon)[1]
                    gradient += weights[i] * np.atleast_1d(slope)[:, None] * rows[i] / len(batch)
                if not self.fit_intercept:
                    gradient[:, -1] = 0
                w[:, :-1] *= max(0.0, 1 - eta * self.alpha * (1 - self.l1_ratio))
                w -= eta * gradient
                pending += eta * self.alpha * self.l1_ratio
                if t % interval == 0:
                    pending = truncate(w, pending)
                if 0 < self.average <= t:
                    averaged += 1
                    mean += (w - mean) / averaged
            pending = truncate(w, pending)
        return w, mean


def truncate(w, amount):
    """Moves all weights but the intercepts towards zero; nothing of the amount is left."""
    w[:, :-1] = np.sign(w[:, :-1]) * np.maximum(0.0, np.abs(w[:, :-1]) - amount)
    return 0.0
