"""Bandwidths by leaving each row out: all of a range in one pass over the pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mercer.deadline import check_deadline
from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["BandwidthChoice", "bandwidth_range", "choose_bandwidth", "row_parts"]

# Bandwidths ten of which double: the gaussian's window at a bandwidth is that at one wider by √2 squared, the
# exponential's at one twice as wide, so that few exponentials tell all of them.
_PER_DOUBLING = 10
_DOWN, _UP = 35, 14
# How often the range goes on where the best is at its end.
_MOST_RANGES = 4
# Sums that are in memory at a time.
_AT_ONCE = 1 << 22
# What each of them takes, with its logarithm and what is made on the way.
_BYTES = 32


class BandwidthChoice(NamedTuple):
    """Bandwidths, descending, the loss of each when rows are left out, and the one whose loss is least."""

    bandwidth: float
    bandwidths: Floats
    losses: Floats


def bandwidth_range(start: float) -> Floats:
    """Fifty bandwidths around one, descending."""
    return start * 2.0 ** (np.arange(_UP, -_DOWN - 1, -1) / _PER_DOUBLING)


def choose_bandwidth(
    losses_of: Callable[[Floats], Floats], start: float, given: Floats | None = None
) -> BandwidthChoice:
    """The bandwidth with the least loss, the widest of several; a range of Mercer's own goes on where it is at its end.

    Parameters
    ----------
    losses_of : callable
        From descending bandwidths to their losses.
    start : float
        Around which the range lies.
    given : ndarray, optional
        The bandwidths to choose from, instead.
    """
    bandwidths = bandwidth_range(start) if given is None else np.sort(np.unique(given))[::-1]
    losses = losses_of(bandwidths)
    for _ in range(_MOST_RANGES - 1 if given is None else 0):
        best = int(np.argmin(losses)) if np.any(np.isfinite(losses)) else 0
        # A loss that does not change beyond the end has nothing to be found there.
        if best == 0 and (losses[0] != losses[1] or np.isinf(losses[0])):
            more = bandwidths[0] * 2.0 ** (np.arange(_UP, 0, -1) / _PER_DOUBLING)
            bandwidths, losses = np.concatenate([more, bandwidths]), np.concatenate([losses_of(more), losses])
        elif best == len(losses) - 1 and losses[-1] != losses[-2]:
            more = bandwidths[-1] * 2.0 ** (-np.arange(1, _DOWN + 1) / _PER_DOUBLING)
            bandwidths, losses = np.concatenate([bandwidths, more]), np.concatenate([losses, losses_of(more)])
        else:
            break
    if not np.any(np.isfinite(losses)):
        raise InputError(
            f"bandwidth='leave-one-out': expected a bandwidth up to {bandwidths[0]:.3g} at which every row has another "
            "in its window, got none. Give wider `bandwidths`, or kernel='gaussian', which reaches everywhere."
        )
    return BandwidthChoice(float(bandwidths[np.argmin(losses)]), bandwidths, losses)


def row_parts(n: int, numbers_per_row: int, room: float = np.inf) -> Iterator[slice]:
    """Slices of rows whose sums fit into memory together, and into so many bytes."""
    step = max(1, int(min(_AT_ONCE, room // _BYTES)) // numbers_per_row)
    for first in range(0, n, step):
        check_deadline()
        yield slice(first, min(n, first + step))
