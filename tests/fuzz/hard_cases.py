"""Small random problems at the ends of what parameters and data may be, of all kernel and linear machines.

C over twenty orders and ν at its limits are in all of them. Each family draws one thing more from its extremes, and the
others as well, though less often: weights over twelve orders, rows far from the origin, columns of different scales,
repeated and rounded rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._runtime import core
from tests.fuzz.cases import Case

MACHINES = (
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "LinearSVC",
    "LinearSVC, all classes",
    "LinearSVR",
)
MOST_ROWS = 150
MOST_COLUMNS = 30
# How often a problem has what is not its family's own.
SELDOM = 0.12


def draw_hard(seed: int) -> Case:
    """The problem of a seed."""
    rng = np.random.default_rng([14, seed])
    family = str(rng.choice(list(FAMILIES)))
    machine = MACHINES[int(rng.integers(len(MACHINES)))]
    kind = machine.split(",")[0]
    n, d = int(rng.integers(3, MOST_ROWS + 1)), int(rng.integers(1, MOST_COLUMNS + 1))
    if rng.random() < 0.3:
        n = int(rng.integers(1 if kind == "OneClassSVM" else 3, 20))
    X, features = rng.normal(size=(n, d)), [family]
    for name, change in FAMILIES.items():
        if name == family or rng.random() < SELDOM:
            X = change(rng, X)
            features += [name] if name != family else []
    y = _targets(rng, kind, X)
    weights = None
    if family == "weights" or rng.random() < SELDOM:
        weights = 10.0 ** rng.uniform(-6, 6, size=n)
        features.append("weighted")
    parameters = _linear_parameters(rng, machine) if kind.startswith("Linear") else _kernel_parameters(rng, kind)
    return Case(kind, X, y, weights, parameters, str(rng.choice(core.simd_levels())), tuple(dict.fromkeys(features)))


def _same(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return X


def _shifted(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    size = 10.0 ** rng.uniform(0, 6)
    return X + size * (1.0 if rng.random() < 0.5 else rng.normal(size=X.shape[1]))


def _scaled(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return X * 10.0 ** rng.uniform(-2, 2, size=X.shape[1])


def _rounded(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return np.round(X)


def _repeated(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return X[rng.integers(0, len(X), size=len(X))]


FAMILIES: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "plain": _same,
    "weights": _same,
    "shifted": _shifted,
    "scaled columns": _scaled,
    "rounded": _rounded,
    "repeated": _repeated,
}


def _targets(rng: np.random.Generator, kind: str, X: np.ndarray) -> np.ndarray | None:
    n, d = X.shape
    spread = X.std(axis=0)
    signal = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)) @ rng.normal(size=d)
    if kind == "OneClassSVM":
        return None
    if kind in ("SVC", "NuSVC", "LinearSVC"):
        classes = min(n, int(rng.choice([2, 2, 2, 3, 5])))
        score = signal + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=n)
        y = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
        y = y if rng.random() < 0.5 else rng.integers(0, classes, size=n)
        y[:classes] = np.arange(classes)
        return y
    y = rng.normal(size=n) if rng.random() < 0.5 else signal + 0.1 * rng.normal(size=n)
    return y * 10.0 ** rng.uniform(-2, 3) if rng.random() < 0.3 else y


def _price(rng: np.random.Generator) -> float:
    return float(10.0 ** rng.uniform(-8, 12))


def _kernel_parameters(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    own = {
        "C": _price(rng),
        "nu": float(rng.choice([1e-9, 1e-6, 1e-3, 0.02, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0])),
        "epsilon": float(rng.choice([0.0, 1e-6, 0.1, 1.0, 100.0])),
    }
    taken = {"SVC": ["C"], "NuSVC": ["nu"], "SVR": ["C", "epsilon"], "NuSVR": ["C", "nu"], "OneClassSVM": ["nu"]}
    kernel = str(rng.choice(["rbf", "linear", "poly", "laplacian", "sigmoid"], p=[0.4, 0.25, 0.2, 0.1, 0.05]))
    parameters: dict[str, Any] = {**{name: own[name] for name in taken[kind]}, "kernel": kernel}
    if kernel in ("rbf", "laplacian") and rng.random() < 0.5:
        parameters["gamma"] = float(10.0 ** rng.uniform(-9, 3))
    if kernel == "poly":
        parameters |= {"degree": int(rng.integers(1, 4)), "coef0": float(rng.integers(0, 2))}
    return parameters


def _linear_parameters(rng: np.random.Generator, machine: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "C": _price(rng),
        "fit_intercept": bool(rng.random() < 0.85),
        "intercept_scaling": float(rng.choice([1.0, 1.0, 1e2, 1e4])),
    }
    if machine == "LinearSVC, all classes":
        return parameters | {"multi_class": "crammer_singer"}
    if machine == "LinearSVC":
        losses = [{"loss": "hinge"}, {"loss": "squared_hinge"}, {"penalty": "l1"}]
        parameters |= losses[int(rng.integers(len(losses)))]
    else:
        loss = str(rng.choice(["epsilon_insensitive", "squared_epsilon_insensitive"]))
        parameters |= {"loss": loss, "epsilon": float(rng.choice([0.0, 1e-6, 0.1, 1.0]))}
    return parameters | ({"regularize_intercept": False} if rng.random() < 0.4 else {})
