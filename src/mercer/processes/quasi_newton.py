"""The largest likelihood near by, where its curvature is known about.

Solves       max f(θ) within bounds
Given        f with its slopes, a start, and about what −f has for second derivatives, anywhere
Returns      the best θ, as `optimum` does
Stops when   a step would add less than a share of f, or none adds anything
See          Nocedal and Wright, Numerical Optimization, chapters 6 and 16.7
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

import numpy as np

from mercer.processes.optimum import OUT_OF_TIME, Objective, Optimum, SearchEnded
from mercer.typing import Booleans, Floats

__all__ = ["climb_curved", "curvature_at"]

# What L-BFGS-B stops at: what a step adds as a share of f, and the largest slope.
_GROWTH = 2.2e-9
_FLAT = 1e-5
# A step that adds less than this share of what its slope promises is made shorter, at most so often.
_ARMIJO = 1e-4
_SHORTENED = 12
_SHORTER = 0.3
# Curvature that is added to all directions until a step is short enough, as a share of what would do, and how often
# it is doubled.
_FIRST_BEND = 1e-6
_BENDS = 60
_MOST_STEPS = 40
# What a likelihood of many rows is off by, as a share: a step that promises less may well add nothing.
_ROUNDING = 1e-7
# Ways that the curvature remembers how slopes turned on.
_REMEMBERED = 6
# No logarithm moves farther in one step: curvature is not known that far away.
_LONGEST = 1.0
# Directions that are flatter than this share of the most curved one are taken to be that curved.
_FLATTEST = 1e-6
# Distance at which slopes are compared for second derivatives.
_APART = 1e-3


def curvature_at(objective: Objective, theta: Floats, bounds: Floats) -> Floats:
    """The second derivatives of −f, from slopes at points near by, made positive definite."""
    _, middle = objective(theta)
    rows = []
    for k in range(len(theta)):
        apart = _APART if theta[k] + _APART <= bounds[k, 1] else -_APART
        moved = theta.copy()
        moved[k] += apart
        rows.append((middle - objective(moved)[1]) / apart)
    found = np.array(rows)
    values, vectors = np.linalg.eigh(0.5 * (found + found.T))
    sizes = np.abs(values)
    sizes = np.maximum(sizes, max(_FLATTEST * float(sizes.max(initial=0.0)), np.finfo(np.float64).tiny))
    return np.asarray((vectors * sizes) @ vectors.T)


def climb_curved(
    objective: Objective, start: Floats, curvature: Callable[[Floats], Floats], bounds: Floats, drawn: Floats
) -> Optimum:
    """The maximum that the start leads to, by projected steps of Newton's kind.

    `drawn` has a place for numbers that are thought to belong far away, and NaN for all others: where the slope leads
    there, so does the first step.
    """
    ways: list[tuple[Floats, Floats]] = []
    theta, asked = np.clip(start, bounds[:, 0], bounds[:, 1]), 0
    value, slopes = -math.inf, np.zeros(len(theta))
    try:
        value, slopes = objective(theta)
        asked += 1
        if not math.isfinite(value):
            return Optimum(theta, value, asked, "the likelihood is not finite at its start")
        B, radius = curvature(theta), _LONGEST
        for taken in range(_MOST_STEPS):
            free = _free(theta, slopes, bounds)
            if np.abs(slopes[free]).max(initial=0.0) <= _FLAT:
                return Optimum(theta, value, asked)
            for _ in range(_SHORTENED):
                step = _step(B, slopes, free, radius)
                promised = float(slopes @ step)
                if 0.5 * promised <= _GROWTH * max(abs(value), 1.0):
                    return Optimum(theta, value, asked)
                leads = ((drawn - theta) * slopes > 0) & (taken == 0)
                step[leads] = (drawn - theta)[leads]
                moved = np.clip(theta + step, bounds[:, 0], bounds[:, 1])
                new, new_slopes = objective(moved)
                asked += 1
                if new >= value + _ARMIJO * float(slopes @ (moved - theta)):
                    break
                drawn, radius = np.full(len(theta), np.nan), _SHORTER * min(radius, float(np.abs(step).max()))
            else:
                is_rounding = promised <= _ROUNDING * max(abs(value), 1.0)
                return Optimum(theta, value, asked, None if is_rounding else "no step adds anything")
            if not leads.any():  # so far away, slopes say nothing of curvature
                ways.append((moved - theta, slopes - new_slopes))
                radius = min(_LONGEST, 2 * radius)
            B = reduce(lambda known, way: _updated(known, *way), ways[-_REMEMBERED:], curvature(moved))
            theta, value, slopes = moved, new, new_slopes
    except SearchEnded:
        return Optimum(theta, value, asked, OUT_OF_TIME)
    return Optimum(theta, value, asked, f"more than {_MOST_STEPS} steps")


def _free(theta: Floats, slopes: Floats, bounds: Floats) -> Booleans:
    """The numbers that are not held by a bound."""
    held = ((theta <= bounds[:, 0]) & (slopes < 0)) | ((theta >= bounds[:, 1]) & (slopes > 0))
    return np.asarray(~held)


def _step(B: Floats, slopes: Floats, free: Booleans, radius: float) -> Floats:
    """Newton's step, no number farther than the radius: flat directions, which would go farthest, are bent up first."""
    step, values = np.zeros(len(slopes)), slopes[free]
    if not free.any():
        return step
    sizes, vectors = np.linalg.eigh(B[np.ix_(free, free)])
    turned = vectors.T @ values
    least = float(np.abs(values).max()) * _FIRST_BEND / radius
    bend = 0.0
    for _ in range(_BENDS):
        own = vectors @ (turned / (np.maximum(sizes, np.finfo(np.float64).tiny) + bend))
        if np.abs(own).max() <= radius:
            break
        bend = max(least, 2 * bend)
    step[free] = own
    return step


def _updated(B: Floats, moved: Floats, turned: Floats) -> Floats:
    """BFGS: curvature that tells how the slopes turned on the way just made, where they turned the right way."""
    along, Bm = float(moved @ turned), B @ moved
    if along <= 1e-10 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
        return B
    return np.asarray(B + np.outer(turned, turned) / along - np.outer(Bm, Bm) / float(moved @ Bm))
