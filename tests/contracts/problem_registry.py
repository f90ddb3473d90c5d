"""Every dual problem, posed on rows. A new problem is tested by adding a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from mercer.problems import (
    ClassificationWithoutIntercept,
    DualProblem,
    NuClassification,
    NuRegression,
    NuRegressionInTwins,
    NuRegressionWithoutTube,
    OneClass,
    SupportVectorClassification,
    SupportVectorRegression,
)
from tests.reference import kernels as twin

GAMMA = 0.7
C = 0.3
NU = 0.3


class Posed(NamedTuple):
    """A problem, the rows of X that each of its groups has, and the kernel values among them, group by group."""

    problem: DualProblem
    members: list[np.ndarray]
    K: np.ndarray


@dataclass(frozen=True)
class Entry:
    """A problem; `make(X, seed, weighted)` poses it on the rows, with targets of the seed and weights or none."""

    name: str
    make: Callable[[np.ndarray, int, bool], Posed]


def _weights(X, seed, weighted):
    return np.random.default_rng(seed + 100).uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))


def _numbers(X, seed):
    return np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * np.random.default_rng(seed).normal(size=len(X))


def _posed(problem, X, members):
    blocks = [twin.gram(twin.rbf(GAMMA), X[rows]) for rows in members]
    return Posed(problem, members, block_diag(*blocks))


def _of_signs(pose):
    """Two groups that share rows: all of them, and the first two thirds with other signs."""

    def make(X, seed, weighted):
        y, v = _numbers(X, seed), _weights(X, seed, weighted)
        members = [np.arange(len(X)), np.arange(2 * len(X) // 3)]
        signs = [np.where(y > np.quantile(y, 0.7), 1.0, -1.0), np.where(X[members[1], 0] > 0, 1.0, -1.0)]
        return _posed(pose(signs, np.concatenate([v[rows] for rows in members])), X, members)

    return make


def _of_numbers(pose, copies=1):
    def make(X, seed, weighted):
        problem = pose(_numbers(X, seed), _weights(X, seed, weighted))
        return _posed(problem, X, [np.tile(np.arange(len(X)), copies)])

    return make


ENTRIES = [
    Entry("C-SVC", _of_signs(lambda t, v: SupportVectorClassification.several(t, C * v))),
    Entry("hard margin", _of_signs(lambda t, v: SupportVectorClassification.several(t, np.inf * v))),
    Entry("C-SVC without intercept", _of_signs(lambda t, v: ClassificationWithoutIntercept.several(t, C * v))),
    Entry("ν-SVC", _of_signs(lambda t, v: NuClassification.several(t, v, NU))),
    Entry("ε-SVR", _of_numbers(lambda y, v: SupportVectorRegression.of(y, C * v, 0.1))),
    Entry("ε-SVR without tube", _of_numbers(lambda y, v: SupportVectorRegression.of(y, C * v, 0.0))),
    Entry("ν-SVR", _of_numbers(lambda y, v: NuRegression.of(y, C * v, NU))),
    Entry("ν-SVR without tube", _of_numbers(lambda y, v: NuRegressionWithoutTube.of(y, C * v, C * v.sum()))),
    Entry("ν-SVR in twins", _of_numbers(lambda y, v: NuRegressionInTwins.of(y, C * v, NU * C * v.sum()), copies=2)),
    Entry("one class", _of_numbers(lambda y, v: OneClass.of(v, NU))),
]


def named(entry):
    return entry.name
