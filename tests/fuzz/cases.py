"""Ordinary random problems of the five kernel machines, now and then with thousands of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime import core


@dataclass(frozen=True)
class Case:
    """A random problem: the estimator's name, its parameters and data, and what is special about these."""

    kind: str
    X: Any
    y: np.ndarray | None
    weights: np.ndarray | None
    parameters: dict[str, Any]
    simd: str
    features: tuple[str, ...] = ()

    def __str__(self) -> str:
        data = [f"X {self.X.shape} {self.X.dtype}", f"SIMD {self.simd}", *self.features]
        return f"{self.kind} {self.parameters}, {', '.join(data)}"


def draw(seed: int) -> Case:
    """The problem of a seed."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["SVC", "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"]))
    # Now and then so many rows that samples, working sets and certificates in float32 have their part.
    n, d = int(rng.integers(4, 400 if rng.random() < 0.9 else 6000)), int(rng.integers(1, 40))
    k = int(rng.choice([2, 2, 2, 3, 5]))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, size=d if rng.random() < 0.3 else 1)
    if rng.random() < 0.3:
        X = np.round(X)
    if rng.random() < 0.3:
        X = X[rng.integers(0, n, size=n)]
    if rng.random() < 0.2:
        X += rng.normal() * 1e3
    if rng.random() < 0.3:
        X = sp.csr_matrix(X * (rng.random(X.shape) < 0.3))
    elif rng.random() < 0.3:
        X = X.astype(np.float32)
    if kind in ("SVC", "NuSVC"):
        y = rng.integers(0, k, size=n)
        y[:k] = np.arange(k)
    else:
        y = rng.normal(size=n) * 10.0 ** rng.uniform(-1, 2)
    weights = rng.integers(1, 4, size=n).astype(float) if rng.random() < 0.3 else None
    kernel = str(rng.choice(["rbf", "rbf", "linear", "poly", "sigmoid"]))
    own = {
        "C": float(10.0 ** rng.uniform(-3, 2)),
        "nu": float(rng.choice([0.02, 0.1, 0.3, 0.5, 0.9, 1.0])),
        "epsilon": float(rng.choice([0.0, 0.1, 1.0])),
    }
    taken = {"SVC": ["C"], "NuSVC": ["nu"], "SVR": ["C", "epsilon"], "NuSVR": ["C", "nu"], "OneClassSVM": ["nu"]}
    parameters = {
        **{name: own[name] for name in taken[kind]},
        "kernel": kernel,
        "gamma": [float(10.0 ** rng.uniform(-3, 1)), "scale"][int(rng.integers(2))],
        "degree": int(rng.integers(1, 4)),
        "coef0": float(rng.integers(0, 2)),
        "shrinking": bool(rng.integers(2)),
        "tol": 1e-4,
    }
    return Case(kind, X, y, weights, parameters, str(rng.choice(core.simd_levels())))
