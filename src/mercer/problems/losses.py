"""Losses of linear machines and penalties of their weights, by their formulas in float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from mercer.typing import Floats

__all__ = ["LOSSES", "mean_loss", "penalty_of"]


def _squared(excess: Floats) -> Floats:
    return np.square(excess)


def _tube(y: Floats, f: Floats, epsilon: float) -> Floats:
    return np.maximum(0.0, np.abs(y - f) - epsilon)


def _huber(y: Floats, f: Floats, epsilon: float) -> Floats:
    size = np.abs(y - f)
    return np.where(size <= epsilon, 0.5 * _squared(size), epsilon * (size - 0.5 * epsilon))


def _modified_huber(margin: Floats) -> Floats:
    return np.where(margin < -1.0, -4.0 * margin, _squared(np.maximum(0.0, 1.0 - margin)))


# Each of targets or signs y, values f and ε, the half-width of the tube or where Huber's loss becomes a line; softmax
# of class numbers and scores.
LOSSES: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "hinge": lambda y, f, epsilon: np.maximum(0.0, 1.0 - y * f),
    "squared_hinge": lambda y, f, epsilon: _squared(np.maximum(0.0, 1.0 - y * f)),
    "log_loss": lambda y, f, epsilon: np.logaddexp(0.0, -y * f),
    "softmax": lambda y, f, epsilon: logsumexp(f, axis=1) - np.take_along_axis(f, y.astype(int)[:, None], 1)[:, 0],
    "squared_error": lambda y, f, epsilon: 0.5 * _squared(y - f),
    "epsilon_insensitive": _tube,
    "squared_epsilon_insensitive": lambda y, f, epsilon: _squared(_tube(y, f, epsilon)),
    "huber": _huber,
    "modified_huber": lambda y, f, epsilon: _modified_huber(y * f),
    "perceptron": lambda y, f, epsilon: np.maximum(0.0, -y * f),
}


def mean_loss(loss: str, y: Floats, f: Floats, epsilon: float, weights: Floats) -> float:
    """The mean of weight · loss over the rows; infinite where it overflows float64."""
    with np.errstate(over="ignore"):
        return float(np.mean(weights * LOSSES[loss](y, f, epsilon)))


def penalty_of(coef: Floats, l2: float, l1: float) -> float:
    """½ l2 ‖w‖² + l1 ‖w‖₁ of the weights of all functions; infinite where it overflows float64."""
    with np.errstate(over="ignore"):
        return float(0.5 * l2 * np.square(coef).sum() + l1 * np.abs(coef).sum())
