"""Rows that stand for all: pivoted Cholesky, whose next row is the one that those before it explain least, or chance's.

Of the chosen rows Z, K ≈ F Fᵀ with F = K_XZ L⁻ᵀ, L Lᵀ = K_ZZ, and what is left of the diagonal of K tells each row's
error. Only columns of K are made, those of some candidates at a time; K itself never is. Greedy pivots take the
largest of what is left; random ones are drawn in proportion to it. A block of candidates is settled among themselves:
a random one is kept with the chance that those kept before it leave of its own, which draws just as one after the other
would.

See          Harbrecht, Peters and Schneider, On the low-rank approximation by the pivoted Cholesky decomposition,
             Appl. Numer. Math. 2012
             Chen, Epperly, Tropp and Webber, Randomly pivoted Cholesky, Comm. Pure Appl. Math. 2025
             Epperly, Tropp and Webber, Embrace rejection: kernel matrix approximation by accelerated randomly pivoted
             Cholesky, 2024
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.errors import kernel_overflow
from mercer.rows.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["pivots"]

# Kernel values of the candidates of one block, and the fewest and most candidates.
_VALUES_PER_BLOCK = 8_000_000
_FEWEST_CANDIDATES = 16
_MOST_CANDIDATES = 256
# Up to so many products greedy pivots are taken one by one: some tenths of a second.
_ONE_BY_ONE = 1e8
# In blocks a greedy pivot has at least this share of the largest that is left.
_NEAR_LARGEST = 0.9


class _Settled(NamedTuple):
    """Positions of the candidates that were kept, and the Cholesky factor of what is left of K among them."""

    kept: list[int]
    factor: Floats


def pivots(rows: Rows, most: int, threads: int, random: np.random.RandomState | None = None) -> Integers:
    """The first `most` pivots in their order; fewer where what is left of the diagonal is rounding.

    Greedy ones, or with `random` numbers those of chance. Greedy ones of many rows have nine tenths of the largest that
    is left or more: then a block of them is found at a time.
    """
    from scipy.linalg import solve_triangular  # it takes long to import

    n = len(rows)
    most = min(most, n)
    with np.errstate(over="ignore"):
        left = _finite(rows, np.array(rows.diagonal, dtype=np.float64))
    rounding = n * np.finfo(np.float64).eps * float(np.abs(left).max())
    is_single = random is None and n * most**2 <= _ONE_BY_ONE
    size = 1 if is_single else int(np.clip(_VALUES_PER_BLOCK // n, _FEWEST_CANDIDATES, _MOST_CANDIDATES))
    # Columns of F are rows here: a block adds some, and goes through those before it.
    F = np.empty((most, n))
    chosen: list[int] = []
    while len(chosen) < most:
        candidates, outside = _largest(left, size) if random is None else _drawn(left, size, rounding, random)
        if len(candidates) == 0 or left[candidates[0]] <= rounding:
            break
        before = F[: len(chosen)]
        columns = _columns(rows, candidates, threads) - before[:, candidates].T @ before
        among, room = columns[:, candidates], most - len(chosen)
        if random is None:
            settled = _settle_greedily(among, max(_NEAR_LARGEST * outside, rounding), room)
        else:
            settled = _settle_by_chance(among, rounding, room, random)
        if not settled.kept:
            break  # rounding has made of the first candidate what is left of none
        found = solve_triangular(settled.factor, columns[settled.kept], lower=True, check_finite=False)
        F[len(chosen) : len(chosen) + len(found)] = found
        left -= np.einsum("ij,ij->j", found, found)
        chosen.extend(candidates[settled.kept].tolist())
        left[chosen] = -np.inf  # rounding must not choose them again
    return np.array(chosen, dtype=np.int64)


def _largest(left: Floats, size: int) -> tuple[Integers, float]:
    """The rows of which most is left, largest first, and the most that is left of another."""
    if size == 1:
        return np.array([int(left.argmax())]), -np.inf
    size = min(size, len(left))
    some = np.argpartition(left, len(left) - size)[len(left) - size :]
    some = some[np.argsort(-left[some], kind="stable")]
    others = np.ones(len(left), dtype=bool)
    others[some] = False
    return some, float(left[others].max(initial=-np.inf))


def _drawn(left: Floats, size: int, rounding: float, random: np.random.RandomState) -> tuple[Integers, float]:
    """Rows drawn in proportion to what is left of them; the same row may come twice."""
    sums = np.cumsum(np.where(left > rounding, left, 0.0))
    if sums[-1] <= 0:
        return np.zeros(0, dtype=np.int64), 0.0
    places = np.searchsorted(sums, random.random_sample(size) * sums[-1], side="right")
    return np.minimum(places, int(np.flatnonzero(left > rounding)[-1])), 0.0


def _settle_greedily(among: Floats, least: float, room: int) -> _Settled:
    """The largest one after the other, as long as none outside can be much larger; the first is."""
    kept: list[int] = []
    left, F = np.diagonal(among).copy(), np.empty((0, len(among)))
    while len(kept) < min(room, len(among)):
        pivot = int(left.argmax()) if kept else 0
        if left[pivot] <= (least if kept else 0.0):
            break
        F = _eliminated(F, among, left, pivot)
        kept.append(pivot)
    return _Settled(kept, F[:, kept].T)


def _settle_by_chance(among: Floats, rounding: float, room: int, random: np.random.RandomState) -> _Settled:
    """Each in its turn, with the chance of what is left of it beside what was when it was drawn."""
    kept: list[int] = []
    start = np.diagonal(among).copy()
    left, F = start.copy(), np.empty((0, len(among)))
    for place, chance in enumerate(random.random_sample(len(among))):
        if len(kept) == room:
            break
        if left[place] > rounding and chance * start[place] < left[place]:
            F = _eliminated(F, among, left, place)
            kept.append(place)
    return _Settled(kept, F[:, kept].T)


def _eliminated(F: Floats, among: Floats, left: Floats, pivot: int) -> Floats:
    """One row more of F, for a pivot; what is left is lowered by it."""
    row = (among[pivot] - F[:, pivot] @ F) / np.sqrt(left[pivot])
    left -= row * row
    left[pivot] = -np.inf
    return np.vstack([F, row])


def _columns(rows: Rows, candidates: Integers, threads: int) -> Floats:
    """k between some rows and all."""
    everyone = np.arange(len(rows))
    try:
        if len(candidates) == 1:  # sums of one term need no copy of the rows
            return _finite(rows, rows.expand([everyone], [candidates], [np.ones(1)], threads)[0])[None, :]
        return _finite(rows, np.asarray(rows.block(candidates, everyone, threads), dtype=np.float64))
    except OverflowError:
        raise kernel_overflow(rows.kernel) from None


def _finite(rows: Rows, values: Floats) -> Floats:
    if not np.all(np.isfinite(values)):
        raise kernel_overflow(rows.kernel)
    return values
