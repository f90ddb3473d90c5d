"""One probability a class, from what the functions of a machine give.

See   Wu, Lin, Weng (2004), Probability estimates for multi-class classification by pairwise coupling
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.typing import Floats

__all__ = ["LEAST_SHARE", "coupled", "normalised"]

# A million numbers of systems at once: 8 MB.
_NUMBERS_PER_BLOCK = 1_000_000
#: What is left of a class that no function speaks for.
LEAST_SHARE = 1e-15


def normalised(own: Floats) -> Floats:
    """The probabilities of each class against the rest, made to sum to one."""
    own = np.maximum(own, LEAST_SHARE)
    return np.asarray(own / own.sum(axis=1, keepdims=True))


def coupled(own: Floats, classes: int) -> Floats:
    """The probabilities p that fit best to those of the pairs, r_ij of class i against class j.

    They minimise Σ_i Σ_j≠i (r_ji p_i − r_ij p_j)² with Σ p = 1: the solution of (Q + 11ᵀ) p ∝ 1, where Q_ii = Σ r_ji²
    and Q_ij = −r_ji r_ij.
    """
    first, second = np.triu_indices(classes, 1)
    out = np.empty((len(own), classes))
    for block in _blocks(len(own), classes**2):
        r = np.zeros((len(own[block]), classes, classes))
        r[:, first, second], r[:, second, first] = own[block], 1 - own[block]
        system = 1 - r * r.transpose(0, 2, 1)
        places = np.arange(classes)
        system[:, places, places] = 1 + (r**2).sum(axis=1)
        found = np.linalg.solve(system, np.ones((len(r), classes, 1)))[:, :, 0]
        out[block] = normalised(np.asarray(found, dtype=np.float64))
    return out


def _blocks(rows: int, numbers: int) -> Iterator[slice]:
    step = max(1, _NUMBERS_PER_BLOCK // numbers)
    for first in range(0, rows, step):
        yield slice(first, first + step)
