"""The active-set method: guess which coefficients lie between their bounds, solve for them, and exchange.

Solves       the box QP of a problem with one group, exactly up to rounding
Given        kernel values, coefficients to begin from
Returns      coefficients
Stops when   no coefficient at a bound wants to leave it by more than the tolerance, or as the status says
See          docs/lectures/active_set.md; Nocedal, Wright (2006), Numerical optimization, chapter 16

For the coefficients between their bounds the optimality conditions are a linear system, bordered by the sums. Its
solution is gone towards until a bound is met, which then holds; at the solution, the pair of rows that violates most is
set free. Where the kernel is singular on the set and the dual rises along a direction without curvature, that is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, null_space

from mercer.problems import DualProblem
from mercer.solvers.status import Status
from mercer.typing import Booleans, Floats, Integers

__all__ = ["ActiveSetResult", "KernelValues", "StoredValues", "solve_active_set", "solve_bordered"]

# Exchanges a row, on average, after which it cycles.
_MOST_EXCHANGES = 100
# Slopes that rounding may leave along a direction without curvature, as a share of the slopes themselves; and curvature
# that it may leave, as a share of the largest.
_FLAT = 1e-9
_CURVED = 1e-12
# A factor whose diagonal spans more than this is of a matrix that is singular up to rounding.
_WORST_RATIO = 1e-4
# Rows of either side that are paired where the worst pair cannot move.
_MOST_TRIED = 10
# A coefficient so near to a bound, as a share of the largest, is at it.
_AT_BOUND = 1e-14
_LEAST_SINGULAR = 1e-13


class KernelValues(Protocol):
    """Kernel values among the rows of a group."""

    def block(self, rows: Integers) -> Floats:
        """Among some rows."""

    def products(self, coef: Floats) -> Floats:
        """Σ_j coef_j k(x_j, x_i) for every row i."""


class StoredValues(NamedTuple):
    """All of them, in a matrix."""

    K: Floats

    def block(self, rows: Integers) -> Floats:
        return np.asarray(self.K[np.ix_(rows, rows)])

    def products(self, coef: Floats) -> Floats:
        used = coef.nonzero()[0]
        return np.asarray(self.K[:, used] @ coef[used])


class ActiveSetResult(NamedTuple):
    """Coefficients, exchanges, and how it ended; NO_MARGIN with a direction in which the dual grows without bound."""

    coef: Floats
    steps: int
    status: Status


# Called before each exchange, and with its kind, the coefficients before and after it.
OnExchange = Callable[[str, Floats, Floats], None]


def solve_active_set(
    problem: DualProblem, values: KernelValues, coef: Floats, tol: float, on_exchange: OnExchange | None = None
) -> ActiveSetResult:
    """Solves from feasible coefficients on; `on_exchange` may raise to stop it."""
    state = _State(problem, values, coef.copy())
    for steps in range(1, _MOST_EXCHANGES * len(coef) + 1):
        before = state.coef
        direction, is_ray = state.direction()
        length, blocking = state.reach(direction, np.inf if is_ray else 1.0)
        if np.isinf(length):
            return ActiveSetResult(direction, steps, Status.NO_MARGIN)
        state.move(direction, length, blocking)
        if on_exchange is not None:
            on_exchange("solve" if blocking is None else "meet a bound", before, state.coef)
        if blocking is None:
            status = state.set_free(tol)
            if status is not None:
                return ActiveSetResult(state.coef, steps, status)
    return ActiveSetResult(state.coef, steps, Status.STALLED)


class _State:
    """Coefficients; which of them are free; and on which side of zero each of these is, where that has a price."""

    def __init__(self, problem: DualProblem, values: KernelValues, coef: Floats) -> None:
        self.problem, self.values, self.coef = problem, values, coef
        self.free: Booleans = (coef > problem.lower) & (coef < problem.upper) & (coef != 0)
        self.sign = np.sign(coef)
        self.kink = np.zeros(len(coef)) if problem.kink is None else problem.kink
        self.tried, self.coef_at_last_pair = 0, coef

    def direction(self) -> tuple[Floats, bool]:
        """To where the free coefficients solve their optimality conditions; or a ray along which the dual rises."""
        direction, free = np.zeros(len(self.coef)), np.flatnonzero(self.free)
        if len(free) == 0:
            return direction, False
        sign = self.sign[free]
        K, sums = self.values.block(free), self._sums(sign)
        slope = self.problem.slope[free] - self.kink[free] * sign - self.values.products(self.coef)[free]
        step = solve_bordered(K, sums, slope)
        left = _kept(sums, slope - K @ step)
        # What the system cannot reach is orthogonal to K: the dual is a straight line there.
        is_left = np.abs(left).max() > _FLAT * max(1.0, np.abs(slope).max())
        is_ray = bool(is_left and left @ K @ left <= _CURVED * np.abs(np.diagonal(K)).max() * (left @ left))
        direction[free] = left if is_ray else step
        return direction, is_ray

    def _sums(self, sign: Floats) -> Floats:
        """One row a sum that is to stay: which of the free coefficients are in it."""
        if self.problem.two_sums:
            rows = np.stack([sign > 0, sign < 0]).astype(np.float64)
        else:
            rows = np.ones((self.problem.sums_kept, len(sign)))
        return np.asarray(rows[rows.any(axis=1)]) if len(rows) else rows

    def reach(self, direction: Floats, most: float) -> tuple[float, int | None]:
        """How far one can go along the direction, and which coefficient then meets a bound."""
        high = np.where(self.sign < 0, 0.0, self.problem.upper)
        low = np.where(self.sign > 0, 0.0, self.problem.lower)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(direction > 0, (high - self.coef) / direction, (low - self.coef) / direction)
        room = np.where(self.free & (direction != 0), np.maximum(room, 0.0), np.inf)
        nearest = int(np.argmin(room))
        return (float(room[nearest]), nearest) if room[nearest] < most else (most, None)

    def move(self, direction: Floats, length: float, blocking: int | None) -> None:
        coef = self.coef + length * direction
        if blocking is not None:
            up, side = direction[blocking] > 0, self.sign[blocking]
            bound = self.problem.upper if up else self.problem.lower
            coef[blocking] = 0.0 if (up and side < 0) or (not up and side > 0) else bound[blocking]
            self.free = self.free.copy()
            self.free[blocking] = False
        # On the way to a bound others may be at theirs, because they have just been set free.
        self.coef = self._snapped(coef) if blocking is None else coef

    def _snapped(self, coef: Floats) -> Floats:
        """Free coefficients next to a bound are put on it: they are rounding."""
        near = _AT_BOUND * float(np.abs(coef).max())
        for bound in (np.zeros(len(coef)), self.problem.lower, self.problem.upper):
            at_it = self.free & (np.abs(coef - bound) <= near)
            if at_it.any():
                coef = np.where(at_it, bound, coef)
                self.free = self.free & ~at_it
        return coef

    def set_free(self, tol: float) -> Status | None:
        """Lets the pair go that violates most; the status where none does."""
        problem = self.problem
        sides = problem.sides(self.coef, self.values.products(self.coef))
        if problem.offsets(sides).violation[0] <= tol:
            return Status.SOLVED
        pairs = []  # those that violate, the worst first
        for number, (up, low) in enumerate(zip(sides.up, sides.low, strict=True)):
            gain, loss = np.where(up, sides.gain_up, -np.inf), np.where(low, sides.gain_low, np.inf)
            ups, lows = np.argsort(-gain)[:_MOST_TRIED], np.argsort(loss)[:_MOST_TRIED]
            pairs += [(gain[i] - loss[j], int(i), int(j), number == 0) for i in ups for j in lows]
        pairs = sorted((pair for pair in pairs if pair[0] > tol), reverse=True)
        # Where the last pair could not move, because others are at their bounds with it, the next has its turn.
        self.tried = self.tried + 1 if np.array_equal(self.coef, self.coef_at_last_pair) else 0
        self.coef_at_last_pair = self.coef
        _, i, j, positive = pairs[min(self.tried, len(pairs) - 1)]
        if self.tried >= len(pairs) or (self.free[i] and self.free[j]):  # both are solved for: what is left is rounding
            return Status.STALLED
        self.free = self.free.copy()
        for row, grows in ((i, True), (j, False)):
            if self.coef[row] == 0:
                self.sign[row] = (1.0 if positive else -1.0) if problem.two_sums else (1.0 if grows else -1.0)
            self.free[row] = True
        return None


def solve_bordered(K: Floats, sums: Floats, r: Floats) -> Floats:
    """c with K c + sumsᵀ b = r and sums c = 0 for some b: the shortest, or the best if there is none.

    With a Cholesky factor of K, as the lectures solve it for one sum e: p = K⁻¹r, q = K⁻¹e, b = eᵀp / eᵀq, c = p − b q.
    Where K has none, because rows are repeated or lie in few dimensions, by least squares among c that keep the sums.
    """
    try:
        factor = cho_factor(K, lower=True)
        diagonal = np.abs(np.diagonal(factor[0]))
        if diagonal.min() > _WORST_RATIO * diagonal.max():
            c = _by_factor(factor, sums, r)
            return _kept(sums, c + _by_factor(factor, sums, r - K @ c))  # with what rounding left
    except LinAlgError:
        pass
    keeping = null_space(sums) if len(sums) else np.eye(len(r))
    reduced = np.linalg.lstsq(keeping.T @ K @ keeping, keeping.T @ r, rcond=_LEAST_SINGULAR)[0]
    return np.asarray(keeping @ reduced)


def _kept(sums: Floats, c: Floats) -> Floats:
    """The nearest to c that has no part in the sums."""
    return np.asarray(c - sums.T @ np.linalg.lstsq(sums @ sums.T, sums @ c, rcond=None)[0]) if len(sums) else c


def _by_factor(factor: tuple[Floats, bool], sums: Floats, r: Floats) -> Floats:
    p = cho_solve(factor, r)
    if len(sums) == 0:
        return np.asarray(p)
    q = cho_solve(factor, sums.T)
    b = np.linalg.solve(sums @ q, sums @ p)
    return np.asarray(p - q @ b)
