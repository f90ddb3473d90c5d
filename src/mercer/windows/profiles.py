"""Profiles of windows: what a row counts at a distance u, in bandwidths.

| name | at u | reaches |
|---|---|---|
| gaussian | exp(−u²/2) | everywhere |
| exponential | exp(−u) | everywhere |
| epanechnikov | 1 − u² | u < 1 |
| linear | 1 − u | u < 1 |
| cosine | cos(πu/2) | u < 1 |
| tophat | 1 | u < 1 |
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.typing import Floats

__all__ = ["PROFILES", "SYNONYMS", "UNBOUNDED", "log_values", "log_volume", "sample_steps", "spread_of"]

#: By scikit-learn's names; "linear" is the triangular window.
PROFILES = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
#: Other names, and the profiles that they stand for.
SYNONYMS = {"triangular": "linear"}
UNBOUNDED = ("gaussian", "exponential")

# Gauss and Legendre's rule of so many points, and one for each dimension, is exact to rounding for all of them.
_POINTS = 32


def log_values(profile: str, distances: Floats, is_closed: bool = False) -> Floats:
    """The logarithm of the window at distances in bandwidths."""
    u = np.asarray(distances, dtype=np.float64)
    if profile == "gaussian":
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * u**2)
    if profile == "exponential":
        return -u
    inside = u <= 1 if is_closed and profile == "tophat" else u < 1
    v = np.where(inside, u, 0.0)
    values = {"tophat": v * 0 + 1, "epanechnikov": 1 - v * v, "linear": 1 - v, "cosine": np.sin(np.pi / 2 * (1 - v))}
    found = np.log(values[profile])
    return np.where(inside, found, -np.inf)


def log_volume(profile: str, d: int) -> float:
    """log ∫ K(‖x‖) dx over d dimensions: what a window is divided by to be a density."""
    log_ball = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1)
    if profile == "gaussian":
        return 0.5 * d * math.log(2 * math.pi)
    if profile == "exponential":
        return log_ball + math.log(d) + math.lgamma(d)
    if profile == "tophat":
        return log_ball
    if profile == "epanechnikov":
        return log_ball + math.log(2 / (d + 2))
    if profile == "linear":
        return log_ball - math.log(d + 1)
    return log_ball + math.log(d) + math.log(_radial(d - 1))


def spread_of(profile: str, d: int) -> float:
    """The standard deviation of the window of bandwidth one along each axis."""
    squares = {
        "gaussian": 1.0,
        "exponential": d + 1.0,
        "tophat": 1 / (d + 2),
        "epanechnikov": 1 / (d + 4),
        "linear": (d + 1) / ((d + 2) * (d + 3)),
    }
    return math.sqrt(squares[profile] if profile in squares else _radial(d + 1) / (d * _radial(d - 1)))


def _radial(power: int) -> float:
    """∫ rᵖ cos(πr/2) dr from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS + power // 2)
    r = 0.5 * (points + 1)
    return float(0.5 * np.sum(weights * r**power * np.cos(np.pi / 2 * r)))


def sample_steps(profile: str, count: int, d: int, random: Any) -> Floats:
    """Draws from the window of bandwidth one; of the gaussian and the top hat as scikit-learn draws."""
    from scipy.special import gammainc  # it takes long to import

    normal = random.normal(size=(count, d))
    if profile == "gaussian":
        return np.asarray(normal)
    squared = np.einsum("ij,ij->i", normal, normal)
    direction = normal / np.sqrt(squared)[:, None]
    if profile == "tophat":
        return np.asarray(direction * gammainc(0.5 * d, 0.5 * squared)[:, None] ** (1.0 / d))
    if profile == "exponential":
        radius = random.gamma(d, size=count)
    elif profile == "epanechnikov":
        radius = np.sqrt(random.beta(0.5 * d, 2, size=count))
    elif profile == "linear":
        radius = random.beta(d, 2, size=count)
    else:
        radius = _radii_of_cosine(count, d, random)
    return np.asarray(direction * radius[:, None])


def _radii_of_cosine(count: int, d: int, random: Any) -> Floats:
    """Distances from the middle of the cosine window: those of the triangle, of which some are turned down."""
    found = np.empty(0)
    while len(found) < count:
        radius = random.beta(d, 2, size=2 * (count - len(found)))
        # cos(πr/2) ≤ π/2 (1 − r)
        kept = random.uniform(size=len(radius)) * (np.pi / 2 * (1 - radius)) <= np.cos(np.pi / 2 * radius)
        found = np.concatenate([found, radius[kept]])
    return found[:count]
