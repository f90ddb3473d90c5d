"""Many bandwidths from bins of distances: what the rows in a bin are worth at each, and how far that is off at most.

Rows are counted by how much farther they are than the nearest one, t, in what the exponent of a window is a multiple
of: the squared distance of the gaussian, the distance of the exponential. At the rate g a row is worth exp(−g t) of
the nearest. Across a bin, with x from −1 to 1, that is a multiple of exp(−c x), and a cubic is off by less than the
rest of its Chebyshev series, 2 Σ Iₖ(c) over k > 3. Sums of the powers of x over the rows of a bin are all that the
cubics of all bandwidths need.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mercer.typing import Floats, Integers

__all__ = ["MOST_BITS", "Bins", "first_bits", "make_bins"]

# Moments of a bin, and what bounds the error, as the core has them.
_FACTORS = 5
# The core's vectors.
_LANES = 8
# Terms of the Bessel functions' series, and orders that bound the error: enough for exponents that vary by some e's.
_TERMS, _ORDERS = 16, 14
# More bins than 2 to this power an octave are not worth it.
MOST_BITS = 8
# About how far below the nearest row's exponent those are that make up most of a sum.
_DEPTH = 4.0


class Bins(NamedTuple):
    """Bins as the core takes them, and what one of all rows beyond them is worth at most, as a share of the nearest."""

    origin: float
    bits: int
    table: Floats
    seen: Integers
    beyond: float


def first_bits(error: float) -> int:
    """Bins of an octave, as a power of two, with which sums are likely to be off by less than a share."""
    # c = 2^−bits u/2 at the exponent u, and c⁴/192 is the first term that a cubic leaves out.
    wanted = 0.5 * _DEPTH / (192 * error) ** 0.25
    return max(2, math.ceil(math.log2(wanted)))


def make_bins(rates: Floats, bits: int, depth: float) -> Bins:
    """Bins for ascending rates; rows whose exponent is more than `depth` below the nearest's are left out."""
    origin = 2.0 ** math.floor(math.log2(1 / rates[-1]))
    octaves = math.ceil(math.log2(1 + depth / rates[0] / origin))
    number = np.arange(octaves << bits)
    unit = origin * 2.0 ** (number >> bits)
    low = unit * (1 + (number & ((1 << bits) - 1)) / 2.0**bits) - origin
    half = unit / 2.0 ** (bits + 1)
    is_seen = rates * low[:, None] <= depth
    seen = is_seen.sum(axis=1)
    kept = seen > 0
    low, half, is_seen, seen = low[kept], half[kept], is_seen[kept], seen[kept]
    c = np.where(is_seen, rates * half[:, None], 0.0)
    middle = np.exp(-rates * (low + half)[:, None], out=np.zeros_like(c), where=is_seen)
    bessel = _bessel(c)
    rest = 2 * bessel[4:].sum(axis=0) * (1 + 1e-9)  # the orders that are left out
    table = np.zeros((len(low), _FACTORS, -(-len(rates) // _LANES) * _LANES))
    factors = (bessel[0] - 2 * bessel[2], 6 * bessel[3] - 2 * bessel[1], 4 * bessel[2], -8 * bessel[3], rest)
    for place, factor in enumerate(factors):
        table[:, place, : len(rates)] = factor * middle
    return Bins(origin, bits, table.reshape(-1, table.shape[2]), seen.astype(np.int64), math.exp(-depth))


def _bessel(c: Floats) -> Floats:
    """The modified Bessel functions of the first orders, by their series."""
    square, power = 0.25 * c * c, np.ones_like(c)
    found = np.empty((_ORDERS, *c.shape))
    for order in range(_ORDERS):
        sum_, term = power.copy(), power.copy()
        for m in range(1, _TERMS):
            term *= square
            term /= m * (m + order)
            sum_ += term
            if term.max(initial=0.0) < 1e-17:
                break
        found[order] = sum_
        power = power * 0.5 * c / (order + 1)
    return found
