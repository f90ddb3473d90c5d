"""Linear classifiers with a price of the weights' absolute values, for the interior-point method.

With a_i = c_i t_i and u_j = 1 + Σ_i c_i x_ij the dual is

    min Σ a_i² / (4 C_i) − Σ a_i   with  a ≥ 0,  0 ≤ u ≤ 2

and the multipliers of what ties u to a are the weights. Where the offset costs nothing, its column is to have the sum
zero, and no u.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer._runtime import core
from mercer.solvers.direct.extended import Extended
from mercer.solvers.direct.factored import Factored
from mercer.solvers.direct.interior_point import System
from mercer.typing import Floats

__all__ = ["LassoProgram"]

# What bounds that no optimum meets are multiplied by.
_ROOM = 2.0


@dataclass(frozen=True, eq=False)
class LassoProgram:
    """`columns` has that of an offset behind the features; a free one is the last.

    It starts in the middle of the bounds, which is where large C lead, or where small C do.
    """

    columns: Floats
    signs: Floats
    bounds: Floats
    has_free_offset: bool
    starts_small: bool = False

    @cached_property
    def signed(self) -> Floats:
        return np.asarray(self.signs[:, None] * self.columns)

    @property
    def priced(self) -> int:
        """Columns whose weights have a price."""
        return int(self.columns.shape[1]) - int(self.has_free_offset)

    @cached_property
    def upper(self) -> Floats:
        # No row costs more by itself than all of them do where the weights are zero.
        return np.concatenate([_ROOM * 2 * np.sqrt(self.bounds * self.bounds.sum()), np.full(self.priced, 2.0)])

    def start(self) -> tuple[Floats, Floats]:
        of_rows = 0.5 * self.upper[: len(self.signs)]
        if self.starts_small:
            # The columns' sums are within their bounds.
            of_rows = np.minimum(of_rows, 0.5 / (float(np.abs(self.columns).sum(axis=0).max()) or 1.0))
        return np.concatenate([of_rows, np.ones(self.priced)]), np.zeros(self.columns.shape[1])

    def gradient(self, variables: Extended, multipliers: Floats) -> Floats:
        a = variables.high[: len(self.signs)]
        of_rows = a / (2 * self.bounds) - 1 + self.signed @ multipliers
        return np.concatenate([of_rows, -multipliers[: self.priced]])

    def balanced(self, gradient: Floats) -> Floats:
        return np.zeros(self.columns.shape[1])

    def missing(self, variables: Extended) -> Floats:
        rows = len(self.signs)
        wanted = np.zeros(self.columns.shape[1])
        wanted[: self.priced] = (variables.high[rows:] - 1) + variables.low[rows:]
        high, low = (np.ascontiguousarray(part[:rows]) for part in variables)
        return np.asarray(wanted - core.twofold_sum_of_rows(self.signed, high, low))

    def system(self, diagonal: Floats) -> LassoSystem:
        rows = len(self.signs)
        own = diagonal.copy()
        own[:rows] += 1 / (2 * self.bounds)
        return LassoSystem(self, own)


class LassoSystem(System):
    """Newton's system in the variables and the weights."""

    def __init__(self, program: LassoProgram, diagonal: Floats) -> None:
        rows, columns, priced = len(program.signs), program.columns.shape[1], program.priced
        self.variables = len(diagonal)
        matrix = np.zeros((self.variables + columns, self.variables + columns))
        own = np.arange(self.variables)
        matrix[own, own] = diagonal
        matrix[:rows, self.variables :] = program.signed
        matrix[rows : self.variables, self.variables :][np.arange(priced), np.arange(priced)] = -1.0
        matrix[self.variables :, : self.variables] = matrix[: self.variables, self.variables :].T
        of_weights = np.square(matrix[: self.variables, self.variables :] / np.sqrt(diagonal)[:, None]).max(axis=0)
        self.factored = Factored(matrix, np.concatenate([diagonal, of_weights]))

    def solve(self, rhs: Floats, missing: Floats) -> tuple[Floats, Floats]:
        found = self.factored.solve(np.concatenate([rhs, missing])).high
        return found[: self.variables], found[self.variables :]
