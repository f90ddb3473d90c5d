"""Platt's sigmoids, one a function; those of many pairs of classes lean on each other.

Model   P(positive | f) = 1 / (1 + exp(−(slope f + offset)))
See     Platt (1999), Probabilistic outputs for support vector machines; Lin, Lin, Weng (2007), A note on Platt's
        probabilistic outputs for support vector machines

Few held-out rows of a pair say little of its own sigmoid, and twenty-six classes have three hundred pairs. So the
sigmoids of a machine are taken to be drawn from one normal distribution of (slope, offset), which is learnt with them:
where a pair has few rows, or no error among them, its sigmoid is near to those of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from mercer.calibration.calibration import LEAST, UNINFORMED, Calibration, HeldOutValues
from mercer.typing import Floats, Integers

__all__ = ["SigmoidCalibration"]

# Newton's steps for the sigmoid of all functions together, and rounds of learning the sigmoids and how they are spread.
_MOST_STEPS = 100
_MOST_ROUNDS = 12
# What is small beside the parameters: the change after which it ends.
_SETTLED = 1e-3
_CONVERGED = 1e-10
_MOST_HALVINGS = 20
# What is thought of the spread before: a third of the slope, half a unit of the offset; as much as some functions say.
_SPREAD = (0.3, 0.5)
_SPREAD_COUNTS = 2.0
# What is left of a slope below zero.
_LEAST_SLOPE = 1e-6
# A curvature that keeps Newton's system solvable where the values say nothing.
_RIDGE = 1e-9


@dataclass(frozen=True, eq=False)
class SigmoidCalibration(Calibration):
    """A sigmoid for each function."""

    kind: ClassVar[str] = "sigmoid"

    slope: Floats
    offset: Floats

    @classmethod
    def learn(cls, held_out: HeldOutValues, classes: int, against_rest: bool) -> Self:
        if not len(held_out.values):
            return cls(classes, against_rest, np.full(held_out.functions, UNINFORMED), np.zeros(held_out.functions))
        unit = float(np.abs(held_out.values).max()) or 1.0  # squares of values may not fit
        sample = _Sample(held_out.values / unit, held_out.targets(), held_out.weights)
        own = _fitted(sample)[None]
        if held_out.functions > 1:
            own = _fitted_each(sample, held_out, own[0])
        own = _rising(own, sample, held_out.function)
        return cls(classes, against_rest, own[:, 0] / unit, own[:, 1].copy())

    def of_functions(self, values: Floats) -> Floats:
        return np.clip(_sigmoid(values * self.slope + self.offset), LEAST, 1 - LEAST)

    def check(self) -> None:
        super().check()
        for name in ("slope", "offset"):
            self._check_numbers(name, self.functions)


class _Sample(NamedTuple):
    """Values, the probabilities they are to have, and weights."""

    values: Floats
    targets: Floats
    weights: Floats


def _sigmoid(z: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-z)))


def _loss(sample: _Sample, z: Floats) -> Floats:
    """The negative log-likelihood of each value."""
    return np.asarray(sample.weights * (np.logaddexp(0.0, z) - sample.targets * z))


def _fitted(sample: _Sample) -> Floats:
    """Slope and offset that make the targets most likely: Newton's steps, halved where they go too far."""
    values, targets, weights = sample
    total = float(weights.sum())
    mean = min(max(float(weights @ targets) / total, _RIDGE), 1 - _RIDGE)
    found = np.array([0.0, np.log(mean / (1 - mean))])
    loss = float(_loss(sample, np.full(len(values), found[1])).sum())
    for _ in range(_MOST_STEPS):
        p = _sigmoid(found[0] * values + found[1])
        pull, curve = weights * (p - targets), weights * p * (1 - p)
        gradient = np.array([pull @ values, pull.sum()])
        crossed = curve @ values
        hessian = np.array([[curve @ values**2, crossed], [crossed, curve.sum()]]) + _RIDGE * total * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        for _ in range(_MOST_HALVINGS):
            tried = found - step
            reached = float(_loss(sample, tried[0] * values + tried[1]).sum())
            if reached <= loss:
                break
            step = 0.5 * step
        else:
            break
        found, gained, loss = tried, loss - reached, reached
        if gained <= _CONVERGED * (1 + abs(loss)):
            break
    return found


def _fitted_each(sample: _Sample, held_out: HeldOutValues, together: Floats) -> Floats:
    """Slopes and offsets of all functions, one row each, with the distribution that they are drawn from."""
    count, function = held_out.functions, held_out.function
    prior = np.diag((np.array(_SPREAD) * [max(abs(together[0]), _RIDGE), 1.0]) ** 2)
    mean, spread = together, prior
    own = np.tile(together, (count, 1))
    for _ in range(_MOST_ROUNDS):
        precision = np.linalg.inv(spread)
        gradient, hessian = _slopes(sample, function, own)
        gradient += (own - mean) @ precision
        hessian += precision
        covariance = np.linalg.inv(hessian)
        step = _shortened(np.einsum("gij,gj->gi", covariance, gradient), spread)
        own = own - step
        mean = own.mean(axis=0)
        away = own - mean
        scatter = away.T @ away + covariance.sum(axis=0)
        spread = (scatter + _SPREAD_COUNTS * prior) / (count + _SPREAD_COUNTS)
        if np.abs(step).max() <= _SETTLED * (1 + np.abs(own).max()):
            break
    return own


def _rising(own: Floats, sample: _Sample, function: Integers) -> Floats:
    """Where few rows say that larger values are less likely, which is noise, these keep their order and say no more."""
    if (own[:, 0] > 0).all():
        return own
    counts, totals = (np.bincount(function, of, len(own)) for of in (sample.weights, sample.weights * sample.targets))
    together = totals.sum() / counts.sum()
    mean = np.where(counts > 0, totals / np.where(counts > 0, counts, 1.0), together)
    flat = np.stack([np.full(len(own), _LEAST_SLOPE), np.log(mean / (1 - mean))], axis=1)
    return np.where(own[:, :1] > 0, own, flat)


def _slopes(sample: _Sample, function: Integers, own: Floats) -> tuple[Floats, Floats]:
    """The gradient and the second derivatives of the loss of each function."""
    values, targets, weights = sample
    count = len(own)
    p = _sigmoid(own[function, 0] * values + own[function, 1])
    pull, curve = weights * (p - targets), weights * p * (1 - p)

    def total(numbers: Floats) -> Floats:
        return np.asarray(np.bincount(function, numbers, minlength=count), dtype=np.float64)

    gradient = np.stack([total(pull * values), total(pull)], axis=1)
    squares, crossed, ones = total(curve * values**2), total(curve * values), total(curve)
    hessian = np.stack([np.stack([squares, crossed], axis=1), np.stack([crossed, ones], axis=1)], axis=1)
    return gradient, hessian


def _shortened(step: Floats, spread: Floats) -> Floats:
    """Steps no longer than the spread is wide: farther off, the curvature at hand tells little."""
    length = np.sqrt(np.einsum("gi,ij,gj->g", step, np.linalg.inv(spread), step))
    return np.asarray(step / np.maximum(1.0, length)[:, None])
