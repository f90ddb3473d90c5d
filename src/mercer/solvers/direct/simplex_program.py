"""Linear machines of several classes at once, after Crammer and Singer, for the interior-point method.

With p_im = C_i [m is the class of row i] − α_im, the dual is

    min ½ Σₘ αₘᵀ(K + scaling²) αₘ − Σ_{m ≠ y} p_im   with  p ≥ 0,  Σₘ p_im = C_i

so each row has a simplex of its own. The multipliers of the sums are the largest of its values f_m + [m ≠ y].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import helmert

from mercer.rows import TwofoldGram
from mercer.solvers.direct.extended import Extended, exact_sum
from mercer.solvers.direct.factored import Factored
from mercer.solvers.direct.interior_point import System
from mercer.typing import Floats, Integers

__all__ = ["SimplexProgram"]


@dataclass(frozen=True, eq=False)
class SimplexProgram:
    """The variables are p, one class after the other."""

    gram: TwofoldGram
    labels: Integers
    classes: int
    bounds: Floats
    squared_scaling: float

    @cached_property
    def upper(self) -> Floats:
        return np.full(self.classes * len(self.labels), np.inf)

    @cached_property
    def own(self) -> Floats:
        """Classes by rows: one for the class of a row."""
        return np.asarray(np.arange(self.classes)[:, None] == self.labels, dtype=np.float64)

    @cached_property
    def factor(self) -> Floats:
        factor = self.gram.shifted_factor(self.squared_scaling)
        assert factor is not None  # of so few rows
        return factor

    def coef(self, variables: Extended) -> list[Extended]:
        """α of each class."""
        found = []
        for m in range(self.classes):
            high, low = (part.reshape(self.classes, -1)[m] for part in variables)
            total, error = exact_sum(self.bounds * self.own[m], -high)
            found.append(Extended(*exact_sum(total, error - low)))
        return found

    def start(self) -> tuple[Floats, Floats]:
        return np.tile(self.bounds / self.classes, self.classes), self.classes / self.bounds

    def gradient(self, variables: Extended, multipliers: Floats) -> Floats:
        parts = []
        for coef, own in zip(self.coef(variables), self.own, strict=True):
            high, low = self.gram.products(coef.high)
            more, rest = self.gram.products(coef.low)
            offset = self.squared_scaling * coef.total()
            parts.append((multipliers - (high + offset)) - more - low - rest - (1 - own))
        return np.concatenate(parts)

    def balanced(self, gradient: Floats) -> Floats:
        return -np.asarray(gradient.reshape(self.classes, -1).mean(axis=0))

    def missing(self, variables: Extended) -> Floats:
        high, low = (part.reshape(self.classes, -1) for part in variables)
        left = Extended.of(self.bounds)
        for values, rest in zip(high, low, strict=True):
            left = left.plus(-values).plus(-rest)
        return np.asarray(left.high + left.low)

    def system(self, diagonal: Floats) -> SimplexSystem:
        return SimplexSystem(self, diagonal)


class SimplexSystem(System):
    """Newton's system in the variables, in Zᵀdp of each class, and in the multipliers.

    The dp of a row add up to nothing, and so does Zᵀdp over the classes: it is written in an orthonormal basis of what
    remains, without which the system would be singular.
    """

    def __init__(self, program: SimplexProgram, diagonal: Floats) -> None:
        self.variables, self.rows = len(diagonal), len(program.labels)
        Z, classes = self.Z, self.classes = program.factor, program.classes
        rank, basis = Z.shape[1], helmert(classes)
        self.inner = (classes - 1) * rank
        behind = self.variables + self.inner
        matrix, own = np.zeros((behind + self.rows, behind + self.rows)), np.arange(self.variables)
        matrix[own, own] = diagonal
        matrix[: self.variables, self.variables : behind] = np.kron(basis.T, Z)
        matrix[: self.variables, behind:] = np.tile(np.eye(self.rows), (classes, 1))
        matrix[self.variables :, : self.variables] = matrix[: self.variables, self.variables :].T
        inner = np.arange(self.variables, behind)
        matrix[inner, inner] = -1.0
        size = diagonal + np.tile(np.square(Z).sum(axis=1), classes)
        of_sums = (1 / size).reshape(classes, -1).max(axis=0)
        self.factored = Factored(matrix, np.concatenate([size, np.ones(self.inner), of_sums]))

    def moved(self, variables: Extended, dx: Floats, length: float) -> Extended:
        """The variables, with all digits of the solution: large ones of a row leave few of a small difference."""
        return variables.plus_share(self.latest, length)

    def solve(self, rhs: Floats, missing: Floats) -> tuple[Floats, Floats]:
        # What the sums lack is no part of the basis: each class takes as much of it.
        of_missing = np.tile(self.Z @ (missing @ self.Z) / self.classes, self.classes)
        found = self.factored.solve(np.concatenate([rhs - of_missing, np.zeros(self.inner), missing]))
        self.latest = Extended(*(part[: self.variables] for part in found))
        return self.latest.high, found.high[self.variables + self.inner :]
