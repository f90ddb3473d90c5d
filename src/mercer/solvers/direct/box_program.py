"""The dual problems of kernel machines and linear ones, for the interior-point method.

A row's coefficient c is a variable x ≥ 0 with its sign. Where it may have either, it is x − bound if its size has no
price, and else the difference of two: x₊ − x₋. So

    min ½ cᵀKc + ½ Σ ridge c² − slopeᵀc + Σ kink (x₊ + x₋)   with  0 ≤ x ≤ bounds

and what the intercepts ask for: one sum Σ c, or one of the x₊ and one of the x₋; or none, with the price
½ scaling² (Σ c)² of a regularised intercept.

Newton's matrix is that of the coefficients, rows by rows: of two variables of one row, the system leaves their
difference. Where a sum is kept, it is written for the centred kernel matrix: an offset of the rows, however large, then
takes no digits from what lies around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer.rows import TwofoldGram
from mercer.solvers.direct.extended import Extended, exact_sum, extended_products, rounded_sum
from mercer.solvers.direct.factored import Factored
from mercer.solvers.direct.interior_point import System
from mercer.typing import Floats, Integers

__all__ = ["BoxProgram", "Intercepts"]

T = TypeVar("T", bound=np.generic)

# On the diagonal, relative to its largest value: rounding may leave the kernel matrix no longer definite.
_RIDGE = 1e-16
_LARGEST = 1e250
_TINY = 1e-300
# Halvings of the interval of a multiplier at the start.
_HALVINGS = 200


class Intercepts(Enum):
    """What the coefficients have to add up to."""

    ONE_SUM = "all of them"
    TWO_SUMS = "the positive and the negative ones"
    TWO_SUMS_AT_MOST = "both as much, and no more than asked for"
    NO_SUM = "anything, for a price"


@dataclass(frozen=True, eq=False)
class BoxProgram:
    """The problem of one group; rows are those of the kernel matrix."""

    gram: TwofoldGram
    slope: Floats
    lower: Floats
    upper_bounds: Floats
    kink: Floats
    ridge: Floats
    intercepts: Intercepts
    #: What the sums are.
    sums: Floats
    #: Of a regularised intercept, squared; zero where there is none.
    squared_scaling: float = 0.0

    # ---------------------------------------------------------------- variables

    @cached_property
    def shift(self) -> Floats:
        """What a coefficient is where its variables are zero."""
        is_one = (self.lower < 0) & (self.upper_bounds > 0) & (self.kink == 0) & (not self.has_two_sums)
        return np.where(is_one & np.isfinite(self.lower), self.lower, 0.0)

    @cached_property
    def row(self) -> Integers:
        """Of each variable."""
        below = (self.lower < 0) & (self.shift == 0)
        return np.concatenate([np.flatnonzero(self.upper_bounds > 0), np.flatnonzero(below)])

    @cached_property
    def sign(self) -> Floats:
        """Of each variable in the coefficient of its row."""
        positive = np.count_nonzero(self.upper_bounds > 0)
        return np.where(np.arange(len(self.row)) < positive, 1.0, -1.0)

    @cached_property
    def side(self) -> Integers:
        """Which sum a variable is in."""
        return np.where((self.sign < 0) & self.has_two_sums, 1, 0)

    @cached_property
    def upper(self) -> Floats:
        bounds = np.where(self.sign > 0, (self.upper_bounds - self.shift)[self.row], -self.lower[self.row])
        return np.append(bounds, np.inf) if self.has_spare else bounds

    @property
    def has_two_sums(self) -> bool:
        return self.intercepts in (Intercepts.TWO_SUMS, Intercepts.TWO_SUMS_AT_MOST)

    @property
    def has_spare(self) -> bool:
        """Whether a last variable tells by how much both sums are less than asked for."""
        return self.intercepts is Intercepts.TWO_SUMS_AT_MOST

    @property
    def has_sums(self) -> bool:
        return self.intercepts is not Intercepts.NO_SUM

    def of_rows(self, x: NDArray[T]) -> NDArray[T]:
        """What belongs to the variables of rows, without the spare one."""
        return x[:-1] if self.has_spare else x

    def coef(self, variables: Extended) -> Extended:
        """The coefficients of the rows."""
        positive = np.count_nonzero(self.sign > 0)
        above, below = np.zeros((2, len(self.slope))), np.zeros((2, len(self.slope)))
        for part, values in enumerate(variables):
            own = self.of_rows(values)
            above[part, self.row[:positive]] = own[:positive]
            below[part, self.row[positive:]] = own[positive:]
        high, error = exact_sum(above[0], self.shift - below[0])  # a row has a shift or a second variable
        return Extended(*exact_sum(high, error + (above[1] - below[1])))

    def netted(self, variables: Extended) -> Extended:
        """The same coefficients by one variable of each row; what both had in common goes to the spare one."""
        coef = self.coef(variables)
        above, is_shifted = coef.high > 0, (self.shift != 0)[self.row]
        own = np.where((self.sign > 0) == above[self.row], 1.0, 0.0) * self.sign
        netted = Extended(
            *(
                np.where(is_shifted, self.of_rows(part), own * value[self.row])
                for part, value in zip(variables, coef, strict=True)
            )
        )
        if not self.has_spare:
            return netted
        used = Extended(*(part[self.side == 0] for part in netted)).total()
        return Extended(np.append(netted.high, float(self.sums[0]) - used), np.append(netted.low, 0.0))

    # ---------------------------------------------------------------- what the method asks for

    def start(self) -> tuple[Floats, Floats]:
        bounds = self.of_rows(self.upper)
        size = float(max(np.abs(self.slope).max(), self.kink.max(initial=0.0))) or 1.0
        curvature = np.abs(np.diagonal(self.newton_matrix[0])) + self.ridge
        natural = 2 * size / (float(curvature.max()) or 1.0)
        bounds = np.where(np.isfinite(bounds), bounds, natural)
        if not self.has_sums:
            return 0.5 * bounds, np.zeros(0)
        x, multipliers = np.empty(len(bounds)), np.zeros(len(self.sums))
        for k, wanted in enumerate(self.sums):
            own = self.side == k
            share = 0.5 if self.has_spare else 1.0
            total = share * float(wanted) - float(self.shift.sum())
            multipliers[k] = _centring(bounds[own], self.sign[own], total)
            x[own] = _centre(bounds[own], self.sign[own] * multipliers[k])
        if self.has_spare:
            x = np.append(x, 0.5 * float(self.sums[0]))
        return x, multipliers

    def gradient(self, variables: Extended, multipliers: Floats) -> Floats:
        coef = self.coef(variables)
        high, low = extended_products(self.gram, coef)
        if self.has_sums:
            values = (high[self.row] + multipliers[self.side]) - self.slope[self.row] + low[self.row]
        else:
            values = ((high + self.squared_scaling * coef.total()) - self.slope + low)[self.row]
        size = np.where(self.shift[self.row] != 0, coef.high[self.row], self.of_rows(variables.high))
        gradient = self.sign * values + self.kink[self.row] + self.ridge[self.row] * size
        return np.append(gradient, multipliers[0] - multipliers[1]) if self.has_spare else gradient

    def balanced(self, gradient: Floats) -> Floats:
        if not self.has_sums:
            return np.zeros(0)
        own = self.sign * self.of_rows(gradient)
        return np.array([-np.median(own[self.side == k]) for k in range(len(self.sums))])

    def missing(self, variables: Extended) -> Floats:
        if not self.has_sums:
            return np.zeros(0)
        if not self.has_two_sums:
            coef = self.coef(variables)
            return np.array([rounded_sum(self.sums, -coef.high, -coef.low)])
        own = Extended(*map(self.of_rows, variables))
        found = []
        for k, wanted in enumerate(self.sums.tolist()):
            if self.has_spare:
                wanted -= variables.high[-1] if k == 0 else -variables.high[-1]
            chosen = self.side == k
            part = Extended(own.high[chosen], own.low[chosen])
            found.append(wanted - part.total(self.sign[chosen]))
        return np.array(found)

    @cached_property
    def newton_matrix(self) -> tuple[Floats, Floats | None]:
        """The kernel matrix as far as the sums leave it to matter, and Z with Z Zᵀ the same, where there is one."""
        if self.has_sums:
            return self.gram.centred, self.gram.factor
        return self.gram.high + self.squared_scaling, self.gram.shifted_factor(self.squared_scaling)

    def system(self, diagonal: Floats) -> BoxSystem:
        give = 1 / (self.of_rows(diagonal) + self.ridge[self.row])
        return BoxSystem(self, give, 1 / float(diagonal[-1]) if self.has_spare else 0.0)


class BoxSystem(System):
    """Newton's system, factored; `give` is by how much each variable gives way to its gradient."""

    def __init__(self, program: BoxProgram, give: Floats, spare_give: float) -> None:
        self.program, self.give, self.spare_give = program, give, spare_give
        rows = len(program.slope)
        self.total = np.bincount(program.row, give, rows)
        self.stiffness = np.minimum(1 / np.maximum(self.total, 1 / _LARGEST), _LARGEST)
        self.of_both = np.zeros(rows)
        if not program.has_sums:
            self.border, corner = np.zeros((rows, 0)), np.zeros((0, 0))
        elif program.has_two_sums:
            gives = np.stack([np.bincount(program.row[own], give[own], rows) for own in self._sides()], axis=1)
            alone = (gives == 0).any(axis=1)
            shares = np.where(alone[:, None], gives > 0, gives * self.stiffness[:, None]).astype(np.float64)
            self.of_both = gives[:, 0] * shares[:, 1]
            # The sum of both multipliers and their difference: so the sum of all coefficients keeps its digits, however
            # large the two variables of a row become together.
            self.border = np.stack([np.ones(rows), shares[:, 0] - shares[:, 1]], axis=1)
            corner = np.diag([0.0, -4 * (self.of_both.sum() + spare_give)])
        else:
            self.border, corner = np.ones((rows, 1)), np.zeros((1, 1))
        self._factor(corner)

    def _sides(self) -> list[Floats]:
        return [self.program.side == k for k in (0, 1)]

    def _factor(self, corner: Floats) -> None:
        """Factors the system in the coefficients and the border; and, where there is Z, in Zᵀdc as well."""
        rows, (K, self.Z) = len(self.stiffness), self.program.newton_matrix
        inner = 0 if self.Z is None else self.Z.shape[1]
        order = rows + inner + len(corner)
        matrix = np.zeros((order, order))
        own, behind = np.arange(rows), rows + inner
        if self.Z is None:
            matrix[:rows, :rows] = K
            size = matrix[own, own] + self.stiffness
            matrix[own, own] = size + _RIDGE * float(np.abs(np.diagonal(K)).max())
        else:
            matrix[own, own] = self.stiffness
            matrix[:rows, rows:behind], matrix[rows:behind, :rows] = self.Z, self.Z.T
            matrix[np.arange(rows, behind), np.arange(rows, behind)] = -1.0
            size = self.stiffness + np.square(self.Z).sum(axis=1)
        matrix[:rows, behind:], matrix[behind:, :rows] = self.border, self.border.T
        matrix[behind:, behind:] = corner
        of_border = np.square(self.border / np.sqrt(np.maximum(size, _TINY))[:, None]).max(axis=0)
        of_border = np.maximum(of_border, np.abs(np.diagonal(corner)))
        self.factored = Factored(matrix, np.concatenate([size, np.ones(inner), of_border]))

    def _bordered(self, rhs: Floats, missing: Floats) -> tuple[Extended, Floats, Floats]:
        """dc, what Newton's kernel matrix makes of it, and the unknowns of the border."""
        rows, inner = len(rhs), 0 if self.Z is None else self.Z.shape[1]
        found = self.factored.solve(np.concatenate([rhs, np.zeros(inner), missing]))
        dc = Extended(*(part[:rows] for part in found))
        middle, rest = found.high[rows : rows + inner], found.high[rows + inner :]
        return dc, self.program.newton_matrix[0] @ dc.high if self.Z is None else self.Z @ middle, rest

    def solve(self, rhs: Floats, missing: Floats) -> tuple[Floats, Floats]:
        program, give, rows = self.program, self.give, len(self.program.slope)
        of_spare, rhs = float(rhs[-1]), program.of_rows(rhs)
        row, sign, lift = program.row, program.sign, program.gram.lift
        pull = np.asarray(np.bincount(row, sign * give * rhs, rows) * self.stiffness, dtype=np.float64)
        asked = missing.copy()
        if program.has_sums:
            pull = pull - lift * missing.sum()
        if program.has_two_sums:
            one, other = (np.bincount(row[own], (sign * rhs)[own], rows) for own in self._sides())
            moved = float((self.of_both * (one - other)).sum()) + self.spare_give * of_spare
            asked = np.array([missing.sum(), missing[0] - missing[1] - 2 * moved])
        self.dc, values, found = self._bordered(pull, asked)
        dc = self.dc.high
        if program.has_two_sums:
            found = np.array([found[0] + found[1], found[0] - found[1]])
        if program.has_sums:
            values = values + lift * missing.sum()
            # What centring took off is the same at every row; the digits of a product with `lift` would not do.
            high, low = extended_products(program.gram, self.dc)
            dλ = found - np.median((high - values) + low)
            values = values[row] + found[program.side]
        else:
            values, dλ = values[row], np.zeros(0)
        dx = give * (rhs - sign * values)
        # Of the variables of a row, the one that gives way most takes what the others leave of its coefficient.
        softest = self._softest()
        others = np.bincount(row, sign * dx, rows) - np.bincount(row[softest], (sign * dx)[softest], rows)
        dx[softest] = sign[softest] * (dc - others)[row[softest]]
        if program.has_spare:
            dx = np.append(dx, self.spare_give * (of_spare - (found[0] - found[1])))
        return dx, dλ

    def moved(self, variables: Extended, dx: Floats, length: float) -> Extended:
        """The variables, with coefficients that went as far: two large ones leave few digits of a small difference."""
        program, before = self.program, self.program.coef(variables)
        moved = variables.plus(length * dx)
        wanted, reached = before.plus_share(self.dc, length), program.coef(moved)
        lacking = (wanted.high - reached.high) + (wanted.low - reached.low)
        softest, more = self._softest(), np.zeros(len(dx))
        more[softest] = (program.sign * lacking[program.row])[softest]
        return moved.plus(more)

    def _softest(self) -> Integers:
        """One variable of each row that has any."""
        order = np.lexsort((-self.give, self.program.row))
        first = np.unique(self.program.row[order], return_index=True)[1]
        return order[first]


def _centre(bounds: Floats, pull: Floats) -> Floats:
    """x with 1/x − 1/(bounds − x) = pull."""
    with np.errstate(over="ignore", invalid="ignore"):
        force = pull * bounds
        root = np.hypot(force, 2.0)
        share = np.where(force > 0, 2 / (force + 2 + root), 1 - 2 / (root + 2 - force))
    return bounds * share


def _centring(bounds: Floats, signs: Floats, wanted: float) -> float:
    """λ for which the signed variables at the centre add up to what is wanted."""
    unit = 1 / float(np.median(bounds))

    def total(λ: float) -> float:
        return float(signs @ _centre(bounds, signs * λ))

    low, high = -unit, unit
    while total(low) < wanted and abs(low) < _LARGEST:
        low *= 4
    while total(high) > wanted and abs(high) < _LARGEST:
        high *= 4
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if total(middle) > wanted else (low, middle)
    return 0.5 * (low + high)
