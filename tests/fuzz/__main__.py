"""Fits random problems and compares with scikit-learn; ends with status 1 and a reproducer at the first disagreement.

Every problem follows from one seed, so `python -m tests.fuzz --seed N --seconds 0` repeats it.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.svm

import mercer
from mercer import MercerError, Status, UnsolvedWarning, certify
from mercer._runtime import core

TOL = 1e-4
# scikit-learn's machine may be better than Mercer's by no more than both tolerances allow; in the problems without C by
# no more than the gap, which is checked for all: neither dual may exceed the other's primal.
OBJECTIVE_SLACK = 1e-3
ROUNDING = 1e-8


@dataclass(frozen=True)
class Case:
    """A random problem of one of the five kinds."""

    kind: str
    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    parameters: dict[str, Any]
    simd: str


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
    }
    return Case(kind, X, y, weights, parameters, str(rng.choice(core.simd_levels())))


def check(case: Case) -> str | None:
    """What is wrong with Mercer's answer; None where nothing is."""
    core.set_simd_level(case.simd)
    model = getattr(mercer, case.kind)(tol=TOL, time_limit=20, **case.parameters)
    try:
        model.fit(case.X, case.y, sample_weight=case.weights)
    except MercerError as error:
        return None if "nu is infeasible" in str(error) else f"refused: {error}"
    if not np.all(np.isfinite(model.predict(case.X))):
        return "predictions are not finite"
    again = certify(model, case.X, case.y, sample_weight=case.weights)
    if model.status_.is_within_tolerance and not again.holds(1.02 * TOL):
        return f"called {model.status_.name.lower()}, but the violation is {again.violation:.3g}"
    if model.status_ is Status.SOLVED and case.parameters["kernel"] == "sigmoid":
        return "called solved, but the kernel is not positive semi-definite"
    if model.status_ is not Status.SOLVED:
        return None
    peer = getattr(sklearn.svm, case.kind)(tol=TOL, max_iter=200_000, **case.parameters)
    try:
        peer.fit(case.X, case.y, sample_weight=case.weights)
    except ValueError:
        return None  # a division by a ρ of nothing
    best = certify(peer, case.X, case.y, sample_weight=case.weights)
    size = max(1.0, abs(best.primal))
    if max(again.dual - best.primal, best.dual - again.primal) > ROUNDING * size:
        return (
            f"objectives between {again.dual:.8g} and {again.primal:.8g}, of scikit-learn between {best.dual:.8g} and "
            f"{best.primal:.8g}"
        )
    if case.kind == "SVC" and again.primal - best.primal > OBJECTIVE_SLACK * size:
        return f"objective {again.primal:.8g}, scikit-learn has {best.primal:.8g}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    began = perf_counter()
    seed, unsolved = arguments.seed, 0
    while seed == arguments.seed or perf_counter() - began < arguments.seconds:
        case = draw(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            wrong = check(case)
        unsolved += any(issubclass(entry.category, UnsolvedWarning) for entry in caught)
        if wrong:
            shape = f"X {case.X.shape} {case.X.dtype}, SIMD {case.simd}"
            print(f"seed {seed}: {case.kind}: {wrong}\n{case.parameters}, {shape}")
            return 1
        seed += 1
    count = seed - arguments.seed
    print(f"{count} problems agree; {unsolved} of them ended unsolved and said so.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
