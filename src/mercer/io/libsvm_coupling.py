"""Probabilities of classes from those of their pairs, step by step as LIBSVM's programs find them.

`mercer.calibration` solves the same problem exactly. LIBSVM's iteration ends where no class is off by more than 0.005
of an even share, which shows in the third digit: what `svm-predict` prints comes from here.

See   Wu, Lin, Weng (2004), Probability estimates for multi-class classification by pairwise coupling, algorithm 2
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Floats

__all__ = ["coupled_step_by_step"]

_MOST_ROUNDS = 100
_CLOSE = 0.005
# A million numbers of systems at once: 8 MB.
_NUMBERS_PER_BLOCK = 1_000_000


def coupled_step_by_step(pairwise: Floats, classes: int) -> Floats:
    """Shape (rows, classes), from the probability of the first of each pair, shape (rows, pairs)."""
    step = max(1, _NUMBERS_PER_BLOCK // classes**2)
    blocks = [_coupled(pairwise[first : first + step], classes) for first in range(0, len(pairwise), step)]
    return np.concatenate([np.zeros((0, classes)), *blocks])


def _coupled(pairwise: Floats, classes: int) -> Floats:
    first, second = np.triu_indices(classes, 1)
    r = np.zeros((len(pairwise), classes, classes))
    r[:, first, second], r[:, second, first] = pairwise, 1 - pairwise
    Q = -r * r.transpose(0, 2, 1)
    places = np.arange(classes)
    Q[:, places, places] = (r**2).sum(axis=1)
    p = np.full((len(r), classes), 1 / classes)
    going = np.arange(len(r))
    for _ in range(max(_MOST_ROUNDS, classes)):
        Qp = np.einsum("nij,nj->ni", Q[going], p[going])
        pQp = np.einsum("ni,ni->n", p[going], Qp)
        is_open = np.abs(Qp - pQp[:, None]).max(axis=1) >= _CLOSE / classes
        if not is_open.any():
            break
        going, Qp, pQp = going[is_open], Qp[is_open], pQp[is_open]
        own, system = p[going], Q[going]
        for t in places:
            change = (pQp - Qp[:, t]) / system[:, t, t]
            own[:, t] += change
            pQp = (pQp + change * (change * system[:, t, t] + 2 * Qp[:, t])) / (1 + change) ** 2
            Qp = (Qp + change[:, None] * system[:, t]) / (1 + change)[:, None]
            own /= (1 + change)[:, None]
        p[going] = own
    return p
