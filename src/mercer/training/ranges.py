"""The values of C and gamma that a search begins with, and how they grow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.tune.ranges import gamma_range
from mercer.typing import Floats

__all__ = ["Ranges", "first_ranges"]

_C, _GAMMA = (0.5, 2.0, 8.0, 32.0, 128.0), (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
# Of few rows, cells farther from the usual ones than these are chosen by chance more often than with reason. Measured
# on twenty splits of two tables, that is worth half a point of accuracy.
_USUAL_C, _USUAL_GAMMA, _FEW_ROWS = (0.5, 2.0, 8.0), (1 / 2, 1.0, 2.0), 1000
# For the width of the tube.
_COARSE_C, _COARSE_GAMMA, _TUBES = (2.0, 32.0), (1 / 4, 1.0), (1 / 64, 1 / 16, 1 / 4)
# The least and the largest C, in the same units: beyond it machines are those of the hard margin, and slow to find.
_LEAST_C, _LARGEST_C = 1 / 32, 512.0
_RATIO_OF_C, _RATIO_OF_GAMMA = 4.0, 2.0
_FOLDS = 5
# Values that are added at an end of a range of gammas.
_MORE_GAMMAS = 2


@dataclass(frozen=True)
class Ranges:
    """Values of C, in order, in units of the spread of the targets, and of gamma.

    Attributes
    ----------
    C, gamma : tuple of float
    centre : float
        The usual gamma.
    unit : float
        What C is counted in: one in classification.
    """

    C: tuple[float, ...]
    gamma: tuple[float, ...]
    centre: float
    unit: float

    @property
    def grid(self) -> dict[str, list[float]]:
        """As a search takes it."""
        return {"C": [self.unit * value for value in self.C], "gamma": list(self.gamma)}

    @property
    def coarse_grid(self) -> dict[str, list[float]]:
        """A few cells, with three tubes."""
        return {
            "C": [self.unit * value for value in _COARSE_C],
            "gamma": [self.centre * factor for factor in _COARSE_GAMMA],
            "epsilon": [self.unit * share for share in _TUBES],
        }

    def grown(self, search: Any) -> Ranges | None:
        """With more values where the choice is at an end and better than its neighbour by more than chance; None where
        it is not so."""
        shape = len(self.C), len(self.gamma)
        i, j = np.unravel_index(int(search.best_index_), shape)
        C, gamma, better = self.C, self.gamma, self.better_ends(search)
        if "C" in better:
            more = C[0] / _RATIO_OF_C if i == 0 else C[-1] * _RATIO_OF_C
            if _LEAST_C <= more <= _LARGEST_C:
                C = (more, *C) if i == 0 else (*C, more)
        if "gamma" in better:
            steps = range(1, _MORE_GAMMAS + 1)
            if j == 0:
                gamma = (*(gamma[0] / _RATIO_OF_GAMMA**k for k in reversed(steps)), *gamma)
            else:
                gamma = (*gamma, *(gamma[-1] * _RATIO_OF_GAMMA**k for k in steps))
        return None if (C, gamma) == (self.C, self.gamma) else replace(self, C=C, gamma=gamma)

    def better_ends(self, search: Any) -> tuple[str, ...]:
        """Names of the parameters whose choice is at an end, and better than its neighbour by more than chance."""
        shape = len(self.C), len(self.gamma)
        results = search.cv_results_
        scores = np.stack([results[f"split{k}_test_score"] for k in range(search.n_splits_)])
        scores = scores.reshape(len(scores), *shape)
        i, j = np.unravel_index(int(search.best_index_), shape)
        lines = {"C": (scores[:, :, j], int(i)), "gamma": (scores[:, i], int(j))}
        return tuple(name for name, (line, place) in lines.items() if _is_better_end(line, place))


def first_ranges(X: Floats, unit: float, seed: int) -> Ranges:
    """Around one over the median squared distance of the rows."""
    several = gamma_range(X, seed)
    centre = several[len(several) // 2]
    C, factors = (_USUAL_C, _USUAL_GAMMA) if len(X) <= _FEW_ROWS else (_C, _GAMMA)
    return Ranges(C, tuple(centre * factor for factor in factors), centre, unit)


def _is_better_end(scores: Floats, place: int) -> bool:
    """Whether the best is first or last, and better than what is beside it by more than the error of that, given the
    scores of all folds. Folds of several draws are not independent: they count as one draw of some."""
    if place not in (0, scores.shape[1] - 1):
        return False
    gains = scores[:, place] - scores[:, 1 if place == 0 else -2]
    error = float(np.std(gains, ddof=1)) / np.sqrt(min(len(gains), _FOLDS))
    return bool(gains.mean() > error)
