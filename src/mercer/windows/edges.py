"""Bandwidths chosen at the end of their range: there may be better ones beyond it, or rows that are there twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.windows.left_out import BandwidthChoice, bandwidth_range

__all__ = ["advice_for_choice"]

# A range of fewer values has ends only.
_FEWEST = 3
# A loss that changes by a smaller share from one bandwidth of Mercer's own range to the next has come to its limit.
_FLAT = 1e-4
# Fewer duplicates than this share of the rows are not why narrow windows are chosen.
_MANY = 0.1
# Of the widest: where Mercer's own range ends before it goes on.
_NARROW = float(np.divide(*bandwidth_range(1.0)[[-1, 0]]))


def advice_for_choice(choice: BandwidthChoice, rows: Any, is_given: bool, is_bounded: bool) -> tuple[str, ...]:
    """What to say of a choice, in sentences: nothing where it lies within its range.

    Parameters
    ----------
    choice : BandwidthChoice
    rows : ndarray of shape (rows, features)
        Each of which was left out.
    is_given : bool
        Whether the range is that of the user.
    is_bounded : bool
        Whether losses have a limit as windows narrow, which a likelihood has not where each row has a twin.
    """
    place, count = int(np.argmin(choice.losses)), len(choice.losses)
    if count < 2:
        return ()
    is_least = place == count - 1
    is_narrow = not is_given and not is_bounded and choice.bandwidth < _NARROW * choice.bandwidths[0]
    twins = _duplicates(rows) if is_least or is_narrow else 0
    told = []
    if twins >= _MANY * len(rows):
        why = "the least that was looked at" if is_least else "much less than their spread suggests"
        told.append(
            f"bandwidth='leave-one-out' chose {choice.bandwidth:.3g}, {why}, and {twins} of {len(rows)} rows are "
            "duplicates: a row that is left out leaves its twin behind, for which no window is too narrow. Give each "
            "row once, with its count as sample_weight, or use another rule, as 'normal-reference'."
        )
    if place not in (0, count - 1):
        return tuple(told)
    beside = choice.losses[1 if place == 0 else count - 2]
    if is_given and count >= _FEWEST and choice.losses[place] != beside:
        end = "largest" if place == 0 else "least"
        further = choice.bandwidth**2 / choice.bandwidths[1 if place == 0 else count - 2]
        told.append(f"bandwidth={choice.bandwidth:.3g} is the {end} of `bandwidths`: try {further:.3g} as well.")
    elif not is_given and not told and abs(choice.losses[place] - beside) > _FLAT * abs(beside):
        end, others = ("widest", "wider") if place == 0 else ("narrowest", "narrower")
        told.append(
            f"bandwidth='leave-one-out' chose {choice.bandwidth:.3g}, the {end} that was looked at, and {others} ones "
            "may be better. Give `bandwidths` that reach further, or scale the features."
        )
    return tuple(told)


def _duplicates(rows: Any) -> int:
    """Rows of which there is another that is equal."""
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    return int(counts[counts > 1].sum())
